CREATE TABLE surveys (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT UNIQUE, -- NULL while it is being deleted
  blob BLOB NOT NULL,
  version INTEGER NOT NULL
) STRICT;

CREATE TABLE rounds (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  survey INTEGER NOT NULL REFERENCES surveys ON DELETE CASCADE,
  round INTEGER NOT NULL,
  blob BLOB NOT NULL,
  is_open INTEGER NOT NULL,
  conflicts INTEGER NOT NULL DEFAULT 0,
  tallies BLOB,
  UNIQUE (survey, round)
) STRICT;

CREATE TABLE decks (
  round INTEGER NOT NULL REFERENCES rounds ON DELETE CASCADE,
  deck INTEGER NOT NULL,
  joined INTEGER NOT NULL,
  PRIMARY KEY (round, deck)
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
  round INTEGER NOT NULL REFERENCES rounds ON DELETE CASCADE,
  person BLOB NOT NULL,
  number INTEGER NOT NULL,
  deck INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (round, person)
) STRICT, WITHOUT ROWID;

CREATE TABLE numbers (
  last INTEGER NOT NULL -- of assignments, in the one row
) STRICT;

INSERT INTO numbers VALUES (0);

CREATE TABLE answers (
  round INTEGER NOT NULL REFERENCES rounds ON DELETE CASCADE,
  number INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  part INTEGER NOT NULL,
  question INTEGER NOT NULL,
  report BLOB NOT NULL,
  PRIMARY KEY (round, number, nth)
) STRICT, WITHOUT ROWID;

CREATE TABLE progress (
  round INTEGER NOT NULL REFERENCES rounds ON DELETE CASCADE,
  bin INTEGER NOT NULL, -- of ten minutes, since 1970
  reports INTEGER NOT NULL,
  PRIMARY KEY (round, bin)
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  kind TEXT NOT NULL,
  digest BLOB NOT NULL,
  survey INTEGER REFERENCES surveys ON DELETE CASCADE,
  blob BLOB NOT NULL,
  expires INTEGER, -- microseconds since 1970
  PRIMARY KEY (kind, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX secrets_of_surveys ON secrets (survey);

CREATE INDEX secrets_that_expire ON secrets (expires) WHERE expires IS NOT NULL;

CREATE TABLE pictures (
  survey INTEGER NOT NULL REFERENCES surveys ON DELETE CASCADE,
  digest BLOB NOT NULL,
  picture BLOB NOT NULL,
  PRIMARY KEY (survey, digest)
) STRICT;

CREATE TABLE signing_keys (
  number INTEGER PRIMARY KEY,
  key BLOB NOT NULL
) STRICT;

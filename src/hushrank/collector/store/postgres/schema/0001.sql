CREATE TABLE hushrank.surveys (
  key integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id text UNIQUE, -- NULL while it is being deleted
  blob bytea NOT NULL,
  version integer NOT NULL
);

CREATE TABLE hushrank.rounds (
  key integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  survey integer NOT NULL REFERENCES hushrank.surveys ON DELETE CASCADE,
  round integer NOT NULL,
  blob bytea NOT NULL,
  is_open boolean NOT NULL,
  tallies bytea,
  UNIQUE (survey, round)
);

CREATE TABLE hushrank.decks (
  round integer NOT NULL REFERENCES hushrank.rounds ON DELETE CASCADE,
  deck integer NOT NULL,
  joined integer NOT NULL,
  PRIMARY KEY (round, deck)
);

CREATE TABLE hushrank.people (
  round integer NOT NULL REFERENCES hushrank.rounds ON DELETE CASCADE,
  person bytea NOT NULL,
  number bigint NOT NULL,
  deck integer NOT NULL,
  position integer NOT NULL,
  PRIMARY KEY (round, person)
);

CREATE SEQUENCE hushrank.numbers; -- of assignments

-- No foreign key: whoever adds answers holds a lock on their round, and to check it again for each
-- row takes as long as to store it.
CREATE TABLE hushrank.answers (
  number bigint NOT NULL,
  round integer NOT NULL,
  nth integer NOT NULL,
  part integer NOT NULL,
  question integer NOT NULL,
  report bytea NOT NULL,
  PRIMARY KEY (round, number, nth)
);

-- A slot is of one connection at a time: server processes do not wait for each other to count.
CREATE TABLE hushrank.progress (
  round integer NOT NULL REFERENCES hushrank.rounds ON DELETE CASCADE,
  bin integer NOT NULL, -- of ten minutes, since 1970
  slot integer NOT NULL,
  reports bigint NOT NULL,
  PRIMARY KEY (round, bin, slot)
);

CREATE TABLE hushrank.conflicts (
  round integer NOT NULL REFERENCES hushrank.rounds ON DELETE CASCADE,
  slot integer NOT NULL,
  conflicts bigint NOT NULL,
  PRIMARY KEY (round, slot)
);

CREATE TABLE hushrank.secrets (
  kind text NOT NULL,
  digest bytea NOT NULL,
  survey integer REFERENCES hushrank.surveys ON DELETE CASCADE,
  blob bytea NOT NULL,
  expires bigint, -- microseconds since 1970
  PRIMARY KEY (kind, digest)
);

CREATE INDEX secrets_of_surveys ON hushrank.secrets (survey);

CREATE INDEX secrets_that_expire ON hushrank.secrets (expires) WHERE expires IS NOT NULL;

CREATE TABLE hushrank.pictures (
  survey integer NOT NULL REFERENCES hushrank.surveys ON DELETE CASCADE,
  digest bytea NOT NULL,
  picture bytea NOT NULL,
  PRIMARY KEY (survey, digest)
);

CREATE TABLE hushrank.signing_keys (
  number integer PRIMARY KEY,
  key bytea NOT NULL
);

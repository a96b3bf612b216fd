-- rows of rounds that have ended no longer lie as they came, which told who had sent after whom
CREATE TABLE sorted (
  round INTEGER NOT NULL REFERENCES rounds ON DELETE CASCADE,
  number INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  part INTEGER NOT NULL,
  question INTEGER NOT NULL,
  report BLOB NOT NULL,
  key BLOB NOT NULL DEFAULT x'',
  PRIMARY KEY (round, number, nth)
) STRICT, WITHOUT ROWID;

INSERT INTO sorted SELECT * FROM answers ORDER BY round, number, nth;

DROP TABLE answers;

ALTER TABLE sorted RENAME TO answers;

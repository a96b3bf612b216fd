-- ANALYZE copies values into the server's statistics, where they outlive their rows, as an empty
-- table has none to put in their place: not of columns that say anything of people or surveys.
-- That a column has a type, though it had it before, drops what was copied already.
ALTER TABLE hushrank.surveys
  ALTER COLUMN id TYPE text, ALTER COLUMN id SET STATISTICS 0,
  ALTER COLUMN blob TYPE bytea, ALTER COLUMN blob SET STATISTICS 0;
ALTER TABLE hushrank.rounds
  ALTER COLUMN blob TYPE bytea, ALTER COLUMN blob SET STATISTICS 0,
  ALTER COLUMN tallies TYPE bytea, ALTER COLUMN tallies SET STATISTICS 0;
ALTER TABLE hushrank.decks
  ALTER COLUMN deck TYPE bigint, ALTER COLUMN deck SET STATISTICS 0,
  ALTER COLUMN joined TYPE integer, ALTER COLUMN joined SET STATISTICS 0;
ALTER TABLE hushrank.people
  ALTER COLUMN person TYPE bytea, ALTER COLUMN person SET STATISTICS 0,
  ALTER COLUMN number TYPE bigint, ALTER COLUMN number SET STATISTICS 0,
  ALTER COLUMN deck TYPE bigint, ALTER COLUMN deck SET STATISTICS 0,
  ALTER COLUMN position TYPE integer, ALTER COLUMN position SET STATISTICS 0;
ALTER TABLE hushrank.answers
  ALTER COLUMN number TYPE bigint, ALTER COLUMN number SET STATISTICS 0,
  ALTER COLUMN part TYPE integer, ALTER COLUMN part SET STATISTICS 0,
  ALTER COLUMN question TYPE integer, ALTER COLUMN question SET STATISTICS 0,
  ALTER COLUMN report TYPE bytea, ALTER COLUMN report SET STATISTICS 0,
  ALTER COLUMN key TYPE bytea, ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE hushrank.progress
  ALTER COLUMN bin TYPE integer, ALTER COLUMN bin SET STATISTICS 0,
  ALTER COLUMN reports TYPE bigint, ALTER COLUMN reports SET STATISTICS 0;
ALTER TABLE hushrank.conflicts
  ALTER COLUMN conflicts TYPE bigint, ALTER COLUMN conflicts SET STATISTICS 0;
ALTER TABLE hushrank.secrets
  ALTER COLUMN digest TYPE bytea, ALTER COLUMN digest SET STATISTICS 0,
  ALTER COLUMN blob TYPE bytea, ALTER COLUMN blob SET STATISTICS 0;
ALTER TABLE hushrank.pictures
  ALTER COLUMN digest TYPE bytea, ALTER COLUMN digest SET STATISTICS 0,
  ALTER COLUMN picture TYPE bytea, ALTER COLUMN picture SET STATISTICS 0;
ALTER TABLE hushrank.signing_keys
  ALTER COLUMN number TYPE integer, ALTER COLUMN number SET STATISTICS 0,
  ALTER COLUMN key TYPE bytea, ALTER COLUMN key SET STATISTICS 0;

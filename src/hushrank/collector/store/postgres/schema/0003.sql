-- by which whoever sent the answers shows that they send again; with the first of an assignment
ALTER TABLE hushrank.answers ADD COLUMN key bytea NOT NULL DEFAULT '';

-- by which whoever sent the answers shows that they send again; with the first of an assignment
ALTER TABLE answers ADD COLUMN key BLOB NOT NULL DEFAULT x'';

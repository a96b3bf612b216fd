-- a deck names an assignment of an earlier survey, too, which takes more than 31 bits
ALTER TABLE hushrank.decks ALTER COLUMN deck TYPE bigint;
ALTER TABLE hushrank.people ALTER COLUMN deck TYPE bigint;

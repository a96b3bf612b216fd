


SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;


CREATE SCHEMA hushrank;


SET default_tablespace = '';

SET default_table_access_method = heap;


CREATE TABLE hushrank.answers (
    number bigint NOT NULL,
    round integer NOT NULL,
    nth integer NOT NULL,
    part integer NOT NULL,
    question integer NOT NULL,
    report bytea NOT NULL
);



CREATE TABLE hushrank.conflicts (
    round integer NOT NULL,
    slot integer NOT NULL,
    conflicts bigint NOT NULL
);



CREATE TABLE hushrank.decks (
    round integer NOT NULL,
    deck integer NOT NULL,
    joined integer NOT NULL
);



CREATE SEQUENCE hushrank.numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;



CREATE TABLE hushrank.people (
    round integer NOT NULL,
    person bytea NOT NULL,
    number bigint NOT NULL,
    deck integer NOT NULL,
    "position" integer NOT NULL
);



CREATE TABLE hushrank.pictures (
    survey integer NOT NULL,
    digest bytea NOT NULL,
    picture bytea NOT NULL
);



CREATE TABLE hushrank.progress (
    round integer NOT NULL,
    bin integer NOT NULL,
    slot integer NOT NULL,
    reports bigint NOT NULL
);



CREATE TABLE hushrank.rounds (
    key integer NOT NULL,
    survey integer NOT NULL,
    round integer NOT NULL,
    blob bytea NOT NULL,
    is_open boolean NOT NULL,
    tallies bytea
);



ALTER TABLE hushrank.rounds ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME hushrank.rounds_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);



CREATE TABLE hushrank.schema_version (
    version integer
);



CREATE TABLE hushrank.secrets (
    kind text NOT NULL,
    digest bytea NOT NULL,
    survey integer,
    blob bytea NOT NULL,
    expires bigint
);



CREATE TABLE hushrank.signing_keys (
    number integer NOT NULL,
    key bytea NOT NULL
);



CREATE TABLE hushrank.surveys (
    key integer NOT NULL,
    id text,
    blob bytea NOT NULL,
    version integer NOT NULL
);



ALTER TABLE hushrank.surveys ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME hushrank.surveys_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);



COPY hushrank.answers (number, round, nth, part, question, report) FROM stdin;
1	1	0	0	0	\\x61
2	1	0	0	0	\\x61
1	1	1	0	1	\\x62
4	2	0	0	0	\\x00ff
\.



COPY hushrank.conflicts (round, slot, conflicts) FROM stdin;
1	13	1
\.



COPY hushrank.decks (round, deck, joined) FROM stdin;
1	1	1
1	0	2
2	5	1
\.



COPY hushrank.people (round, person, number, deck, "position") FROM stdin;
2	\\x0000000000000000000000000000000000000000000000000000000000000000	4	5	0
\.



COPY hushrank.pictures (survey, digest, picture) FROM stdin;
2	\\x000000000000000000000000000000000000000000000000000000000000003c	\\x70696374757265
\.



COPY hushrank.progress (round, bin, slot, reports) FROM stdin;
1	2992248	13	2
2	2992248	13	1
\.



COPY hushrank.rounds (key, survey, round, blob, is_open, tallies) FROM stdin;
1	2	0	\\x726f756e642030	f	\\x74616c6c696573
2	2	1	\\x726f756e642031	t	\N
\.



COPY hushrank.schema_version (version) FROM stdin;
1
\.



COPY hushrank.secrets (kind, digest, survey, blob, expires) FROM stdin;
invitation	\\x0000000000000000000000000000000000000000000000000000000000000033	2	\\x	\N
link	\\x0000000000000000000000000000000000000000000000000000000000000032	\N	\\x65787069726573	1795435200000000
\.



COPY hushrank.signing_keys (number, key) FROM stdin;
7	\\x6b6579
\.



COPY hushrank.surveys (key, id, blob, version) FROM stdin;
2	s	\\x7365636f6e64	2
\.



SELECT pg_catalog.setval('hushrank.numbers', 4, true);



SELECT pg_catalog.setval('hushrank.rounds_key_seq', 2, true);



SELECT pg_catalog.setval('hushrank.surveys_key_seq', 2, true);



ALTER TABLE ONLY hushrank.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (round, number, nth);



ALTER TABLE ONLY hushrank.conflicts
    ADD CONSTRAINT conflicts_pkey PRIMARY KEY (round, slot);



ALTER TABLE ONLY hushrank.decks
    ADD CONSTRAINT decks_pkey PRIMARY KEY (round, deck);



ALTER TABLE ONLY hushrank.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (round, person);



ALTER TABLE ONLY hushrank.pictures
    ADD CONSTRAINT pictures_pkey PRIMARY KEY (survey, digest);



ALTER TABLE ONLY hushrank.progress
    ADD CONSTRAINT progress_pkey PRIMARY KEY (round, bin, slot);



ALTER TABLE ONLY hushrank.rounds
    ADD CONSTRAINT rounds_pkey PRIMARY KEY (key);



ALTER TABLE ONLY hushrank.rounds
    ADD CONSTRAINT rounds_survey_round_key UNIQUE (survey, round);



ALTER TABLE ONLY hushrank.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (kind, digest);



ALTER TABLE ONLY hushrank.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (number);



ALTER TABLE ONLY hushrank.surveys
    ADD CONSTRAINT surveys_id_key UNIQUE (id);



ALTER TABLE ONLY hushrank.surveys
    ADD CONSTRAINT surveys_pkey PRIMARY KEY (key);



CREATE INDEX secrets_of_surveys ON hushrank.secrets USING btree (survey);



CREATE INDEX secrets_that_expire ON hushrank.secrets USING btree (expires) WHERE (expires IS NOT NULL);



ALTER TABLE ONLY hushrank.conflicts
    ADD CONSTRAINT conflicts_round_fkey FOREIGN KEY (round) REFERENCES hushrank.rounds(key) ON DELETE CASCADE;



ALTER TABLE ONLY hushrank.decks
    ADD CONSTRAINT decks_round_fkey FOREIGN KEY (round) REFERENCES hushrank.rounds(key) ON DELETE CASCADE;



ALTER TABLE ONLY hushrank.people
    ADD CONSTRAINT people_round_fkey FOREIGN KEY (round) REFERENCES hushrank.rounds(key) ON DELETE CASCADE;



ALTER TABLE ONLY hushrank.pictures
    ADD CONSTRAINT pictures_survey_fkey FOREIGN KEY (survey) REFERENCES hushrank.surveys(key) ON DELETE CASCADE;



ALTER TABLE ONLY hushrank.progress
    ADD CONSTRAINT progress_round_fkey FOREIGN KEY (round) REFERENCES hushrank.rounds(key) ON DELETE CASCADE;



ALTER TABLE ONLY hushrank.rounds
    ADD CONSTRAINT rounds_survey_fkey FOREIGN KEY (survey) REFERENCES hushrank.surveys(key) ON DELETE CASCADE;



ALTER TABLE ONLY hushrank.secrets
    ADD CONSTRAINT secrets_survey_fkey FOREIGN KEY (survey) REFERENCES hushrank.surveys(key) ON DELETE CASCADE;





import re

import pytest

from hushrank.collector.web.pages_participant import LANGUAGES


def test_the_page_says_what_it_is_of_and_brings_nothing_inline(on_collector):
    async def visit(collector):
        survey = await collector.open(title='Tea & "more" </title><script>')
        answer = await collector.client.get(f"/s/{survey}")
        assert answer.status_code == 200
        assert "Tea &amp; &#34;more&#34; &lt;/title&gt;&lt;script&gt;" in answer.text
        assert f'data-survey="{survey}"' in answer.text
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", answer.text)

    on_collector(visit)


@pytest.mark.parametrize(
    ("own", "asked_for", "accepted", "spoken"),
    [
        ("de", "", "en", "de"),
        ("de", "en", "de", "en"),
        ("de", "xx", "en", "de"),
        ("nl", "", "fr, de-AT;q=0.8, en;q=0.5", "de"),
        ("nl", "", "fr, de", "de"),
        ("nl", "", "", "en"),
    ],
)
def test_the_page_speaks_the_best_language(on_collector, own, asked_for, accepted, spoken):
    async def visit(collector):
        survey = await collector.open(language=own)
        headers = {"accept-language": accepted}
        answer = await collector.client.get(f"/s/{survey}?lang={asked_for}", headers=headers)
        assert f'<html lang="{spoken}" dir="ltr">' in answer.text
        assert f"/client/strings/{spoken}.json" in answer.text

    on_collector(visit)


@pytest.mark.parametrize(("survey", "status"), [("nothing", 404), ("no.such", 404)])
def test_there_is_no_page_of_no_survey(on_collector, survey, status):
    async def visit(collector):
        answer = await collector.client.get(f"/s/{survey}")
        assert answer.status_code == status

    on_collector(visit)


def test_all_files_that_the_page_names_are_there(on_collector):
    async def visit(collector):
        survey = await collector.open()
        page = (await collector.client.get(f"/s/{survey}")).text
        files = re.findall(r'(?:href|src)="(/client/[^"]+)"', page)
        assert len(files) > 20
        for file in files:
            assert (await collector.client.get(file)).status_code == 200

    on_collector(visit)


def test_each_language_calls_itself_by_its_name():
    assert {("de", "Deutsch"), ("en", "English")} <= {*LANGUAGES.names}
    assert {code for code, _ in LANGUAGES.names} == LANGUAGES.words.keys()
    assert all(words["language.direction"] in ("ltr", "rtl") for words in LANGUAGES.words.values())

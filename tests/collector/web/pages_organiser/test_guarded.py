import re

from starlette.routing import Route

from tests.collector.web.api.test_reports import kind_of
from tests.collector.web.api.test_surveys import EVIL

OPEN = {"/o/sign-in"}


def guarded_routes(app, survey):
    """Yield the method and the address of everything that is the organiser's alone."""
    for route in app.routes:
        if isinstance(route, Route) and route.path.startswith("/o/") and route.path not in OPEN:
            named = re.sub(r"\{id(:\w+)?\}", survey, route.path)
            address = re.sub(r"\{\w+:int\}", "0", named)
            address = re.sub(r"\{\w+(:\w+)?\}", "x", address)
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield method, address


def test_every_page_of_the_organiser_is_for_who_is_signed_in(on_collector):
    async def use(collector):
        survey = await collector.open()
        tried = set()
        for method, address in guarded_routes(collector.app, survey):
            headers = {"origin": collector.origin}
            answer = await collector.client.request(method, address, headers=headers)
            if method == "GET":
                assert answer.status_code == 303, address
                assert answer.headers["location"] == "/o/sign-in"
            else:
                assert (answer.status_code, kind_of(answer)) == (401, "signed-out"), address
            assert "drink" not in answer.text
            tried.add(method)
        assert tried >= {"GET", "POST"}
        assert (await collector.service.survey(survey)).life.state == "open"

    on_collector(use)


def test_every_change_needs_the_token_of_a_form_and_our_own_page(on_collector):
    async def use(collector):
        survey = await collector.open()
        token = await collector.sign_in()
        before = await collector.service.surveys()
        for method, address in guarded_routes(collector.app, survey):
            if method == "GET":
                continue
            ours, theirs = {"origin": collector.origin}, {"origin": "https://evil.example"}
            without = await collector.client.request(method, address, headers=ours)
            assert (without.status_code, kind_of(without)) == (403, "stale-form"), address
            foreign = await collector.client.request(
                method, address, headers=theirs, data={"csrf": token}
            )
            assert (foreign.status_code, kind_of(foreign)) == (403, "cross-origin"), address
        assert await collector.service.surveys() == before
        assert (await collector.client.get("/o/")).status_code == 200

    on_collector(use)


def test_no_reading_changes_anything(on_collector):
    async def use(collector):
        survey = await collector.open()
        await collector.sign_in()
        before = await collector.service.surveys()
        for method, address in guarded_routes(collector.app, survey):
            if method == "GET":
                answer = await collector.client.get(address)
                assert answer.status_code < 500, address
        assert await collector.service.surveys() == before

    on_collector(use)


def test_script_in_the_words_of_a_survey_is_never_run_on_the_organisers_pages(on_collector):
    async def use(collector):
        fields = {"title": EVIL, "asked_by": EVIL, "purpose": EVIL, "privacy_notice": EVIL}
        items = [{"name": EVIL}, {"name": "tea", "description": EVIL}]
        surveys = [await collector.open(items=items, **fields)]
        surveys.append(await collector.service.copy(surveys[0]))
        await collector.sign_in()
        shown = 0
        for survey in surveys:
            for method, address in guarded_routes(collector.app, survey):
                if method == "POST":
                    continue
                answer = await collector.client.get(address)
                if answer.headers.get("content-type", "").startswith("text/html"):
                    for live in ("<script>alert", "<img src=x", "</script><script>"):
                        assert live not in answer.text, address
                    shown += "{{7*7}}" in answer.text
        assert shown >= 3

    on_collector(use)

import pytest

from hushrank.collector.web.api.cross_origin import CrossOrigin

FRIEND, STRANGER = "https://app.example.org", "https://evil.example"
ALLOW = "access-control-allow-origin"


def preflight(collector, path, origin, method="POST"):
    headers = {
        "origin": origin,
        "access-control-request-method": method,
        "access-control-request-headers": "content-type",
    }
    return collector.client.options(path, headers=headers)


def test_pages_that_the_organiser_named_take_part(on_collector):
    async def use(collector):
        survey = await collector.open(allowed_origins=[FRIEND])
        upload = await collector.upload(survey)
        for path in (f"/v1/surveys/{survey}/assignments", "/v1/reports"):
            asked = await preflight(collector, path, FRIEND)
            assert (asked.status_code, asked.headers[ALLOW]) == (204, FRIEND)
            assert "POST" in asked.headers["access-control-allow-methods"]
            assert asked.headers["access-control-allow-headers"] == "Content-Type"
            assert "access-control-allow-credentials" not in asked.headers
        headers = {"origin": FRIEND}
        sent = await collector.client.post("/v1/reports", json=upload, headers=headers)
        assert (sent.status_code, sent.headers[ALLOW]) == (201, FRIEND)
        shown = await collector.client.get(f"/v1/surveys/{survey}", headers=headers)
        assert (shown.headers[ALLOW], "Origin" in shown.headers["vary"]) == (FRIEND, True)
        wrong = await collector.client.post("/v1/reports", json={}, headers=headers)
        assert (wrong.status_code, wrong.headers[ALLOW]) == (422, FRIEND)

    on_collector(use)


@pytest.mark.parametrize(
    "origin",
    [STRANGER, "null", f"{FRIEND}.evil.example", FRIEND.upper(), "", "http://localhost:3000"],
)
def test_other_pages_read_nothing_and_send_nothing(on_collector, origin):
    async def use(collector):
        survey = await collector.open(allowed_origins=[FRIEND])
        upload = await collector.upload(survey)
        headers = {"origin": origin}
        for path in (f"/v1/surveys/{survey}/assignments", "/v1/reports", "/v1/reports/batch"):
            assert ALLOW not in (await preflight(collector, path, origin)).headers
        sent = await collector.client.post("/v1/reports", json=upload, headers=headers)
        assert (sent.status_code, ALLOW in sent.headers) == (403, False)
        shown = await collector.client.get(f"/v1/surveys/{survey}", headers=headers)
        assert ALLOW not in shown.headers
        assert (await collector.service.survey(survey)).counts[0].reported == 0

    on_collector(use)


def test_a_page_named_for_one_survey_reads_no_other(on_collector):
    async def use(collector):
        await collector.open(allowed_origins=[FRIEND])
        other = await collector.open()
        for path in ("", "/state", "/rounds/0/parts/0", "/assignments"):
            answer = await preflight(collector, f"/v1/surveys/{other}{path}", FRIEND)
            assert ALLOW not in answer.headers
        answer = await collector.client.get(f"/v1/surveys/{other}", headers={"origin": FRIEND})
        assert ALLOW not in answer.headers

    on_collector(use)


def test_pages_of_the_collector_itself_and_programs_need_no_leave(on_collector):
    async def use(collector):
        upload = await collector.upload(await collector.open())
        headers = {"origin": collector.origin}
        answer = await collector.client.post("/v1/reports", json=upload, headers=headers)
        assert (answer.status_code, ALLOW in answer.headers) == (201, False)

    on_collector(use)


@pytest.mark.parametrize("begin", ["http://evil-", "http://evil.example/", "http://a#", "https://"])
def test_pages_of_addresses_that_end_like_the_collectors_send_nothing(on_collector, begin):
    """Nor those of its own name that came by another kind of connection."""

    async def use(collector):
        upload = await collector.upload(await collector.open())
        headers = {"origin": collector.origin.replace("http://", begin)}
        answer = await collector.client.post("/v1/reports", json=upload, headers=headers)
        assert answer.status_code == 403

    on_collector(use)


def test_each_survey_names_its_own_pages(on_collector):
    async def use(collector):
        origins = CrossOrigin(collector.service)
        friends = [f"https://friend-{n}.example.org" for n in range(24)]
        surveys = [await collector.open(allowed_origins=[friend]) for friend in friends]
        for survey, friend in zip(surveys, friends, strict=True):
            assert await origins.allows("/v1/reports", friend)
            allowed = [await origins.allows(f"/v1/surveys/{survey}", each) for each in friends]
            assert allowed == [each == friend for each in friends]

    on_collector(use)


@pytest.mark.parametrize(
    "path", ["/", "/o/sign-in", "/o/surveys", "/v1/openapi.json", "/v1", "/healthz", "/metrics"]
)
def test_a_page_named_for_a_survey_is_let_in_to_nothing_but_surveys_and_uploads(on_collector, path):
    async def use(collector):
        await collector.open(allowed_origins=[FRIEND])
        origins = CrossOrigin(collector.service)
        assert await origins.allows("/v1/reports", FRIEND)
        assert not await origins.allows(path, FRIEND)

    on_collector(use)


def test_nothing_of_the_organisers_is_ever_shared(on_collector):
    async def use(collector):
        await collector.open(allowed_origins=[FRIEND])
        await collector.sign_in()
        for path in ("/o/sign-in", "/o/", "/static/sign-in.js", "/openapi.json", "/metrics", "/"):
            for answer in (
                await preflight(collector, path, FRIEND),
                await collector.client.get(path, headers={"origin": FRIEND}),
            ):
                assert not any(name.startswith("access-control") for name in answer.headers)

    on_collector(use)


def test_pages_are_let_in_no_longer_than_a_survey_names_them(on_collector):
    """What was looked up before is no leave: another survey's reports would be sent by them."""

    async def use(collector):
        times = iter([0.0, 0.0, 4.9, 5.0, 5.0, 5.0])
        origins = CrossOrigin(collector.service, lambda: next(times))
        survey = await collector.open(allowed_origins=[FRIEND])
        assert await origins.allows("/v1/reports", FRIEND)
        await collector.service.delete(survey)
        assert await origins.allows("/v1/reports", FRIEND)  # as long as it is not looked up again
        assert not await origins.allows("/v1/reports", FRIEND)
        assert not await origins.allows(f"/v1/surveys/{survey}", FRIEND)

    on_collector(use)

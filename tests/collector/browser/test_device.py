BEGIN = """([survey, order]) => {
  globalThis.taken = (async () => {
    const { Device } = await import("/client/device.js");
    const { openStorage } = await import("/client/storage.js");
    const device = new Device({ collector: location.origin, storage: await openStorage() });
    await device.open(survey);
    await device.join(survey);
    const { reports } = await device.answer(survey, order);
    const { entries } = await device.account();
    return { reports, receipt: await device.send(survey), spent: entries.map(({ nats }) => nats) };
  })();
}"""


def test_two_tabs_at_once_are_one_device_in_a_browsers_own_storage(chromium, collector):
    survey = collector.open(protocol="olh", epsilon=4.0)
    with chromium.new_context() as context:
        tabs = [context.new_page() for _ in range(2)]
        for tab in tabs:
            tab.goto(f"{collector.address}/healthz")
        for tab, order in zip(tabs, ([0, 1, 2, 3], [3, 2, 1, 0]), strict=True):
            tab.evaluate(BEGIN, [survey, order])
        first, second = (tab.evaluate("globalThis.taken") for tab in tabs)
        tabs[0].reload()
        tabs[0].evaluate(BEGIN, [survey, [3, 2, 1, 0]])
        reloaded = tabs[0].evaluate("globalThis.taken")
    assert first == second == reloaded
    assert first["spent"] == [4.0]
    (counts,) = collector.call(lambda service: service.survey(survey)).counts
    assert (counts.joined, counts.reported) == (1, 1)
    assert collector.call(lambda service: service.conflicts(survey)) == 0

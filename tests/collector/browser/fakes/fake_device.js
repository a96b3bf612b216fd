// A device without a collector, for looking at each view of the page: what it finds and how it
// answers is told by `window.scenario`, set by a test before the page loads.

const scenario = globalThis.scenario ?? {};
const key = "fake-device";
const kept = () => JSON.parse(localStorage.getItem(key) ?? "null") ?? scenario.kept ?? null;
const keep = (value) => {
  localStorage.setItem(key, JSON.stringify(value));
  return value;
};

function refuse(kind) {
  throw Object.assign(new Error(kind), { kind, status: scenario.status });
}

function online() {
  if (!navigator.onLine) refuse("offline");
}

export async function openDevice() {
  if (scenario.opening) refuse(scenario.opening);
  return {
    async look() {
      if (scenario.looking) refuse(scenario.looking);
      const { announcement, state, earlier = null } = scenario;
      return { announcement, fingerprint: "00", state, kept: kept(), earlier };
    },
    async join() {
      online();
      if (scenario.joining) refuse(scenario.joining);
      return kept()?.round === scenario.state.round ? kept() : keep({ ...kept(), ...scenario.joined });
    },
    async lock(_, series, ranking) {
      if (scenario.locking) refuse(scenario.locking);
      if (["locked", "sent"].includes(kept().stage)) return kept();
      return keep({ ...kept(), ...scenario.locked, stage: "locked", ranking });
    },
    async send() {
      keep({ ...kept(), isUnderWay: true });
      online();
      if (scenario.sending === "unanswered") return new Promise(() => {});
      if (scenario.sending) refuse(scenario.sending);
      return keep({ ...kept(), stage: "sent", receipt: scenario.receipt });
    },
    kept: async () => kept(),
    forget: async () => localStorage.removeItem(key),
    spent: async () => scenario.spent,
    limitTo: async (limit) => {
      if (scenario.limiting) refuse(scenario.limiting);
      scenario.spent.limit = limit;
    },
    lasts: async (asks) => {
      localStorage.setItem("asked-to-last", String(asks));
      return scenario.lasts ?? true;
    },
  };
}

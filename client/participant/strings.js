// The words of a page in one language, and how values stand in them.

/** @typedef {Record<string, string>} Strings */
/** @typedef {string | number | string[]} Value */

/**
 * A function that says things: `say("step", {step: 1})` fills the template of that key. A number
 * named `n` chooses among the plural forms `key.one`, `key.other`.
 * @param {Strings} strings
 * @param {string} language
 */
export function speaker(strings, language) {
  const plural = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });

  /** @param {Value} value */
  const shown = (value) => (typeof value === "number" ? number.format(value) : String(value));

  /** @param {string} key @param {Record<string, Value>} [values] */
  return (key, values = {}) => {
    const form = typeof values.n === "number" ? `${key}.${plural.select(values.n)}` : key;
    const template = strings[form] ?? strings[`${key}.other`] ?? strings[key];
    if (template === undefined) throw new Error(`no words for ${key}`);
    return template.replace(/\{(\w+)\}/g, (_, name) => shown(values[name] ?? ""));
  };
}

/** @typedef {ReturnType<typeof speaker>} Say */

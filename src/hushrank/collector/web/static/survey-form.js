// The form of a survey, made quicker: rows are added and taken away, a pasted list becomes rows,
// pictures are made small, and what is foretold follows what is typed.

const form = document.querySelector(".survey-form");
const list = form.querySelector(".items");
const pasted = form.querySelector("#pasted");
const forecast = form.querySelector("[data-forecast-of]");
const most = Number(list.dataset.most);

// --- rows of items -----------------------------------------------------------------------------

const first = list.querySelector(".item"); // there is none where items are too many for rows
const pattern = first && emptied(first.cloneNode(true));

function emptied(row) {
  for (const field of row.querySelectorAll("input")) {
    field.value = "";
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  for (const part of row.querySelectorAll(".wrong, .picture")) part.remove();
  row.querySelector("details").open = false;
  return row;
}

function rows() {
  return [...list.querySelectorAll(".item")];
}

const nameOf = (row) => row.querySelector("[name=item_name]");

function number() {
  for (const [n, row] of rows().entries()) {
    for (const part of ["name", "description", "picture"]) {
      const field = row.querySelector(`[name=item_${part}]`);
      const label = field.parentElement.querySelector("label[for]");
      field.id = `item.${n}.${part}`;
      label.htmlFor = field.id;
    }
    const label = nameOf(row).parentElement.querySelector("label");
    label.textContent = label.textContent.replace(/\d+/, String(n + 1));
    const drop = row.querySelector("[name=item_drop]");
    if (drop) drop.value = String(n);
    nameRemoval(row);
  }
}

function withRemoval(row) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain remove";
  button.textContent = "×";
  button.addEventListener("click", () => remove(row));
  row.querySelector(".item-name").after(button);
  nameOf(row).addEventListener("input", () => nameRemoval(row));
  nameOf(row).addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const next = row.nextElementSibling ?? add();
    if (next) nameOf(next).focus();
  });
  nameOf(row).addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!text.trim().includes("\n")) return;
    event.preventDefault();
    take(text);
  });
  row.querySelector("[type=file]").addEventListener("change", shrink);
  return row;
}

function nameRemoval(row) {
  const name = nameOf(row).value || nameOf(row).parentElement.querySelector("label").textContent;
  const words = list.dataset.remove.replace("{item}", name);
  row.querySelector(".remove")?.setAttribute("aria-label", words);
}

function add(name = "", description = "") {
  if (rows().length >= most) return null;
  const row = withRemoval(pattern.cloneNode(true));
  nameOf(row).value = name;
  row.querySelector("[name=item_description]").value = description;
  row.querySelector("details").open = Boolean(description);
  list.append(row);
  number();
  return row;
}

function remove(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  number();
  if (next) nameOf(next).focus();
  else nameOf(add()).focus();
  foretell();
}

function take(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  for (const row of rows()) {
    if (![...row.querySelectorAll("input:not([type=hidden])")].some((field) => field.value)) row.remove();
  }
  const left = lines.filter((line) => {
    const [name, description = ""] = line.includes("\t") ? line.split("\t", 2) : line.split(" | ", 2);
    return add(name.trim(), description.trim()) === null;
  });
  if (!rows().length) add();
  number();
  foretell();
  return left.join("\n"); // more than rows can hold: they stay in the pasted list
}

if (pattern) {
  rows().forEach(withRemoval);
  number();
  for (const part of form.querySelectorAll(".add")) part.hidden = false;
  form.querySelector("[data-add]").addEventListener("click", () => {
    const row = add();
    if (row) nameOf(row).focus();
  });
  form.querySelector("[data-take]").addEventListener("click", () => {
    pasted.value = take(pasted.value);
    const last = rows().at(-1);
    if (last) nameOf(last).focus();
  });
}

// --- pictures: a phone's photo becomes as small as it is shown -----------------------------------

const LARGEST_SIDE = 640;
const LARGEST_FILE = 200_000;

async function shrink({ target }) {
  const [file] = target.files;
  if (!file || file.size <= LARGEST_FILE || file.type === "image/gif") return;
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, LARGEST_SIDE / Math.max(picture.width, picture.height));
    const canvas = new OffscreenCanvas(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const small = await canvas.convertToBlob({ type: "image/webp", quality: 0.85 });
    const kind = small.type === "image/webp" ? "webp" : "png";
    const chosen = new DataTransfer();
    chosen.items.add(new File([small], `picture.${kind}`, { type: small.type }));
    target.files = chosen.files;
  } catch {
    // The server says what is wrong with it.
  }
}

// --- what is foretold --------------------------------------------------------------------------

let asked = 0;
let timer = 0;

function itemCount() {
  const typed = rows().filter((row) => nameOf(row).value.trim()).length;
  const lines = pasted.value.split("\n").filter((line) => line.trim()).length;
  return typed + lines || Number(forecast.dataset.kept ?? 0);
}

function foretell() {
  clearTimeout(timer);
  timer = setTimeout(show, 250);
}

async function show() {
  const number = ++asked;
  const fields = form.elements;
  const chosen = fields.epsilon.value;
  const query = new URLSearchParams({
    items: String(itemCount()),
    people: fields.expected_people.value,
    epsilon: chosen === "other" ? fields.epsilon_other.value : chosen,
    protocol: fields.protocol.value,
  });
  const answer = await fetch(`${forecast.dataset.forecastOf}?${query}`).catch(() => null);
  if (!answer?.ok || number !== asked) return;
  const told = await answer.json();
  const part = (name) => forecast.querySelector(`[data-forecast=${name}]`);
  part("headline").textContent = told.headline;
  part("meters").hidden = told.known === null;
  for (const name of ["known", "known_divided"]) {
    part(name).querySelector(".fill").setAttribute("width", String(100 * (told[name] ?? 0)));
    part(name).querySelector("svg").setAttribute("aria-label", told[`${name}_words`]);
    part(name).querySelector("span").textContent = told[`${name}_words`];
  }
  const lines = told.lines.map((words) => Object.assign(document.createElement("li"), { textContent: words }));
  part("lines").replaceChildren(...lines);
}

form.addEventListener("input", foretell);
form.addEventListener("change", foretell);

// --- options of the chosen protocol only, and an epsilon of one's own ----------------------------

const protocol = form.elements.protocol;
const other = form.querySelector(".other");

function showChosen() {
  for (const part of form.querySelectorAll("[data-protocol]")) {
    part.hidden = part.disabled = part.dataset.protocol !== protocol.value;
  }
  other.hidden = form.elements.epsilon.value !== "other";
}
form.addEventListener("change", showChosen);
showChosen();

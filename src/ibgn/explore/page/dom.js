// Elements from plain values. Text is only ever text: no name from the data is parsed as markup.

const LONG = 60; // characters of a name that are shown within a sentence

/** Make an element: attributes (on… are listeners, `style` an object), then children. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) made.style.setProperty(key, each);
    else made.setAttribute(name, value === true ? "" : value);
  }
  return fill(made, ...children);
}

/** Put children, also nested lists of them, in the place of those that were there. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return parent;
}

export const button = (text, onclick, attributes = {}) => el("button", { type: "button", onclick, ...attributes }, text);

/** A field in which something is typed that was not sent yet. */
export const typedIn = (parent) => {
  const field = document.activeElement;
  return parent.contains(field) && field.matches("input") && field.value !== field.defaultValue ? field : null;
};

/** Draw again what has fields: the one with the focus keeps it, and what is being typed, while `about` stays the same. */
export function redraw(parent, about, ...children) {
  const { id } = parent.contains(document.activeElement) ? document.activeElement : {};
  const typed = parent.dataset.about === String(about) ? typedIn(parent) : null;
  parent.dataset.about = String(about);
  if (typed && fillAround(parent, typed, children)) return;
  fill(parent, ...children);
  const again = id && document.getElementById(id);
  if (again && !again.disabled) again.focus({ preventScroll: true });
}

/** Put children around a field, which stays in the page: taken out, it would send the half of a word that it has by now. */
function fillAround(parent, field, children) {
  const kept = [...parent.children].find((each) => each.contains(field));
  const made = [...el("div", {}, ...children).children];
  const place = made.findIndex((each) => each.querySelector(`#${field.id}`));
  if (place < 0) return false;
  for (const each of [...parent.children]) if (each !== kept) each.remove();
  kept.before(...made.slice(0, place));
  kept.after(...made.slice(place + 1));
  return true;
}

/** A select with a label before it; options are [value, text] or plain texts. */
export function choice(name, options, value, onchange) {
  const id = `choice-${name.toLowerCase().replaceAll(" ", "-")}`; // by which it keeps the focus
  const select = el("select", { id, onchange: () => onchange(select.value) },
    options.map((option) => {
      const [each, text] = Array.isArray(option) ? option : [option, option];
      return el("option", { value: each, selected: each === value }, text);
    }));
  return el("label", { class: "field" }, el("span", {}, name), select);
}

/** Columns that say how much of a whole, which have bars behind their numbers. */
const SHARES = new Set(["occurs", "probability", "share", "peak", "together", "chance to begin", "chance to end"]);

/** A table. */
export function table(columns, rows, caption) {
  const numbers = columns.map((_, n) => rows.every((row) => row[n] === null || typeof row[n] === "number"));
  const shares = columns.map((name, n) => numbers[n] && SHARES.has(name));
  const cell = (value, n) => el("td", { class: numbers[n] ? "number" : null, style: shares[n] ? { "--share": `${value * 100}%` } : {} },
    value instanceof Node ? value : show(value));
  return el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {},
      el("caption", { class: "hidden" }, caption),
      el("thead", {}, el("tr", {}, columns.map((name, n) => el("th", { scope: "col", class: numbers[n] ? "number" : null }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell))))));
}

/** A bar that shows a share, and where it was before, if that is known. */
export function meter(share, before = null) {
  return el("span", { class: "meter", "aria-hidden": "true" },
    el("span", { class: "filled", style: { width: `${share * 100}%` } }),
    before !== null && el("span", { class: "before", style: { left: `${before * 100}%` } }));
}

/** A name without its end, if it is long. */
export const brief = (text, most = LONG) => text.length > most ? `${[...text].slice(0, most).join("")}…` : text;

/** A name from the data within a sentence: shortened, and apart from what is around it, whichever way it is read. */
export const named = (text, tag = "bdi") => el(tag, text.length > LONG ? { title: text } : {}, brief(text));

/** A number as people read it. */
export function show(value, digits = 3) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1000 ? value.toFixed(0) : size >= 0.01 || size === 0 ? String(+value.toPrecision(digits)) : value.toExponential(1);
}

export function percent(share) {
  const number = share >= 0.995 && share < 1 ? ">99" : share > 0 && share < 0.005 ? "<1" : String(Math.round(share * 100));
  return `${number}\u00a0%`;
}

/** A time with as many digits as matter where `step` is a small step. */
export function clock(value, step) {
  const digits = Math.min(Math.max(-Math.floor(Math.log10(step)), 0), 9);
  return String(+value.toFixed(digits));
}

export const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

export function signed(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}

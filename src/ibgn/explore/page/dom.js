// Elements from plain values. Text is only ever text: no name from the data is parsed as markup.

/** Make an element: attributes (on… are listeners, `style` an object), then children. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) made.style.setProperty(key, each);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter(Boolean));
  return parent;
}

/** Draw again what has fields: the one with the focus keeps it, and what is being typed, while `about` stays the same. */
export function redraw(parent, about, ...children) {
  const field = parent.contains(document.activeElement) ? document.activeElement : null;
  const typed = field?.matches("input") && parent.dataset.about === String(about) ? field.value : null;
  fill(parent, ...children);
  parent.dataset.about = String(about);
  const again = field?.id && document.getElementById(field.id);
  if (!again || again.disabled) return;
  if (typed !== null) again.value = typed;
  again.focus({ preventScroll: true });
}

/** A select with a label before it; options are [value, text] or plain texts. */
export function choice(name, options, value, onchange) {
  const select = el("select", { onchange: () => onchange(select.value) },
    options.map((option) => {
      const [each, text] = Array.isArray(option) ? option : [option, option];
      return el("option", { value: each, selected: each === value }, text);
    }));
  return el("label", { class: "field" }, el("span", {}, name), select);
}

export function table(columns, rows, caption) {
  return el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {},
      el("caption", { class: "hidden" }, caption),
      el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", { class: typeof cell === "number" ? "number" : null },
        cell instanceof Node ? cell : show(cell))))))));
}

/** A number as people read it. */
export function show(value, digits = 3) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1000 ? value.toFixed(0) : size >= 0.01 || size === 0 ? String(+value.toPrecision(digits)) : value.toExponential(1);
}

export function percent(share) {
  return share > 0.995 && share < 1 ? ">99 %" : share > 0 && share < 0.005 ? "<1 %" : `${Math.round(share * 100)} %`;
}

export function signed(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}

// All instances: filters, an order, and a list that draws only the rows in view.

import { choice, el, fill, percent, redraw } from "./dom.js";

const ROW = 52; // pixels, as in style.css
const SPARE = 8; // rows drawn beyond both ends
const UNSURE = 0.6; // probability below which an answer is uncertain

export const STATES = [
  ["all", "all"], ["wrong", "wrong"], ["right", "right"], ["unsure", "uncertain"],
  ["contradicts", "contradictory duplicates"], ["unlabelled", "without label"], ["changed", "changed"],
];
const ORDERS = [["loss", "largest loss"], ["order", "as in the data"], ["unsure", "most uncertain"], ["length", "most intervals"]];

export class List {
  constructor(element, open) {
    this.element = element;
    this.open = open;
    this.filter = { text: "", label: "", answer: "", group: "", state: "all", order: "loss" };
    this.data = null;
    this.shown = [];
    this.current = null;
    this.controls = el("div", { class: "filters", role: "search" });
    this.count = el("p", { class: "count", role: "status" });
    this.rows = el("div", { class: "rows" });
    this.box = el("div", {
      class: "list", role: "listbox", tabindex: "0", "aria-label": "Instances",
      onscroll: () => this.draw(), onkeydown: (event) => this.onKey(event),
    }, this.rows);
    fill(element, this.controls, this.count, this.box);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  take(data, overview) {
    this.data = data;
    this.contradicts = new Set(data.contradicts);
    this.changed = new Set(data.changed);
    this.overview = overview;
    this.drawControls();
    this.apply();
  }

  set(filter) {
    this.filter = { text: "", label: "", answer: "", group: "", state: "all", order: this.filter.order, ...filter };
    this.drawControls();
    this.apply();
    this.box.scrollTop = 0;
  }

  drawControls() {
    const change = (name) => (value) => { this.filter[name] = value; this.apply(); this.box.scrollTop = 0; };
    const any = (names) => [["", "any"], ...names];
    const search = el("input", { type: "search", id: "search", value: this.filter.text, placeholder: "name…", autocomplete: "off", oninput: () => change("text")(search.value) });
    redraw(this.controls, "list",
      el("label", { class: "field" }, el("span", {}, "Find"), search),
      choice("Show", STATES, this.filter.state, change("state")),
      choice("Label", any(this.overview.activities), this.filter.label, change("label")),
      choice("Answer", any(this.overview.known), this.filter.answer, change("answer")),
      this.overview.groups.length > 1 && choice("Group", any(this.overview.groups), this.filter.group, change("group")),
      choice("Order", ORDERS, this.filter.order, change("order")));
  }

  state(number) {
    const { labels, predicted, probability } = this.data;
    const label = labels[number];
    return {
      unlabelled: label === null,
      wrong: Boolean(predicted) && label !== null && label !== predicted[number],
      right: Boolean(predicted) && label !== null && label === predicted[number],
      unsure: Boolean(probability) && probability[number] < UNSURE,
      contradicts: this.contradicts.has(number),
      changed: this.changed.has(number),
    };
  }

  apply() {
    const { text, label, answer, group, state, order } = this.filter;
    const sought = text.toLowerCase();
    const { ids, labels, groups, predicted, loss, probability, lengths } = this.data;
    this.shown = this.data.rows.filter((number) =>
      (!sought || ids[number].toLowerCase().includes(sought))
      && (!label || labels[number] === label)
      && (!answer || predicted?.[number] === answer)
      && (!group || groups?.[number] === group)
      && (state === "all" || this.state(number)[state]));
    const by = {
      loss: loss && ((a, b) => (loss[b] ?? -1) - (loss[a] ?? -1) || a - b),
      unsure: probability && ((a, b) => probability[a] - probability[b] || a - b),
      length: (a, b) => lengths[b] - lengths[a] || a - b,
    }[order];
    if (by) this.shown.sort(by);
    this.count.textContent = `${this.shown.length.toLocaleString("en")} of ${this.data.rows.length.toLocaleString("en")} instances`;
    this.draw();
  }

  draw() {
    if (!this.data) return;
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    const last = Math.min(this.shown.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + SPARE);
    this.rows.style.height = `${this.shown.length * ROW}px`;
    fill(this.rows, this.shown.slice(first, last).map((number, n) => this.row(number, first + n)));
    const place = this.shown.indexOf(this.current);
    if (place >= first && place < last) this.box.setAttribute("aria-activedescendant", `row-${this.current}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(number, place) {
    const { ids, labels, predicted, probability } = this.data;
    const state = this.state(number);
    const words = [
      state.wrong && ["wrong", "wrong"], state.unsure && ["unsure", "uncertain"], state.contradicts && ["wrong", "contradicts"],
      state.unlabelled && ["unsure", "no label"], state.changed && ["changed", "changed"],
    ].filter(Boolean);
    const answer = predicted ? `${predicted[number]} ${percent(probability[number])}` : "";
    return el("div", {
      class: "item", role: "option", id: `row-${number}`, style: { top: `${place * ROW}px` },
      "aria-selected": String(number === this.current), "aria-posinset": place + 1, "aria-setsize": this.shown.length,
      onclick: () => this.choose(number),
    },
    el("span", { class: "item-id" }, ids[number]),
    el("span", { class: "flags" }, words.map(([kind, text]) => el("span", { class: `flag ${kind}` }, text))),
    el("span", { class: "item-label" }, labels[number] ?? "—", answer && ` → ${answer}`));
  }

  choose(number) {
    this.current = number;
    const place = this.shown.indexOf(number);
    if (place >= 0) {
      const top = place * ROW;
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (top + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + ROW - this.box.clientHeight;
    }
    this.draw();
    this.open(number);
  }

  onKey(event) {
    const place = this.shown.indexOf(this.current);
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const to = {
      ArrowDown: place + 1, ArrowUp: Math.max(place - 1, 0), PageDown: place + page, PageUp: Math.max(place - page, 0),
      Home: 0, End: this.shown.length - 1,
    }[event.key];
    if (to === undefined || !this.shown.length) return;
    event.preventDefault();
    this.choose(this.shown[Math.min(to, this.shown.length - 1)]);
  }
}

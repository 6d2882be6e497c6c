// All instances: filters, an order, and a list that draws only the rows in view.

import { button, choice, el, fill, named, percent, plural, redraw } from "./dom.js";

const ROW = 54; // pixels, as in style.css
const SPARE = 8; // rows drawn beyond both ends
const UNSURE = 0.6; // probability below which an answer is uncertain
const NO_FILTER = { text: "", label: "", answer: "", group: "", state: "all" };

export const STATES = [
  ["all", "all"], ["wrong", "wrong"], ["right", "right"], ["unsure", "uncertain"],
  ["contradicts", "contradictory duplicates"], ["unlabelled", "without label"], ["changed", "changed"],
];
const ORDERS = [["loss", "largest loss"], ["order", "as in the data"], ["unsure", "most uncertain"], ["length", "most intervals"]];

export class List {
  constructor(element, open) {
    this.element = element;
    this.open = open;
    this.filter = { ...NO_FILTER, order: "loss" };
    this.data = null;
    this.ranked = []; // all, in the order that was asked for
    this.shown = [];
    this.current = null;
    this.chosen = false; // whether the reader chose it
    this.place = 0; // of the current one; once it is no longer shown, of the one after it
    this.controls = el("div", { class: "filters", role: "search" });
    this.count = el("p", { class: "count", role: "status" });
    this.reset = button("Clear filters", () => { this.set({}); this.box.focus(); }, { class: "link" });
    this.nothing = el("p", { class: "empty", hidden: true });
    this.rows = el("div", { class: "rows" });
    this.box = el("div", {
      class: "list", role: "listbox", tabindex: "0", "aria-label": "Instances",
      onscroll: () => this.draw(), onkeydown: (event) => this.onKey(event),
    }, this.rows);
    const narrow = matchMedia("(max-width: 55rem)").matches; // where the list would push all else out of sight
    fill(element,
      el("details", { class: "finding", open: !narrow }, el("summary", {}, "Find and filter"), this.controls),
      el("div", { class: "between counted" }, this.count, this.reset), this.box, this.nothing);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Show what there is; while only labels and intervals change, all stay where they are. */
  take(data, overview, stay = false) {
    if (!stay || !this.data?.loss !== !data.loss) this.ranked = []; // a first model may have come unseen
    this.data = data;
    this.contradicts = new Set(data.contradicts);
    this.changed = new Set(data.changed);
    this.overview = overview;
    this.drawControls();
    const before = this.place;
    this.apply();
    if (this.place !== before) this.mark(this.current); // which is elsewhere in another order
  }

  set(filter) {
    this.filter = { ...NO_FILTER, order: this.filter.order, ...filter };
    this.drawControls();
    this.apply();
    this.box.scrollTop = 0;
  }

  /** Go to the search, also where it is folded. */
  find() {
    this.controls.parentElement.open = true;
    this.controls.querySelector("#search").focus();
  }

  drawControls() {
    const change = (name) => (value) => { this.filter[name] = value; this.apply(); this.box.scrollTop = 0; };
    const any = (names) => [["", "any"], ...names];
    const search = el("input", { type: "search", id: "search", dir: "auto", value: this.filter.text, placeholder: "name…", autocomplete: "off", oninput: () => change("text")(search.value) });
    redraw(this.controls, "list",
      el("label", { class: "field" }, el("span", {}, "Find"), search),
      choice("Show", STATES, this.filter.state, change("state")),
      choice("Label", any(this.overview.activities), this.filter.label, change("label")),
      choice("Answer", any(this.overview.known), this.filter.answer, change("answer")),
      this.overview.groups.length > 1 && choice("Group", any(this.overview.groups), this.filter.group, change("group")),
      choice("Order", ORDERS, this.filter.order, (order) => { this.ranked = []; change("order")(order); }));
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
    if (!this.ranked.length) this.ranked = this.rank();
    this.shown = this.ranked.filter((number) => this.matches(number));
    this.keepPlace();
    this.count.textContent = `${this.shown.length.toLocaleString("en")} of ${plural(this.data.rows.length, "instance")}`;
    this.reset.hidden = Object.entries(NO_FILTER).every(([name, value]) => this.filter[name] === value);
    this.draw();
  }

  matches(number) {
    const { text, label, answer, group, state } = this.filter;
    const { ids, labels, groups, predicted } = this.data;
    return (!text || ids[number].toLowerCase().includes(text.toLowerCase()))
      && (!label || labels[number] === label)
      && (!answer || predicted?.[number] === answer)
      && (!group || groups?.[number] === group)
      && (state === "all" || this.state(number)[state]);
  }

  rank() {
    const { rows, loss, probability, lengths } = this.data;
    const compare = {
      loss: loss && ((a, b) => (loss[b] ?? -1) - (loss[a] ?? -1) || a - b),
      unsure: probability && ((a, b) => probability[a] - probability[b] || a - b),
      length: (a, b) => lengths[b] - lengths[a] || a - b,
    }[this.filter.order];
    return compare ? rows.slice().sort(compare) : rows.slice();
  }

  keepPlace() {
    const place = this.shown.indexOf(this.current);
    if (place >= 0) this.place = place;
    return place >= 0;
  }

  draw() {
    if (!this.data) return;
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    const last = Math.min(this.shown.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + SPARE);
    this.rows.style.height = `${this.shown.length * ROW}px`;
    fill(this.rows, this.shown.slice(first, last).map((number, n) => this.row(number, first + n)));
    this.nothing.textContent = this.data.rows.length ? "No instance is like that." : "There are no instances.";
    this.nothing.hidden = this.shown.length > 0;
    this.box.hidden = !this.nothing.hidden;
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
    const said = labels[number] === null ? "—" : named(labels[number]);
    const differs = predicted && predicted[number] !== labels[number];
    return el("div", {
      class: "item", role: "option", id: `row-${number}`, style: { top: `${place * ROW}px` },
      "aria-selected": String(number === this.current), "aria-posinset": place + 1, "aria-setsize": this.shown.length,
      onclick: () => this.choose(number),
    },
    el("span", { class: "item-id", dir: "auto", title: ids[number] }, ids[number]),
    el("span", { class: "flags" }, words.map(([kind, text]) => el("span", { class: `flag ${kind}` }, text))),
    el("span", { class: "item-label" }, said, differs && [" → ", named(predicted[number])]),
    predicted && el("span", { class: "share soft" }, percent(probability[number])));
  }

  /** Choose an instance; if it cannot be opened, what was chosen before stays so. */
  async choose(number, byReader = true) {
    const before = this.current;
    this.chosen ||= byReader;
    this.mark(number);
    if (await this.open(number) === false && this.current === number) this.mark(before);
  }

  mark(number) {
    this.current = number;
    if (this.keepPlace()) {
      const top = this.place * ROW;
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (top + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + ROW - this.box.clientHeight;
    }
    this.draw();
  }

  onKey(event) {
    const gone = !this.keepPlace(); // as it does not match the filter any more
    const { place } = this;
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const to = {
      ArrowDown: gone ? place : place + 1, ArrowUp: Math.max(place - 1, 0), PageDown: place + page, PageUp: Math.max(place - page, 0),
      Home: 0, End: this.shown.length - 1,
    }[event.key];
    if (to === undefined || !this.shown.length) return;
    event.preventDefault();
    this.choose(this.shown[Math.min(to, this.shown.length - 1)]);
  }
}

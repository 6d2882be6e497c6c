// The posterior over time, as it happens: one band per activity, and the same in words.

import { get } from "./api.js";
import { activities } from "./colours.js";
import { choice, clock, el, fill, named, percent } from "./dom.js";
import { ticks } from "./timeline.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 280;
const ROOM = { left: 44, right: 12, top: 10, bottom: 26 }; // around the bands, for the axes
const MOST = 8; // activities with a band of their own
const NEWEST = 20; // records that may be in an answer, and in news that came before it
const KEPT = 2000; // records of each stream, as many as the server keeps

export class LiveView {
  constructor(element) {
    this.element = element;
    this.streams = new Map();
    this.asking = new Set(); // lists of the records that came since the server was asked for all
    this.name = null;
    this.problem = "";
    this.said = el("p", { class: "now", role: "status" });
    this.drawing = el("div", { class: "drawing" });
    this.legend = el("ul", { class: "legend" });
    this.choose = el("div");
    new ResizeObserver(() => this.later()).observe(this.drawing);
  }

  async open() {
    const came = []; // while the answer is on its way
    this.asking.add(came);
    const state = await get("live").finally(() => this.asking.delete(came));
    this.problem = state.problem;
    this.streams = new Map(Object.entries(state.streams));
    for (const record of came) this.add(record);
    fill(this.element, el("h2", {}, "Live"), state.file ? el("p", { class: "soft" }, "What ", el("code", {}, "ibgn listen"), ` writes to ${state.file}, as it happens.`) : howTo(),
      this.choose, state.file && el("section", { class: "panel", "aria-label": "Posterior" }, this.said, this.drawing, this.legend));
    this.draw();
  }

  take(record) {
    if (record.problem) this.problem = record.problem;
    else {
      for (const came of this.asking) came.push(record);
      this.add(record);
    }
    this.later();
  }

  /** Add a record, unless it is there already. */
  add(record) {
    if (!this.streams.has(record.stream)) this.streams.set(record.stream, []);
    const records = this.streams.get(record.stream);
    const text = JSON.stringify(record);
    if (records.slice(-NEWEST).some((each) => JSON.stringify(each) === text)) return;
    records.push(record);
    if (records.length > KEPT) records.shift();
  }

  /** Draw with the next frame, however many records came until then. */
  later() {
    if (!this.element.isConnected || this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = null; this.draw(); });
  }

  draw() {
    const names = [...this.streams.keys()];
    if (!names.includes(this.name)) this.name = names[0] ?? null;
    fill(this.choose, names.length > 1 && choice("Stream", names.map((name) => [name, name || "unnamed"]), this.name, (name) => { this.name = name; this.draw(); }));
    const all = this.streams.get(this.name) ?? [];
    const last = all.at(-1);
    if (!last) { this.said.textContent = this.problem || "Nothing yet."; fill(this.drawing); fill(this.legend); return; }
    const records = all.filter((each) => each.instance === last.instance);
    this.said.textContent = `${this.problem ? `${this.problem}. ` : ""}${sentence(last, records)}`;
    const bands = chooseBands(records);
    fill(this.drawing, drawBands(records, bands, Math.max(this.drawing.clientWidth, 260)));
    const others = Object.keys(last.posterior).filter((label) => !bands.includes(label)); // the room above all bands
    fill(this.legend, bands.map((label) => entry(last, [label], named(label), el("span", { class: "swatch", style: { "--hue": activities.of(label) } }))),
      others.length > 0 && entry(last, others, `${others.length} others`, el("span", { class: "swatch none" })));
  }
}

function entry(last, labels, text, swatch) {
  const share = labels.reduce((sum, label) => sum + (last.posterior[label] ?? 0), 0);
  return el("li", {}, swatch, text, el("span", { class: "soft" }, ` ${percent(share)}`));
}

function howTo() {
  return el("div", { class: "soft" }, el("p", {}, "Nothing is followed. To see a posterior as it happens:"),
    el("pre", {}, "ibgn listen MODEL … --report event -o live.jsonl\nibgn explore --model MODEL --live live.jsonl"));
}

function sentence(last, records) {
  const [label, share] = Object.entries(last.posterior).sort((a, b) => b[1] - a[1])[0] ?? ["nothing", 0];
  const span = last.time - records[0].time || 1;
  return `Instance ${last.instance}, at ${clock(last.time, span / 1000)}: ${label}, ${percent(share)}${last.kind === "end" ? "; it is over" : ""}`;
}

/** Activities that were likeliest at some time, in an order that does not change while they do. */
function chooseBands(records) {
  const most = new Map();
  for (const { posterior } of records) for (const [label, share] of Object.entries(posterior)) most.set(label, Math.max(share, most.get(label) ?? 0));
  return [...most.keys()].sort((a, b) => most.get(b) - most.get(a)).slice(0, MOST).sort();
}

function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

/** Bands that add up to one, as steps: a posterior holds until the next event. */
function drawBands(records, labels, width) {
  const first = records[0].time;
  const span = records.at(-1).time - first || 1;
  const x = (time) => ROOM.left + ((time - first) / span) * (width - ROOM.left - ROOM.right);
  const y = (share) => ROOM.top + (1 - Math.min(share, 1)) * (HEIGHT - ROOM.top - ROOM.bottom);
  const svg = shape("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": "Probability of each activity over time" });
  let below = records.map(() => 0);
  for (const label of labels) {
    const above = records.map((record, n) => below[n] + (record.posterior[label] ?? 0));
    svg.append(band(label, [...steps(records, above, x, y), ...steps(records, below, x, y).reverse()]));
    below = above;
  }
  for (const share of [0, 0.5, 1]) svg.append(shape("text", { x: ROOM.left - 6, y: y(share) + 4, class: "scale" }, `${share * 100} %`));
  for (const time of ticks(first, first + span, width < 500 ? 4 : 8)) svg.append(shape("text", { x: x(time), y: HEIGHT - 6 }, clock(time, span / 100)));
  return svg;
}

function band(label, points) {
  const area = shape("polygon", { points: points.map((point) => point.join(",")).join(" "), class: "band" });
  area.style.setProperty("--hue", activities.of(label));
  area.append(shape("title", {}, label));
  return area;
}

function steps(records, values, x, y) {
  const last = records.length === 1 ? records[0].time + 1 : records.at(-1).time; // a single one fills the width
  return records.flatMap((record, n) => [[x(record.time), y(values[n])], [x(records[n + 1]?.time ?? last), y(values[n])]]);
}

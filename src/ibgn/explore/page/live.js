// The posterior over time, as it happens: one band per activity, and the same in words.

import { get } from "./api.js";
import { choice, el, fill, percent, show } from "./dom.js";
import { colour } from "./colours.js";
import { ticks } from "./timeline.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [1000, 320];
const MOST = 8; // activities with a band of their own

export class LiveView {
  constructor(element) {
    this.element = element;
    this.streams = new Map();
    this.name = null;
    this.problem = "";
    this.said = el("p", { class: "now", role: "status" });
    this.drawing = el("div", { class: "drawing" });
    this.legend = el("ul", { class: "legend" });
    this.choose = el("div");
  }

  async open() {
    const state = await get("live");
    this.problem = state.problem;
    this.streams = new Map(Object.entries(state.streams));
    fill(this.element, el("h2", {}, "Live"),
      el("p", { class: "soft" }, state.file ? `What \`ibgn listen\` writes to ${state.file}, as it happens.`
        : "Start with `ibgn listen … -o live.jsonl --report event` and `ibgn explore --live live.jsonl`."),
      this.choose, this.said, this.drawing, this.legend);
    this.draw();
  }

  take(record) {
    if (record.problem) this.problem = record.problem;
    else {
      if (!this.streams.has(record.stream)) this.streams.set(record.stream, []);
      const records = this.streams.get(record.stream);
      records.push(record);
      if (records.length > 2000) records.shift();
    }
    if (this.element.isConnected && !this.waiting) {
      this.waiting = requestAnimationFrame(() => { this.waiting = null; this.draw(); });
    }
  }

  draw() {
    const names = [...this.streams.keys()];
    if (!names.includes(this.name)) this.name = names[0] ?? null;
    fill(this.choose, names.length > 1 && choice("Stream", names.map((name) => [name, name || "unnamed"]), this.name, (name) => { this.name = name; this.draw(); }));
    const all = this.streams.get(this.name) ?? [];
    const last = all.at(-1);
    if (!last) { this.said.textContent = this.problem || "Nothing yet."; fill(this.drawing); fill(this.legend); return; }
    const records = all.filter((each) => each.instance === last.instance);
    const labels = Object.keys(last.posterior).sort((a, b) => last.posterior[b] - last.posterior[a]);
    const shown = labels.slice(0, MOST);
    this.said.textContent = `${this.problem ? `${this.problem}. ` : ""}Instance ${last.instance}, at ${show(last.time, 6)}: ${labels[0]}, ${percent(last.posterior[labels[0]])}${last.kind === "end" ? "; it is over" : ""}`;
    fill(this.drawing, draw(records, shown));
    fill(this.legend, shown.map((label) => el("li", {}, el("span", { class: "swatch", style: { "--hue": colour(label) } }), label, el("span", { class: "soft" }, ` ${percent(last.posterior[label])}`))));
  }
}

function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

/** Bands that add up to one, as steps: a posterior holds until the next event. */
function draw(records, labels) {
  const first = records[0].time;
  const width = records.at(-1).time - first || 1;
  const x = (time) => ((time - first) / width) * WIDTH;
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 24}`, role: "img", "aria-label": "Probability of each activity over time" });
  let below = records.map(() => 0);
  for (const label of labels) {
    const above = records.map((record, n) => below[n] + (record.posterior[label] ?? 0));
    const upper = steps(records, above, x);
    const lower = steps(records, below, x).reverse();
    const area = shape("polygon", { points: [...upper, ...lower].map((point) => point.join(",")).join(" "), class: "band" });
    area.style.setProperty("--hue", colour(label));
    area.append(shape("title", {}, label));
    svg.append(area);
    below = above;
  }
  for (const time of ticks(first, first + width, 8)) svg.append(shape("text", { x: x(time), y: HEIGHT + 18 }, show(time, 6)));
  return svg;
}

function steps(records, values, x) {
  const points = [];
  records.forEach((record, n) => {
    const y = (1 - Math.min(values[n], 1)) * HEIGHT;
    points.push([x(record.time), y], [x(records[n + 1]?.time ?? record.time), y]);
  });
  if (records.length === 1) points.push([WIDTH, points[0][1]]);
  return points;
}

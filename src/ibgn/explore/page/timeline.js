// An instance over time: lanes of intervals that can be selected, dragged, and moved by keys.

import { actions } from "./colours.js";
import { brief, clock, el, fill, show, signed } from "./dom.js";

const LEAST_SHARE = 1e-3; // of the span that is shown, for the shortest interval a drag can make
const MOST_SHOWN = 1500; // intervals in view; more are a band of colour
const FAINT = 0.05; // log odds below which a mark is left out
const [ROOM_FOR_NAME, ROOM_FOR_MARK] = [36, 80]; // pixels that an interval needs to have a name, and a mark beside it
const LANE_NAME = 36; // characters, which two lines hold
const NAMED = 6; // actions at the cursor that are named

export class Timeline {
  /**
   * @param handlers select(place), edit(place, interval, dragging), settle(), add(interval), cursor(text, byKey)
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.intervals = [];
    this.selected = null;
    this.by = "action";
    this.view = [0, 1];
    this.marks = null;
    this.at = null; // time of the cursor
    this.pixels = 0; // width of the lanes; asking for it again with each drawing would take as long as the drawing
    this.order = []; // names of lanes; they stay where they are while a draft changes
    this.grid = el("div", { class: "grid", "aria-hidden": "true" });
    this.lanes = el("div", { class: "lanes", role: "group", "aria-label": "Intervals, by lanes" });
    this.axis = el("div", { class: "axis", "aria-hidden": "true" });
    this.over = el("div", { class: "over", "aria-hidden": "true" });
    this.sheet = el("div", { class: "sheet" }, this.grid, this.lanes, this.axis, this.over);
    this.plot = el("div", { class: "plot" }, this.sheet);
    this.element = el("div", { class: "timeline" }, this.plot);
    this.plot.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.plot.addEventListener("pointermove", (event) => this.setCursor(this.timeAt(event.clientX)));
    this.plot.addEventListener("pointerleave", () => this.setCursor(null));
    this.plot.addEventListener("dblclick", (event) => this.onDouble(event));
    this.plot.addEventListener("pointerdown", (event) => this.onPan(event));
    new ResizeObserver(() => this.onResize()).observe(this.axis);
  }

  /** Show intervals; `marks` is what each adds to the log odds. */
  show(intervals, marks = null, keepView = false) {
    this.intervals = intervals;
    this.marks = marks;
    if (this.selected !== null && this.selected >= intervals.length) this.selected = null;
    if (!keepView) { this.order = []; this.fit(); } else this.draw();
  }

  /** Show what each interval adds to the log odds. */
  mark(marks) {
    this.marks = marks;
    for (const bar of this.lanes.querySelectorAll("button.bar")) this.markBar(bar, Number(bar.dataset.place));
  }

  onResize() {
    if (this.axis.clientWidth === this.pixels) return;
    this.pixels = this.axis.clientWidth;
    this.draw();
  }

  // -- time -----------------------------------------------------------------------------------------

  get width() {
    return this.view[1] - this.view[0];
  }

  get span() {
    if (!this.intervals.length) return [0, 1];
    const first = Math.min(...this.intervals.map((each) => each.start));
    const last = Math.max(...this.intervals.map((each) => each.end));
    return [first, last];
  }

  fit() {
    const [first, last] = this.span;
    const room = (last - first) * 0.03 || 0.5;
    this.view = [first - room, last + room];
    this.draw();
  }

  /** Have the selected interval fill most of the view. */
  zoomIn() {
    const chosen = this.intervals[this.selected];
    if (!chosen) return;
    const room = (chosen.end - chosen.start) * 0.2;
    this.view = [chosen.start - room, chosen.end + room];
    this.draw();
  }

  zoom(factor, at = this.at ?? (this.view[0] + this.view[1]) / 2) {
    const [first, last] = this.span;
    const width = Math.min(this.width * factor, (last - first) * 4 || 4);
    const share = (at - this.view[0]) / this.width;
    this.view = [at - share * width, at + (1 - share) * width];
    this.draw();
  }

  pan(share) {
    const by = this.width * share;
    this.view = [this.view[0] + by, this.view[1] + by];
    this.draw();
  }

  /** Where a time is, as a share of the width; and which time is at a place of the screen. */
  left(time) {
    return `${((time - this.view[0]) / this.width) * 100}%`;
  }

  timeAt(clientX) {
    const box = this.axis.getBoundingClientRect();
    return this.view[0] + ((clientX - box.left) / box.width) * this.width;
  }

  /** A time that was dragged has no more digits than a hand can mean: steps of a thousandth of what is shown, or less. */
  round(time) {
    const step = 10 ** Math.floor(Math.log10(this.width / 1000));
    return +(Math.round(time / step) * step).toPrecision(15);
  }

  /** A time in words. */
  clock(time) {
    return clock(time, this.width / 1000);
  }

  /** Have a lane for each action, or for each track. */
  group(by) {
    this.by = by;
    this.order = [];
    this.draw();
  }

  // -- drawing --------------------------------------------------------------------------------------

  laneOf(interval) {
    return this.by === "track" ? interval.track ?? "no tier" : interval.action;
  }

  /** Lanes in the order of their first start; an interval that overlaps another one of its lane gets a row of its own. */
  layOut() {
    const lanes = new Map(this.order.map((name) => [name, []]));
    this.intervals.forEach((interval, place) => {
      const name = this.laneOf(interval);
      if (!lanes.has(name)) lanes.set(name, []);
      const rows = lanes.get(name);
      let row = rows.find((each) => each.until <= interval.start);
      if (!row) rows.push(row = { until: -Infinity, places: [] });
      row.places.push(place);
      row.until = interval.end;
    });
    this.order = [...lanes.keys()];
    return [...lanes].filter(([, rows]) => rows.length);
  }

  draw() {
    const focused = this.element.contains(document.activeElement) && document.activeElement.dataset.place !== undefined;
    const [first, last] = this.view;
    const inView = (place) => this.intervals[place].end >= first && this.intervals[place].start <= last;
    const many = this.intervals.length > MOST_SHOWN && this.intervals.filter((_, place) => inView(place)).length > MOST_SHOWN;
    fill(this.lanes, this.layOut().map(([name, rows]) => el("div", { class: "lane", role: "group", "aria-label": name },
      el("span", { class: "lane-name", dir: "auto", title: name }, brief(name, LANE_NAME)),
      el("div", { class: "lane-rows" },
        rows.map((row) => el("div", { class: "row" }, row.places.filter(inView).map((place) => this.bar(place, many))))))));
    if (!this.intervals.length) fill(this.lanes, el("p", { class: "empty" }, "No intervals. Add one with the form below, or by a double click here."));
    const times = ticks(first, last, this.pixels < 500 ? 4 : 8);
    fill(this.grid, times.map((time) => el("span", { style: { left: this.left(time) } })));
    fill(this.axis, times.map((time) => el("span", { style: { left: this.left(time) } }, this.clock(time))));
    this.drawOver();
    if (focused) this.focus();
  }

  /** Lines over the lanes: the cursor, and both ends of what is selected. */
  drawOver() {
    const chosen = this.intervals[this.selected];
    const line = (kind, time, text) => time >= this.view[0] && time <= this.view[1]
      && el("span", { class: kind, style: { left: this.left(time) } }, text && el("span", { class: "at" }, text));
    fill(this.over,
      chosen && [line("guide", chosen.start), line("guide", chosen.end)],
      this.at !== null && line("cursor", this.at, this.clock(this.at)));
  }

  bar(place, plain) {
    const interval = this.intervals[place];
    const style = {
      left: this.left(interval.start),
      width: `${((interval.end - interval.start) / this.width) * 100}%`,
      "--hue": actions.of(interval.action),
    };
    if (plain) return el("span", { class: "bar plain", style });
    const chosen = place === this.selected;
    const made = el("button", {
      type: "button", class: "bar", style, title: this.say(interval), "data-place": place,
      tabindex: chosen || (this.selected === null && place === 0) ? "0" : "-1",
      "aria-pressed": String(chosen),
      onclick: () => this.select(place),
      onfocus: () => { if (this.selected !== place) this.select(place, false); },
      onkeydown: (event) => this.onKey(event, place),
      onpointerdown: (event) => this.onDrag(event, place),
    },
    el("span", { class: "grip start", "aria-hidden": "true" }),
    this.room(interval) > ROOM_FOR_NAME && el("span", { class: "bar-name", dir: "auto" }, this.by === "track" ? interval.action : show(interval.end - interval.start)),
    el("span", { class: "grip end", "aria-hidden": "true" }));
    return this.markBar(made, place);
  }

  /** An interval in words. */
  say({ action, start, end }) {
    return `${action}, ${this.clock(start)} to ${this.clock(end)}`;
  }

  /** Pixels that an interval takes. */
  room({ start, end }) {
    return ((end - start) / this.width) * this.pixels;
  }

  markBar(bar, place) {
    const interval = this.intervals[place];
    const mark = this.marks?.[place];
    const speaks = mark === undefined || Math.abs(mark) < FAINT ? "" : mark > 0 ? "for" : "against";
    bar.dataset.speaks = speaks;
    bar.setAttribute("aria-label", speaks ? `${this.say(interval)}, speaks ${speaks} it: ${signed(mark)}` : this.say(interval));
    bar.querySelector(".mark")?.remove();
    if (speaks && this.room(interval) > ROOM_FOR_MARK) bar.lastChild.before(el("span", { class: "mark", "aria-hidden": "true" }, signed(mark)));
    return bar;
  }

  // -- selecting ------------------------------------------------------------------------------------

  select(place, focus = true) {
    this.selected = place;
    for (const bar of this.lanes.querySelectorAll("button.bar")) {
      const chosen = Number(bar.dataset.place) === place;
      bar.setAttribute("aria-pressed", String(chosen));
      bar.tabIndex = chosen ? 0 : -1;
    }
    this.drawOver();
    if (focus) this.reveal();
    this.handlers.select(place);
  }

  /** Bring what is selected into view, and focus it. */
  reveal() {
    const { start, end } = this.intervals[this.selected];
    if (end < this.view[0] || start > this.view[1]) this.pan(((start + end - this.view[0] - this.view[1]) / 2) / this.width);
    this.focus();
  }

  focus() {
    const bar = this.lanes.querySelector(`[data-place="${this.selected}"]`);
    bar?.focus({ preventScroll: true });
    bar?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Move the cursor, and say what goes on there. */
  setCursor(time, byKey = false) {
    this.at = time;
    this.drawOver();
    if (time === null) return this.handlers.cursor("", byKey);
    const going = [...new Set(this.intervals.filter((each) => each.start <= time && time < each.end).map((each) => each.action))];
    const more = going.length > NAMED ? ` and ${going.length - NAMED} more` : "";
    return this.handlers.cursor(`${this.clock(time)}: ${going.slice(0, NAMED).join(", ") || "nothing"}${more}`, byKey);
  }

  stepCursor(steps) {
    const [first, last] = this.view;
    const from = this.at ?? (steps > 0 ? Math.max(first, this.span[0]) : Math.min(last, this.span[1]));
    const to = this.at === null ? from : from + (steps * this.width) / 50;
    this.setCursor(this.round(Math.min(Math.max(to, first), last)), true);
  }

  // -- changing -------------------------------------------------------------------------------------

  /** Arrows select; with Alt they move, with Shift they move the end, with both the start. */
  onKey(event, place) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = direction ?? { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (direction && (event.altKey || event.shiftKey)) this.nudge(place, direction, event.altKey, event.shiftKey);
    else if (event.key === "Delete" || event.key === "Backspace") this.handlers.edit(place, null);
    else if (next) this.select(Math.min(Math.max(place + next, 0), this.intervals.length - 1));
    else return;
    event.preventDefault();
  }

  nudge(place, direction, alt, shift) {
    const interval = this.intervals[place];
    const by = (direction * this.width) / 100;
    const start = alt ? this.round(interval.start + by) : interval.start;
    const end = alt === shift ? interval.end : this.round(interval.end + by);
    if (start < end) this.handlers.edit(place, { ...interval, start, end });
  }

  /** Drag an end, or the whole interval; near ends of others it snaps to them, unless Ctrl is held. */
  onDrag(event, place) {
    if (event.button !== 0) return;
    event.stopPropagation();
    const side = ["start", "end"].find((each) => event.target.classList.contains(each)) ?? "all";
    const from = this.timeAt(event.clientX);
    const before = this.intervals[place];
    let now = place; // an edit sorts intervals, so this one may get another place
    let moved = false;
    const move = (each) => {
      if (!moved && Math.abs(each.clientX - event.clientX) < 3) return;
      if (!moved) this.select(place, false);
      moved = true;
      this.handlers.edit(now, this.dragged(before, side, this.timeAt(each.clientX) - from, now, each.ctrlKey), true);
      now = this.selected;
    };
    const stop = follow((each) => { move(each); if (moved) this.stop = stop; }, () => {
      this.stop = null;
      if (moved) this.handlers.settle();
    });
    event.currentTarget.releasePointerCapture?.(event.pointerId);
  }

  /** End a drag; whether there was one. */
  letGo() {
    const { stop } = this;
    stop?.();
    return Boolean(stop);
  }

  /** An interval after one side of it, or all of it, was dragged by some time. */
  dragged(before, side, by, place, free) {
    const least = this.width * LEAST_SHARE;
    const to = (time) => this.snap(time + by, place, free);
    if (side === "start") return { ...before, start: Math.min(to(before.start), before.end - least) };
    if (side === "end") return { ...before, end: Math.max(to(before.end), before.start + least) };
    const start = to(before.start);
    return { ...before, start, end: +(start + (before.end - before.start)).toPrecision(15) };
  }

  snap(time, place, free) {
    let best = this.round(time);
    let distance = free ? 0 : this.width / 120;
    this.intervals.forEach((interval, other) => {
      if (other === place) return;
      for (const point of [interval.start, interval.end]) {
        if (Math.abs(point - time) < distance) { distance = Math.abs(point - time); best = point; }
      }
    });
    return best;
  }

  onWheel(event) {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.shiftKey) this.pan((event.deltaY || event.deltaX) / 1000);
    else this.zoom(Math.exp(event.deltaY / 300), this.timeAt(event.clientX));
  }

  onPan(event) {
    if (event.button !== 0 || event.target.closest(".bar")) return;
    const view = [...this.view];
    const scale = this.width / this.axis.getBoundingClientRect().width;
    follow((each) => {
      const by = (event.clientX - each.clientX) * scale;
      this.view = [view[0] + by, view[1] + by];
      this.draw();
    });
  }

  /** A double click adds an interval there, of the lane that it was in. */
  onDouble(event) {
    if (event.target.closest(".bar")) return;
    const start = this.round(this.timeAt(event.clientX));
    const name = event.target.closest(".lane")?.getAttribute("aria-label");
    const lane = name === undefined || name === null ? {} : this.by === "action" ? { action: name } : { track: name === "no tier" ? null : name };
    this.handlers.add({ start, end: this.round(start + this.width / 10), ...lane });
  }
}

/** Follow the pointer until it is released; gives what ends that earlier. */
function follow(move, end = () => {}) {
  const stop = () => {
    window.removeEventListener("pointermove", move);
    for (const kind of ["pointerup", "pointercancel"]) window.removeEventListener(kind, stop);
    end();
  };
  window.addEventListener("pointermove", move);
  for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, stop);
  return stop;
}

/** Round times for an axis. */
export function ticks(first, last, about = 7) {
  const rough = (last - first) / about;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const times = [];
  for (let time = Math.ceil(first / step) * step; time <= last; time += step) times.push(+time.toPrecision(12));
  return times;
}

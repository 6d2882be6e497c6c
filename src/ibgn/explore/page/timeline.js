// An instance over time: lanes of intervals that can be selected, dragged, and moved by keys.

import { colour } from "./colours.js";
import { el, fill, show, signed } from "./dom.js";

const LEAST_SHARE = 1e-3; // of the span that is shown, for the shortest interval a drag can make
const MOST_SHOWN = 1500; // intervals in view; more are a band of colour

export class Timeline {
  /**
   * @param handlers select(place), edit(place, interval), add(interval), cursor(time)
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.intervals = [];
    this.selected = null;
    this.by = "action";
    this.view = [0, 1];
    this.marks = null;
    this.lanes = el("div", { class: "lanes", role: "group", "aria-label": "Intervals, by lanes" });
    this.axis = el("div", { class: "axis", "aria-hidden": "true" });
    this.line = el("div", { class: "cursor", hidden: true });
    this.plot = el("div", { class: "plot" }, this.lanes, this.axis, this.line);
    this.element = el("div", { class: "timeline" }, this.plot);
    this.plot.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.plot.addEventListener("pointermove", (event) => this.onHover(event));
    this.plot.addEventListener("pointerleave", () => { this.line.hidden = true; this.handlers.cursor?.(null); });
    this.plot.addEventListener("dblclick", (event) => this.onDouble(event));
    this.plot.addEventListener("pointerdown", (event) => this.onPan(event));
  }

  /** Show intervals; `marks` is what each adds to the log odds. */
  show(intervals, marks = null, keepView = false) {
    this.intervals = intervals;
    this.marks = marks;
    if (this.selected !== null && this.selected >= intervals.length) this.selected = null;
    if (!keepView) this.fit();
    else this.draw();
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

  zoom(factor, at = (this.view[0] + this.view[1]) / 2) {
    const [first, last] = this.span;
    const width = Math.min((this.view[1] - this.view[0]) * factor, (last - first) * 4 || 4);
    const share = (at - this.view[0]) / (this.view[1] - this.view[0]);
    this.view = [at - share * width, at + (1 - share) * width];
    this.draw();
  }

  pan(share) {
    const by = (this.view[1] - this.view[0]) * share;
    this.view = [this.view[0] + by, this.view[1] + by];
    this.draw();
  }

  timeAt(clientX) {
    const box = this.lanes.getBoundingClientRect();
    return this.view[0] + ((clientX - box.left) / box.width) * (this.view[1] - this.view[0]);
  }

  laneOf(interval) {
    return this.by === "track" ? interval.track ?? "no tier" : interval.action;
  }

  /** Lanes in the order of their first start; an interval that overlaps another one of its lane gets a row of its own. */
  layOut() {
    const lanes = new Map();
    this.intervals.forEach((interval, place) => {
      const name = this.laneOf(interval);
      if (!lanes.has(name)) lanes.set(name, []);
      const rows = lanes.get(name);
      let row = rows.find((each) => each.until <= interval.start);
      if (!row) rows.push(row = { until: -Infinity, places: [] });
      row.places.push(place);
      row.until = interval.end;
    });
    return lanes;
  }

  draw() {
    const focused = this.element.contains(document.activeElement) && document.activeElement.dataset.place !== undefined;
    const [first, last] = this.view;
    const inView = (place) => this.intervals[place].end >= first && this.intervals[place].start <= last;
    const many = this.intervals.length > MOST_SHOWN && this.intervals.filter((_, place) => inView(place)).length > MOST_SHOWN;
    fill(this.lanes, [...this.layOut()].map(([name, rows]) => el("div", { class: "lane", role: "group", "aria-label": name },
      el("span", { class: "lane-name", title: name }, name),
      rows.map((row) => el("div", { class: "row" }, row.places.filter(inView).map((place) => this.bar(place, many)))))));
    if (!this.intervals.length) fill(this.lanes, el("p", { class: "empty" }, "No intervals. Add one with the form below, or by a double click here."));
    fill(this.axis, ticks(first, last).map((time) => el("span", { style: { left: this.left(time) } }, show(time, 6))));
    if (focused) this.focus();
  }

  left(time) {
    return `${((time - this.view[0]) / (this.view[1] - this.view[0])) * 100}%`;
  }

  bar(place, plain) {
    const interval = this.intervals[place];
    const style = {
      left: this.left(interval.start),
      width: `${((interval.end - interval.start) / (this.view[1] - this.view[0])) * 100}%`,
      "--hue": colour(interval.action),
    };
    if (plain) return el("span", { class: "bar plain", style });
    const mark = this.marks?.[place];
    const speaks = mark === undefined || Math.abs(mark) < 0.05 ? null : mark > 0 ? "for" : "against";
    const said = speaks ? `, speaks ${speaks} it: ${signed(mark)}` : "";
    const chosen = place === this.selected;
    return el("button", {
      type: "button", class: "bar", style, "data-place": place, "data-speaks": speaks,
      tabindex: chosen || (this.selected === null && place === 0) ? "0" : "-1",
      "aria-pressed": String(chosen),
      "aria-label": `${interval.action}, ${show(interval.start, 6)} to ${show(interval.end, 6)}${said}`,
      onclick: () => this.select(place),
      onfocus: () => { if (this.selected !== place) this.select(place, false); },
      onkeydown: (event) => this.onKey(event, place),
      onpointerdown: (event) => this.onDrag(event, place),
    },
    el("span", { class: "grip start", "aria-hidden": "true" }),
    el("span", { class: "bar-name" }, this.by === "track" ? interval.action : this.label(interval)),
    speaks && el("span", { class: "mark", "aria-hidden": "true" }, signed(mark)),
    el("span", { class: "grip end", "aria-hidden": "true" }));
  }

  label(interval) {
    return show(interval.end - interval.start, 3);
  }

  select(place, focus = true) {
    this.selected = place;
    for (const bar of this.lanes.querySelectorAll("button.bar")) {
      const chosen = Number(bar.dataset.place) === place;
      bar.setAttribute("aria-pressed", String(chosen));
      bar.tabIndex = chosen ? 0 : -1;
    }
    if (focus) this.focus();
    this.handlers.select(place);
  }

  focus() {
    this.lanes.querySelector(`[data-place="${this.selected}"]`)?.focus({ preventScroll: true });
  }

  /** Arrows select; with Alt they move, with Shift they move the end, with both the start. */
  onKey(event, place) {
    const step = (this.view[1] - this.view[0]) / 100;
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
    const interval = this.intervals[place];
    if (by !== undefined && (event.altKey || event.shiftKey)) {
      const start = event.altKey ? interval.start + by : interval.start;
      const end = event.shiftKey === event.altKey ? interval.end : interval.end + by;
      const moved = event.altKey && !event.shiftKey ? { start, end: interval.end + by } : { start, end };
      if (moved.start < moved.end) this.handlers.edit(place, { ...interval, ...moved });
    } else if (event.key === "ArrowLeft" || event.key === "ArrowUp") {
      if (place > 0) this.select(place - 1);
    } else if (event.key === "ArrowRight" || event.key === "ArrowDown") {
      if (place + 1 < this.intervals.length) this.select(place + 1);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.handlers.edit(place, null);
    } else return;
    event.preventDefault();
  }

  /** Drag an end, or the whole interval; near ends of others it snaps to them, unless Ctrl is held. */
  onDrag(event, place) {
    if (event.button !== 0) return;
    event.stopPropagation();
    const side = event.target.classList.contains("grip") ? (event.target.classList.contains("start") ? "start" : "end") : "all";
    const from = this.timeAt(event.clientX);
    const before = this.intervals[place];
    const least = (this.view[1] - this.view[0]) * LEAST_SHARE;
    const target = event.currentTarget;
    let moved = false;
    const move = (each) => {
      const by = this.timeAt(each.clientX) - from;
      if (!moved && Math.abs(each.clientX - event.clientX) < 3) return;
      if (!moved) this.select(place, false);
      moved = true;
      let { start, end } = before;
      if (side !== "end") start = this.snap(start + by, place, each.ctrlKey);
      if (side === "start") start = Math.min(start, end - least);
      if (side === "end") end = Math.max(this.snap(end + by, place, each.ctrlKey), start + least);
      if (side === "all") end = start + (before.end - before.start);
      this.handlers.edit(place, { ...before, start, end }, true);
    };
    const stop = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
      if (moved) this.handlers.settle();
    };
    target.releasePointerCapture?.(event.pointerId);
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  }

  snap(time, place, free) {
    if (free) return time;
    const near = (this.view[1] - this.view[0]) / 120;
    let best = time;
    let distance = near;
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
    const from = event.clientX;
    const view = [...this.view];
    const width = this.lanes.getBoundingClientRect().width;
    const move = (each) => {
      const by = ((from - each.clientX) / width) * (view[1] - view[0]);
      this.view = [view[0] + by, view[1] + by];
      this.draw();
    };
    const stop = () => { window.removeEventListener("pointermove", move); window.removeEventListener("pointerup", stop); };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
  }

  onHover(event) {
    const box = this.plot.getBoundingClientRect();
    this.line.hidden = false;
    this.line.style.left = `${event.clientX - box.left}px`;
    this.handlers.cursor?.(this.timeAt(event.clientX));
  }

  onDouble(event) {
    if (event.target.closest(".bar")) return;
    const start = this.timeAt(event.clientX);
    this.handlers.add({ start, end: start + (this.view[1] - this.view[0]) / 10 });
  }
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

/** A small picture of an instance, without any handles. */
export function miniature(intervals, name) {
  const first = Math.min(...intervals.map((each) => each.start));
  const last = Math.max(...intervals.map((each) => each.end));
  const width = last - first || 1;
  const lanes = [...new Set(intervals.map((each) => each.action))];
  return el("div", { class: "miniature", role: "img", "aria-label": `${name}: ${intervals.length} intervals` },
    lanes.slice(0, 12).map((lane) => el("div", { class: "mini-lane" },
      el("span", { class: "mini-name" }, lane),
      el("div", { class: "mini-row" }, intervals.filter((each) => each.action === lane).slice(0, 60).map((each) => el("span", {
        class: "mini-bar", title: `${lane}, ${show(each.start)} to ${show(each.end)}`,
        style: { left: `${((each.start - first) / width) * 100}%`, width: `${((each.end - each.start) / width) * 100}%`, "--hue": colour(lane) },
      }))))));
}

// An instance as a small picture, beside others.

import { actions } from "./colours.js";
import { el, plural, show } from "./dom.js";

const [LANES, BARS] = [12, 60]; // that are drawn

/** A small picture of an instance, without any handles. */
export function miniature(intervals, name) {
  const first = Math.min(...intervals.map((each) => each.start));
  const last = Math.max(...intervals.map((each) => each.end));
  const share = (time) => `${(time / (last - first || 1)) * 100}%`;
  const lanes = [...new Set(intervals.map((each) => each.action))];
  const bar = ({ action, start, end }) => el("span", {
    class: "mini-bar", title: `${action}, ${show(start)} to ${show(end)}`,
    style: { left: share(start - first), width: share(end - start), "--hue": actions.of(action) },
  });
  return el("div", { class: "miniature", role: "img", "aria-label": `${name}: ${plural(intervals.length, "interval")}` },
    lanes.slice(0, LANES).map((lane) => el("div", { class: "mini-lane" },
      el("span", { class: "mini-name", dir: "auto", title: lane }, lane),
      el("div", { class: "mini-row" }, intervals.filter((each) => each.action === lane).slice(0, BARS).map(bar)))),
    lanes.length > LANES && el("p", { class: "mini-more" }, `and ${plural(lanes.length - LANES, "more action")}`));
}

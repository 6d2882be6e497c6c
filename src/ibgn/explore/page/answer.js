// What the model says, as elements: probabilities, reasons, relations, and other instances.

import { button, choice, el, meter, named, percent, plural, signed } from "./dom.js";
import { miniature } from "./miniature.js";

const LIKELIEST = 6; // activities with a bar
const RELATED = 80; // relations that are listed: those of the nearest intervals

/** The probabilities; `before` are those of the instance as it is kept, while a draft is tried. */
export function posteriorList(posterior, label, before = null) {
  const was = new Map((before ?? []).map((each) => [each.label, each.probability]));
  const best = posterior.slice(0, LIKELIEST);
  return [
    el("ol", { class: "posterior", "aria-live": "polite" }, best.map((each) => el("li", { class: each.label === label ? "own" : null },
      el("span", { class: "name", dir: "auto", title: each.label }, each.label),
      each.label === label && el("span", { class: "flag" }, "its label"),
      meter(each.probability, was.get(each.label) ?? null),
      el("span", { class: "share" }, percent(each.probability))))),
    before && el("p", { class: "small soft" }, "Lines show the probabilities without the draft."),
    posterior.length > best.length && el("p", { class: "small soft" }, `and ${posterior.length - best.length} more activities`),
  ];
}

/** What a model said that had not learned from the instance: what the list shows. */
export function heldOutNote({ label, probability }) {
  return el("p", { class: "small soft held-out" }, "The model has learned from this instance. Before that, it said ",
    named(label, "em"), `, ${percent(probability)}.`);
}

/** Instances that are the same in all but the label. */
export function twinsNote(twins, open) {
  return el("p", { class: "twins warning" }, "The same intervals have another label in ",
    twins.map((twin, n) => [n > 0 && ", ", button(named(twin.id), () => open(twin.number), { class: "link" }), " (", named(twin.label), ")"]), ".");
}

/** Reasons in words; the first part says what was seen, the rest how usual that is. */
export function reasonList(reasons, point) {
  const parts = (text) => { const end = text.indexOf("; "); return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 2)]; };
  return el("ul", { class: "reasons" }, reasons.map((reason) => {
    const [seen, usual] = parts(reason.text);
    return el("li", { class: reason.contribution < 0 ? "against" : "for" },
      el("button", { type: "button", class: "reason", onclick: () => point(reason) },
        el("strong", {}, signed(reason.contribution)), el("span", {}, seen, usual && el("span", { class: "usual" }, `; ${usual}`))));
  }));
}

export function whyPart(why, others, compare, point) {
  return el("div", { class: "why" },
    el("div", { class: "between" }, el("h3", {}, "Why"), choice("Against", others, why.against, compare)),
    el("p", { class: "small soft" }, why.headline),
    reasonList(why.reasons, point));
}

/** Allen's relation of an interval to one that is not before it in the order of starts and ends. */
function relation(first, second) {
  if (first.end <= second.start) return first.end < second.start ? "before" : "meets";
  if (first.start === second.start) return first.end === second.end ? "equals" : "starts";
  if (first.end < second.end) return "overlaps";
  return first.end === second.end ? "finished-by" : "contains";
}

/** How one interval relates to the others. */
export function relationsPart(intervals, place, select) {
  if (place === null || !intervals[place]) return [el("h3", {}, "Relations"), el("p", { class: "soft" }, "Select an interval to see how it relates to the others.")];
  const title = el("h3", {}, "Relations of ", named(intervals[place].action, "em"));
  const others = intervals.map((_, n) => n).filter((n) => n !== place).sort((a, b) => Math.abs(a - place) - Math.abs(b - place));
  const own = others.slice(0, RELATED).sort((a, b) => a - b).map((n) => [Math.min(n, place), Math.max(n, place)]);
  const name = (n) => n === place ? named(intervals[n].action, "em") : button(named(intervals[n].action), () => select(n), { class: "link" });
  return [title,
    !others.length && el("p", { class: "soft" }, "There is no other interval."),
    el("ul", { class: "relations" }, own.map(([i, j]) => el("li", {}, name(i), ` ${relation(intervals[i], intervals[j])} `, name(j)))),
    others.length > RELATED && el("p", { class: "small soft" }, `and ${plural(others.length - RELATED, "more relation")}, to intervals that are further away`)];
}

/** The smallest change that was found, or that none was. */
export function counterfactualPart(found, tryIt) {
  const edits = el("ul", { class: "edits" }, found.edits.map((edit) => el("li", {}, edit)));
  return [
    el("h3", {}, "To be ", named(found.activity, "em")),
    !found.found && el("p", {}, "No change of up to three intervals is enough. The nearest one:"),
    found.found && !found.edits.length ? el("p", {}, "It is that already.") : edits,
    el("p", { class: "soft" }, "Then ", named(found.activity), ` has ${percent(found.probability)}.`),
    found.edits.length > 0 && el("div", {}, button("Try it", tryIt)),
  ];
}

/** Instances as small pictures that can be opened; `says` is the text beside the name of each. */
export function cards(instances, open, says = (each) => each.label === null ? "no label" : named(each.label)) {
  return el("ul", { class: "cards" }, instances.map((each) => el("li", {},
    el("button", { type: "button", class: "card", onclick: () => open(each.number) },
      el("span", { class: "name", dir: "auto", title: each.id }, each.id), el("span", { class: "soft says" }, says(each))),
    miniature(each.intervals, each.id))));
}

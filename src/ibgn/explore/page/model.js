// What the model knows: weights, activities, what separates two, and what it generates.

import { cards } from "./answer.js";
import { get, query } from "./api.js";
import { button, choice, el, fill, meter, named, percent, plural, show, signed, table } from "./dom.js";
import { miniature } from "./miniature.js";

const UPRIGHT = 5; // activities from which on their names stand upright

export class ModelView {
  constructor(element, app) {
    this.element = element;
    this.app = app;
    this.seed = 1;
  }

  async open() {
    const model = await get("model");
    if (!model.weights) return fill(this.element, el("h2", {}, "Model"), noModel());
    this.names = model.activities;
    this.first = this.names.includes(this.first) ? this.first : this.names[0];
    const panel = (name, kind = "") => el("section", { class: `panel ${kind}`, "aria-label": name }, el("p", { class: "soft" }, "asking the model…"));
    this.choices = el("div", { class: "buttons" });
    this.contrast = panel("What separates two activities", "grows");
    this.activity = panel("Activity", "wide");
    this.samples = panel("Generated instances", "wide");
    fill(this.element,
      el("div", { class: "head" }, el("h2", {}, "Model"), this.choices),
      el("p", { class: "soft" }, model.instances ? `${model.name}, learned from ${plural(model.instances, "instance")} with ${plural(model.intervals, "interval")}` : model.name),
      el("div", { class: "panels model" }, weightsPanel(model.weights), this.contrast, this.activity, this.samples));
    return this.drawChosen();
  }

  /** Draw all that depends on the chosen activities. */
  async drawChosen() {
    const others = this.names.filter((name) => name !== this.first);
    this.second = others.includes(this.second) ? this.second : others[0];
    const focused = document.activeElement?.id;
    fill(this.choices,
      choice("Activity", this.names, this.first, (name) => { this.first = name; this.drawChosen(); }),
      others.length > 0 && choice("Compare with", others, this.second, (name) => { this.second = name; this.app.run(() => this.drawContrast()); }));
    if (focused) document.getElementById(focused)?.focus();
    await Promise.all([this.drawActivity(), this.drawContrast(), this.drawSamples()].map((each) => this.app.run(() => each)));
  }

  async drawActivity() {
    const { first } = this;
    const { activity, terms, styles } = await get(query("activity", { name: first }));
    if (first !== this.first) return; // another one was chosen since, as below
    fill(this.activity, el("h3", {}, "What the model knows of ", named(activity, "em")),
      styles.length > 1 && el("p", {}, `${styles.length} styles: ${styles.map(percent).join(", ")}`),
      el("div", { class: "terms" }, terms.map((term) => termPart(term, activity))),
      !terms.length && el("p", { class: "soft" }, "This method has no model of single activities."));
  }

  async drawContrast() {
    const title = el("h3", {}, "What separates ", named(this.first, "em"), this.second && [" from ", named(this.second, "em")]);
    if (!this.second) return fill(this.contrast, title, el("p", { class: "soft" }, "There is no other activity."));
    if (!this.app.overview.explains) return fill(this.contrast, title, el("p", { class: "soft" }, "This method gives no reasons."));
    const { first, second } = this;
    const { sides } = await get(query("contrast", { first, second }));
    if (first !== this.first || second !== this.second) return this.contrast;
    return fill(this.contrast, title, el("div", { class: "sides" }, sides.map(sidePart)));
  }

  async drawSamples() {
    const title = el("h3", {}, "Generated instances of ", named(this.first, "em"));
    if (!this.app.overview.generates) return fill(this.samples, title, el("p", { class: "soft" }, "This method does not generate instances."));
    const { first, seed } = this;
    const { instances } = await get(query("sample", { name: first, seed }));
    if (first !== this.first || seed !== this.seed) return this.samples;
    const others = () => { this.seed += 1; return this.app.run(() => this.drawSamples()).then(() => document.getElementById("other-samples")?.focus()); };
    return fill(this.samples, el("div", { class: "between" }, title, button("Others", others, { id: "other-samples" })),
      el("ul", { class: "cards" }, instances.map((each, n) => el("li", {}, miniature(each.intervals, `generated ${n + 1}`)))));
  }
}

function noModel() {
  return el("p", { class: "soft" }, "There is no model yet. Label some instances of at least two activities, then “Learn again”.");
}

function weightsPanel(weights) {
  const most = Math.max(...Object.values(weights), 1e-9);
  const terms = Object.entries(weights).sort((a, b) => b[1] - a[1]);
  return el("section", { class: "panel", "aria-label": "Weights" }, el("h3", {}, "How much each term counts"),
    !terms.length && el("p", { class: "soft" }, "This method has no terms."),
    el("ol", { class: "posterior" }, terms.map(([name, weight]) => el("li", {},
      el("span", { class: "name" }, name), meter(weight / most), el("span", { class: "share" }, weight.toFixed(2))))));
}

function termPart(term, activity) {
  return el("details", { class: "term", open: true }, el("summary", {}, el("strong", {}, term.name), el("span", { class: "soft" }, ` ${term.brief}`)),
    table(term.columns, term.rows, `${term.name} of ${activity}`));
}

/** What speaks for one of two activities in its own instances. */
function sidePart(side) {
  const most = Math.max(...side.rows.map((row) => Math.abs(row.mean)), 1e-9);
  const parts = (row) => [row.action, row.relation, row.other].filter(Boolean);
  const what = (row) => parts(row).length ? parts(row).map((part, n) => [n > 0 && " ", named(part)]) : "the whole instance";
  return el("div", { class: "side" },
    el("h4", {}, `In ${plural(side.instances, side.generated ? "generated instance" : "instance")} of `, named(side.activity, "em")),
    !side.rows.length && el("p", { class: "soft" }, "None of them has this label."),
    el("ol", { class: "posterior" }, side.rows.map((row) => el("li", { class: row.mean < 0 ? "against" : "for" },
      el("span", { class: "name", title: parts(row).join(" ") }, what(row)), el("span", { class: "term-of" }, row.term),
      meter(Math.abs(row.mean) / most), el("strong", { class: "share" }, signed(row.mean))))));
}

/** The confusion matrix: every number opens the instances that it counts. */
export async function openConfusion(element, app) {
  if (!app.overview.model) return fill(element, el("h2", {}, "Confusion"), noModel());
  const { activities, counts } = await get("confusion");
  const right = counts.reduce((sum, row, n) => sum + row[n], 0);
  const all = counts.flat().reduce((sum, each) => sum + each, 0);
  const judged = app.overview.held_out ? "each judged by what was learned from others" : "as the model judges them now";
  return fill(element, el("h2", {}, "Confusion"),
    el("p", { class: "soft" }, `${right.toLocaleString("en")} of ${plural(all, "labelled instance")} get their label (${show((100 * right) / Math.max(all, 1))}\u00a0%), ${judged}. Choose a number to see its instances.`),
    el("div", { class: "panel matrix" }, el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Confusion matrix" },
      el("table", { class: activities.length > UPRIGHT ? "confusion many" : "confusion" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "label ↓ answer →"), activities.map((name) => el("th", { scope: "col" }, named(name))), el("th", { scope: "col" }, "right"))),
        el("tbody", {}, counts.map((row, i) => confusionRow(row, i, activities, app)))))));
}

function confusionRow(row, i, activities, app) {
  const sum = row.reduce((a, b) => a + b, 0);
  const cell = (number, j) => button(number.toLocaleString("en"), () => app.filter({ label: activities[i], answer: activities[j] }), {
    class: i === j ? "cell right" : "cell", style: { "--share": `${Math.round(35 + (45 * number) / sum)}%` },
    "aria-label": `${number} of ${activities[i]} got ${activities[j]}`,
  });
  return el("tr", {}, el("th", { scope: "row" }, named(activities[i])),
    row.map((number, j) => el("td", {}, number > 0 && cell(number, j))),
    el("td", { class: "number soft" }, sum ? percent(row[i] / sum) : "—"));
}

/** Which instances to label next. */
export async function openSuggestions(element, app) {
  if (!app.overview.model) return fill(element, el("h2", {}, "Label next"), noModel());
  const { unlabelled, instances } = await get("suggestions");
  const { predicted, probability } = app.list.data;
  const guess = ({ number }) => [named(predicted[number]), `? ${percent(probability[number])}`];
  const said = unlabelled
    ? `${plural(unlabelled, "instance")} ${unlabelled === 1 ? "has" : "have"} no label. These are uncertain and differ from each other, so labels of them teach the model most.`
    : "Every instance has a label.";
  return fill(element, el("h2", {}, "Label next"), el("p", { class: "soft" }, said), cards(instances, (number) => app.label(number), guess));
}

// What the model knows: weights, activities, what separates two, and what it generates.

import { get, query } from "./api.js";
import { choice, el, fill, show, signed, table } from "./dom.js";
import { miniature } from "./timeline.js";

export class ModelView {
  constructor(element, app) {
    this.element = element;
    this.app = app;
    this.seed = 1;
  }

  async open() {
    const model = await get("model");
    if (!model.weights) return fill(this.element, el("h2", {}, "Model"), el("p", {}, "There is no model yet."));
    const names = model.activities;
    this.first = names.includes(this.first) ? this.first : names[0];
    this.second = names.includes(this.second) && this.second !== this.first ? this.second : names.find((name) => name !== this.first);
    this.activity = el("section", { class: "panel wide", "aria-label": "Activity" });
    this.contrast = el("section", { class: "panel wide", "aria-label": "What separates two activities" });
    this.samples = el("section", { class: "panel wide", "aria-label": "Generated instances" });
    const most = Math.max(...Object.values(model.weights), 1e-9);
    fill(this.element, el("h2", {}, "Model"),
      el("p", { class: "soft" }, model.instances ? `${model.name}, learned from ${model.instances} instances with ${model.intervals} intervals` : model.name),
      el("div", { class: "panels" },
        el("section", { class: "panel", "aria-label": "Weights" }, el("h3", {}, "How much each term counts"),
          el("ol", { class: "posterior" }, Object.entries(model.weights).sort((a, b) => b[1] - a[1]).map(([name, weight]) => el("li", {},
            el("span", { class: "name" }, name), el("span", { class: "meter", "aria-hidden": "true" }, el("span", { style: { width: `${(weight / most) * 100}%` } })),
            el("span", { class: "share" }, weight.toFixed(2)))))),
        el("section", { class: "panel", "aria-label": "Choose" },
          choice("Activity", names, this.first, (name) => { this.first = name; this.open(); }),
          choice("Compare with", names.filter((name) => name !== this.first), this.second, (name) => { this.second = name; this.drawContrast(); })),
        this.contrast, this.activity, this.samples));
    await Promise.all([this.drawActivity(), this.drawContrast(), this.drawSamples()].map((each) => each.catch((error) => this.app.say(error))));
    return this.element;
  }

  async drawActivity() {
    const { activity, terms, styles } = await get(query("activity", { name: this.first }));
    fill(this.activity, el("h3", {}, el("em", {}, activity)),
      styles.length > 1 && el("p", {}, `${styles.length} styles: ${styles.map((share) => `${Math.round(share * 100)} %`).join(", ")}`),
      terms.length ? terms.map((term, n) => el("details", { open: n < 2 }, el("summary", {}, el("strong", {}, term.name), ` — ${term.brief}`),
        table(term.columns, term.rows, `${term.name} of ${activity}`))) : el("p", { class: "soft" }, "This method has no model of single activities."));
  }

  async drawContrast() {
    if (!this.second) return;
    const { sides } = await get(query("contrast", { first: this.first, second: this.second }));
    fill(this.contrast, el("h3", {}, "What separates ", el("em", {}, this.first), " from ", el("em", {}, this.second)),
      el("div", { class: "panels" }, sides.map((side) => el("div", {}, el("h4", {}, `In ${side.instances} instances of `, el("em", {}, side.activity)),
        table(["term", "what", "speaks for it"], side.rows.map((row) => [row.term, [row.action, row.relation, row.other].filter(Boolean).join(" "), signed(row.mean)]), `reasons for ${side.activity}`)))));
  }

  async drawSamples() {
    if (!this.app.overview.generates) return;
    const { instances } = await get(query("sample", { name: this.first, seed: this.seed }));
    fill(this.samples, el("h3", {}, "Generated instances of ", el("em", {}, this.first)),
      el("button", { type: "button", onclick: () => { this.seed += 1; this.drawSamples(); } }, "Others"),
      el("ul", { class: "cards" }, instances.map((each, n) => el("li", {}, miniature(each.intervals, `generated ${n + 1}`)))));
  }
}

/** The confusion matrix: every number opens the instances that it counts. */
export async function openConfusion(element, app) {
  const { activities, counts } = await get("confusion");
  const right = counts.reduce((sum, row, n) => sum + row[n], 0);
  const all = counts.flat().reduce((sum, each) => sum + each, 0);
  fill(element, el("h2", {}, "Confusion"),
    el("p", { class: "soft" }, `${right} of ${all} labelled instances get their label (${show((100 * right) / Math.max(all, 1))} %), ${app.overview.held_out ? "each judged by what was learned from others" : "as the model judges them now"}. Choose a number to see its instances.`),
    el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Confusion matrix" },
      el("table", { class: "confusion" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "label ↓ answer →"), activities.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, counts.map((row, i) => {
          const sum = Math.max(row.reduce((a, b) => a + b, 0), 1);
          return el("tr", {}, el("th", { scope: "row" }, activities[i]), row.map((number, j) => el("td", {},
            number > 0 && el("button", {
              type: "button", class: i === j ? "cell right" : "cell", style: { "--share": `${Math.round((80 * number) / sum)}%` },
              "aria-label": `${number} of ${activities[i]} got ${activities[j]}`,
              onclick: () => app.filter({ label: activities[i], answer: activities[j] }),
            }, String(number)))));
        })))));
}

/** Which instances to label next. */
export async function openSuggestions(element, app) {
  const { unlabelled, instances } = await get("suggestions");
  fill(element, el("h2", {}, "Label next"),
    el("p", { class: "soft" }, unlabelled ? `${unlabelled} instances have no label. These are uncertain, and differ from each other; labels of them teach the model most.` : "Every instance has a label."),
    el("ul", { class: "cards" }, instances.map((each) => el("li", {},
      el("button", { type: "button", class: "card", onclick: () => app.open(each.number) }, el("span", { class: "name" }, each.id), el("span", { class: "soft" }, "open and label")),
      miniature(each.intervals, each.id)))));
}

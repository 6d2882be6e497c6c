// One instance: its timeline, a draft of changes, and what the model says about the draft.

import { get, page, post, query } from "./api.js";
import { choice, el, fill, percent, redraw, show, signed } from "./dom.js";
import { miniature, Timeline } from "./timeline.js";

export class InstanceView {
  constructor(element, app) {
    this.element = element;
    this.app = app;
    this.data = null;
    this.draft = null; // intervals that are tried, or null
    this.past = []; // drafts before, to go back to
    this.against = null;
    this.timeline = new Timeline({
      select: () => this.drawSelection(),
      edit: (place, interval, dragging) => this.edit(place, interval, dragging),
      settle: () => this.settle(),
      add: (interval) => this.add(interval),
      cursor: (time) => { this.cursor.textContent = time === null ? "" : show(time, 5); },
    });
    this.cursor = el("output", { class: "time", "aria-hidden": "true" });
    this.head = el("div", { class: "head" });
    this.form = el("div", { class: "editor" });
    this.answer = el("section", { class: "panel answer", "aria-label": "What the model says" });
    this.pairs = el("section", { class: "panel", "aria-label": "Relations" });
    this.more = el("section", { class: "panel", "aria-label": "More questions" });
    this.lanesBy = el("span");
  }

  get intervals() {
    return this.draft ?? this.data.intervals;
  }

  async open(number) {
    if (this.draft && this.data.number !== number && !confirm("The draft is not kept. Leave it?")) return false;
    const data = await get(this.against ? query(`instances/${number}`, { against: this.against }) : `instances/${number}`);
    this.take(data);
    return true;
  }

  take(data) {
    const same = this.data?.number === data.number;
    this.data = data;
    this.draft = null;
    this.past = [];
    if (!same) this.timeline.selected = null;
    this.judged = data;
    fill(this.more);
    this.drawAll(same);
  }

  drawAll(keepView) {
    if (!this.head.isConnected) {
      fill(this.element, this.head,
        el("div", { class: "bar-tools", role: "toolbar", "aria-label": "Timeline" },
          el("button", { type: "button", onclick: () => this.timeline.zoom(0.6) }, "Zoom in"),
          el("button", { type: "button", onclick: () => this.timeline.zoom(1 / 0.6) }, "Zoom out"),
          el("button", { type: "button", onclick: () => this.timeline.pan(-0.25), "aria-label": "Earlier" }, "←"),
          el("button", { type: "button", onclick: () => this.timeline.pan(0.25), "aria-label": "Later" }, "→"),
          el("button", { type: "button", onclick: () => this.timeline.fit() }, "All"),
          this.lanesBy, this.cursor),
        this.timeline.element, this.form,
        el("div", { class: "panels" }, this.answer, this.pairs, this.more));
    }
    const tiers = this.app.overview.tracks.length > 1;
    fill(this.lanesBy, tiers && choice("Lanes", [["action", "actions"], ["track", "tiers"]], this.timeline.by, (by) => { this.timeline.by = by; this.timeline.draw(); }));
    this.timeline.show(this.intervals, this.judged.why?.by_interval, keepView);
    this.drawHead();
    this.drawSelection();
    this.drawAnswer();
  }

  drawHead() {
    const { data } = this;
    const changed = JSON.stringify([data.label, data.intervals]) !== JSON.stringify([data.first.label, data.first.intervals]);
    const names = this.app.overview.activities;
    const input = el("input", {
      id: "label", list: "activities", value: data.label ?? "", placeholder: "no label", autocomplete: "off", maxlength: "1000",
      onchange: () => this.relabel(input.value),
      onkeydown: (event) => { if (event.key === "Enter") input.blur(); },
    });
    redraw(this.head, data.number,
      el("h2", {}, data.id),
      el("label", { class: "field" }, el("span", {}, "Label"), input),
      el("datalist", { id: "activities" }, names.map((name) => el("option", { value: name }))),
      changed && el("span", { class: "flag changed" }, `changed: was ${data.first.label ?? "no label"}, ${data.first.intervals.length} intervals`),
      this.draft && el("span", { class: "draft", role: "status" }, "a draft",
        el("button", { type: "button", class: "primary", onclick: () => this.keep() }, "Keep"),
        el("button", { type: "button", onclick: () => this.discard() }, "Discard")));
  }

  // -- trying ---------------------------------------------------------------------------------------

  edit(place, interval, dragging = false) {
    if (!this.dragged) this.past.push(this.intervals);
    this.dragged = dragging;
    const after = this.intervals.slice();
    if (interval === null) after.splice(place, 1);
    else after[place] = interval;
    this.try(after, interval);
  }

  settle() {
    this.dragged = false;
  }

  add(given = {}) {
    const [first, last] = this.timeline.span;
    const made = { action: this.chosenAction(), start: first, end: first + (last - first) / 5 || first + 1, track: null, ...given };
    this.past.push(this.intervals);
    this.try([...this.intervals, made], made);
  }

  chosenAction() {
    const chosen = this.intervals[this.timeline.selected];
    return chosen?.action ?? this.app.overview.actions[0] ?? "action";
  }

  /** Show a draft at once, and ask what it would be; answers to older drafts are dropped. */
  try(intervals, chosen = null) {
    this.draft = sorted(intervals);
    this.judged = { ...this.judged, relations: undefined }; // until they are known again
    this.timeline.selected = chosen ? this.draft.indexOf(chosen) : null;
    this.timeline.show(this.draft, null, true);
    this.drawHead();
    this.drawSelection();
    this.question();
  }

  async question() {
    if (this.asking) { this.again = true; return; }
    this.asking = true;
    const asked = this.draft;
    const begin = performance.now();
    try {
      const judged = await post("what-if", { intervals: asked, against: this.against });
      if (asked === this.draft) {
        this.judged = judged;
        this.timeline.show(this.draft, judged.why?.by_interval, true);
        this.drawAnswer();
        this.drawRelations();
        performance.measure("what-if", { start: begin, end: performance.now() });
      }
    } catch (error) {
      this.app.say(error);
    } finally {
      this.asking = false;
      if (this.again) { this.again = false; if (this.draft) this.question(); }
    }
  }

  undo() {
    if (!this.past.length) return false;
    const before = this.past.pop();
    if (this.past.length) this.try(before);
    else this.discard();
    return true;
  }

  discard() {
    this.take(this.data);
  }

  async keep() {
    await this.change({ intervals: this.draft });
  }

  async relabel(text) {
    const label = text.trim() || null;
    if (label !== this.data.label) await this.change({ label });
  }

  async change(what) {
    const { number, version } = this.data;
    try {
      const data = await post(`instances/${number}/change`, { ...what, version, page });
      this.take(data);
      this.app.changed(number);
      this.app.note("kept; undo takes it back");
    } catch (error) {
      this.app.say(error);
      if (error.status === 409) this.offerOther();
    }
  }

  /** Another page changed this instance: show theirs only when asked, so that nothing typed is lost. */
  offerOther() {
    fill(this.more, el("h3", {}, "Changed in another page"),
      el("p", {}, "This instance was changed elsewhere after this page read it. Your draft is still here."),
      el("button", { type: "button", onclick: async () => { this.draft = null; await this.open(this.data.number); } }, "Show theirs, and drop the draft"));
  }

  // -- showing --------------------------------------------------------------------------------------

  drawSelection() {
    const place = this.timeline.selected;
    const chosen = this.intervals[place];
    const field = (name, key, type) => {
      const input = el("input", {
        id: `edit-${key}`, type, step: "any", value: chosen?.[key] ?? "", disabled: !chosen, list: key === "action" ? "actions" : null, autocomplete: "off", maxlength: type === "text" ? "1000" : null,
        onchange: () => this.editField(key, input.value),
      });
      return el("label", { class: "field" }, el("span", {}, name), input);
    };
    redraw(this.form, JSON.stringify([this.data.number, place, chosen]),
      field("Action", "action", "text"), field("Start", "start", "number"), field("End", "end", "number"),
      el("datalist", { id: "actions" }, this.app.overview.actions.map((name) => el("option", { value: name }))),
      el("button", { type: "button", disabled: !chosen, onclick: () => this.edit(place, null) }, "Delete"),
      el("button", { type: "button", onclick: () => this.add() }, "Add an interval"));
    this.drawRelations();
  }

  editField(key, text) {
    const place = this.timeline.selected;
    const value = key === "action" ? text.trim() : Number(text);
    const after = { ...this.intervals[place], [key]: value };
    const missing = key === "action" ? !value : !Number.isFinite(value) || text === "";
    if (!missing && after.start < after.end) return this.edit(place, after);
    this.app.say(new Error(missing ? `an interval needs its ${key}` : "an interval must end after it starts"));
    this.form.dataset.about = ""; // so that the field has its value again
    return this.drawSelection();
  }

  drawRelations() {
    const place = this.timeline.selected;
    const { relations } = this.judged;
    if (place === null || !this.intervals[place]) return fill(this.pairs, el("h3", {}, "Relations"), el("p", { class: "soft" }, "Select an interval to see how it relates to others."));
    const name = (n) => this.intervals[n]?.action ?? "";
    const own = (relations ?? []).filter(([i, j]) => i === place || j === place);
    return fill(this.pairs, el("h3", {}, "Relations of ", el("em", {}, name(place))),
      relations === undefined ? el("p", { class: "soft" }, "…") : relations === null ? el("p", { class: "soft" }, "Too many intervals to list.")
        : el("ul", { class: "relations" }, own.slice(0, 80).map(([i, j, word]) => el("li", {}, el("em", {}, name(i)), ` ${word} `, el("em", {}, name(j))))));
  }

  drawAnswer() {
    const { posterior, why, unknown_actions: unknown } = this.judged;
    if (!posterior) return fill(this.answer, el("h3", {}, "No model yet"), el("p", { class: "soft" }, "Label some instances of at least two activities, then “Learn again”."));
    const best = posterior.slice(0, 6);
    fill(this.answer,
      el("h3", {}, this.draft ? "What if" : "Answer"),
      el("ol", { class: "posterior", "aria-live": "polite" }, best.map(({ label, probability }) => el("li", { class: label === this.data.label ? "own" : null },
        el("span", { class: "name" }, label, label === this.data.label && el("span", { class: "soft" }, " (its label)")),
        el("span", { class: "meter", "aria-hidden": "true" }, el("span", { style: { width: `${probability * 100}%` } })),
        el("span", { class: "share" }, percent(probability))))),
      posterior.length > best.length && el("p", { class: "soft" }, `and ${posterior.length - best.length} more`),
      unknown?.length && el("p", { class: "warning" }, `The model does not know: ${unknown.join(", ")}`),
      why && el("div", {},
        el("h3", {}, "Why"),
        choice("Against", posterior.slice(1).map((each) => each.label), why.against, (label) => this.compare(label)),
        el("p", { class: "soft" }, why.headline),
        el("ul", { class: "reasons" }, why.reasons.map((reason) => el("li", { class: reason.contribution < 0 ? "against" : "for" },
          el("button", { type: "button", class: "reason", onclick: () => this.point(reason) }, el("strong", {}, signed(reason.contribution)), ` ${reason.text}`))))),
      el("div", { class: "buttons" },
        el("button", { type: "button", onclick: () => this.showNearest() }, "Most similar instances"),
        choice("What would make it", ["", ...this.app.overview.known.filter((each) => each !== posterior[0].label)], "", (label) => label && this.showCounterfactual(label))));
  }

  /** Select the first interval that a reason is about. */
  point(reason) {
    const place = this.intervals.findIndex((each) => each.action === reason.action || each.action === reason.other);
    if (place >= 0) this.timeline.select(place);
  }

  async compare(label) {
    this.against = label;
    if (this.draft) await this.question();
    else {
      this.judged = await get(query(`instances/${this.data.number}`, { against: label }));
      this.drawAnswer();
      this.timeline.show(this.intervals, this.judged.why?.by_interval, true);
    }
  }

  async showNearest() {
    try {
      const { instances } = await get(`instances/${this.data.number}/nearest`);
      fill(this.more, el("h3", {}, "Most similar"), cards(instances, (number) => this.app.open(number)));
    } catch (error) { this.app.say(error); }
  }

  async showCounterfactual(activity) {
    fill(this.more, el("p", { role: "status" }, "searching…"));
    try {
      const found = await post(`instances/${this.data.number}/counterfactual`, { activity, intervals: this.draft });
      fill(this.more, el("h3", {}, "To be ", el("em", {}, activity)),
        found.edits.length && found.found ? el("ul", {}, found.edits.map((edit) => el("li", {}, edit)))
          : el("p", {}, found.found ? "It is that already." : "No change of up to three intervals is enough."),
        el("p", { class: "soft" }, `then ${percent(found.probability)}`),
        found.edits.length > 0 && el("button", { type: "button", onclick: () => { this.past.push(this.intervals); this.try(found.intervals); } }, "Try it"));
    } catch (error) { this.app.say(error); }
  }
}

/** Instances as small pictures that can be opened. */
export function cards(instances, open) {
  return el("ul", { class: "cards" }, instances.map((each) => el("li", {},
    el("button", { type: "button", class: "card", onclick: () => open(each.number) },
      el("span", { class: "name" }, each.id), el("span", { class: "soft" }, each.label ?? "no label")),
    miniature(each.intervals, each.id))));
}

function sorted(intervals) {
  return intervals.slice().sort((a, b) => a.start - b.start || a.end - b.end || (a.action < b.action ? -1 : 1));
}

// One instance: its timeline, a draft of changes, and what the model says about the draft.

import { cards, counterfactualPart, heldOutNote, posteriorList, relationsPart, twinsNote, whyPart } from "./answer.js";
import { get, page, post, query } from "./api.js";
import { button, choice, clock, el, fill, named, plural, redraw, typedIn } from "./dom.js";
import { Timeline } from "./timeline.js";

export class InstanceView {
  constructor(element, app) {
    this.element = element;
    this.app = app;
    this.data = null;
    this.number = null; // of the instance that was asked for last
    this.draft = null; // intervals that are tried, or null
    this.past = []; // drafts before, to go back to
    this.future = []; // drafts that were taken back
    this.sent = Promise.resolve(); // changes on their way: one goes after the other, as each names the version before
    this.against = null;
    this.opening = 0; // how many were asked for; only the last one is shown
    this.timeline = new Timeline({
      select: () => this.drawSelection(),
      edit: (place, interval, dragging) => this.edit(place, interval, dragging),
      settle: () => { this.dragged = false; },
      add: (interval) => this.add(interval),
      cursor: (text, byKey) => this.drawCursor(text, byKey),
    });
    this.makeParts();
  }

  makeParts() {
    this.cursor = el("output", { class: "time" });
    this.head = el("div", { class: "head" });
    this.form = el("div", { class: "editor" });
    this.legend = el("p", { class: "marks small soft" });
    this.answer = el("section", { class: "panel answer", "aria-label": "What the model says" });
    this.pairs = el("section", { class: "panel", "aria-label": "Relations" });
    this.questions = el("section", { class: "panel", "aria-label": "More questions" });
    this.more = el("section", { class: "panel more", "aria-label": "Answers to more questions" });
    this.lanesBy = el("span");
    const { timeline } = this;
    const tools = el("div", { class: "bar-tools", role: "toolbar", "aria-label": "Timeline" },
      button("−", () => timeline.zoom(1 / 0.6), { "aria-label": "Zoom out", title: "−" }),
      button("+", () => timeline.zoom(0.6), { "aria-label": "Zoom in", title: "+" }),
      button("All", () => timeline.fit(), { title: "0" }),
      button("Selected", () => timeline.zoomIn(), { "aria-label": "Zoom to the selected interval", title: "z" }),
      button("←", () => timeline.pan(-0.25), { "aria-label": "Earlier" }),
      button("→", () => timeline.pan(0.25), { "aria-label": "Later" }),
      this.lanesBy, this.cursor);
    this.parts = [this.head, tools, timeline.element, this.legend, this.form,
      el("div", { class: "panels" }, this.answer, el("div", { class: "column" }, this.pairs, this.questions, this.more))];
  }

  get intervals() {
    return this.draft ?? this.data.intervals;
  }

  /** Whether something is tried or typed that was not kept yet. */
  get unsaved() {
    return Boolean(this.draft || this.field);
  }

  /** Whether the reader does something with the instance. */
  get touched() {
    return this.unsaved || this.timeline.selected !== null;
  }

  /** The field in which something is typed. */
  get field() {
    return typedIn(this.head) ?? typedIn(this.form);
  }

  /** Show an instance; false if the reader stays with what is not kept, null if something else was asked for since. */
  async open(number) {
    if (this.draft && this.data.number === number) return true;
    if (this.draft && !confirm("The draft is not kept. Leave it?")) return false;
    this.draft = null;
    this.number = number;
    return this.read();
  }

  /** Ask for the instance that was asked for last, and show it. */
  async read() {
    const asked = ++this.opening;
    const { against, number } = this;
    const path = `instances/${number}`;
    const data = await get(against ? query(path, { against }) : path).catch((error) => {
      if (asked === this.opening) this.number = this.data?.number ?? null;
      throw error;
    });
    if (asked !== this.opening) return null;
    if (this.unsaved) return this.stay(data); // begun while the answer was on its way
    if (against !== this.against) return this.read();
    this.take(data);
    return true;
  }

  /** Stay with what is not kept; about the same instance, take over what the model says by now. */
  stay(data) {
    this.number = this.data.number;
    if (data.number !== this.number) return false;
    if (data.version > this.data.version) this.offerOther();
    else {
      this.data = data;
      if (this.draft) this.question();
      else this.judge(data);
    }
    return false;
  }

  /** See whether another page changed the instance that is shown; `versions` are of all that were changed. */
  async notice(versions) {
    if (!this.data || !((versions[this.data.number] ?? 0) > this.data.version)) return;
    if (this.unsaved) this.offerOther();
    else await this.read();
  }

  take(data) {
    const same = this.data?.number === data.number;
    this.data = data;
    this.number = data.number;
    this.draft = null;
    this.past = [];
    this.future = [];
    if (!same) this.timeline.selected = null;
    this.judged = data;
    fill(this.more);
    this.drawAll(same);
  }

  // -- trying ---------------------------------------------------------------------------------------

  edit(place, interval, dragging = false) {
    if (!this.dragged) this.step();
    this.dragged = dragging;
    const after = this.intervals.slice();
    if (interval === null) after.splice(place, 1);
    else after[place] = interval;
    this.try(after, interval ?? after[Math.min(place, after.length - 1)]);
  }

  add(given = {}) {
    const { timeline } = this;
    const start = timeline.round(Math.max(timeline.view[0], timeline.span[0]));
    const end = timeline.round(start + (timeline.width || 1) / 5);
    const made = { action: this.chosenAction(), start, end, track: null, ...given };
    this.step();
    this.try([...this.intervals, made], made);
    timeline.reveal();
  }

  /** Remember what is there, before it changes. */
  step() {
    this.past.push(this.intervals);
    this.future = [];
  }

  chosenAction() {
    const chosen = this.intervals[this.timeline.selected];
    return chosen?.action ?? this.app.overview.actions[0] ?? "action";
  }

  /** Show a draft at once, and ask what it would be; answers to older drafts are dropped. */
  try(intervals, chosen = null) {
    const marks = new Map(this.intervals.map((each, n) => [each, this.timeline.marks?.[n]]));
    this.draft = sorted(intervals);
    this.timeline.selected = chosen ? this.draft.indexOf(chosen) : null;
    this.timeline.show(this.draft, this.draft.map((each) => marks.get(each)), true);
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
        this.judge(judged);
        performance.measure("what-if", { start: begin, end: performance.now() });
      }
    } catch (error) {
      this.app.say(error);
    } finally {
      this.asking = false;
      if (this.again) { this.again = false; if (this.draft) this.question(); }
    }
  }

  judge(judged) {
    this.judged = judged;
    this.timeline.mark(judged.why?.by_interval);
    this.drawAnswer();
  }

  // -- keeping --------------------------------------------------------------------------------------

  undo() {
    if (!this.past.length) return false;
    const future = [...this.future, this.intervals];
    const before = this.past.pop();
    if (this.past.length) this.try(before);
    else this.take(this.data);
    this.future = future;
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.intervals);
    this.try(this.future.pop());
    return true;
  }

  /** Take back what is being dragged, or else drop the draft, which redo brings back. */
  discard() {
    if (this.timeline.letGo()) return this.undo();
    const { draft } = this;
    this.take(this.data);
    this.future = [draft];
    return this.app.note("discarded; redo brings it back");
  }

  async keep() {
    await this.change(() => this.draft && { intervals: this.draft });
  }

  async relabel(text) {
    const label = text.trim() || null;
    if (label !== this.data.label) await this.change(() => ({ label }));
  }

  /** Change what is kept, after the changes that are on their way. */
  change(say) {
    const seen = this.data;
    this.sent = this.sent.then(() => this.send(say(), this.data.number === seen.number ? this.data : seen));
    return this.sent;
  }

  /** Send a change; a draft of intervals goes on while only the label changes. */
  async send(what, { number, version }) {
    if (!what) return;
    try {
      const data = await post(`instances/${number}/change`, { ...what, version, page });
      const { draft, past, future } = this;
      if (this.number === number) { // or else another instance is on its way by now
        this.take(data);
        if (draft && !what.intervals) { this.try(draft); Object.assign(this, { past, future }); }
      }
      this.app.changed();
      this.app.note(this.app.overview.saving ? "kept; undo takes it back" : "kept until `ibgn explore` ends, as the data do not come from a file");
    } catch (error) {
      this.app.say(error);
      if (error.status === 409 && this.data.version === version) this.offerOther();
    }
  }

  /** Another page changed this instance: show theirs only when asked, so that nothing typed is lost. */
  offerOther() {
    fill(this.more, el("h3", {}, "Changed in another page"),
      el("p", {}, "This instance was changed elsewhere after this page read it. Your draft is still here."),
      el("div", {}, button("Show theirs, and drop the draft", async () => { this.draft = null; await this.open(this.data.number); })));
  }

  // -- showing --------------------------------------------------------------------------------------

  drawAll(keepView) {
    if (!this.head.isConnected) fill(this.element, this.parts);
    const tiers = this.app.overview.tracks.length > 1;
    fill(this.lanesBy, tiers && choice("Lanes", [["action", "actions"], ["track", "tiers"]], this.timeline.by, (by) => this.timeline.group(by)));
    this.timeline.show(this.intervals, this.judged.why?.by_interval, keepView);
    this.drawHead();
    this.drawSelection();
    this.drawAnswer();
  }

  drawCursor(text, byKey) {
    this.cursor.setAttribute("aria-live", byKey ? "polite" : "off"); // a mouse moves too often to be read out
    this.cursor.textContent = text;
  }

  drawHead() {
    const { data } = this;
    const changed = JSON.stringify([data.label, data.intervals]) !== JSON.stringify([data.first.label, data.first.intervals]);
    const input = el("input", {
      id: "label", list: "activities", dir: "auto", value: data.label ?? "", placeholder: "no label", autocomplete: "off", maxlength: "1000",
      onchange: () => this.relabel(input.value),
      onkeydown: (event) => { if (event.key === "Enter") input.blur(); },
    });
    redraw(this.head, data.number,
      el("h2", { dir: "auto", title: data.id }, data.id),
      el("label", { class: "field" }, el("span", {}, "Label"), input),
      el("datalist", { id: "activities" }, this.app.overview.activities.map((name) => el("option", { value: name }))),
      changed && el("span", { class: "flag changed" }, "changed: was ", data.first.label === null ? "no label" : named(data.first.label), `, ${plural(data.first.intervals.length, "interval")}`),
      this.draft && el("span", { class: "draft", role: "status" }, "a draft",
        button("Keep", () => this.keep(), { class: "primary", id: "keep", title: "Ctrl+S" }), button("Discard", () => this.discard(), { id: "discard", title: "Escape" })));
  }

  drawSelection() {
    const place = this.timeline.selected;
    const chosen = this.intervals[place];
    const field = (name, key, type) => {
      const value = !chosen ? "" : type === "number" ? clock(chosen[key], this.timeline.width / 1e4) : chosen[key];
      const input = el("input", {
        id: `edit-${key}`, type, step: "any", value, disabled: !chosen, list: key === "action" ? "actions" : null, dir: key === "action" ? "auto" : null,
        autocomplete: "off", maxlength: type === "text" ? "1000" : null, onchange: () => this.editField(key, input.value),
      });
      return el("label", { class: "field" }, el("span", {}, name), input);
    };
    redraw(this.form, JSON.stringify([this.data.number, place, chosen]),
      field("Action", "action", "text"), field("Start", "start", "number"), field("End", "end", "number"),
      el("datalist", { id: "actions" }, this.app.overview.actions.map((name) => el("option", { value: name }))),
      button("Delete", () => this.edit(place, null), { disabled: !chosen, id: "delete-interval", title: "Delete" }),
      button("Add an interval", () => this.add(), { title: "n" }));
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
    fill(this.pairs, relationsPart(this.intervals, this.timeline.selected, (place) => this.timeline.select(place)));
  }

  drawAnswer() {
    const { posterior, why, unknown_actions: unknown } = this.judged;
    fill(this.legend, why && ["Marks are log odds: ", el("span", { class: "mark-for" }, "for ", named(why.activity)), ", ", el("span", { class: "mark-against" }, "for ", named(why.against))]);
    this.drawQuestions();
    if (!posterior) return fill(this.answer, el("h3", {}, "No model yet"), el("p", { class: "soft" }, "Label some instances of at least two activities, then “Learn again”."));
    return redraw(this.answer, "answer",
      el("h3", {}, this.draft ? "What if" : "Answer"),
      posteriorList(posterior, this.data.label, this.draft && this.data.posterior),
      !this.draft && this.data.held_out && heldOutNote(this.data.held_out),
      this.data.twins.length > 0 && twinsNote(this.data.twins, (number) => this.app.open(number)),
      unknown?.length > 0 && el("p", { class: "warning" }, "The model does not know: ", unknown.map((each, n) => [n > 0 && ", ", named(each)])),
      why && whyPart(why, posterior.slice(1).map((each) => each.label), (label) => this.compare(label), (reason) => this.point(reason)));
  }

  drawQuestions() {
    const best = this.judged.posterior?.[0]?.label;
    if (best === undefined) return fill(this.questions);
    const others = this.app.overview.known.filter((each) => each !== best);
    return redraw(this.questions, "questions", el("h3", {}, "Ask"),
      el("div", { class: "buttons" },
        button("Most similar instances", () => this.showNearest(), { id: "ask-nearest" }),
        others.length > 0 && choice("What would make it", [["", "choose…"], ...others], "", (label) => label && this.showCounterfactual(label))));
  }

  /** Select the first interval that a reason is about. */
  point(reason) {
    const place = this.intervals.findIndex((each) => each.action === reason.action || each.action === reason.other);
    if (place >= 0) this.timeline.select(place);
  }

  async compare(label) {
    this.against = label;
    if (this.draft) return this.question();
    return this.app.run(async () => this.judge(await get(query(`instances/${this.data.number}`, { against: label }))));
  }

  // -- more questions -------------------------------------------------------------------------------

  /** Ask something that may take a while, unless another instance is open when the answer comes. */
  async ask(question, drawn) {
    const { number } = this.data;
    fill(this.more, el("p", { class: "soft", role: "status" }, "searching…"));
    await this.app.run(async () => {
      const answer = await question(number).catch((error) => { fill(this.more); throw error; });
      if (this.data.number === number) fill(this.more, drawn(answer));
    });
    this.more.scrollIntoView({ block: "nearest" });
  }

  showNearest() {
    return this.ask((number) => get(`instances/${number}/nearest`), ({ instances }) => [
      el("h3", {}, "Most similar"), cards(instances, (number) => this.app.open(number))]);
  }

  showCounterfactual(activity) {
    const given = { activity, intervals: this.draft };
    const tryIt = (found) => () => { this.step(); this.try(found.intervals); };
    return this.ask((number) => post(`instances/${number}/counterfactual`, given), (found) => counterfactualPart(found, tryIt(found)));
  }
}

function sorted(intervals) {
  return intervals.slice().sort((a, b) => a.start - b.start || a.end - b.end || (a.action < b.action ? -1 : 1));
}

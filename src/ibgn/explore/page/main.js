// The page: views, messages, keys, and news from the server.

import { get, listen, page, post } from "./api.js";
import { actions, activities } from "./colours.js";
import { button, el, fill, plural } from "./dom.js";
import { InstanceView } from "./instance.js";
import { List } from "./list.js";
import { LiveView } from "./live.js";
import { ModelView, openConfusion, openSuggestions } from "./model.js";

const $ = (id) => document.getElementById(id);
const VIEWS = [["instances", "Instances"], ["confusion", "Confusion"], ["model", "Model"], ["next", "Label next"], ["live", "Live"]];
const PATIENCE = 500; // milliseconds that the first view waits for news to be connected
const THEMES = ["automatic", "light", "dark"];
const KEYS = [
  ["↑ ↓ in the list", "the instance before or after"], ["/", "find an instance"], ["← → in the timeline", "the interval before or after"],
  [", .", "move the cursor"], ["Alt + ← →", "move the interval"], ["Shift + ← →", "move its end"], ["Alt + Shift + ← →", "move its start"],
  ["Delete", "remove the interval"], ["n", "add an interval"], ["l", "edit the label"], ["Ctrl + S", "keep the draft"], ["Escape", "take back what is typed or dragged, or discard the draft"],
  ["Ctrl + Z", "undo"], ["Ctrl + Shift + Z", "redo"], ["+ − 0 z", "zoom in, out, to all, to the selected interval"], ["1 to 5", "views"], ["?", "this list"],
];

class App {
  constructor() {
    this.work = $("work");
    this.list = new List($("list"), (number) => this.show(number));
    this.views = Object.fromEntries(VIEWS.map(([name]) => [name, el("div", { class: "view" })]));
    this.instance = new InstanceView(this.views.instances, this);
    this.model = new ModelView(this.views.model, this);
    this.live = new LiveView(this.views.live);
    this.view = "instances";
    this.asked = 0; // how often it was asked for all instances
    this.answered = 0; // which of these answers is shown
  }

  async begin() {
    this.theme(localStorage.getItem("theme") ?? "automatic");
    this.wire();
    await this.connect();
    await this.refresh();
    if (!this.overview) return; // the message says why
    const asked = Number(new URLSearchParams(location.hash.slice(1)).get("instance") ?? NaN);
    const first = Number.isInteger(asked) && asked < this.overview.instances ? asked : this.list.shown[0];
    this.go(first !== undefined ? "instances" : this.overview.live ? "live" : "model");
    if (first !== undefined) await this.list.choose(first, first === asked);
    performance.mark("first-view");
  }

  wire() {
    fill($("views"), VIEWS.map(([name, text]) => button(text, () => this.go(name), { id: `view-${name}` })));
    $("undo").onclick = () => this.undo();
    $("redo").onclick = () => this.redo();
    $("learn").onclick = () => this.run(() => post("learn"));
    $("save").onclick = () => this.save();
    $("help").onclick = () => this.help();
    $("theme").onclick = () => this.theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
    for (const id of ["undo", "redo", "help", "theme"]) $(id).disabled = false; // the others wait for what they change
    document.addEventListener("keydown", (event) => this.onKey(event));
    window.addEventListener("beforeunload", (event) => { if (this.instance.unsaved) event.preventDefault(); });
  }

  /** Wait for the news to come, so that nothing happens unseen between the first answers and them; but not for long. */
  connect() {
    return new Promise((resolve) => {
      let begun = false;
      const begin = () => { begun = true; resolve(); };
      listen(() => { if (begun) this.refresh(true); else begin(); }, () => { $("model-state").textContent = "the server does not answer"; }, {
        change: (news) => { if (news.page !== page) this.changed(); },
        model: () => this.takeModel(),
        learning: (state) => this.drawState(state),
        live: (record) => this.live.take(record),
      });
      setTimeout(begin, PATIENCE);
    });
  }

  /** The first model orders the list: show what is first there, unless the reader is busy with something by now. */
  async takeModel() {
    const isFirst = !this.overview?.model;
    await this.refresh();
    const { chosen, shown } = this.list;
    if (isFirst && this.view === "instances" && !chosen && !this.instance.touched && shown.length) await this.list.choose(shown[0], false);
  }

  async refresh(stay = false) {
    await this.run(async () => {
      await this.read(stay);
      $("title").textContent = this.overview.title;
      document.title = `${this.overview.title} — ibgn`;
      $("save").disabled = !this.overview.saving;
      $("save").title = this.overview.saving || !this.overview.instances ? "" : "The data do not come from a file, so changes last as long as this page";
      if (this.instance.data) await this.instance.read();
      if (this.view !== "instances") await this.openView();
    });
  }

  /** Ask for what there is, and all instances in short; after a change of some of them they `stay` where they are in the list. */
  async read(stay = false) {
    const asked = ++this.asked;
    const [overview, data] = await Promise.all([get("overview"), get("instances")]);
    if (asked < this.answered) return; // what was asked for later came before
    this.answered = asked;
    this.overview = overview;
    $("body").dataset.instances = overview.instances;
    actions.learn(overview.actions);
    activities.learn(overview.activities);
    this.drawState(overview.learning);
    this.list.take(data, overview, stay);
    await this.instance.notice(data.versions);
  }

  /** What the model is, or how far learning is: a bar if it is known how long it took the last time. */
  drawState(state) {
    if (!(state.at < this.learning?.at)) this.learning = state; // an answer may come after newer news
    const { learning, stage, seconds, expected, error } = this.learning;
    const { model, held_out: heldOut } = this.overview ?? {};
    const text = learning ? `${stage || "learning"}…` : error ? `not learned: ${error}` : model ? `${model}${heldOut ? ", answers held out" : ""}` : "no model";
    if ($("model-state").textContent !== text) $("model-state").textContent = text; // which is read out
    const bar = $("progress");
    bar.hidden = !learning;
    bar.title = `${Math.round(seconds)} s${expected ? ` of about ${Math.round(expected)} s` : ""}`;
    if (expected) bar.value = Math.min(seconds / expected, 0.97);
    else bar.removeAttribute("value");
    $("learn").disabled = learning || !this.overview?.instances;
  }

  async go(name) {
    this.view = name;
    for (const [each] of VIEWS) $(`view-${each}`).setAttribute("aria-current", each === name ? "page" : "false");
    $("body").dataset.view = name;
    fill(this.work, this.views[name]);
    this.work.scrollTop = 0;
    if (!this.views[name].hasChildNodes()) fill(this.views[name], el("p", { class: "empty" }, name !== "instances" ? "asking…" : this.overview?.instances === 0 ? "There are no instances: name a file when you start `ibgn explore`." : "Choose an instance."));
    await this.run(() => this.openView());
  }

  async openView() {
    if (this.view === "confusion") await openConfusion(this.views.confusion, this);
    else if (this.view === "model") await this.model.open();
    else if (this.view === "next") await openSuggestions(this.views.next, this);
    else if (this.view === "live") await this.live.open();
  }

  open(number) {
    this.go("instances");
    return this.list.choose(number);
  }

  async label(number) {
    await this.open(number);
    $("label")?.focus();
  }

  /** Show an instance; false if it was not opened. */
  async show(number) {
    if (this.view !== "instances") this.go("instances");
    let opened = false;
    await this.run(async () => { opened = await this.instance.open(number); });
    if (opened) history.replaceState(null, "", `#instance=${number}`);
    return opened;
  }

  filter(filter) {
    this.go("instances");
    this.list.set(filter);
    if (this.list.shown.length) this.list.choose(this.list.shown[0]);
  }

  changed() {
    return this.run(() => this.read(true));
  }

  undo() {
    return this.stepBack("undo", "taken back");
  }

  redo() {
    return this.stepBack("redo", "done again");
  }

  /** Undo or redo a step of the draft, or else a change that was kept. */
  async stepBack(how, said) {
    if (this.view !== "instances") this.go("instances");
    if (this.instance[how]()) return;
    await this.run(async () => {
      const data = await post(how, { page });
      this.list.mark(data.number);
      this.instance.take(data);
      await this.changed();
      this.note(said);
    });
  }

  async save() {
    await this.changed(); // for the number of changes, and a name that is free
    const { name, format, read, journal } = this.overview.saving;
    const input = el("input", { id: "save-name", value: name, required: true, maxlength: "200" });
    const kind = el("select", { id: "save-kind" }, el("option", { value: "copy" }, `a copy, as ${format}${read === format ? "" : `, since ${read} can only be read`}`), el("option", { value: "changes" }, "the changes alone, as JSON"));
    const replace = el("input", { type: "checkbox", id: "save-replace" });
    const reason = el("p", { class: "warning", role: "alert" });
    kind.onchange = () => { input.value = kind.value === "copy" ? name : `${name.replace(/\.[^.]*$/, "")}.json`; };
    const act = async () => {
      try {
        const done = await post("save", { name: input.value, kind: kind.value, replace: replace.checked });
        dialog.close();
        this.note(done.message);
      } catch (error) { reason.textContent = error.message; }
    };
    const dialog = this.dialog("Save", [
      el("p", { class: "soft" }, `${this.overview.changed ? `${plural(this.overview.changed, "instance")} changed` : "Nothing is changed yet"}. The file is written beside the data, which stay as they are. Until then, all changes are in ${journal}.`),
      el("label", { class: "field" }, el("span", {}, "What"), kind), el("label", { class: "field" }, el("span", {}, "Name"), input),
      el("label", { class: "check" }, replace, " replace a file of that name"), reason,
    ], act, "Save");
  }

  help() {
    this.dialog("Keys", [el("dl", { class: "keys" }, KEYS.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]))]);
  }

  dialog(title, content, act = null, verb = "") {
    const dialog = el("dialog", { "aria-label": title, onclose: () => dialog.remove() },
      el("form", { method: "dialog", onsubmit: (event) => { if (act) { event.preventDefault(); act(); } } },
        el("h2", {}, title), content,
        el("div", { class: "buttons" }, act && el("button", { class: "primary" }, verb), button("Close", () => dialog.close()))));
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }

  theme(name) {
    document.documentElement.dataset.theme = name;
    localStorage.setItem("theme", name);
    $("theme").setAttribute("aria-label", `Theme: ${name}`);
    $("theme").textContent = { automatic: "Auto", light: "Light", dark: "Dark" }[name];
  }

  onKey(event) {
    if (document.querySelector("dialog[open]")) return;
    const typing = event.target.matches("input, select, textarea");
    const held = event.ctrlKey || event.metaKey;
    const key = held ? `Ctrl+${event.shiftKey ? "Shift+" : ""}${event.key.toLowerCase()}` : event.key;
    const { field } = this.instance;
    if (key === "Escape" && field) { field.value = field.defaultValue; return; } // what is typed goes first
    if (key === "Ctrl+s" && field) field.blur(); // which sends what is typed
    const leaves = key === "Ctrl+s" || (key === "Escape" && event.target.matches(".view input"));
    if (event.altKey || (typing && !leaves)) return;
    const act = this.keys()[key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** What keys do, wherever the focus is. */
  keys() {
    const { instance, list } = this;
    const { timeline } = instance;
    const views = VIEWS.map(([name], n) => [String(n + 1), () => this.go(name)]);
    const ofInstance = !instance.data || this.view !== "instances" ? {} : {
      n: () => instance.add(), l: () => $("label").focus(),
      z: () => timeline.zoomIn(), "+": () => timeline.zoom(0.6), "-": () => timeline.zoom(1 / 0.6), 0: () => timeline.fit(),
      ",": () => timeline.stepCursor(-1), ".": () => timeline.stepCursor(1),
    };
    return {
      "Ctrl+z": () => this.undo(), "Ctrl+Shift+z": () => this.redo(), "Ctrl+y": () => this.redo(), "Ctrl+s": () => { if (instance.draft) instance.keep(); },
      Escape: () => { if (instance.draft) instance.discard(); },
      "/": () => list.find(), "?": () => this.help(), ...Object.fromEntries(views), ...ofInstance,
    };
  }

  async run(work) {
    try { await work(); } catch (error) { this.say(error); }
  }

  say(error) {
    clearTimeout(this.noted);
    fill($("message"), el("span", {}, error.message), button("×", () => { $("message").hidden = true; }, { class: "quiet", "aria-label": "Close the message" }));
    $("message").hidden = false;
    $("message").className = "error";
  }

  note(text) {
    fill($("message"), el("span", {}, text));
    $("message").hidden = false;
    $("message").className = "note";
    clearTimeout(this.noted);
    this.noted = setTimeout(() => { $("message").hidden = true; }, 4000);
  }
}

new App().begin();

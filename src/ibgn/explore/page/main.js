// The page: views, messages, keys, and news from the server.

import { get, listen, page, post } from "./api.js";
import { learnColours } from "./colours.js";
import { el, fill, show } from "./dom.js";
import { InstanceView } from "./instance.js";
import { List } from "./list.js";
import { LiveView } from "./live.js";
import { ModelView, openConfusion, openSuggestions } from "./model.js";

const $ = (id) => document.getElementById(id);
const VIEWS = [["instances", "Instances"], ["confusion", "Confusion"], ["model", "Model"], ["next", "Label next"], ["live", "Live"]];
const THEMES = ["automatic", "light", "dark"];
const KEYS = [
  ["↑ ↓ in the list", "the instance before or after"], ["/", "find an instance"], ["← → in the timeline", "the interval before or after"],
  ["Alt + ← →", "move the interval"], ["Shift + ← →", "move its end"], ["Alt + Shift + ← →", "move its start"],
  ["Delete", "remove the interval"], ["n", "add an interval"], ["l", "edit the label"], ["Ctrl + S", "keep the draft"], ["Escape", "discard the draft"],
  ["Ctrl + Z", "undo"], ["+ − 0", "zoom in, out, all"], ["1 to 5", "views"], ["?", "this list"],
];

class App {
  constructor() {
    this.work = $("work");
    this.list = new List($("list"), (number) => this.show(number));
    this.views = { instances: el("div", { class: "view" }), confusion: el("div", { class: "view" }), model: el("div", { class: "view" }), next: el("div", { class: "view" }), live: el("div", { class: "view" }) };
    this.instance = new InstanceView(this.views.instances, this);
    this.model = new ModelView(this.views.model, this);
    this.live = new LiveView(this.views.live);
    this.view = "instances";
  }

  async begin() {
    this.theme(localStorage.getItem("theme") ?? "automatic");
    fill($("views"), VIEWS.map(([name, text]) => el("button", { type: "button", id: `view-${name}`, onclick: () => this.go(name) }, text)));
    $("undo").onclick = () => this.undo();
    $("learn").onclick = () => this.run(() => post("learn"));
    $("save").onclick = () => this.save();
    $("help").onclick = () => this.help();
    $("theme").onclick = () => this.theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
    document.addEventListener("keydown", (event) => this.onKey(event));
    window.addEventListener("beforeunload", (event) => { if (this.instance.draft) event.preventDefault(); });
    listen(() => this.refresh(), {
      change: (news) => { if (news.page !== page) this.changedElsewhere(news); },
      model: () => this.refresh(),
      learning: (state) => this.drawState(state),
      live: (record) => this.live.take(record),
    });
    await this.refresh();
    const asked = Number(new URLSearchParams(location.hash.slice(1)).get("instance") ?? NaN);
    const first = Number.isInteger(asked) && asked < this.overview.instances ? asked : this.list.shown[0];
    this.go(first !== undefined ? "instances" : this.overview.live ? "live" : "model");
    if (first !== undefined) this.list.choose(first);
    performance.mark("first-view");
  }

  async refresh() {
    await this.run(async () => {
      const [overview, data] = await Promise.all([get("overview"), get("instances")]);
      this.overview = overview;
      learnColours(overview.actions);
      $("title").textContent = overview.title;
      document.title = `${overview.title} — ibgn`;
      this.drawState(overview.learning);
      $("save").disabled = !overview.saving;
      this.list.take(data, overview);
      if (this.instance.data && !this.instance.draft) await this.instance.open(this.instance.data.number);
      if (this.view !== "instances") await this.openView();
    });
  }

  drawState({ learning, seconds, error }) {
    const model = this.overview.model;
    $("model-state").textContent = learning ? `learning… ${show(seconds)} s`
      : error ? `not learned: ${error}`
        : model ? `${model}${this.overview.held_out ? ", answers held out" : ""}` : "no model";
    $("learn").disabled = learning;
  }

  async go(name) {
    this.view = name;
    for (const [each] of VIEWS) $(`view-${each}`).setAttribute("aria-current", each === name ? "page" : "false");
    fill(this.work, this.views[name]);
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
    this.list.choose(number);
  }

  async show(number) {
    if (this.view !== "instances") this.go("instances");
    await this.run(async () => {
      if (await this.instance.open(number)) history.replaceState(null, "", `#instance=${number}`);
    });
  }

  filter(filter) {
    this.go("instances");
    this.list.set(filter);
    if (this.list.shown.length) this.list.choose(this.list.shown[0]);
  }

  async changed() {
    await this.run(async () => {
      const [overview, data] = await Promise.all([get("overview"), get("instances")]);
      this.overview = overview;
      this.list.take(data, overview);
    });
  }

  changedElsewhere({ number }) {
    this.changed();
    if (this.instance.data?.number !== number) return;
    if (this.instance.draft) this.instance.offerOther();
    else this.run(() => this.instance.open(number));
  }

  async undo() {
    if (this.instance.undo()) return;
    await this.run(async () => {
      const data = await post("undo", { page });
      this.list.current = data.number;
      this.instance.take(data);
      await this.changed();
      this.note("taken back");
    });
  }

  save() {
    const { name, format } = this.overview.saving;
    const input = el("input", { id: "save-name", value: name, required: true, maxlength: "200" });
    const kind = el("select", { id: "save-kind" }, el("option", { value: "copy" }, `a copy, as ${format}`), el("option", { value: "changes" }, "the changes alone, as JSON"));
    const replace = el("input", { type: "checkbox", id: "save-replace" });
    kind.onchange = () => { input.value = kind.value === "copy" ? name : `${name.replace(/\.[^.]*$/, "")}.json`; };
    const reason = el("p", { class: "warning", role: "alert" });
    const dialog = this.dialog("Save", [
      el("label", { class: "field" }, el("span", {}, "What"), kind), el("label", { class: "field" }, el("span", {}, "Name"), input),
      el("label", { class: "check" }, replace, " replace a file of that name"), reason,
    ], async () => {
      try {
        const done = await post("save", { name: input.value, kind: kind.value, replace: replace.checked });
        dialog.close();
        this.note(done.message);
      } catch (error) { reason.textContent = error.message; }
    }, "Save");
  }

  help() {
    this.dialog("Keys", [el("dl", { class: "keys" }, KEYS.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]))]);
  }

  dialog(title, content, act = null, verb = "") {
    const dialog = el("dialog", { "aria-label": title, onclose: () => dialog.remove() },
      el("form", { method: "dialog", onsubmit: (event) => { if (act) { event.preventDefault(); act(); } } },
        el("h2", {}, title), content,
        el("div", { class: "buttons" }, act && el("button", { class: "primary" }, verb), el("button", { type: "button", onclick: () => dialog.close() }, "Close"))));
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
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) { event.preventDefault(); this.undo(); }
    else if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); if (this.instance.draft) this.instance.keep(); }
    else if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "Escape" && this.instance.draft) this.instance.discard();
    else if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    else if (event.key === "?") this.help();
    else if (event.key === "n" && this.instance.data) this.instance.add();
    else if (event.key === "l") { event.preventDefault(); $("label")?.focus(); }
    else if (event.key === "+") this.instance.timeline.zoom(0.6);
    else if (event.key === "-") this.instance.timeline.zoom(1 / 0.6);
    else if (event.key === "0") this.instance.timeline.fit();
    else if (VIEWS[Number(event.key) - 1]) this.go(VIEWS[Number(event.key) - 1][0]);
  }

  async run(work) {
    try { await work(); } catch (error) { this.say(error); }
  }

  say(error) {
    fill($("message"), el("span", {}, error.message), el("button", { type: "button", "aria-label": "Close the message", onclick: () => { $("message").hidden = true; } }, "×"));
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

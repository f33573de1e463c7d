// The list of samples, what narrows it, and the one that is open.

const HEIGHT = 60;

class Browser {
  constructor(root, data, state, reviews, changed) {
    Object.assign(this, { root, data, state, reviews, changed, filters: {}, shown: [], at: -1, opened: 0 });
    this.count = el("p", { class: "count", role: "status", "aria-live": "polite" });
    this.search = el("input", { type: "search", id: "search", placeholder: "Search text, values, ids  ( / )", "aria-label": "Search samples", autocomplete: "off", spellcheck: "false" });
    this.search.addEventListener("input", settled(() => this.set({ q: this.search.value }), 60));
    this.selects = el("div", { class: "selects" });
    this.spacer = el("div", { class: "spacer" });
    this.list = el("div", { class: "list", role: "listbox", tabindex: 0, "aria-label": "Samples", scroll: () => this.draw() }, this.spacer);
    this.sheet = el("article", { class: "sheet", "aria-label": "Sample" }, el("p", { class: "loading" }, "Select a sample: j and k move, Enter opens it."));
    this.sheetSide = el("div", { class: "side", tabindex: -1 },
      el("div", { class: "side-bar" }, el("button", { type: "button", class: "quiet back", click: () => this.close() }, "← List"),
        el("button", { type: "button", class: "quiet", title: "k", click: () => this.move(-1, true) }, "Previous"), el("button", { type: "button", class: "quiet", title: "j", click: () => this.move(1, true) }, "Next")),
      this.sheet);
    this.download = el("button", { type: "button", class: "quiet", hidden: true, click: () => this.reviews.download() }, "Download review");
    replace(root, el("div", { class: "panes" },
      el("div", { class: "pane" },
        el("div", { class: "controls", role: "search" }, this.search, this.selects, el("div", { class: "count-row" }, this.count, this.download, el("button", { type: "button", class: "quiet", click: () => this.clear() }, "Clear"))),
        this.list),
      this.sheetSide));
    new ResizeObserver(() => this.draw()).observe(this.list);
    this.tellReviews();
  }

  /** The menus, once all rows are known. */
  menus() {
    const { rows, models } = this.state;
    const counts = (of) => {
      const all = new Map();
      for (const row of rows) for (const name of [of(row)].flat()) all.set(name, (all.get(name) || 0) + 1);
      return [...all].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    };
    const menu = (key, label, options) => el("label", { class: "menu" }, el("span", {}, label),
      el("select", { "data-filter": key, change: (event) => this.set({ [key]: event.target.value }) },
        el("option", { value: "" }, "all"), options.map(([name, count, text = name]) => el("option", { value: name }, count === undefined ? text : `${text} (${thousands(count)})`))));
    const verdicts = models.map((model, at) => menu(`verdict${at}`, models.length > 1 ? model.name : "verdict", [["right", model.right, "correct"], ["wrong", model.wrong], ["open", model.open, "undecided"]]));
    const classes = counts((row) => row.classes.filter(Boolean));
    const locales = counts((row) => row.locale);
    replace(this.selects, menu("type", "data type", counts((row) => row.type).map(([name, count]) => [name, count, typeName(name)])), menu("answer", "expected answer", counts((row) => row.answer)),
      locales.length > 1 ? menu("locale", "locale", locales) : null,
      menu("tool", "tool", counts((row) => row.tools)), verdicts, classes.length ? menu("class", "error", classes) : null,
      menu("review", "review", [["accept"], ["edit"], ["reject"], ["none"]]));
    this.tellMenus();
  }

  tellMenus() {
    for (const select of this.selects.querySelectorAll("select")) {
      select.value = this.filters[select.dataset.filter] || "";
      select.classList.toggle("set", select.value !== "");
    }
    if (this.search.value !== (this.filters.q || "")) this.search.value = this.filters.q || "";
  }

  set(change) { this.show({ ...this.filters, ...change }); this.changed(); }
  clear() { this.show({}); this.changed(); }

  /** Narrows the list. */
  show(filters) {
    this.filters = Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
    const begun = performance.now();
    const is = tests(this.filters, this.reviews);
    const { rows } = this.state;
    this.shown = [];
    for (let at = 0; at < rows.length; at++) if (is(rows[at])) this.shown.push(at);
    this.took = performance.now() - begun;
    this.count.textContent = !this.state.isReady ? "Loading samples …" : this.shown.length === rows.length ? plural(rows.length, "sample") : `${thousands(this.shown.length)} of ${plural(rows.length, "sample")}`;
    this.spacer.style.height = `${this.shown.length * HEIGHT}px`;
    this.at = this.id === undefined ? -1 : this.shown.findIndex((at) => rows[at].id === this.id);
    this.list.scrollTop = this.at > 0 ? Math.max(0, this.at * HEIGHT - this.list.clientHeight / 2) : 0;
    this.tellMenus();
    this.draw();
  }

  /** Draws the rows that can be seen. */
  draw() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / HEIGHT) - 4);
    const last = Math.min(this.shown.length, Math.ceil((this.list.scrollTop + this.list.clientHeight) / HEIGHT) + 4);
    const rows = [];
    for (let at = first; at < last; at++) rows.push(this.option(at));
    if (!this.shown.length && this.state.isReady) rows.push(el("p", { class: "loading" }, "No matching samples. Esc clears the search."));
    this.spacer.replaceChildren(...rows);
    if (this.at >= 0) this.list.setAttribute("aria-activedescendant", `row-${this.at}`); else this.list.removeAttribute("aria-activedescendant");
  }

  option(at) {
    const row = this.state.rows[this.shown[at]];
    const marks = this.state.models.map((model, index) => el("span", { class: `dot ${row.right[index] === true ? "good" : row.right[index] === false ? "bad" : ""}`, title: `${model.name}: ${row.right[index] === true ? "correct" : row.right[index] === false ? "wrong" : "undecided"}` }));
    const decision = this.reviews.of(row.id).decision;
    const node = el("div", { class: `row${at === this.at ? " chosen" : ""}`, role: "option", id: `row-${at}`, "aria-selected": at === this.at, "aria-setsize": this.shown.length, "aria-posinset": at + 1, click: () => this.choose(at, true) },
      el("div", { class: "row-title" }, row.title || el("i", {}, "no text")),
      el("div", { class: "row-facts" }, marks, el("span", {}, typeName(row.type)), el("span", { class: "row-tool" }, row.tools.length ? row.tools.join(" → ") : row.answer), decision ? chip(decision, decision === "reject" ? "bad" : "good") : null));
    node.style.transform = `translateY(${at * HEIGHT}px)`;
    return node;
  }

  /** Moves the choice; on a wide page the sample opens at once. */
  move(by, opens) {
    if (!this.shown.length) return;
    this.choose(Math.min(this.shown.length - 1, Math.max(0, this.at + by)), opens || this.isWide());
  }

  isWide() { return matchMedia("(min-width: 900px)").matches; }

  choose(at, opens) {
    this.at = at;
    const [top, height] = [at * HEIGHT, this.list.clientHeight];
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    if (top + HEIGHT > this.list.scrollTop + height) this.list.scrollTop = top + HEIGHT - height;
    this.id = this.state.rows[this.shown[at]].id;
    this.draw();
    if (opens) this.open(this.id);
    this.changed();
  }

  close() {
    this.root.classList.remove("is-open");
    this.draw();
    this.list.focus();
  }

  /** Opens a sample by its id. */
  async open(id) {
    const row = this.state.byId.get(id);
    this.id = id;
    const turn = ++this.opened;
    if (!row) return replace(this.sheet, el("p", { class: "loading" }, `Sample ${id} not found.`));
    this.root.classList.add("is-open");
    const { stores } = this.data;
    const sample = parse(await stores.get("samples").body(row.at));
    const tools = await Promise.all(sample.tools.map(async (number) => parse(await stores.get("tools").body(number))));
    const lines = await Promise.all(this.state.models.map(async (model, index) => [
      model.predictions && row.predictionAt[index] !== undefined ? await model.predictions.body(row.predictionAt[index]) : null,
      row.verdictAt[index] !== undefined ? await model.verdicts.body(row.verdictAt[index]) : null]));
    if (turn !== this.opened) return;
    const models = this.state.models.map((model, index) => said(model.name, row.verdictAt[index] === undefined ? null : { right: row.right[index], class: row.classes[index], reason: row.reasons[index] }, ...lines[index]));
    replace(this.sheet, sheet(sample, tools, models, reviewControls(this.reviews, sample, () => { this.tellReviews(); this.draw(); })));
    this.sheetSide.scrollTop = 0;
    if (!this.isWide()) scrollTo(0, 0);
  }

  tellReviews() {
    const count = this.reviews.count;
    this.download.hidden = count === 0;
    this.download.textContent = `Download review (${thousands(count)})`;
  }

  decide(decision) {
    const button = this.sheet.querySelector(`[data-decision=${decision}]`);
    if (button) button.click();
  }
}

/** Whether a row fits all that is asked. */
function tests(filters, reviews) {
  const wanted = (filters.q || "").toLowerCase().split(/\s+/).filter(Boolean);
  const all = [];
  if (filters.type) all.push((row) => row.type === filters.type);
  if (filters.locale) all.push((row) => row.locale === filters.locale);
  if (filters.answer) all.push((row) => row.answer === filters.answer);
  if (filters.tool) all.push((row) => row.tools.includes(filters.tool));
  if (filters.class) all.push((row) => row.classes.includes(filters.class));
  if (filters.review) all.push((row) => (reviews.of(row.id).decision || "none") === filters.review);
  const verdict = { right: true, wrong: false, open: null };
  for (const [key, asked] of Object.entries(filters)) {
    const at = /^verdict\d+$/.test(key) ? Number(key.slice(7)) : -1;
    if (at >= 0) all.push((row) => (row.right[at] === undefined ? null : row.right[at]) === verdict[asked]);
  }
  if (wanted.length) all.push((row) => wanted.every((word) => row.text.includes(word)));
  return (row) => all.every((is) => is(row));
}

// Puts the page together: data in, views up, keys and addresses.

const KEYS = [["j / k", "next, previous sample"], ["/", "search"], ["Enter", "open the selected sample"], ["Esc", "back to the list, or clear the search"],
  ["a / e / x", "accept, edit, reject"], ["1 / 2 / 3", "views"], ["t", "theme: light, dark, system"], ["?", "keyboard shortcuts"]];

const VIEWS = ["samples", "scores", "overview"];

function start() {
  themes();
  if (typeof DecompressionStream === "undefined") {
    return replace(byId("overview"), el("p", { class: "loading" }, "This browser cannot decompress the page's data. Use a browser from 2023 or later."));
  }
  const data = readData();
  const state = { rows: [], byId: new Map(), models: models(data.stores), isReady: false };
  const reviews = new Reviews(`${data.summary.title} ${data.census.fingerprint}`);
  const browser = new Browser(byId("samples"), data, state, reviews, () => write());
  const views = VIEWS.filter((name) => name !== "scores" || state.models.length);
  let view = VIEWS[0];

  function show(name) {
    view = views.includes(name) ? name : VIEWS[0];
    for (const other of VIEWS) byId(other).hidden = other !== view;
    document.body.dataset.view = view;
    for (const link of byId("tabs").children) {
      if (link.dataset.view === view) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    if (view === "samples") browser.draw();
  }

  /** The view, the filters and the open sample stand in the address; the slash keeps the browser from scrolling to an element. */
  function write() {
    const words = new URLSearchParams(browser.filters);
    if (browser.id) words.set("id", browser.id);
    const address = view === "samples" ? `#/samples?${words}` : `#/${view}`;
    if (location.hash !== address) history.replaceState(null, "", address);
  }

  function read() {
    const [name, words] = location.hash.replace(/^#\/?/, "").split("?");
    show(name);
    if (view !== "samples") return;
    const { id, ...filters } = Object.fromEntries(new URLSearchParams(words || ""));
    if (id) browser.id = id;
    browser.show(filters);
    if (id && state.isReady) browser.open(id);
  }

  function pick(filters) {
    show("samples");
    browser.show(filters);
    write();
    browser.list.focus();
  }

  replace(byId("tabs"), views.map((name) => el("a", { href: `#/${name}`, "data-view": name }, name[0].toUpperCase() + name.slice(1))));
  replace(byId("overview"), overview(data, pick));
  keys(browser, views, () => view, (name) => { location.hash = `/${name}`; });
  addEventListener("hashchange", read);
  addEventListener("beforeprint", () => document.querySelectorAll(".view:not([hidden]) details").forEach((it) => { it.open = true; }));
  read();
  load(data, state).then(() => {
    browser.menus();
    replace(byId("scores"), scores(data, state, pick));
    read();
    if (view !== "samples") browser.show({});
    document.body.dataset.ready = "true";
  });
}

/** The models of which there are verdicts or predictions. */
function models(stores) {
  const names = new Set();
  for (const name of stores.keys()) if (/^(verdicts|predictions) /.test(name)) names.add(name.replace(/^\S+ /, ""));
  return [...names].map((name) => ({ name, verdicts: stores.get(`verdicts ${name}`), predictions: stores.get(`predictions ${name}`), right: 0, wrong: 0, open: 0, classes: {} }));
}

/** Reads the rows, and joins verdicts and predictions to them by id. */
async function load(data, state) {
  const known = new Map();
  const same = (name) => known.get(name) || (known.set(name, name), name);
  const take = ([id, type, locale, answer, tools, title, text], at) => {
    const row = { at, id, type: same(type), locale: same(locale), answer: same(answer), tools: tools.map(same), title, text: `${id} ${text}`.toLowerCase(),
      right: [], classes: [], reasons: [], verdictAt: [], predictionAt: [] };
    state.rows.push(row);
    state.byId.set(id, row);
  };
  if (data.stores.has("samples")) await data.stores.get("samples").each(take);
  for (const [index, model] of state.models.entries()) {
    if (model.verdicts) await model.verdicts.each(([id, right, kind, reason], at) => judge(state.byId.get(id), model, index, right, same(kind), same(reason), at));
    if (model.predictions) await model.predictions.each((id, at) => { const row = state.byId.get(id); if (row) row.predictionAt[index] = at; });
  }
  state.isReady = true;
}

function judge(row, model, index, right, kind, reason, at) {
  if (!row) return;
  row.right[index] = right;
  row.classes[index] = kind;
  row.reasons[index] = reason;
  row.verdictAt[index] = at;
  model[right === true ? "right" : right === false ? "wrong" : "open"] += 1;
  if (right === false) model.classes[kind || "other"] = (model.classes[kind || "other"] || 0) + 1;
}

/** Light, dark, or as the system has it. */
function themes() {
  const order = ["system", "light", "dark"];
  const kept = () => { try { return localStorage.getItem("fcgen theme"); } catch { return null; } };
  const button = byId("theme");
  const set = (name) => {
    if (name === "system") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
    button.textContent = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[name];
    button.dataset.now = name;
    try { localStorage.setItem("fcgen theme", name); } catch { /* Kept while the page is open. */ }
  };
  set(order.includes(kept()) ? kept() : "system");
  button.addEventListener("click", () => set(order[(order.indexOf(button.dataset.now) + 1) % order.length]));
}

function keys(browser, views, view, go) {
  const dialog = byId("keys");
  replace(dialog, el("h2", { id: "keys-title" }, "Keyboard shortcuts"), el("dl", { class: "facts" }, KEYS.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
    el("form", { method: "dialog" }, el("button", { class: "choice", autofocus: true }, "Close")));
  byId("help").addEventListener("click", () => dialog.showModal());
  const inSamples = { j: () => browser.move(1), k: () => browser.move(-1), a: () => browser.decide("accept"), e: () => browser.decide("edit"), x: () => browser.decide("reject") };
  const always = { "?": () => dialog.showModal(), t: () => byId("theme").click(), "/": () => { go("samples"); setTimeout(() => browser.search.focus(), 0); } };
  views.forEach((name, at) => { always[at + 1] = () => go(name); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "Escape") return escape(event, browser, view(), typing);
    if (typing && !(event.target === browser.search && (event.key === "Enter" || event.key === "ArrowDown"))) return;
    if (view() === "samples" && (event.key === "Enter" || event.key.startsWith("Arrow"))) return listKeys(event, browser);
    const action = always[event.key] || (view() === "samples" && inSamples[event.key]);
    if (action) { event.preventDefault(); action(); }
  });
}

/** Enter opens, arrows move, in the list and out of the search. */
function listKeys(event, browser) {
  if (![browser.list, browser.search, document.body, byId("main")].includes(event.target)) return;
  if (event.key === "Enter") {
    if (browser.at < 0) browser.move(1, true); else browser.choose(browser.at, true);
    browser.list.focus();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    browser.list.focus();
    browser.move(event.key === "ArrowDown" ? 1 : -1);
  } else return;
  event.preventDefault();
}

function escape(event, browser, view, typing) {
  if (view !== "samples") return;
  if (typing && event.target !== browser.search) return event.target.blur();
  if (browser.root.classList.contains("is-open") && !browser.isWide()) return browser.close();
  if (browser.filters.q) browser.set({ q: "" });
  browser.list.focus();
}

start();

// Elements and small texts. Whatever comes from the data is only ever put in as text.

const byId = (id) => document.getElementById(id);

/** An element with attributes, listeners (functions) and children (texts and nodes). */
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same within a picture. */
function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else if (key === "width%") node.style.width = `${value}%`;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

function replace(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

const grouped = new Intl.NumberFormat("en-US");
const thousands = (number) => grouped.format(number);

function percent(part, whole) {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  return `${share === 0 || share === 100 ? share : share.toFixed(share < 10 || share > 90 ? 1 : 0)} %`;
}

const dollars = (amount) => `$${amount.toFixed(amount > 0 && amount < 1 ? 4 : 2)}`;

function span(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

const plural = (count, noun) => `${thousands(count)} ${noun}${count === 1 ? "" : "s"}`;
const spaced = (name) => name.replaceAll("_", " ");

/** Labels of data types by their codes, from the data. */
const labels = {};
const typeName = (code) => (Object.hasOwn(labels, code) ? `${code} (${labels[code]})` : code);

/** A table whose first columns name its rows; other cells are figures. */
function table(caption, headings, rows, labels = 1) {
  const kind = (at) => (at < labels ? "" : headings[at] === "Details" ? "words" : "figure");
  const cell = (it, at) =>
    at < labels ? el("th", { scope: "row" }, it) : el("td", { class: kind(at) }, it);
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, headings.map((it, at) => el("th", { scope: "col", class: kind(at) }, it)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell))))));
}

const chip = (text, kind) => el("span", { class: `chip ${kind || ""}` }, text);

function folded(title, body, isOpen) {
  return el("details", { open: isOpen }, el("summary", {}, title), body);
}

/** Runs the last of several calls in quick succession. */
function settled(action, millis) {
  let waiting;
  return (...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => action(...given), millis);
  };
}

// Reviewing in the page: decisions are stored in the browser and exported as the sheet that `fcgen review` reads.

class Reviews {
  constructor(run) {
    this.key = `fcgen review ${run}`;
    this.said = new Map();
    try { this.said = new Map(Object.entries(JSON.parse(localStorage.getItem(this.key) || "{}"))); } catch { /* Kept while the page is open. */ }
  }

  of(id) { return this.said.get(id) || { decision: "", note: "", query: "", expected: "" }; }

  set(id, change) {
    const now = { ...this.of(id), ...change };
    // An edit that is put aside stays, and counts again once `edit` is chosen again.
    if (now.decision || now.note || now.query || now.expected) this.said.set(id, now); else this.said.delete(id);
    try { localStorage.setItem(this.key, JSON.stringify(Object.fromEntries(this.said))); } catch { /* As above. */ }
  }

  /** Of how many samples somebody said something. */
  get count() { return this.told().length; }

  told() { return [...this.said].filter(([, it]) => it.decision || it.note); }

  /** A line for each sample that somebody said something of; what was edited goes along where `edit` is chosen. */
  csv() {
    const cell = (text) => {
      const safe = /^[=+\-@\t\r']/.test(text) ? `'${text}` : text;
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const edited = (it) => (it.decision === "edit" ? [it.query, it.expected] : ["", ""]);
    const rows = this.told().map(([id, it]) => [id, it.decision, ...edited(it), it.note].map(cell).join(","));
    return `${["id,decision,query,expected,note", ...rows].join("\r\n")}\r\n`;
  }

  download() {
    const link = el("a", { href: URL.createObjectURL(new Blob([this.csv()], { type: "text/csv" })), download: "review.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}

/** The controls of one sample. */
function reviewControls(reviews, sample, changed) {
  const id = sample.id;
  const now = reviews.of(id);
  const asked = [...sample.messages].reverse().find((it) => it.role === "user");
  const words = (asked || {}).content || "";
  const answer = exactText(sample.expected);
  const cut = sample.cut || {};
  /** A field for one text; what is shown in part is edited in the sheet that `fcgen review` writes. */
  const field = (label, name, text, looks) => el("label", {}, label, cut[name]
    ? el("p", { class: "note" }, "Truncated in this page. Edit it in the sheet of `fcgen review`.")
    : el("textarea", { ...looks, input: (event) => reviews.set(id, { [name]: event.target.value === text ? "" : event.target.value }) }, now[name] || text));
  const edits = el("div", { class: "edits", hidden: now.decision !== "edit" },
    field("Request", "query", words, { rows: 3 }),
    field("Expected answer (JSON)", "expected", answer, { rows: 5, class: "mono", spellcheck: "false" }));
  const buttons = ["accept", "edit", "reject"].map((decision) => el("button", {
    type: "button", class: "choice", "data-decision": decision, "aria-pressed": now.decision === decision,
    click: () => {
      const chosen = reviews.of(id).decision === decision ? "" : decision;
      reviews.set(id, { decision: chosen });
      buttons.forEach((it) => it.setAttribute("aria-pressed", it.dataset.decision === chosen));
      edits.hidden = chosen !== "edit";
      changed();
    },
  }, decision));
  const note = el("input", { type: "text", placeholder: "Note", "aria-label": "Note", value: now.note, input: (event) => { reviews.set(id, { note: event.target.value }); changed(); } });
  return el("section", { class: "review", "aria-label": "Review" }, el("div", { class: "review-row" }, buttons, note), edits);
}

/** JSON with the digits that were read. */
const exactText = (value) => json(value).textContent;

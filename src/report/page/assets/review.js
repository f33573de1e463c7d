// Reviewing in the page: what people say is kept in the browser and handed out as the sheet that `fcgen review` reads.

class Reviews {
  constructor(run) {
    this.key = `fcgen review ${run}`;
    this.said = new Map();
    try { this.said = new Map(Object.entries(JSON.parse(localStorage.getItem(this.key) || "{}"))); } catch { /* Kept while the page is open. */ }
  }

  of(id) { return this.said.get(id) || { decision: "", note: "", query: "", expected: "" }; }

  set(id, change) {
    const now = { ...this.of(id), ...change };
    if (now.decision || now.note) this.said.set(id, now); else this.said.delete(id);
    try { localStorage.setItem(this.key, JSON.stringify(Object.fromEntries(this.said))); } catch { /* As above. */ }
  }

  /** A line for each sample that somebody said something of. */
  csv() {
    const cell = (text) => {
      const safe = /^[=+\-@\t\r']/.test(text) ? `'${text}` : text;
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const rows = [...this.said].map(([id, it]) => [id, it.decision, it.query, it.expected, it.note].map(cell).join(","));
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
  const edits = el("div", { class: "edits", hidden: now.decision !== "edit" },
    el("label", {}, "Request", el("textarea", { rows: 3, input: (event) => reviews.set(id, { query: event.target.value === (asked || {}).content ? "" : event.target.value }) }, now.query || (asked || {}).content || "")),
    el("label", {}, "Right answer (JSON)", el("textarea", { rows: 5, class: "mono", spellcheck: "false", input: (event) => reviews.set(id, { expected: event.target.value }) }, now.expected || exactText(sample.expected))));
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

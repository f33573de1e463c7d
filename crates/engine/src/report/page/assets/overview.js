// The first view: what was made, what it cost, what it looks like, whether it is worth having.

function overview(data, pick) {
  const { census, summary } = data;
  const made = summary.manifest;
  const block = (title, intro, ...body) => {
    const all = body.flat(Infinity).filter(Boolean);
    return all.length ? el("section", { class: "block" }, el("h2", {}, title), intro ? el("p", { class: "intro" }, intro) : null, all) : null;
  };
  const plots = (...all) => el("div", { class: "plots" }, all.filter(Boolean));
  return [
    made && made.template ? el("p", { class: "notice", role: "note" }, el("b", {}, "Template. "), made.notice) : null,
    made && made.stopped ? el("p", { class: "notice", role: "note" }, el("b", {}, "Stopped. "), made.stopped) : null,
    summary.faults ? el("p", { class: "notice", role: "note" }, `${plural(summary.faults, "line")} of the file could not be read as samples and are not here.`) : null,
    strip(census, made),
    block("What was made", null,
      plots(bars("Samples by data type", census.types, { pick: (name) => pick({ type: name }) }),
        bars("Samples by right answer", census.answers, { pick: (name) => pick({ answer: name }) }),
        Object.keys(census.locales).length > 1 ? bars("Samples by locale", census.locales, { pick: (name) => pick({ locale: name }) }) : null,
        bars("Samples by difficulty", census.difficulties), bars("Samples by tag", census.tags, { name: spaced, note: "a sample may have several", total: census.samples }),
        Object.keys(census.reviews).length > 1 ? bars("Samples by review", census.reviews) : null),
      templates(census), stages(made), yields(made)),
    block("What was rejected", "Nothing is dropped without a stage and a reason.", rejects(summary), defects(made)),
    block("What it cost", null, thousand(made), usage(made)),
    block("What it looks like", null,
      plots(histogram("Length of requests", census.query_letters, "letters of what the person says last"),
        histogram("Turns", census.turns, "turns of the person"),
        histogram("Right calls of a sample", census.calls, "calls"),
        histogram("Candidates of a sample", census.candidates, "tools shown"),
        histogram("Parameters of a tool", census.parameters, "parameters", "tools"),
        histogram("Arguments of a right call", census.arguments, "arguments", "calls"),
        bars("Values by origin", census.origins, { note: "where the values of right arguments come from" }),
        bars("Values by type", census.values),
        bars("Tools that are called most", census.tools, { pick: (name) => pick({ tool: name }), name: lastParts, note: `${thousands(census.called_tools)} of ${plural(census.shown_tools, "tool")} are called`, total: census.samples }))),
    block("Is it worth having", "A valid set may still be useless. Each figure shows one way of it, and what it is held to.", audit(summary.check), summary.unchecked ? el("p", { class: "note" }, summary.unchecked) : null),
    block("How it was made", null, recipe(made)),
  ];
}

/** The end of a long name, which tells more than its beginning. */
function lastParts(name) {
  const parts = name.split(".");
  return name.length > 22 && parts.length > 2 ? `…${parts.slice(-2).join(".")}` : name;
}

function strip(census, made) {
  const sum = (of) => (made ? made.usage.reduce((all, row) => all + of(row), 0) : 0);
  const rejected = made ? Object.values(made.rejects).reduce((all, it) => all + it, 0) : 0;
  const facts = [["samples", thousands(census.samples)], ["data types", thousands(Object.keys(census.types).length)], ["tools", thousands(census.shown_tools)]];
  if (made) {
    facts.push(["rejects", thousands(rejected)], ["requests", thousands(sum((it) => it.requests))],
      ["tokens", thousands(sum((it) => it.prompt_tokens + it.completion_tokens))], ["cost", dollars(sum((it) => it.cost))], ["time", span(made.wall_seconds)]);
  }
  return el("dl", { class: "strip" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function stages(made) {
  if (!made) return null;
  const kept = (it) => (it.rejected ? percent(it.came - it.rejected, it.came) : "–");
  return table("Stages", ["Stage", "Came", "Kept", "Rejected", "Share kept"],
    made.stages.map((it) => [[it.name, it.kind === it.name ? null : el("span", { class: "dim" }, ` ${it.kind}`)], thousands(it.came), thousands(it.kept), it.rejected ? thousands(it.rejected) : "–", kept(it)]));
}

/** Turns in which text of templates stands; in a line where all or none of them have it. */
function templates(census) {
  const types = Object.entries(census.template_turns);
  const [some, all] = types.reduce((sum, [, turns]) => [sum[0] + turns[0], sum[1] + turns[1]], [0, 0]);
  if (some === 0 || some === all) return all ? el("p", { class: "note" }, `Text of templates stands in ${some ? "all" : "none of the"} ${plural(all, "turn")} of the person.`) : null;
  return table("Turns with text of templates", ["Data type", "With such text", "Turns", "Share"], [...types, ["together", [some, all]]].map(([name, [part, whole]]) => [name, thousands(part), thousands(whole), percent(part, whole)]));
}

function thousand(made) {
  const it = made && made.per_thousand;
  return it ? el("p", { class: "note" }, `1,000 samples took ${plural(it.requests, "request")}, ${plural(it.tokens, "token")} and ${dollars(it.usd)}.`) : null;
}

function yields(made) {
  const owed = made ? Object.entries(made.owed) : [];
  return owed.length ? table("Yield", ["Stage", "Owed", "Accepted", "Share"], owed.map(([stage, [all, kept]]) => [stage, thousands(all), thousands(kept), percent(kept, all)])) : null;
}

function rejects(summary) {
  if (!summary.rejects.length) return summary.manifest ? el("p", { class: "note" }, "Nothing was rejected.") : null;
  const totals = {};
  for (const group of summary.rejects) totals[group.reason] = (totals[group.reason] || 0) + group.count;
  const example = (it) => el("li", {}, el("code", {}, it.id), el("p", { class: "reason" }, it.detail), it.text ? el("p", { class: "said dim" }, it.text) : null);
  return [el("div", { class: "plots" }, bars("Rejects by reason", totals, { tone: "bad", most: 20, name: spaced })),
    el("div", { class: "examples" }, el("h3", {}, "The first of each"), summary.rejects.map((group) => folded(
      [el("b", {}, spaced(group.reason)), el("span", { class: "dim" }, ` in ${group.stage}, ${thousands(group.count)}`)], el("ul", { class: "plain" }, group.first.map(example)))))];
}

/** What became of the faults that were committed on purpose. */
function defects(made) {
  if (!made || !made.defects) return null;
  const all = Object.entries(made.defects.kinds);
  const total = { committed: 0, asked_again: 0, rejected: 0, slipped: 0 };
  for (const [, it] of all) for (const key of Object.keys(total)) total[key] += it[key];
  const row = ([name, it]) => [spaced(name), thousands(it.committed), thousands(it.asked_again), thousands(it.rejected), thousands(it.slipped), percent(it.committed - it.slipped, it.committed)];
  const lost = Object.values(made.defects.good_lost || {}).reduce((sum, it) => sum + it, 0);
  return [table("What the gates caught of deliberate faults", ["Fault", "Committed", "Asked again", "Rejected", "Slipped through", "Caught"], [...all, ["together", total]].map(row)),
    el("p", { class: "note" }, `${thousands(lost)} of ${thousands(made.defects.good)} good items were lost`)];
}

function usage(made) {
  if (!made || !made.usage.length) return null;
  const rows = made.usage.map((it) => [it.stage, it.model, it.requests, it.cache_hits, it.retries, it.failures, it.prompt_tokens, it.completion_tokens, it.cost]);
  const total = rows.reduce((sum, row) => sum.map((it, at) => it + row[at + 2]), [0, 0, 0, 0, 0, 0, 0]);
  const shown = (row) => row.map((it, at) => (at < 2 ? it : at === 8 ? dollars(it) : thousands(it)));
  return table("Requests and tokens", ["Stage", "Model", "Requests", "From the journal", "Retries", "Failures", "Tokens read", "Written", "Cost"],
    [...rows, ["together", "", ...total]].map(shown), 2);
}

function audit(check) {
  if (!check) return null;
  const met = { true: chip("met", "good"), false: chip("missed", "bad") };
  const number = (it) => (it ? `${Math.abs(it.value) <= 1 ? it.value.toFixed(3) : it.value.toFixed(2)}` : "–");
  const mark = (it) => {
    if (!it || it === "shown" || it === "not_measurable") return "";
    if (it === "at_least_reference") return "≥ reference";
    const [[kind, value]] = Object.entries(it);
    return { at_most: `≤ ${value}`, at_least: `≥ ${value}`, at_most_reference: `≤ reference + ${value}` }[kind] || "";
  };
  const groups = new Map();
  for (const row of check.rows) {
    if (!groups.has(row.figure)) groups.set(row.figure, []);
    groups.get(row.figure).push(row);
  }
  const lines = (rows) => rows.map((row) => [row.slice, number(row.own), row.own ? thousands(row.own.n) : "–", number(row.reference), mark(row.mark), row.met === null ? (row.mark === "not_measurable" ? "not measurable" : "") : met[row.met].cloneNode(true), (row.own && row.own.detail) || ""]);
  const one = ([name, rows]) => {
    const told = rows.filter((it) => it.met !== null);
    const missed = told.filter((it) => !it.met).length;
    const state = rows[0].missing ? chip("no figure") : told.length ? (missed ? chip(`${missed} of ${told.length} missed`, "bad") : chip("met", "good")) : chip(rows.some((it) => it.mark === "not_measurable") ? "not measurable" : "shown");
    const body = rows[0].missing ? el("p", { class: "note" }, rows[0].missing) : table(name, ["Slice", "Figure", "Of", "Reference", "Mark", "", "More"], lines(rows));
    return folded([el("b", {}, name), " ", state], [el("p", { class: "note" }, rows[0].what), body], missed > 0);
  };
  const finding = (it) => el("li", {}, el("code", {}, it.id), el("span", { class: "dim" }, ` ${it.file}:${it.line}`), el("p", { class: "reason" }, it.message));
  const rules = check.rules.length
    ? check.rules.map((rule) => folded([el("b", {}, rule.rule), " ", chip(rule.severity, rule.severity === "error" ? "bad" : "warn"), el("span", { class: "dim" }, ` ${thousands(rule.count)}`)], el("ul", { class: "plain" }, rule.findings.slice(0, 20).map(finding))))
    : el("p", { class: "note" }, "No rule found anything.");
  return [el("h3", {}, "What the rules found"), rules, el("h3", {}, "Figures"), [...groups].map(one)];
}

function recipe(made) {
  if (!made) return null;
  const models = Object.entries(made.models).map(([role, it]) => [role, `${it.model}${it.base_url ? ` (${it.base_url})` : " (built in)"}`]);
  const facts = [["fcgen", made.fcgen], ["pipeline", made.pipeline], ["locale", made.locale], ["seed", made.seed], ["plan", made.plan_hash], ["licence", made.licence], ...models, ...(made.notes || []).map((it) => ["note", it])];
  return [el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))])),
    made.recipe ? folded("Pipeline file", el("pre", { class: "json" }, made.recipe.text || "")) : null];
}

/** The tables of scored runs, why items failed, and two models against each other. */
function scores(data, state, pick) {
  const { summary } = data;
  if (!state.models.length) return [];
  const pair = state.models.length === 2 ? versus(state, pick) : null;
  const reasons = state.models.map((model, at) => bars(`Why ${model.name} failed`, model.classes, { tone: "bad", name: spaced, pick: (name) => pick({ [`verdict${at}`]: "wrong", class: name }) }));
  const shown = (cell) => {
    if (cell === null) return "–";
    if (typeof cell !== "object") return typeof cell === "number" ? thousands(cell) : cell;
    return el("span", { title: `95 % interval ${cell.low} to ${cell.high}, n ${cell.n}` }, cell.text, el("small", {}, ` ±${cell.half}`));
  };
  const tables = (summary.scores ? summary.scores.tables : []).map((it, at) =>
    folded([el("b", {}, it.title), el("span", { class: "dim" }, ` ${plural(it.rows.length, "row")}`)], table(it.title, it.columns, it.rows.map((row) => row.map(shown)), it.labels), at === 0));
  const notes = summary.scores ? summary.scores.notes.map(([name, text]) => el("p", { class: "note" }, `${name}: ${text}`)) : [];
  const totals = table("Right answers", ["Model", "Right", "Wrong", "Open", "Share"], state.models.map((it) => [it.name, thousands(it.right), thousands(it.wrong), thousands(it.open), percent(it.right, it.right + it.wrong)]));
  return [el("section", { class: "block" }, el("h2", {}, "Scores"), totals, pair),
    el("section", { class: "block" }, el("h2", {}, "Why items failed"), el("div", { class: "plots" }, reasons.filter(Boolean))),
    tables.length ? el("section", { class: "block" }, el("h2", {}, "Tables"), notes, tables) : null];
}

/** How often two models are right on the same samples; each cell leads to them. */
function versus(state, pick) {
  const count = (one, other) => state.rows.reduce((sum, row) => sum + (row.right[0] === one && row.right[1] === other ? 1 : 0), 0);
  const cell = (one, other) => el("button", { type: "button", class: "link", click: () => pick({ verdict0: one ? "right" : "wrong", verdict1: other ? "right" : "wrong" }) }, thousands(count(one, other)));
  const [first, second] = state.models;
  return table("Side by side", ["", `${second.name} right`, `${second.name} wrong`], [[`${first.name} right`, cell(true, true), cell(true, false)], [`${first.name} wrong`, cell(false, true), cell(false, false)]]);
}

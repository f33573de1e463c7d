// The overview: the samples first, then quality checks and rejects; how the run was configured and what it cost come last.

function overview(data, pick) {
  const { census, summary } = data;
  const made = summary.manifest;
  const block = (title, intro, ...body) => {
    const all = body.flat(Infinity).filter(Boolean);
    return all.length ? el("section", { class: "block" }, el("h2", {}, title), intro ? el("p", { class: "intro" }, intro) : null, all) : null;
  };
  const plots = (...all) => el("div", { class: "plots" }, all.filter(Boolean));
  return [
    made && made.template ? el("p", { class: "notice", role: "note" }, el("b", {}, "Synthetic templates (no LLM). "), made.notice) : null,
    made && made.stopped ? el("p", { class: "notice", role: "note" }, el("b", {}, "Incomplete run. "), made.stopped) : null,
    summary.faults ? el("p", { class: "notice", role: "note" }, `${plural(summary.faults, "line")} of the file could not be parsed as samples and ${summary.faults === 1 ? "is" : "are"} not shown.`) : null,
    strip(sampleFacts(census, made)),
    block("Samples", null,
      plots(bars("Samples by data type", census.types, { pick: (name) => pick({ type: name }), name: typeName }),
        bars("Samples by expected answer", census.answers, { pick: (name) => pick({ answer: name }) }),
        Object.keys(census.locales).length > 1 ? bars("Samples by locale", census.locales, { pick: (name) => pick({ locale: name }) }) : null,
        bars("Samples by difficulty", census.difficulties), bars("Samples by tag", census.tags, { name: spaced, note: "a sample can have several tags", total: census.samples }),
        Object.keys(census.reviews).length > 1 ? bars("Samples by review status", census.reviews) : null),
      templates(census)),
    block("Distributions", null,
      plots(histogram("Length of requests", census.query_letters, "characters in the last user message"),
        histogram("User turns", census.turns, "user turns"),
        histogram("Expected calls per sample", census.calls, "calls"),
        histogram("Listed tools per sample", census.candidates, "tools"),
        histogram("Parameters per tool", census.parameters, "parameters", "tools"),
        histogram("Arguments per expected call", census.arguments, "arguments", "calls"),
        bars("Value provenance", census.origins, { note: "sources of the argument values of expected calls" }),
        bars("Values by type", census.values),
        bars("Most called tools", census.tools, { pick: (name) => pick({ tool: name }), name: lastParts, note: `${thousands(census.called_tools)} of ${plural(census.shown_tools, "tool")} called`, total: census.samples }))),
    block("Quality checks", "Quality problems that validation cannot see. Each metric is shown with its threshold.", audit(summary.check), summary.unchecked ? el("p", { class: "note" }, summary.unchecked) : null),
    block("Rejected items", "Every rejected item is recorded with its stage and reason.", rejects(summary), defects(made)),
    block("Pipeline", null, stages(made), yields(made), recipe(made)),
    block("Run statistics", null, made ? strip(runFacts(made)) : null, thousand(made), usage(made)),
  ];
}

/** The end of a long name, which tells more than its beginning. */
function lastParts(name) {
  const parts = name.split(".");
  return name.length > 22 && parts.length > 2 ? `…${parts.slice(-2).join(".")}` : name;
}

function sampleFacts(census, made) {
  const facts = [["samples", thousands(census.samples)], ["data types", thousands(Object.keys(census.types).length)], ["tools", thousands(census.shown_tools)]];
  if (made) facts.push(["rejects", thousands(Object.values(made.rejects).reduce((all, it) => all + it, 0))]);
  return facts;
}

function runFacts(made) {
  const sum = (of) => made.usage.reduce((all, row) => all + of(row), 0);
  return [["requests", thousands(sum((it) => it.requests))], ["input tokens", thousands(sum((it) => it.prompt_tokens))],
    ["output tokens", thousands(sum((it) => it.completion_tokens))], ["cost", dollars(sum((it) => it.cost))], ["time", span(made.wall_seconds)]];
}

function strip(facts) {
  return el("dl", { class: "strip" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function stages(made) {
  if (!made) return null;
  const kept = (it) => (it.rejected ? percent(it.came - it.rejected, it.came) : "–");
  return table("Stages", ["Stage", "In", "Out", "Rejected", "Acceptance rate"],
    made.stages.map((it) => [[it.name, it.kind === it.name ? null : el("span", { class: "dim" }, ` ${it.kind}`)], thousands(it.came), thousands(it.kept), it.rejected ? thousands(it.rejected) : "–", kept(it)]));
}

/** User turns that contain template text; one line if all or none of them do. */
function templates(census) {
  const types = Object.entries(census.template_turns);
  const [some, all] = types.reduce((sum, [, turns]) => [sum[0] + turns[0], sum[1] + turns[1]], [0, 0]);
  if (some === 0 || some === all) return all ? el("p", { class: "note" }, some ? `All ${plural(all, "user turn")} contain template text.` : `None of the ${plural(all, "user turn")} contain template text.`) : null;
  return table("User turns with template text", ["Data type", "With template text", "User turns", "Share"], [...types, ["Total", [some, all]]].map(([name, [part, whole]]) => [typeName(name), thousands(part), thousands(whole), percent(part, whole)]));
}

function thousand(made) {
  const it = made && made.per_thousand;
  return it ? el("p", { class: "note" }, `Per 1,000 samples: ${plural(it.requests, "request")}, ${plural(it.tokens, "token")} and ${dollars(it.usd)}.`) : null;
}

function yields(made) {
  const owed = made ? Object.entries(made.owed) : [];
  return owed.length ? table("Yield", ["Stage", "Required", "Accepted", "Share"], owed.map(([stage, [all, kept]]) => [stage, thousands(all), thousands(kept), percent(kept, all)])) : null;
}

function rejects(summary) {
  if (!summary.rejects.length) return summary.manifest ? el("p", { class: "note" }, "No items were rejected.") : null;
  const totals = {};
  for (const group of summary.rejects) totals[group.reason] = (totals[group.reason] || 0) + group.count;
  const example = (it) => el("li", {}, el("code", {}, it.id), el("p", { class: "reason" }, it.detail), it.text ? el("p", { class: "said dim" }, it.text) : null);
  return [el("div", { class: "plots" }, bars("Rejects by reason", totals, { tone: "bad", most: 20, name: spaced })),
    el("div", { class: "examples" }, el("h3", {}, "Examples"), summary.rejects.map((group) => folded(
      [el("b", {}, spaced(group.reason)), el("span", { class: "dim" }, ` in ${group.stage}, ${thousands(group.count)}`)], el("ul", { class: "plain" }, group.first.map(example)))))];
}

/** What became of the injected defects. */
function defects(made) {
  if (!made || !made.defects) return null;
  const all = Object.entries(made.defects.kinds);
  const total = { committed: 0, asked_again: 0, rejected: 0, slipped: 0 };
  for (const [, it] of all) for (const key of Object.keys(total)) total[key] += it[key];
  const row = ([name, it]) => [spaced(name), thousands(it.committed), thousands(it.asked_again), thousands(it.rejected), thousands(it.slipped), percent(it.committed - it.slipped, it.committed)];
  const lost = Object.values(made.defects.good_lost || {}).reduce((sum, it) => sum + it, 0);
  return [table("Injected defects and what the filters caught", ["Defect", "Injected", "Retried", "Rejected", "Missed", "Caught"], [...all, ["Total", total]].map(row)),
    el("p", { class: "note" }, `${thousands(lost)} of ${thousands(made.defects.good)} valid items were rejected by mistake`)];
}

function usage(made) {
  if (!made || !made.usage.length) return null;
  const rows = made.usage.map((it) => [it.stage, it.model, it.requests, it.cache_hits, it.retries, it.failures, it.prompt_tokens, it.completion_tokens, it.cost]);
  const total = rows.reduce((sum, row) => sum.map((it, at) => it + row[at + 2]), [0, 0, 0, 0, 0, 0, 0]);
  const shown = (row) => row.map((it, at) => (at < 2 ? it : at === 8 ? dollars(it) : thousands(it)));
  return table("Requests and tokens", ["Stage", "Model", "Requests", "Cached", "Retries", "Failures", "Input tokens", "Output tokens", "Cost"],
    [...rows, ["Total", "", ...total]].map(shown), 2);
}

function audit(check) {
  if (!check) return null;
  const met = { true: chip("passed", "good"), false: chip("failed", "bad") };
  const number = (it) => (it ? `${Math.abs(it.value) <= 1 ? it.value.toFixed(3) : it.value.toFixed(2)}` : "–");
  const mark = (it) => {
    if (!it || it === "shown" || it === "not_measurable") return "";
    if (it === "at_least_reference") return "≥ reference";
    const [[kind, value]] = Object.entries(it);
    return { at_most: `≤ ${value}`, at_least: `≥ ${value}`, at_most_reference: `≤ reference + ${value}` }[kind] || "";
  };
  const groups = new Map();
  for (const row of check.rows) {
    if (!groups.has(row.label)) groups.set(row.label, []);
    groups.get(row.label).push(row);
  }
  const lines = (rows) => rows.map((row) => [typeName(row.slice), number(row.own), row.own ? thousands(row.own.n) : "–", number(row.reference), mark(row.mark), row.met === null ? (row.mark === "not_measurable" ? "not applicable" : "") : met[row.met].cloneNode(true), (row.own && row.own.detail) || ""]);
  const one = ([name, rows]) => {
    const told = rows.filter((it) => it.met !== null);
    const missed = told.filter((it) => !it.met).length;
    const state = rows[0].missing ? chip("not applicable") : told.length ? (missed ? chip(`${missed} of ${told.length} failed`, "bad") : chip("passed", "good")) : chip(rows.some((it) => it.mark === "not_measurable") ? "not applicable" : "no threshold");
    const body = rows[0].missing ? el("p", { class: "note" }, rows[0].missing) : table(name, ["Slice", "Value", "n", "Reference", "Threshold", "Result", "Details"], lines(rows));
    return folded([el("b", {}, name), " ", state], [el("p", { class: "note" }, rows[0].what), body], missed > 0);
  };
  const finding = (it) => el("li", {}, el("code", {}, it.id), el("span", { class: "dim" }, ` ${it.file}:${it.line}`), el("p", { class: "reason" }, it.message));
  const rules = check.rules.length
    ? check.rules.map((rule) => folded([el("b", {}, rule.rule), " ", chip(rule.severity, rule.severity === "error" ? "bad" : "warn"), el("span", { class: "dim" }, ` ${thousands(rule.count)}`)], el("ul", { class: "plain" }, rule.findings.slice(0, 20).map(finding))))
    : el("p", { class: "note" }, "All rules passed.");
  return [el("h3", {}, "Rule violations"), rules, el("h3", {}, "Metrics"), [...groups].map(one)];
}

function recipe(made) {
  if (!made) return null;
  const models = Object.entries(made.models).map(([role, it]) => [role, `${it.model}${it.base_url ? ` (${it.base_url})` : " (built-in)"}`]);
  const facts = [["fcgen", made.fcgen], ["pipeline", made.pipeline], ["locale", made.locale], ["seed", made.seed], ["plan hash", made.plan_hash], ["licence", made.licence], ...models, ...(made.notes || []).map((it) => ["note", it])];
  return [el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))])),
    made.recipe ? folded("Pipeline file", el("pre", { class: "json" }, made.recipe.text || "")) : null];
}

/** Accuracy, errors by model, and all score tables; two models are also compared. */
function scores(data, state, pick) {
  const { summary } = data;
  if (!state.models.length) return [];
  const pair = state.models.length === 2 ? versus(state, pick) : null;
  const reasons = state.models.map((model, at) => bars(`Errors of ${model.name}`, model.classes, { tone: "bad", name: spaced, pick: (name) => pick({ [`verdict${at}`]: "wrong", class: name }) }));
  const shown = (cell) => {
    if (cell === null) return "–";
    if (typeof cell !== "object") return typeof cell === "number" ? thousands(cell) : cell;
    return el("span", { title: `95 % confidence interval ${cell.low} to ${cell.high}, n = ${cell.n}` }, cell.text, el("small", {}, ` ±${cell.half}`));
  };
  const tables = (summary.scores ? summary.scores.tables : []).map((it, at) =>
    folded([el("b", {}, it.title), el("span", { class: "dim" }, ` ${plural(it.rows.length, "row")}`)], table(it.title, it.columns, it.rows.map((row) => row.map(shown)), it.labels), at === 0));
  const notes = summary.scores ? summary.scores.notes.map(([name, text]) => el("p", { class: "note" }, `${name}: ${text}`)) : [];
  const totals = table("Accuracy", ["Model", "Correct", "Wrong", "Undecided", "Accuracy"], state.models.map((it) => [it.name, thousands(it.right), thousands(it.wrong), thousands(it.open), percent(it.right, it.right + it.wrong)]));
  return [el("section", { class: "block" }, el("h2", {}, "Scores"), totals, pair),
    el("section", { class: "block" }, el("h2", {}, "Errors"), el("div", { class: "plots" }, reasons.filter(Boolean))),
    tables.length ? el("section", { class: "block" }, el("h2", {}, "Score tables"), notes, tables) : null];
}

/** How often two models are correct on the same samples; each cell links to them. */
function versus(state, pick) {
  const count = (one, other) => state.rows.reduce((sum, row) => sum + (row.right[0] === one && row.right[1] === other ? 1 : 0), 0);
  const cell = (one, other) => el("button", { type: "button", class: "link", click: () => pick({ verdict0: one ? "right" : "wrong", verdict1: other ? "right" : "wrong" }) }, thousands(count(one, other)));
  const [first, second] = state.models;
  return table("Agreement", ["", `${second.name} correct`, `${second.name} wrong`], [[`${first.name} correct`, cell(true, true), cell(true, false)], [`${first.name} wrong`, cell(false, true), cell(false, false)]]);
}

// One sample: its dialogue, the expected answer, predictions, and its provenance.

const SPEAKERS = { system: "Instructions", user: "User", assistant: "Assistant", tool: "Tool" };

/** JSON as lines, with its parts told apart. */
function json(value) {
  const out = el("pre", { class: "json" });
  write(value, "", out);
  return out;
}

function write(value, indent, out) {
  const put = (text, kind) => out.append(kind ? el("span", { class: kind }, text) : text);
  if (value instanceof Exact) return put(value.text, "number");
  if (value === null || typeof value !== "object") return put(JSON.stringify(value), value === null ? "null" : typeof value);
  const isList = Array.isArray(value);
  const entries = isList ? value.map((it) => [null, it]) : Object.entries(value);
  if (!entries.length) return put(isList ? "[]" : "{}");
  const inner = `${indent}  `;
  put(isList ? "[" : "{");
  entries.forEach(([key, it], at) => {
    put(`${at ? "," : ""}\n${inner}`);
    if (key !== null) {
      put(JSON.stringify(key), "key");
      put(": ");
    }
    write(it, inner, out);
  });
  put(`\n${indent}${isList ? "]" : "}"}`);
}

/** A value in a line. */
function inline(value) {
  return el("code", {}, flat(value));
}

function flat(value) {
  if (value instanceof Exact) return value.text;
  if (Array.isArray(value)) return `[${value.map(flat).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${flat(one)}`).join(", ")}}`;
}

/** A call: a line that unfolds to its JSON. */
function call(made) {
  const values = made.arguments !== null && typeof made.arguments === "object"
    ? Object.entries(made.arguments).map(([name, value]) => `${name} = ${flat(value)}`).join(", ") : String(made.arguments);
  const line = el("span", { class: "call-line" }, el("b", {}, made.name), el("span", { class: "dim" }, `(${clipped(values, 220)})`));
  return folded(line, json(made.arguments));
}

function words(text) {
  const trimmed = text.trim();
  if (trimmed.startsWith("{") || trimmed.startsWith("[")) {
    try {
      const value = parse(trimmed);
      return folded(el("span", { class: "call-line dim" }, clipped(trimmed, 110)), json(value));
    } catch { /* It only looks like JSON. */ }
  }
  return el("p", { class: "said" }, text);
}

const clipped = (text, most) => (text.length > most ? `${text.slice(0, most).trimEnd()}…` : text);

function dialogue(sample) {
  return el("ol", { class: "dialogue", "aria-label": "Dialogue" }, sample.messages.map((message) => {
    const body = [
      message.reasoning ? folded("Reasoning", el("p", { class: "said" }, message.reasoning)) : null,
      message.content ? (message.role === "system" && message.content.length > 200 ? folded(clipped(message.content, 90), el("p", { class: "said" }, message.content)) : words(message.content)) : null,
      (message.tool_calls || []).map(call),
    ];
    const who = message.role === "tool" && message.answers !== undefined ? `Tool, answer to call ${message.answers + 1}` : SPEAKERS[message.role];
    return el("li", { class: `turn ${message.role}` },
      el("span", { class: "who" }, who, message.train === false ? chip("not trained", "warn") : null), el("div", { class: "bubble" }, body));
  }));
}

function origin(note) {
  if (!note) return "";
  if (typeof note.origin === "string") return spaced(note.origin);
  const [[kind, of]] = Object.entries(note.origin);
  return `${kind} of call ${of.call + 1}, ${of.field}`;
}

/** The arguments of an expected call, with the provenance of their values. */
function argumentsTable(made, notes, acceptable) {
  const names = Object.keys(made.arguments || {});
  if (!names.length) return el("p", { class: "note" }, "no arguments");
  const rows = names.map((name) => {
    const also = (acceptable || {})[name];
    const note = (notes || {})[name];
    return [name, el("div", {}, inline(made.arguments[name]), also ? el("div", { class: "note" }, "or ", also.map((it, at) => [at ? ", " : "", inline(it)])) : null),
      el("div", {}, origin(note), note && note.surface ? el("div", { class: "note" }, `“${note.surface}”`) : null)];
  });
  return el("div", { class: "scroll" }, el("table", { class: "arguments" },
    el("thead", {}, el("tr", {}, ["Argument", "Value", "Provenance"].map((it) => el("th", { scope: "col" }, it)))),
    el("tbody", {}, rows.map(([name, ...rest]) => el("tr", {}, el("th", { scope: "row" }, name), rest.map((it) => el("td", {}, it)))))));
}

function right(sample) {
  const wanted = sample.expected;
  const one = (made, notes, acceptable) => el("div", { class: "right-call" }, el("b", { class: "mono" }, made.name), argumentsTable(made, notes, acceptable));
  if (wanted === "refusal") return el("p", {}, "No call: none of the listed tools can serve the request.", sample.label ? folded("Call stored in the original benchmark's format", json(sample.label)) : null);
  if (wanted.call) return one(wanted.call, sample.arguments, sample.acceptable);
  if (wanted.question) return el("p", {}, "A question asking for ", wanted.question.map((name, at) => [at ? ", " : "", el("code", {}, name)]));
  if (wanted.answer !== undefined) return el("p", { class: "said" }, wanted.answer);
  if (wanted.acts) return el("p", {}, wanted.acts.map((act) => chip(spaced(act))));
  return el("ol", { class: "steps" }, (wanted.steps || []).map((step, at) => el("li", {},
    el("span", { class: "who" }, `Step ${at + 1}`),
    step.calls.map((made, index) => [one(made, (step.notes || [])[index], sample.acceptable), answered((step.answers || [])[index])]))));
}

function answered(answer) {
  if (answer === undefined || answer === null) return null;
  if (typeof answer === "object" && typeof answer.cut === "string" && answer.letters) {
    return folded(`Answer (truncated; ${thousands(answer.letters)} characters in samples.jsonl)`, el("pre", { class: "json" }, answer.cut));
  }
  return folded("Answer", json(answer));
}

/** A prediction and its verdict. */
function said(name, entry, line, verdictLine) {
  const mark = entry ? (entry.right === true ? chip("correct", "good") : entry.right === false ? chip("wrong", "bad") : chip("undecided", "warn")) : chip("no verdict");
  const prediction = line ? parse(line) : null;
  const turns = prediction && Array.isArray(prediction.turns) ? prediction.turns : null;
  const shown = turns
    ? turns.map((turn) => el("div", { class: "bubble" },
      turn.reasoning ? folded("Reasoning", el("p", { class: "said" }, turn.reasoning)) : null,
      turn.content ? words(turn.content) : null,
      (turn.tool_calls || []).map(([tool, text]) => call({ name: tool, arguments: attempted(text) }))))
    : prediction ? el("div", { class: "bubble" }, json(prediction)) : el("p", { class: "note" }, "No prediction in the given files.");
  return el("section", { class: "model" },
    el("h4", {}, name, " ", mark, entry && entry.class ? chip(spaced(entry.class), "bad") : null),
    entry && entry.reason ? el("p", { class: "reason" }, entry.reason) : null,
    prediction && prediction.error ? el("p", { class: "reason" }, prediction.error) : null,
    shown,
    verdictLine ? folded("Verdict", json(parse(verdictLine))) : null);
}

function attempted(text) {
  try { return parse(text); } catch { return text; }
}

/** Everything about a sample. */
function sheet(sample, tools, models, review) {
  const head = el("header", { class: "sheet-head" },
    el("h2", { class: "mono", tabindex: -1 }, sample.id),
    el("p", { class: "chips" }, chip(typeName(sample.data_type), "accent"), chip(sample.suite), chip(sample.locale),
      sample.difficulty ? chip(sample.difficulty) : null, (sample.tags || []).map((tag) => chip(tag)),
      sample.review !== "unreviewed" ? chip(sample.review, "good") : null,
      sample.provenance.template ? chip("template", "warn") : null));
  const part = (title, body) => el("section", { class: "part" }, el("h3", {}, title), body);
  const facts = [["Group", sample.group], ["Variant of", sample.base], ["Reference time", sample.reference_time], ["Source", sample.source], ["Licence", sample.licence],
    ...Object.entries(sample.provenance.facts || {}).map(([key, value]) => [spaced(key), value])].filter(([, value]) => value);
  return [head,
    review,
    part("Dialogue", dialogue(sample)),
    part("Expected answer", right(sample)),
    models.length ? part(models.length > 1 ? "Predictions" : "Prediction", el("div", { class: models.length > 1 ? "models two" : "models" }, models)) : null,
    part(`Listed tools (${tools.length})`, el("div", { class: "tools" }, tools.map((tool) => folded(
      [el("b", { class: "mono" }, tool.name), " ", el("span", { class: "dim" }, tool.description)], json(tool.parameters))))),
    part("Provenance", [el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      folded(plural(sample.provenance.draws.length, "draw"), json(sample.provenance)), folded("Full sample (JSON)", json(sample))])];
}

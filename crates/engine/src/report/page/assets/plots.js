// Plots: bars by name, and histograms. Each has a title, axes, and a summary in words.

const by = (counts) => Object.entries(counts || {}).sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));

/** Bars by name, the longest first; `pick` makes them buttons. */
function bars(title, counts, options = {}) {
  const all = Array.isArray(counts) ? counts : by(counts);
  if (!all.length) return null;
  const { most = 12, pick, note, tone, name: written = (it) => it } = options;
  const shown = all.slice(0, most);
  const total = options.total || all.reduce((sum, [, count]) => sum + count, 0);
  const widest = Math.max(...shown.map(([, count]) => count), 1);
  const bar = ([name, count]) => el("li", {},
    pick
      ? el("button", { type: "button", class: "bar-name link", title: `Show samples: ${name}`, click: () => pick(name) }, written(name))
      : el("span", { class: "bar-name", title: name }, written(name)),
    el("span", { class: "bar-track", "aria-hidden": "true" }, el("span", { class: `bar-fill ${tone || ""}`, "width%": (100 * count) / widest })),
    el("span", { class: "bar-count" }, thousands(count), el("small", {}, percent(count, total))));
  const rest = all.length > most ? el("p", { class: "note" }, `and ${thousands(all.length - most)} more`) : null;
  return figure(title, el("ul", { class: "bars" }, shown.map(bar)), note, rest);
}

/** How often each number occurs: `[[number, count], ...]`. */
function histogram(title, pairs, axis, note) {
  if (!pairs.length) return null;
  const bins = binned(pairs);
  const [width, height, left, bottom, top] = [340, 170, 54, 36, 8];
  const most = Math.max(...bins.map((bin) => bin.count));
  const ticks = steps(most);
  const ceiling = ticks[ticks.length - 1];
  const inner = width - left - 6;
  const y = (count) => top + (height - top - bottom) * (1 - count / ceiling);
  const wide = Math.min(inner / bins.length, 56);
  const every = Math.ceil(bins.length / Math.max(1, Math.floor(inner / 44)));
  const total = pairs.reduce((sum, [, count]) => sum + count, 0);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: ${told(pairs, total)}` },
    ticks.map((tick) => [
      svg("line", { class: "rule", x1: left, x2: width - 6, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "tick", x: left - 6, y: y(tick) + 3.5, "text-anchor": "end" }, thousands(tick)),
    ]),
    bins.map((bin, at) => [
      svg("rect", { class: "column", x: left + at * wide + Math.min(1, wide / 8), y: y(bin.count), width: Math.max(0.5, wide - Math.min(2, wide / 4)), height: y(0) - y(bin.count), rx: 1 },
        svg("title", {}, `${bin.name}: ${thousands(bin.count)}`)),
      at % every === 0 ? svg("text", { class: "tick", x: left + (bin.isRange ? at : at + 0.5) * wide, y: height - bottom + 14, "text-anchor": "middle" }, bin.from) : null,
    ]),
    svg("line", { class: "axis", x1: left, x2: width - 6, y1: y(0), y2: y(0) }),
    svg("text", { class: "axis-name", x: left + inner / 2, y: height - 5, "text-anchor": "middle" }, axis),
    svg("text", { class: "axis-name", x: -(top + (height - top - bottom) / 2), y: 10, transform: "rotate(-90)", "text-anchor": "middle" }, note || "samples"));
  return figure(title, picture, told(pairs, total));
}

function figure(title, body, note, more) {
  return el("figure", { class: "plot" }, el("figcaption", {}, title), body, note ? el("p", { class: "note" }, note) : null, more);
}

/** A summary of a histogram in words. */
function told(pairs, total) {
  const at = (share) => {
    let seen = 0;
    for (const [number, count] of pairs) if ((seen += count) >= share * total) return number;
    return pairs[pairs.length - 1][0];
  };
  const mean = pairs.reduce((sum, [number, count]) => sum + number * count, 0) / total;
  const last = pairs[pairs.length - 1][0];
  return `median ${thousands(at(0.5))}, mean ${mean.toFixed(1)}, 90th percentile ${thousands(at(0.9))}, maximum ${thousands(last)}`;
}

function binned(pairs) {
  const [first, last] = [pairs[0][0], pairs[pairs.length - 1][0]];
  const size = last - first < 24 ? 1 : nice((last - first) / 24);
  const from = Math.floor(first / size) * size;
  const bins = Array.from({ length: Math.floor((last - from) / size) + 1 }, (_, at) => {
    const low = from + at * size;
    return { from: low, count: 0, isRange: size > 1, name: size > 1 ? `${low} to ${low + size - 1}` : `${low}` };
  });
  for (const [number, count] of pairs) bins[Math.floor((number - from) / size)].count += count;
  return bins;
}

function nice(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= number);
}

function steps(most) {
  const size = Math.max(1, nice(most / 3));
  return Array.from({ length: Math.ceil(most / size) + 1 }, (_, at) => at * size);
}

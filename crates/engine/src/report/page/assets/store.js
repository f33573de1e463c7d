// The data of the page: rows in packed blocks. Short rows are unpacked once, bodies when they are asked for.

/** A number whose digits JavaScript would not keep. */
class Exact {
  constructor(text) { this.text = text; }
}

/** JSON with its numbers as they were written, where the browser tells how they were. */
function parse(text) {
  return JSON.parse(text, function (_, value, context) {
    const told = typeof value === "number" && context && context.source;
    return told && String(value) !== told ? new Exact(told) : value;
  });
}

class Store {
  constructor() { this.blocks = []; this.size = 0; this.open = new Map(); }

  add(block) {
    this.blocks.push(block);
    this.size += block.rows;
  }

  /** Gives every short row to `take`, a block at a time, so that the page stays alive. */
  async each(take) {
    for (const block of this.blocks) {
      const lines = (await unpacked(block.index)).split("\n");
      block.index = null;
      for (let at = 0; at < block.rows; at++) take(JSON.parse(lines[at]), block.first + at);
      await Promise.resolve();
    }
  }

  /** The text of a body. Some blocks are kept unpacked: neighbours are often asked for next. */
  async body(at) {
    const number = this.blocks.findLastIndex((it) => it.first <= at);
    if (!this.open.has(number)) {
      this.open.set(number, unpacked(this.blocks[number].bodies).then((text) => text.split("\n")));
      if (this.open.size > 4) this.open.delete(this.open.keys().next().value);
    }
    return (await this.open.get(number))[at - this.blocks[number].first];
  }
}

async function unpacked(letters) {
  const stream = new Blob([bytes(letters)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function bytes(letters) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(letters);
  const plain = atob(letters);
  const out = new Uint8Array(plain.length);
  for (let at = 0; at < plain.length; at++) out[at] = plain.charCodeAt(at);
  return out;
}

/** Everything that the page was given; what was read is taken out of the document. */
function readData() {
  const stores = new Map();
  for (const script of document.querySelectorAll("script.block")) {
    const block = JSON.parse(script.textContent);
    if (!stores.has(block.store)) stores.set(block.store, new Store());
    stores.get(block.store).add(block);
    script.remove();
  }
  const read = (id) => JSON.parse(byId(id).textContent);
  const [census, summary] = [read("census"), read("summary")];
  Object.assign(labels, census.labels);
  return { stores, census, summary };
}

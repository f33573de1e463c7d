#!/bin/sh
# Runs a pipeline against a real, small language model on this machine, to see that it works with one.
#
#   scripts/smoke.sh [LIMIT] [PIPELINE]      default: 3 source items of pipelines/hammer.toml
#
# It downloads about 1.2 GB once, into SMOKE_CACHE (default: ~/.cache/fcgen-smoke), and takes 10 to 20 seconds an item
# on one core (SMOKE_THREADS says how many to use). What comes out shows that the machinery works; it is no data to publish.
# If the model cannot be had, it says so and ends well: nothing in the tests depends on it.
set -eu

limit=${1:-3}
pipeline=${2:-pipelines/hammer.toml}
cache=${SMOKE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fcgen-smoke}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."
python=$cache/venv/bin/python
out=${SMOKE_OUT:-output/smoke}

mkdir -p "$cache"
[ -x "$python" ] || python3 -m venv "$cache/venv"
if ! "$python" -c 'import xllamacpp' 2>/dev/null; then
    "$python" -m pip install -q --find-links "$cache/wheels" xllamacpp==2026.10.11549 || {
        echo "skipped: the model server (xllamacpp) cannot be installed here" >&2
        exit 0
    }
fi

status=0
model=$("$python" "$here/serve_model.py" fetch "$cache") || status=$?
[ "$status" -ne 3 ] || exit 0
[ "$status" -eq 0 ] || exit "$status"

cargo build --release --quiet

# The server's first line is its address; its log goes to a file.
ready=$cache/ready
: >"$ready"
"$python" "$here/serve_model.py" serve "$model" >"$ready" 2>"$cache/server.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT INT TERM
echo "loading the model" >&2
until grep -q '^http://127.0.0.1' "$ready"; do
    kill -0 "$server" 2>/dev/null || { echo "the model server ended; see $cache/server.log" >&2; exit 1; }
    sleep 1
done
url=$(grep -m 1 '^http://127.0.0.1' "$ready")

# The server asks for no key, but the client wants to have one to send.
status=0
OPENAI_API_KEY=${OPENAI_API_KEY:-none} cargo run --release --quiet -- pipeline "$pipeline" \
    --base-url "$url" --model qwen2.5-coder-1.5b-instruct --limit "$limit" --concurrency 1 --out "$out" || status=$?

"$python" - "$out/manifest.json" <<'PYTHON'
import json
import sys

try:
    manifest = json.load(open(sys.argv[1]))
except OSError:
    sys.exit(f"no {sys.argv[1]}: the run did not get that far")
for key in ("counts", "stages", "rejects", "tokens", "usage", "cost"):
    if key in manifest:
        print(key, json.dumps(manifest[key], indent=2, ensure_ascii=False))
PYTHON
exit "$status"

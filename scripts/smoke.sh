#!/bin/sh
# Runs a pipeline against a real, small language model on this machine, to see that it works with one.
#
#   scripts/smoke.sh [LIMIT] [PIPELINE]      default: 3 source items of pipelines/hammer.toml
#
# It takes 10 to 20 seconds an item on one core; what is downloaded stands in with_small_model.sh. What comes out shows that
# the machinery works; it is no data to publish.
set -eu

if [ -z "${SMALL_MODEL_URL:-}" ]; then
    cd "$(dirname "$0")/.."
    cargo build --release --quiet
    exec scripts/with_small_model.sh scripts/smoke.sh "$@"
fi

limit=${1:-3}
pipeline=${2:-pipelines/hammer.toml}
out=${SMOKE_OUT:-output/smoke}

status=0
cargo run --release --quiet -- pipeline "$pipeline" --base-url "$SMALL_MODEL_URL" \
    --model qwen2.5-coder-1.5b-instruct --limit "$limit" --concurrency 1 --out "$out" || status=$?

python3 - "$out/manifest.json" <<'PYTHON'
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

#!/bin/sh
# Records the replies that `fcgen pipeline demo` plays back: asks a real, small language model on this machine again.
#
#   scripts/record_demo.sh [LOCALE...]      default: en ko
#
# It takes half an hour to an hour a locale on two cores, and writes pipelines/demo/replies.jsonl. What was asked before is
# kept in output/record-LOCALE, so that a second run asks only what has changed.
set -eu

if [ -z "${SMALL_MODEL_URL:-}" ]; then
    cd "$(dirname "$0")/.."
    cargo build --release --quiet
    exec scripts/with_small_model.sh scripts/record_demo.sh "$@"
fi

[ $# -gt 0 ] || set -- en ko
recorded=pipelines/demo/replies.jsonl
new=$(mktemp)
for locale in "$@"; do
    run=output/record-$locale
    cargo run --release --quiet -- pipeline demo --locale "$locale" --base-url "$SMALL_MODEL_URL" \
        --model qwen2.5-coder-1.5b-instruct --concurrency 1 --out "$run" --overwrite \
        --set model.generator.endpoint_id=small --set model.generator.timeout=900s
    cargo run --release --quiet -- script "$run" --out "$run.jsonl"
    cat "$run.jsonl" >>"$new"
done
mv "$new" "$recorded"
echo "$recorded: $(wc -l <"$recorded") replies"

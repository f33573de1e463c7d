#!/bin/sh
# Serves a small real language model on this machine while a command runs, which finds its address in SMALL_MODEL_URL.
#
#   scripts/with_small_model.sh COMMAND [ARGUMENT...]
#
# It downloads about 1.2 GB once, into SMOKE_CACHE (default: ~/.cache/fcgen-smoke). SMOKE_THREADS says how many cores to use.
# If the model cannot be had, it says so and ends well without running the command: nothing in the tests depends on it.
set -eu

cache=${SMOKE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fcgen-smoke}
here=$(cd "$(dirname "$0")" && pwd)
python=$cache/venv/bin/python

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
SMALL_MODEL_URL=$(grep -m 1 '^http://127.0.0.1' "$ready")
# The server asks for no key, but the client wants to have one to send.
OPENAI_API_KEY=${OPENAI_API_KEY:-none}
export SMALL_MODEL_URL OPENAI_API_KEY
"$@"

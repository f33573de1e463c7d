#!/usr/bin/env bash
# Builds the program that ships and packs it: fcgen-VERSION-TARGET.tar.gz with its checksum, in the folder that is named
# (dist/ where none is).
#
#     scripts/release_archive.sh [FOLDER]
#     tar -xzf dist/fcgen-*.tar.gz && fcgen-*/fcgen pipeline hammer
set -euo pipefail
cd "$(dirname "$0")/.."

out="${1:-dist}"
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)"
target="$(rustc -vV | sed -n 's/^host: //p')"
name="fcgen-$version-$target"

cargo build --profile dist --locked --bin fcgen
built="${CARGO_TARGET_DIR:-target}/dist/fcgen"

mkdir -p "$out"
staging="$(mktemp -d)"
trap 'rm -rf "$staging"' EXIT
mkdir -p "$staging/$name/completions"
cp "$built" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$staging/$name/"
"$built" completions bash > "$staging/$name/completions/fcgen.bash"
"$built" completions zsh > "$staging/$name/completions/_fcgen"
"$built" completions fish > "$staging/$name/completions/fcgen.fish"
tar -C "$staging" -czf "$out/$name.tar.gz" "$name"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$out/$name.tar.gz"

#!/usr/bin/env bash
# Makes the pictures of docs/methods: runs the scene of each page, renders it, and writes the PNGs next to the page. Takes about two minutes.
# Usage: docs/pictures.sh [PAGE...], for example `docs/pictures.sh rods hair`. Default: all pages.
# `docs/pictures.sh validation` draws the errors of the validation cases from `target/validation.json`, which `fibra validate --save target/validation.json` writes.
set -euo pipefail
cd "$(dirname "$0")/.."
OUT=out/methods
# FIBRA selects an existing program.
fibra() { ${FIBRA:-cargo run --release --quiet --} "$@"; }

# Runs the complete scene of a page.
run_scene() {
  mkdir -p "$OUT"
  awk '/^```toml,scene/ { inside = 1; next } /^```/ { inside = 0 } inside' "docs/methods/$1.md" > "$OUT/$1.toml"
  fibra run "$OUT/$1.toml" -o "$OUT/$1" --force "${@:2}"
}

# Renders one frame: page, frame, size.
frame() {
  fibra render "$OUT/$1" --frame "$2" --size "$3" -o "$OUT"
  mv "$(printf '%s/%04d.png' "$OUT" "$2")" "docs/methods/$1-scene.png"
}

# Draws the charts of a run.
plot() {
  fibra plot "$OUT/$1" -o "docs/methods/$1-plot.png"
}

mpm() {
  run_scene mpm --no-preview
  frame mpm 5 640x360
  plot mpm
}

cloth-and-fibers() {
  run_scene cloth-and-fibers --no-preview
  frame cloth-and-fibers 24 720x405
}

anisotropy() {
  run_scene anisotropy --no-preview
  frame anisotropy 14 720x405
}

rods() {
  run_scene rods
  cp "$OUT/rods/preview.png" docs/methods/rods-scene.png
  plot rods
}

hair() {
  run_scene hair --no-preview
  frame hair 14 720x405
}

elastons() {
  run_scene elastons
  cp "$OUT/elastons/preview.png" docs/methods/elastons-scene.png
  plot elastons
}

contact-and-colliders() {
  run_scene contact-and-colliders --no-preview
  frame contact-and-colliders 24 640x360
}

# Draws the errors of validation cases relative to their tolerances: page, cases.
errors() {
  fibra plot target/validation.json --cases "${@:2}" -o "docs/methods/$1-validation.svg"
}

validation() {
  errors mpm mpm
  errors cloth-and-fibers cloth fiber friction-pile implicit-step
  errors anisotropy aniso
  errors rods rod contact ball-loop
  errors hair hair
  errors elastons elaston
}

if [ $# -eq 0 ]; then
  set -- mpm cloth-and-fibers anisotropy rods hair elastons contact-and-colliders
fi
for page in "$@"; do
  "$page"
done

#!/usr/bin/env bash
# Renders the pictures of the README: runs the scenes and writes the images to this folder. Takes a few minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
# FIBRA can name an existing program, which is then used instead of a build.
fibra() { ${FIBRA:-cargo run --release --quiet --} "$@"; }

# Contact sheets of six moments.
for scene in cloth-curtain long-hair wire-dog wavy-hair mixed-materials; do
  fibra run "$scene" -o "out/gallery/$scene" --force
  cp "out/gallery/$scene/preview.png" "docs/$scene.png"
done

# Larger images of single frames.
single_frame() {
  fibra run "$1" -o "out/gallery/$1" --force --no-preview
  fibra render "out/gallery/$1" --frame "$2" --size 960x540 -o out/gallery
  mv "$(printf 'out/gallery/%04d.png' "$2")" "docs/$1.png"
}
single_frame hair-tubes 24
single_frame dump-truck 53

# A screenshot of the page of `fibra view`, if Chromium is installed and `npm ci` was run in viewer/.
if [ -e viewer/node_modules ] && [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
  node viewer/screenshot.mjs out/gallery/long-hair docs/viewer.png 40 speed
fi

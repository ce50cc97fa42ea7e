#!/usr/bin/env bash
# Makes the README's pictures anew: runs the scenes, draws them, and puts the pictures beside this script. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
# FIBRA names a program that is built already.
fibra() { ${FIBRA:-cargo run --release --quiet --} "$@"; }

# Six moments on one sheet.
for scene in cloth-curtain long-hair wire-dog wavy-hair mixed-materials; do
  fibra run "$scene" -o "out/gallery/$scene" --force
  cp "out/gallery/$scene/preview.png" "docs/$scene.png"
done

# One frame, larger.
moment() {
  fibra run "$1" -o "out/gallery/$1" --force --no-preview
  fibra render "out/gallery/$1" --frame "$2" --size 960x540 -o out/gallery
  mv "$(printf 'out/gallery/%04d.png' "$2")" "docs/$1.png"
}
moment hair-tubes 24
moment dump-truck 53

# The page of `fibra view`, where there is a browser to draw it: needs `npm ci` in viewer/.
if [ -e viewer/node_modules ] && [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
  node viewer/picture.mjs out/gallery/long-hair docs/viewer.png 40 speed
fi

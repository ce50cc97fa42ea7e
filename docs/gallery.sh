#!/usr/bin/env bash
# Renders the pictures of the README again: runs the scenes and writes the pictures next to this script. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
# FIBRA selects an existing program.
fibra() { ${FIBRA:-cargo run --release --quiet --} "$@"; }

# Contact sheets of six moments.
for scene in cloth-curtain long-hair wire-dog wavy-hair mixed-materials; do
  fibra run "$scene" -o "out/gallery/$scene" --force
  cp "out/gallery/$scene/preview.png" "docs/$scene.png"
done

# Single frames.
moment() {
  fibra run "$1" -o "out/gallery/$1" --force --no-preview
  fibra render "out/gallery/$1" --frame "$2" --size 960x540 -o out/gallery
  mv "$(printf 'out/gallery/%04d.png' "$2")" "docs/$1.png"
}
moment hair-tubes 24
moment dump-truck 53

# The viewer, if Chromium is installed; needs `npm ci` in viewer/.
if [ -e viewer/node_modules ] && [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
  node viewer/screenshot.mjs out/gallery/long-hair docs/viewer.png 40 speed
fi

# Reduces the pictures to 256 colors and at most 1200 pixels, below 300 KB each; needs Pillow.
python3 - docs/{cloth-curtain,long-hair,wire-dog,wavy-hair,mixed-materials,hair-tubes,dump-truck,viewer}.png <<'END'
import sys
from PIL import Image
for path in sys.argv[1:]:
    image = Image.open(path).convert("RGB")
    image.thumbnail((1200, 1200), Image.Resampling.LANCZOS)
    image.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=4).save(path, optimize=True)
END

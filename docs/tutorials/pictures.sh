#!/usr/bin/env bash
# Makes the pictures of the tutorials: runs their scenes and renders them. Takes some minutes. FIBRA names the program to use.
set -euo pipefail
cd "$(dirname "$0")"
fibra() { ${FIBRA:-cargo run --release --quiet --} "$@"; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Six moments on one sheet; sheets of 300 kB and more are reduced to half their width and height.
for scene in moving-cloth hair-on-a-head knit sand-pile knot plant bale cloth-and-sand gpu; do
  fibra run "$scene.toml" -o "$out/$scene"
  sheet="$out/$scene/preview.png"
  if [ "$(wc -c < "$sheet")" -lt 300000 ]; then
    cp "$sheet" "$scene.png"
  else
    python3 half.py "$sheet" "$scene.png"
  fi
done

# The tight knot, seen from near.
fibra run knot.toml -o "$out/near" --no-preview --set "camera.eye=[0.145, 0.04, 0.14]" --set "camera.target=[0.145, 0.004, 0]"
fibra render "$out/near" --frame 72 --size 960x540 -o "$out"
cp "$out/0072.png" knot-tight.png

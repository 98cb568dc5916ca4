#!/usr/bin/env bash
# An airway from nothing: generate it, share it among four ranks, let air flow
# through it, and say where the pictures are.
set -euo pipefail
carina=$1 folder=$2
mkdir -p "$folder"
"$carina" generate airway --generations 4 -o "$folder/airway.stl"
"$carina" run "$folder/airway.stl" --unit mm --fluid-cells 150000 --flow 1L/min \
	--ranks 4 --decompose octree --balance graph --out "$folder"
echo
echo "Look at $folder/flow.png, $folder/pressure.png and $folder/ranks.png, turn the airway around in"
echo "$folder/view.html with any browser, or open $folder/flow.pvtu in ParaView."

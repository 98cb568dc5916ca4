#!/usr/bin/env bash
# Makes all results of carina bench cost and bench balance anew on this machine, the
# most important ones first:
#
#   bash scripts/record-balance.sh CARINA OUT SURFACES NAME
#
# from the root of the checkout. CARINA is the binary, OUT a folder for the results,
# SURFACES the folder of airway-central-mm.stl and airway-full-mm.stl, NAME what the
# machine is called in machine.json. It takes about two hours of one core on which
# nothing else runs. A step that is done is not done again when the script is called
# again with the same OUT, so it can run in slices. Environment:
#   DEADLINE     seconds after which no further step is begun (default 100000)
#   STEPS        names of the steps to do, in this order (default all, see below)
#   JOBS         predicted runs at a time (default all cores)
#   CORE         the core that measures (default 2, or 0 where there are only two)
# Results: OUT/machine.json, machine.md, machine-LAYOUT.md; OUT/balance/*,
# OUT/balance-airways/*, OUT/checks.txt and OUT/record.log, the times of the steps.
set -u
carina=$(realpath "$1") out=$2 surfaces=$3 name=${4:?NAME}
mkdir -p "$out/done" "$out/parts" "$out/balance" "$out/balance-airways"
out=$(realpath "$out") surfaces=$(realpath "$surfaces")
jobs_most=${JOBS:-$(nproc)} deadline=${DEADLINE:-100000}
core=${CORE:-$(( $(nproc) > 2 ? 2 : 0 ))}
machine=$out/machine.json

log() { echo "$(date -u +%H:%M:%S) $*" | tee -a "$out/record.log"; }
# alone CMD...: on one core, with one thread of Go, nothing else of this script running.
alone() { GOMAXPROCS=1 taskset -c "$core" "$@"; }
# part FOLDER GEOMETRY RANKS LAYOUT: predicted rows in a folder of their own, in the background.
part() {
  while (( $(jobs -rp | wc -l) >= jobs_most )); do wait -n; done
  GOMAXPROCS=1 "$carina" bench balance --machine "$machine" --geometry "$2" --ranks "$3" --layout "$4" --out "$out/parts/$1-$4-$3" > "$out/parts/$1-$4-$3.log" 2>&1 &
}
# join FOLDER GEOMETRY: the rows of all parts of a geometry in one table in OUT/FOLDER.
join() {
  wait
  local short csv layout ranks header=
  short=$(basename "$2" .stl); csv=$out/$1/balance-$short.csv
  [ -s "$csv" ] && return # measured rows may be in it already
  for layout in dense plain sparse; do
    for ranks in $(ls "$out/parts" | sed -n "s/^$short-$layout-\([0-9]*\)$/\1/p" | sort -n); do
      local from=$out/parts/$short-$layout-$ranks/balance-$short.csv
      [ -s "$from" ] || { log "nothing of $short $layout $ranks"; continue; }
      [ -n "$header" ] || { head -1 "$from" > "$csv.new"; header=1; }
      tail -n +2 "$from" >> "$csv.new"
    done
  done
  mv "$csv.new" "$csv"
}
# many GEOMETRY LAYOUTS RANKS...: parts, those of many ranks first, which take longest.
many() {
  local geometry=$1 layouts=$2 layout ranks; shift 2
  for ranks in $(printf '%s\n' "$@" | sort -rn); do for layout in $layouts; do
    part "$(basename "$geometry" .stl)" "$geometry" "$ranks" "$layout"
  done; done
}
# report FOLDER GEOMETRY RANKS [LAYOUT]: tables and plots of rows that are there.
report() { "$carina" bench balance --machine "$machine" --geometry "$2" --ranks "$3" ${4:+--layout $4} --out "$out/$1"; }
timed() { alone "$carina" bench balance --measured --machine "$machine" --geometry "$1" --ranks "$2" ${3:+--layout $3} --out "$out/balance"; }

cost_dense() { alone "$carina" bench cost --name "$name" --layout dense --out "$out"; }
cost_plain() { alone "$carina" bench cost --name "$name" --layout plain --out "$out"; }
cost_sparse() { alone "$carina" bench cost --name "$name" --layout sparse --out "$out"; }
large() {
  many bifurcation-large "dense plain sparse" 1 2 4 8 16 32 64 128 256 512
  join balance bifurcation-large; report balance bifurcation-large 1,2,4,8,16,32,64,128,256,512
}
large_8() { timed bifurcation-large 8; }
large_64() { timed bifurcation-large 64; }
large_512() { timed bifurcation-large 512; }
large_128() { timed bifurcation-large 128; }
large_256() { timed bifurcation-large 256; }
small() {
  for g in cavity bifurcation; do many $g "dense plain" 1 8 64 512; many $g sparse 8 64 512; done
  for g in cavity bifurcation; do join balance $g; report balance $g 1,8,64,512 dense; report balance $g 8,64,512; done
}
airway() {
  many airway "dense plain" 8 64 512; many airway sparse 2 8 32 128 512 2048 10000
  join balance airway; report balance airway 8,512
}
airways() {
  for g in central full; do
    many "$surfaces/airway-$g-mm.stl" "dense plain" 8 64
    many "$surfaces/airway-$g-mm.stl" sparse 8 64 512
  done
  many "$surfaces/airway-full-mm.stl" sparse 1024 4096
  for g in central full; do join balance-airways "$surfaces/airway-$g-mm.stl"; report balance-airways "$surfaces/airway-$g-mm.stl" 8,64; done
}
ten_thousand() {
  "$carina" bench balance --machine "$machine" --geometry "$surfaces/airway-central-mm.stl" --layout sparse --ranks 10000 --out "$out/parts/10000" &&
    cp "$out/parts/10000/balance-airway-central-mm.csv" "$out/balance-airways/central-mm-10000-ranks.csv"
}
strict() {
  for g in central full; do
    GOMAXPROCS=$(( (jobs_most + 1) / 2 )) "$carina" bench balance --strict --geometry "$surfaces/airway-$g-mm.stl" --out "$out/balance" > "$out/parts/strict-$g.log" 2>&1 &
  done
  wait
}
many_cells() { # 10⁸ cells, on two cores
  GOMAXPROCS=2 taskset -c 0,1 go test ./balance -run XXX -bench 'Make/cells=100000000/graph' -benchtime 1x | tee -a "$out/checks.txt"
}
small_timed() { for g in cavity bifurcation; do timed $g 8,64,512; done; }

for step in ${STEPS:-cost_dense cost_plain cost_sparse large large_8 large_64 large_512 small many_cells large_128 large_256 airways airway strict small_timed ten_thousand}; do
  [ -e "$out/done/$step" ] && continue
  if (( SECONDS > deadline )); then log "$step left for the next call"; continue; fi
  begin=$SECONDS
  log "$step begins"
  if "$step" > "$out/parts/$step.out" 2>&1; then touch "$out/done/$step"; log "$step took $((SECONDS - begin)) s"
  else log "$step FAILED after $((SECONDS - begin)) s: $(tail -c 300 "$out/parts/$step.out" | tr '\n' ' ')"; fi
done
log "all steps took $SECONDS s"

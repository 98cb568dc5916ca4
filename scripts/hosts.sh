#!/usr/bin/env bash
# hosts.sh [HOSTS [DELAY...]]: computes a flow over network namespaces that stand for
# hosts, by Open MPI over TCP with delays of so many milliseconds and 1 % loss, compares
# its hash with that of one process, and cuts a host off. Needs root, Open MPI and Go.
# Exit status 77 where this machine allows no namespaces.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
hosts=${1:-2}
shift
delays=("$@")
[ ${#delays[@]} -gt 0 ] || delays=(0 1 10)
GO=${GO:-go}
steps=100 # with each delay

skip() { echo "hosts: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "namespaces need root"
for tool in ip unshare mpirun mount; do command -v $tool >/dev/null || skip "there is no $tool"; done
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
ip netns add carina$$ 2>/dev/null && ip netns del carina$$ || skip "no network namespace may be made"
unshare --uts --mount true 2>/dev/null || skip "no namespace of host names may be made"

work=$(mktemp -d)
wire=
names=()
for i in $(seq "$hosts"); do names+=("carina$$-$i"); done
down() {
	[ -z "$wire" ] || { kill "$wire"; wait "$wire" 2>/dev/null; wire=; }
	for n in "${names[@]}"; do ip netns del "$n" 2>/dev/null; done
}
trap 'down; rm -rf "$work"' EXIT

# up [OPTION...]: the hosts, joined by a wire.
up() {
	down
	local ends=() i=0
	for n in "${names[@]}"; do
		i=$((i + 1))
		ip netns add "$n" && ip -n "$n" link set lo up || return 1
		ends+=("$n=10.77.0.$i")
	done
	"$work/wire" "$@" "${ends[@]}" >"$work/wire.out" 2>&1 &
	wire=$!
	for _ in $(seq 100); do
		grep -q ready "$work/wire.out" && return
		sleep 0.1
	done
	cat "$work/wire.out"
	return 1
}

# Every host has a name and a folder for temporary files of its own.
cat >"$work/enter" <<END
#!/bin/bash
while [ "\${1#-}" != "\$1" ]; do shift; done
i=\${1##*.}; shift
mkdir -p $work/host\$i $work/tmp
exec ip netns exec carina$$-\$i unshare --uts --mount sh -c "hostname host\$i; mount --bind $work/host\$i $work/tmp; export TMPDIR=$work/tmp; exec sh -c \"\\\$*\"" sh "\$@"
END
chmod +x "$work/enter"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# A host that vanished is noticed by the connections of the launcher, and within
# seconds with these.
keepalive=(--mca oob_tcp_keepalive_time 3 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3)

# over ARGUMENT...: carina solve with one process on every host.
over() {
	local list=""
	for i in $(seq "$hosts"); do list+="10.77.0.$i:1,"; done
	"$work/enter" x.1 timeout -k 5 300 mpirun --host "${list%,}" --mca plm_rsh_agent "$work/enter" --mca btl tcp,self,vader \
		--mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 "${keepalive[@]}" -x CARINA_TEST_PROCESS \
		--bind-to none --mca mpi_yield_when_idle 1 -np "$hosts" "$carina" solve "$work/pipe.part.json" "$@"
}
field() { sed -nE "s/.*\"$1\": \"?([^\",]*)\"?,.*/\1/p" | head -1; }

carina=${CARINA:-}
if [ -z "$carina" ]; then
	carina=$work/carina
	$GO build -tags mpi -o "$carina" ./cmd/carina || exit 1
fi
$GO build -o "$work/wire" ./internal/wire || exit 1
flow=(--flow 0.5L/min --steps "$steps" --json)
{
	"$carina" generate pipe --diameter 6mm --length 150mm -o "$work/pipe.stl" &&
		"$carina" partition "$work/pipe.stl" --spacing 0.5mm --ranks "$hosts" -o "$work/pipe.part.json" &&
		"$carina" solve "$work/pipe.part.json" "${flow[@]}" >"$work/alone.json"
} >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
want=$(field state_hash <"$work/alone.json")
failed=0
millis() { awk -v s="$(field step_seconds)" 'BEGIN { printf "%.3f", 1000 * s }'; }
echo "one host: hash $want, $(millis <"$work/alone.json") ms a step"
for d in "${delays[@]}"; do
	loss=0.01
	[ "$d" != 0 ] || loss=0
	up -delay "${d}ms" -jitter "$(awk -v d="$d" 'BEGIN { print d / 10 }')ms" -loss $loss || exit 1
	over "${flow[@]}" >"$work/out.json" 2>"$work/err" || { cat "$work/err"; failed=1; }
	got=$(field state_hash <"$work/out.json")
	echo "$hosts hosts, delay $d ms, loss $loss: hash $got, $(millis <"$work/out.json") ms a step"
	[ "$got" = "$want" ] || { echo "hosts: the hash is another"; failed=1; }
done

# A host that is cut off while the flow is computed.
up -delay 0ms -cut "${names[$((hosts - 1))]}" || exit 1
over --flow 0.5L/min --steps 100000000 --out "$work/lost" --checkpoint every=50 >"$work/said" 2>&1 &
job=$!
for _ in $(seq 600); do
	[ -e "$work/lost/checkpoint/checkpoint" ] && break
	sleep 0.1
done
kill -USR1 $wire
begin=$SECONDS
wait $job
status=$?
took=$((SECONDS - begin))
echo "a host cut off: the job ends after $took s with status $status"
if [ $status = 0 ] || [ $status = 124 ] || [ $took -gt 12 ]; then
	cat "$work/said"
	failed=1
fi
grep -q -- "--restart $work/lost" "$work/lost/unfinished.txt" || { echo "hosts: the folder does not say how to go on"; failed=1; }
"$carina" solve --restart "$work/lost" --steps 200 --json >"$work/again.json" 2>"$work/said" || { cat "$work/said"; failed=1; }
echo "gone on with in one process to step $(field steps <"$work/again.json")"
exit $failed

#!/usr/bin/env bash
# Everything that can be tested on this machine, and at the end what was left
# out and why.
set -uo pipefail
GO=${GO:-go}
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
trap 'exit 130' INT TERM # and not go on with the next kind of tests
failed=0
left_out=()

# run NAME COMMAND...: runs go test verbosely into a log, shows a line a
# package, and the whole output of what failed.
run() {
	local name=$1
	shift
	echo "== $name"
	if "$@" >"$log/$name" 2>&1; then
		grep -E '^(ok|FAIL)\b' "$log/$name"
	else
		failed=1
		grep -vE '^(=== (RUN|PAUSE|CONT|NAME)|\s*--- (PASS|SKIP)|PASS|\?)|\[rapid\] OK' "$log/$name"
	fi
}

mpi=true
bash scripts/openmpi.sh || mpi=false
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

bash scripts/lint.sh || failed=1
# Properties of random things: make fuzz tries 1,000.
export RAPID_CHECKS=${RAPID_CHECKS:-40}
# The limit is for a machine that is busy with other things. What go test would vet,
# lint has vetted.
run plain $GO test -v -vet=off -timeout 30m ./...

if $mpi; then
	# Only where tests need MPI: to link all others anew takes its time.
	packages=$(grep -rlE "^//go:build mpi$" --include="*_test.go" . | xargs -n1 dirname | sort -u)
	run mpi $GO test -v -tags mpi -timeout 30m -run MPI $packages
else
	left_out+=("tests with MPI: Open MPI is not installed")
fi
if command -v cc >/dev/null; then
	run driver bash scripts/cuda.sh $GO test -v -vet=off -tags cuda -timeout 15m ./solver/cuda/driver
	run gpu bash scripts/cuda.sh $GO test -v -vet=off -tags cuda -timeout 15m -run WithoutGPU ./cmd/carina
else
	left_out+=("the GPU layer: there is no C compiler")
fi
left_out+=("tests on a GPU: make gpu-test, on a machine with CUDA")
left_out+=("most random cases: a property is tested on $RAPID_CHECKS, 48 damaged airways and 24 trunks are tried; make fuzz tries 1,000, 2,000 and 60")
# A test that is skipped has said why in its last line; a test within another one says
# it long before the line that names it.
reasons='
	/^=== (RUN|NAME|CONT)/ { test = $3 }
	/^ +[a-z_0-9]+\.go:[0-9]+: / { said = $0; sub(/^ +[a-z_0-9]+\.go:[0-9]+: /, "", said); last[test] = said }
	/^ *--- SKIP: / { print ($3 in last) ? last[$3] : $3 " does not say why" }'
while read -r line; do left_out+=("$line"); done < <(
	cat "$log"/* | awk "$reasons" | sort | uniq -c | sed -E 's/^ *([0-9]+) /\1 skipped: /'
)
passed=$(cat "$log"/* | grep -cE '^--- PASS')
broken=$(cat "$log"/* | grep -cE '^--- FAIL|^FAIL.*build failed')
skipped=$(cat "$log"/* | grep -cE '^ *--- SKIP')
echo
echo "Left out:"
printf -- '- %s\n' "${left_out[@]}"
echo
echo "$passed passed, $broken failed, $skipped skipped"
exit $failed

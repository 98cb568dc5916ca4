#!/usr/bin/env bash
# Runs every fuzz test for the given time, one after the other, and the tests that
# go test makes less of.
set -euo pipefail
GO=${GO:-go}
for package in $($GO list ./...); do
	for name in $($GO test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $name"
		$GO test -run '^$' -fuzz "^$name\$" -fuzztime "$1" "$package"
	done
done
echo "== 1,000 random cases of each property"
RAPID_CHECKS=1000 $GO test -count=1 -timeout 5h $(grep -rl --include="*_test.go" "pgregory.net/rapid" . | xargs -n1 dirname | sort -u)

echo "== whole sweeps"
$GO test -count=1 -timeout 60m -run 'Waves|TubesAtRest' ./benchmarks/validate -whole
$GO test -count=1 -timeout 60m -run 'BitForBit$|Breathing' ./solver/airflow -everywhere

echo "== 200 runs into a folder, disturbed at any time"
CARINA_KILLED_RUNS=200 $GO test -count=1 -timeout 30m -run '^TestKilledAtAnyTime$' ./cmd/carina

echo "== 5,000 changed case files"
CARINA_MUTATED_CASES=5000 $GO test -count=1 -run '^TestMutatedCases$' .

# Many times the random surfaces that the tests try.
echo "== geometry, sweeps"
$GO test -run 'Sweep' -timeout 60m ./geometry ./geometry/generate -sweeps 2000
$GO test -run 'SidesOfLobes' -timeout 60m ./geometry/opening -lobes 500
$GO test -run 'TrunksHaveTheirEnds' -timeout 60m ./geometry -trunks 60

echo "== 10,000 changed bytes"
CARINA_CHANGED_BYTES=${CHANGED_BYTES:-10000} $GO test -count=1 -timeout 3h -run '^TestChangedBytes$' ./cmd/carina

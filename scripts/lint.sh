#!/usr/bin/env bash
# Formatting, vet and staticcheck over the whole tree.
set -euo pipefail
GO=${GO:-go}
unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "gofmt would change:" $unformatted; exit 1; }
$GO vet ./...
$GO tool staticcheck ./...
if command -v cc >/dev/null; then
	bash scripts/cuda.sh $GO vet -tags cuda ./...
	bash scripts/cuda.sh $GO tool staticcheck -tags cuda ./solver/cuda/... ./solver/airflow/gpu
else
	echo "without a C compiler the GPU layer is not checked"
fi
echo "gofmt, vet, staticcheck: clean"

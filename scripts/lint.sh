#!/usr/bin/env bash
# Formatting, vet and staticcheck over the whole tree.
set -euo pipefail
GO=${GO:-go}
unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "gofmt would change:" $unformatted; exit 1; }
$GO vet ./...
$GO tool staticcheck ./...
echo "gofmt, vet, staticcheck: clean"

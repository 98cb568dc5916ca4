#!/usr/bin/env bash
# Runs a command, such as go build -tags cuda, with what Go cannot tell cgo for a
# dependency: where cuda.h and nvrtc.h are. The project's own are taken, with or
# without a CUDA toolkit on the machine.
#
#	bash scripts/cuda.sh go build -tags cuda -o bin/carina-gpu ./cmd/carina
set -euo pipefail
headers=$(cd "$(dirname "${BASH_SOURCE[0]}")/../solver/cuda/driver" && pwd)
# Go compiles gorgonia.org/cu anew when these flags change, not when a header does.
version=$(cat "$headers"/*.h | cksum | cut -d ' ' -f 1)
export CGO_CFLAGS="'-I$headers' -DHEADERS=$version ${CGO_CFLAGS:--O2 -g}"
# First of all folders, so that nothing of CUDA is linked where it is there.
export CGO_LDFLAGS="'-L$headers/link' ${CGO_LDFLAGS:--O2 -g}"
exec "$@"

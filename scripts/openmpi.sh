#!/usr/bin/env bash
# Makes sure that Open MPI and a C compiler are there: installs Debian's
# packages where the system's package manager is at hand and may be used.
# Exit status 0 when MPI programs can be built and started, 1 when not.
set -u

ready() { command -v mpirun >/dev/null && command -v cc >/dev/null && pkg-config --exists ompi 2>/dev/null; }

ready && exit 0
if ! command -v apt-get >/dev/null; then
	echo "Open MPI is missing and there is no apt-get: install Open MPI with its headers" >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	as_root=()
elif sudo -n true 2>/dev/null; then
	as_root=(sudo -n)
else
	echo "Open MPI is missing and installing needs root: sudo apt-get install gcc pkg-config libopenmpi-dev openmpi-bin" >&2
	exit 1
fi
echo "installing Open MPI" >&2
"${as_root[@]}" apt-get update -qq >/dev/null &&
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		gcc libc6-dev pkg-config libopenmpi-dev openmpi-bin >/dev/null || {
	echo "installing Open MPI failed: try apt-get install libopenmpi-dev openmpi-bin by hand" >&2
	exit 1
}
ready

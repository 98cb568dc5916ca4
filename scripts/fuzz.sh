#!/usr/bin/env bash
# Runs every fuzz test for the given time, one after the other.
set -euo pipefail
GO=${GO:-go}
for package in $($GO list ./...); do
	for name in $($GO test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $name"
		$GO test -run '^$' -fuzz "^$name\$" -fuzztime "$1" "$package"
	done
done

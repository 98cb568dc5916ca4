#!/usr/bin/env bash
# Opens a page in headless Chromium, prints what it has become, and fails where a script
# did. Exits with 77 where there is no Chromium. A third word names a picture to write.
set -euo pipefail
page=$1 hash=${2:-} picture=${3:-}
browser=
for name in chromium chromium-browser google-chrome; do
	command -v "$name" >/dev/null && browser=$name && break
done
[ -n "$browser" ] || { echo "there is no Chromium: apt-get install chromium" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=(--headless --no-sandbox --disable-dev-shm-usage --use-angle=swiftshader --enable-unsafe-swiftshader --hide-scrollbars
	--window-size=${SIZE:-1366,768} --user-data-dir="$folder/profile" --enable-logging=stderr --virtual-time-budget=3000)
[ -z "$picture" ] || flags+=(--screenshot="$picture")
HOME=$folder "$browser" "${flags[@]}" --dump-dom "file://$(realpath "$page")${hash:+#$hash}" 2>"$folder/said"
if grep -E 'CONSOLE.*(Error|Uncaught)' "$folder/said" >&2; then
	exit 1
fi

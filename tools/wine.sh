#!/usr/bin/env bash
# Runs the tests as Windows programs under Wine: tools/wine.sh [-v] [-run NAME] [PACKAGE…]
# or only installs what it needs: tools/wine.sh install
#
# Without packages it runs all of them; flags of go test may stand before them. It needs Go, and installs Wine and a C
# compiler for Windows from Debian; where it cannot, it exits with 77. Prefix and binaries are in a folder of their own,
# which it removes. A package that takes longer than WINE_LIMIT seconds is killed and has failed.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=${WINE_LIMIT:-300}
wine=/usr/lib/wine/wine64
compiler=x86_64-w64-mingw32-gcc

missing=()
[ -x "$wine" ] || missing+=(wine64 wine)
command -v "$compiler" >/dev/null || missing+=(gcc-mingw-w64-x86-64-win32)
if ((${#missing[@]})); then
	if ! .ci/apt "${missing[@]}"; then
		echo "wine.sh: cannot install ${missing[*]}" >&2
		exit 77
	fi
fi
[ "${1:-}" != install ] || exit 0

scratch=$(mktemp -d "${TMPDIR:-/tmp}/hookrun-wine-XXXXXX")
export WINEPREFIX=$scratch/prefix WINEDEBUG=-all DISPLAY= WINEDLLOVERRIDES='mscoree,mshtml=' GOFLAGS="${GOFLAGS:-}"
finish() {
	WINEPREFIX=$scratch/prefix timeout 20 /usr/lib/wine/wineserver64 -k -w || true
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# What Wine starts in the background lives as long as some program does, and holds the output of the first. So the first
# is one whose output nobody reads, and it waits for the end of this script.
mkfifo "$scratch/open"
timeout 120 "$wine" wineboot -i </dev/null >/dev/null 2>&1
"$compiler" -shared -O2 -s -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
	tools/wine/bcryptprimitives.c -ladvapi32
"$wine" cmd <"$scratch/open" >/dev/null 2>&1 &
exec 9>"$scratch/open"

tools/wine/overlay.sh "$scratch"
export GOOS=windows GOARCH=amd64 CGO_ENABLED=0
# The tests in e2e cannot build their binary where there is no Go.
go build -overlay "$scratch/overlay.json" -o "$scratch/hookrun.exe" \
	-ldflags='-s -w -X github.com/hookrun/hookrun/internal/core/hookfile.testManaged=managed/hooks.json' .
HOOKRUN_TEST_BINARY=$("$wine" winepath -w "$scratch/hookrun.exe" 9>&- | tr -d '\r')
export HOOKRUN_TEST_BINARY
"$wine" "$scratch/hookrun.exe" version 9>&-

packages=./...
for argument; do
	case $argument in ./* | github.com/*) packages= ;; esac
done
# shellcheck disable=SC2086 # no packages are no argument
go test -vet=off -overlay "$scratch/overlay.json" -timeout "${limit}s" \
	-exec "timeout --kill-after=5 $((limit + 10)) $wine" "$@" $packages 9>&-

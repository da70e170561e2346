#!/usr/bin/env bash
# Runs every fuzzer for a while, by default 10 seconds: scripts/fuzz.sh [DURATION]
set -euo pipefail
cd "$(dirname "$0")/.."

# Up to 1.26 Go may take the end of the time itself for a failure (golang/go#75804). That is no find, and is tried once more.
fuzz() {
	local log
	log=$(mktemp)
	for try in 1 2; do
		if go test -run '^$' -fuzz "^$1\$" -fuzztime "$duration" -fuzzminimizetime 2s "$2" 2>&1 | tee "$log"; then
			return
		fi
		if [ "$try" = 2 ] || ! grep -q '^    context deadline exceeded$' "$log" || grep -q 'Failing input\|panic' "$log"; then
			return 1
		fi
	done
}

duration=${1:-10s}
# The sources name the targets; `go test -list` would build the tests of every package for it.
targets=$(git grep --no-index --exclude-standard -o '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go')
while IFS=: read -r file function; do
	fuzz "${function#func }" "./$(dirname "$file")"
done <<<"$targets"

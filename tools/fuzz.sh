#!/usr/bin/env bash
# Runs every fuzzer for a while, by default 10 seconds: tools/fuzz.sh [DURATION]
# As many run beside each other, with one worker each, as there are processors.
set -euo pipefail
cd "$(dirname "$0")/.."

# Up to 1.26 Go may take the end of the time itself for a failure (golang/go#75804). That is no find, and is tried again.
fuzz() {
	local log
	log=$(mktemp)
	for try in 1 2 3; do
		if go test -vet=off -run '^$' -fuzz "^$1\$" -fuzztime "$duration" -fuzzminimizetime 2s -parallel 1 "$2" >"$log" 2>&1; then
			tail -n 1 "$log"
			rm "$log"
			return
		fi
		cat "$log"
		if [ "$try" = 3 ] || ! grep -q '^    context deadline exceeded$' "$log" || grep -q 'Failing input\|panic' "$log"; then
			return 1
		fi
	done
}

duration=${1:-10s}
# The sources name the targets; `go test -list` would build the tests of every package for it.
targets=$(git grep --no-index --exclude-standard -o '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go')
export -f fuzz
export duration
# shellcheck disable=SC2016 # the words of the inner shell
sed 's/^\(.*\)\/[^/]*:func \(.*\)$/\2 .\/\1/' <<<"$targets" |
	xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'fuzz "$1" "$2"' fuzz

#!/usr/bin/env bash
# Prints what a call of hookrun costs, and ends with 1 where something is over its budget: first what a start costs
# (tools/bench/start.py, of which CI holds the part without noise), then other times, as ratios to a floor that is
# measured in the same run.
# tools/bench.sh [RUNS], by default 200 of each command in turn with its floor.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-200}
folder=$(mktemp -d)
binary=$folder/hookrun
loops=
trap 'kill $loops 2>/dev/null || true; rm -rf "$folder"' EXIT
over=0

tools/bench/start.py "$((runs / 2))" || over=1
echo

CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$binary" .
{
	go test ./e2e/bench -run '^$' -bench '^BenchmarkOneShot$' -benchtime "${runs}x" &&
	go test ./e2e/bench -run '^$' -bench '^BenchmarkWarm$' -benchtime "$((runs / 4))x" &&
	go test ./e2e/bench -run '^$' -bench '^BenchmarkServe$' -benchtime "${runs}x" &&
	go test ./runner -run '^$' -bench '^BenchmarkFire$' -benchtime "${runs}x" &&
	go test ./runner -run '^$' -bench '^BenchmarkFireNoMatch$' -benchtime "$((runs * 100))x" &&
	go test ./internal/trust -run '^$' -bench '^BenchmarkJudge$' -benchtime "$((runs * 10))x"
} | awk '
	BEGIN {
		most["10MB-through-cat/cat"] = 4
		most["ten-at-once/sleep-0.1"] = 1.25
		most["warm python3/no-hooks"] = 1.8
		most["warm node/no-hooks"] = 1.8
		most["serve: argv-true/posix_spawn"] = 1.35
		most["serve: no-hook-matches/cat"] = 5
		most["serve: listen/stdin"] = 2.5
		most["serve: persistent-python/spawned"] = 0.02
		most["serve: http-hook/keep-alive-client"] = 1.5
		most["serve: 10MB-through-cat/cat"] = 3.5
		printf "%-34s %12s %12s %8s %8s\n", "what/floor", "median", "floor", "ratio", "budget"
	}
	function row(name, median, floor, ratio, budget, over) {
		printf "%-34s %12s %12s %8s %8s%s\n", name, median, floor, ratio, budget, over ? "  OVER" : ""
		any += over
	}
	/^Benchmark/ {
		for (i = 3; i < NF; i += 2) value[$(i + 1)] = $i
		name = $1
		sub(/-[0-9]+$/, "", name)
		sub(/^BenchmarkOneShot\//, "", name)
		sub(/^BenchmarkServe\//, "serve: ", name)
		if (sub(/^BenchmarkWarm\//, "warm ", name))
			name = name "/no-hooks"
		ratio = value["ratio"] + 0
		if (name == "BenchmarkFire")
			row("in Go: one hook/process", sprintf("%.3f ms", value["ns/call"] / 1e6),
				sprintf("%.3f ms", value["floor-ns"] / 1e6), sprintf("%.2f", ratio), "-", 0)
		else if (name == "BenchmarkFireNoMatch")
			row("in Go: no hook matches", sprintf("%.2f us", value["ns/op"] / 1e3), "-", "-", "10 us",
				value["ns/op"] > 10e3)
		else if (name == "BenchmarkJudge")
			row("in Go: trust and pin", sprintf("%.3f ms", value["ns/op"] / 1e6), "-", "-", "-", 0)
		else
			row(name, sprintf("%.3f ms", value["ms"]), sprintf("%.3f ms", value["floor-ms"]), sprintf("%.3g", ratio),
				name in most ? most[name] : "-", name in most && ratio > most[name])
		delete value
	}
	END { exit any > 0 }' || over=1

# Calls a second with 8 in flight, against 8 threads of C that run the same program. The best of three: others may use
# the machine.
if command -v cc >/dev/null; then
	cc -O2 -pthread -o "$folder/inflight" tools/bench/inflight.c
	printf '%s\n' '{"hooks":[{"name":"h","command":["/bin/true"],"events":["pre-tool"]}]}' >"$folder/.tenex-hooks.json"
	in_flight() {
		for _ in 1 2 3; do
			"$folder/inflight" 8 "$2" /bin/true '{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"t"}}' \
				"$binary" serve -C "$folder"
		done | awk -v name="$1" -v least="$3" '
			$1 / $2 > ratio { ratio = $1 / $2; calls = $1; floor = $2 }
			END {
				printf "%-34s %9.0f /s %9.0f /s %8.2f %8s%s\n", name, calls, floor, ratio, ">= " least,
					ratio < least ? "  OVER" : ""
				exit ratio < least
			}'
	}
	in_flight 'serve: 8 in flight/8 threads' "$((runs * 10))" 0.6 || over=1
	for _ in 1 2 3 4; do
		while :; do :; done &
		loops="$loops $!"
	done
	in_flight '... beside four busy loops' "$((runs * 5))" 0.45 || over=1
fi
exit "$over"

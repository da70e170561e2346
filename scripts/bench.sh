#!/bin/sh
# Prints what a call of hookrun costs, as ratios to a floor that is measured in the same run, and the size of the binary.
# scripts/bench.sh [RUNS], by default 200 of each command in turn with its floor.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-200}
folder=$(mktemp -d)
binary=$folder/hookrun
loops=
trap 'kill $loops 2>/dev/null || true; rm -rf "$folder"' EXIT

CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$binary" .
{
	go test ./e2e/bench -run '^$' -bench '^BenchmarkOneShot$' -benchtime "${runs}x"
	go test ./e2e/bench -run '^$' -bench '^BenchmarkServe$' -benchtime "${runs}x"
	go test ./runner -run '^$' -bench '^BenchmarkFire$' -benchtime "${runs}x"
	go test ./runner -run '^$' -bench '^BenchmarkFireNoMatch$' -benchtime "$((runs * 100))x"
	go test ./internal/trust -run '^$' -bench '^BenchmarkJudge$' -benchtime "$((runs * 10))x"
} | awk '
	BEGIN {
		budget["no-file/empty-go-program"] = "2.0"
		budget["one-hook/sh-c-true"] = "2.2"
		budget["10MB-through-cat/cat"] = "2"
		budget["ten-at-once/sleep-0.1"] = "1.25"
		budget["trust-and-pin/without"] = "+0.3 ms"
		budget["serve: argv-true/posix_spawn"] = "1.35"
		budget["serve: no-hook-matches/cat"] = "5"
		budget["serve: persistent-python/spawned"] = "0.02"
		budget["serve: http-hook/keep-alive-client"] = "1.5"
		budget["serve: 10MB-through-cat/cat"] = "2"
		printf "%-34s %12s %12s %8s %8s\n", "what/floor", "median", "floor", "ratio", "budget"
	}
	/^Benchmark/ {
		for (i = 3; i < NF; i += 2) value[$(i + 1)] = $i
		name = $1
		sub(/-[0-9]+$/, "", name)
		sub(/^BenchmarkOneShot\//, "", name)
		sub(/^BenchmarkServe\//, "serve: ", name)
		if (name == "BenchmarkFire")
			printf "%-34s %9.3f ms %9.3f ms %8.2f %8s\n", "in Go: one hook/process", value["ns/call"] / 1e6, value["floor-ns"] / 1e6, value["ratio"], "-"
		else if (name == "BenchmarkFireNoMatch")
			printf "%-34s %9.2f us %12s %8s %8s\n", "in Go: no hook matches", value["ns/op"] / 1e3, "-", "-", "30 us"
		else if (name == "BenchmarkJudge")
			printf "%-34s %9.3f ms %12s %8s %8s\n", "in Go: trust and pin", value["ns/op"] / 1e6, "-", "-", "0.3 ms"
		else
			printf "%-34s %9.3f ms %9.3f ms %8.3g %8s\n", name, value["ms"], value["floor-ms"], value["ratio"], budget[name]
		delete value
	}'
printf '%-34s %9.2f MB %12s %8s %8s\n' 'stripped binary' "$(wc -c <"$binary" | awk '{print $1 / 1e6}')" - - '12 MB'

# Calls a second with 8 in flight, against 8 threads of C that run the same program. The best of three: others may use the machine.
if command -v cc >/dev/null; then
	cc -O2 -pthread -o "$folder/inflight" scripts/bench/inflight.c
	printf '%s\n' '{"hooks":[{"name":"h","command":["/bin/true"],"events":["pre-tool"]}]}' >"$folder/.tenex-hooks.json"
	in_flight() {
		for _ in 1 2 3; do
			"$folder/inflight" 8 "$2" /bin/true '{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"t"}}' \
				"$binary" serve -C "$folder"
		done | awk -v name="$1" -v budget="$3" '
			$1 / $2 > ratio { ratio = $1 / $2; calls = $1; floor = $2 }
			END { printf "%-34s %9.0f /s %9.0f /s %8.2f %8s\n", name, calls, floor, ratio, budget }'
	}
	in_flight 'serve: 8 in flight/8 threads' "$((runs * 10))" '>= 0.6'
	for _ in 1 2 3 4; do
		while :; do :; done &
		loops="$loops $!"
	done
	in_flight '... beside four busy loops' "$((runs * 5))" '>= 0.45'
fi

// Package testall separates the tests that a change runs from those that only CI runs. `go test ./...` stays short and
// needs no network; HOOKRUN_TEST_ALL=1 adds what installs packages, compares with other programs at length, or repeats
// a recorded corpus whole. Under the race detector, Alone leaves out tests of one goroutine.
package testall

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
)

const variable = "HOOKRUN_TEST_ALL"

// On reports whether all tests were asked for, for a test that always runs and then does more.
func On() bool { return os.Getenv(variable) != "" }

// Only skips the test unless all tests were asked for. Why says what it costs.
func Only(t testing.TB, why string) {
	t.Helper()
	if !On() {
		t.Skipf("%s: it runs with %s=1", why, variable)
	}
}

// Alone skips a long test of one goroutine under the race detector, which can find nothing there and makes the test
// several times as long. .ci/run runs all of these without it.
func Alone(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("one goroutine, so no race")
	}
}

// Of returns some where few will do, and all where all tests were asked for.
func Of[T any](some, all T) T {
	if On() {
		return all
	}
	return some
}

// Part returns every nth of many rows that are alike, and all of them where all tests were asked for.
func Part[T any](n int, rows []T) (part []T) {
	if On() {
		return rows
	}
	for i := 0; i < len(rows); i += n {
		part = append(part, rows[i])
	}
	return part
}

// PartOf is Part for a map: its keys in order.
func PartOf[K cmp.Ordered, V any](n int, rows map[K]V) []K {
	return Part(n, slices.Sorted(maps.Keys(rows)))
}

// Beside has n tests run beside each other that may, unless the command line says how many: most of them wait for
// processes. It is for TestMain.
func Beside(n int) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", strconv.Itoa(n)) // any number above 0 can be set
	}
}

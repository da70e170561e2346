// Package testall separates the tests that a change runs from those that only CI runs. `go test ./...` stays short and needs no
// network; HOOKRUN_TEST_ALL=1 adds what installs packages, compares with other programs at length, or repeats a recorded corpus whole.
package testall

import (
	"os"
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

// Of returns some where few will do, and all where all tests were asked for.
func Of[T any](some, all T) T {
	if On() {
		return all
	}
	return some
}

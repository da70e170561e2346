package testall

import (
	"runtime"
	"testing"
)

// NotOnWindows skips the test on Windows. Why says what Windows has not, or does in another way.
func NotOnWindows(t testing.TB, why string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not on Windows: " + why)
	}
}

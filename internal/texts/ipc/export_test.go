package ipc

import (
	"testing"
	"time"
)

// WaitLonger has this test wait for the memory however slow the system is.
func WaitLonger(t *testing.T) {
	usual := patience
	patience = time.Minute
	t.Cleanup(func() { patience = usual })
}

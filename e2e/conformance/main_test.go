// Package conformance tests the real binary with the recorded cases of clients.
package conformance

import (
	"flag"
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

// Cases wait for hooks that sleep, so more of them run at once than there are processors.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	binary.Main(m)
}

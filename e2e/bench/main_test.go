// Package bench measures what a call costs: the real binary, as a process for each call and as a server.
package bench

import (
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

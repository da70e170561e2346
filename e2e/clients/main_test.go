// Package clients tests the real programs of clients with hookrun as their hook, and a scripted model.
package clients

import (
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

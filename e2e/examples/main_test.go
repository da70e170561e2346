// Package examples tests the hooks and agent loops of scripts/examples.
package examples

import (
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

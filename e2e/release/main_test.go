// Package release tests the files of a release, and how they are installed.
package release

import (
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

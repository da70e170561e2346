// Package docs holds the pages to the program, and the code to what the pages say of it.
package docs

import (
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

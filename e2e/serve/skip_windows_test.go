package serve

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) {
	testall.NotOnWindows(t, "serve has no socket there, and its tests look at /proc")
}

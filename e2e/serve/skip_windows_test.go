package serve

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) {
	testall.NotOnWindows(t, "the other tests look at /proc")
}

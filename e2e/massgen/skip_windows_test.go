package massgen

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) {
	testall.NotOnWindows(t, "the code of MassGen that its tests run needs Python and Unix")
}

package trust

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) { testall.NotOnWindows(t, "its attacks use links and modes") }

package guards

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) { testall.NotOnWindows(t, "the guards are scripts for sh and Python") }

package init_test

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) { testall.NotOnWindows(t, "the presets are scripts for sh and Python") }

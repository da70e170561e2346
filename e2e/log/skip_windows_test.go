package log

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) { testall.NotOnWindows(t, "the hooks of its tests are scripts for sh") }

package examples

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestNotHere(t *testing.T) { testall.NotOnWindows(t, "the examples are scripts for sh and Python") }

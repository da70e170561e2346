package queue

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) { testall.NotOnWindows(t, "its tests look at processes in /proc") }

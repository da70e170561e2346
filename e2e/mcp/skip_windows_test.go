package mcp

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
)

func TestNotHere(t *testing.T) {
	testall.NotOnWindows(t, "the servers of its tests are scripts for Python, and its tests look at /proc")
}

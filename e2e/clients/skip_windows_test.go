package clients

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestNotHere(t *testing.T) {
	testall.NotOnWindows(t, "the clients that its tests run are programs of Linux")
}

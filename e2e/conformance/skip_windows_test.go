package conformance

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestNotHere(t *testing.T) {
	testall.NotOnWindows(t, "the hooks of the recorded cases are scripts for sh that look at /proc")
}

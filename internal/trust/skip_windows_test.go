package trust_test

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestNotHere(t *testing.T) {
	testall.NotOnWindows(t, "its tests are about modes, owners and links")
}

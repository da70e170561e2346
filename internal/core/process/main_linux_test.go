package process_test

import (
	"os"
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestMain(m *testing.M) {
	testall.Beside(8)
	os.Exit(m.Run())
}

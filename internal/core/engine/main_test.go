package engine_test

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/testsupport/testhome"
)

func TestMain(m *testing.M) {
	testall.Beside(8)
	testhome.Main(m)
}

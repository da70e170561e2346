package runner_test

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testall"
	"github.com/hookrun/hookrun/internal/testhome"
)

func TestMain(m *testing.M) {
	testall.Beside(8)
	testhome.Main(m)
}

package hooks_test

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testhome"
)

func TestMain(m *testing.M) { testhome.Main(m) }

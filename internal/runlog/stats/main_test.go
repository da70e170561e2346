package stats

import (
	"testing"

	"github.com/hookrun/hookrun/internal/testhome"
)

func TestMain(m *testing.M) { testhome.Main(m) }

package trust

import (
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestScripts(t *testing.T) { binary.Scripts(t) }

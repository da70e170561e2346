package conformance

import (
	"slices"
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
)

// prepare puts what a case needs into PATH.
func prepare(t *testing.T, needs []string) {
	t.Helper()
	if slices.Contains(needs, "python3") {
		binary.Needs(t, "python3")
	}
}

// ownVariables are none.
func (r *trial) ownVariables(*testing.T) map[string]string { return nil }

// leftOut is what a case's hooks need and this system does not have.
func (r *trial) leftOut() string { return "" }

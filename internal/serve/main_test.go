package serve

import (
	"os"
	"testing"
)

// The hooks of whoever runs the tests are none of theirs.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "config")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CONFIG_HOME", home)
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

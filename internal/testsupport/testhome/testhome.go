// Package testhome keeps the tests of a package from the files of whoever runs them: hooks, settings of clients and
// hookrun's state, and the machine's managed hooks.
//
//	func TestMain(m *testing.M) { testhome.Main(m) }
package testhome

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// Main runs the tests of a package in an empty home, and exits.
func Main(m *testing.M) {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	unset := []string{"HOOKRUN_DEPTH", "HOOKRUN_LOG", "HOOKRUN_TRUST"}
	for _, c := range clients.All().Clients() {
		folder, _, _ := strings.Cut(c.Files.FolderVariable, "/")
		unset = append(unset, c.ProjectVariable, folder)
	}
	for _, name := range unset {
		os.Unsetenv(name)
	}
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "LocalAppData", "XDG_CONFIG_HOME",
		"XDG_STATE_HOME", "HOOKRUN_STATE"} {
		dir := filepath.Join(home, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			panic(err)
		}
		os.Setenv(name, dir)
	}
	hookfile.SetManaged(filepath.Join(home, "managed.json"))
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

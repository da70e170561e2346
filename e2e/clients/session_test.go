//go:build linux

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// scenes are changes in the middle of a turn: the model first asks for the change, then for `touch free`.
var scenes = []struct {
	name, change string
	ran          bool
	hooks        string // "": a guard that is a script
}{
	{"nothing changes", "true", true, ""},
	{"a hook's script is changed", "echo exit 0 >gate.sh", false, ""},
	{"the hooks file is changed", "echo '{}' >.tenex-hooks.json", false, ""},
	{"hookrun is deleted", "rm $HOME/bin/hookrun", false, ""},
	{"hookrun says nothing", "$HOME/replace 'exit 0'", false, ""},
	{"hookrun says hello", "$HOME/replace 'echo hello'", false, ""},
	{"hookrun says {}", "$HOME/replace 'echo {}'", false, ""},
	{"hookrun fails", "$HOME/replace 'exit 1'", false, ""},
	{"hookrun is upgraded", "cp $HOME/bin/hookrun $HOME/new && mv $HOME/new $HOME/bin/hookrun", true, ""},
	{"a gate that only observes", "true", true, `{"hooks": [{"name": "gate", "mode": "observe", "block": "no",
"events": ["pre-tool"]}]}`},
	{"a hook that takes long", "true", false, `{"hooks": [{"name": "gate", "timeout": "90s", "events": ["pre-tool"],
"command": "test -f slept && { sleep 70; echo no >&2; exit 2; }; touch slept", "files": []}]}`},
}

// TestChangesInASession: the real clients run the next call only if the gate could be asked and approves.
func TestChangesInASession(t *testing.T) {
	testall.Only(t, "it installs the clients")
	for _, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			if alone(t, pathOf(t, c.name)) {
				return
			}
			for _, s := range scenes {
				t.Run(s.name, func(t *testing.T) {
					r := newClientRun(t, c)
					r.ownHookrun()
					hooks := s.hooks
					if hooks == "" {
						hooks = `{"hooks": [{"name": "gate", "command": ["sh", "gate.sh"], "events": ["pre-tool"]}]}`
					}
					r.write(".tenex-hooks.json", hooks)
					r.write("gate.sh", "exit 0 # as allowed\n")
					r.install()
					if r.trust != nil {
						r.trust(r)
					}
					r.turn([]string{s.change}, []string{"touch free"})
					require.Equal(t, s.ran, r.ran("free"), r.output)
				})
			}
		})
	}
}

// ownHookrun puts a copy of hookrun into the run's home, alone on PATH, and a program that replaces the copy.
func (r *clientRun) ownHookrun() {
	if r.name == "copilot" {
		r.args = append(r.args, "--allow-all-paths") // else it asks before a command about the home
	}
	bin := filepath.Join(r.home, "bin")
	require.NoError(r, os.MkdirAll(bin, 0o700))
	program, err := os.ReadFile(binary.Path)
	require.NoError(r, err)
	r.hookrun = filepath.Join(bin, "hookrun")
	require.NoError(r, os.WriteFile(r.hookrun, program, 0o700))
	require.NoError(r, os.WriteFile(filepath.Join(r.home, "replace"), []byte("#!/bin/sh\nrm \"$HOME/bin/hookrun\"\n"+
		"printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$HOME/bin/hookrun\"; chmod +x \"$HOME/bin/hookrun\"\n"), 0o700))
	for i, e := range r.env {
		if path, ok := strings.CutPrefix(e, "PATH="+filepath.Dir(binary.Path)+":"); ok {
			r.env[i] = "PATH=" + bin + ":" + path
		}
	}
}

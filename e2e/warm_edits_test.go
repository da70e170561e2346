//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// versioned is a hook that blocks with its version, which is a letter.
func versioned(version string) string {
	return strings.ReplaceAll(guard, `$command $$\`, `version `+version+`\`)
}

// python is the same with the version in a module beside the script.
const python = `import json, sys
import rules
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"id": call["id"], "decision": "block", "reason": "version " + rules.VERSION}), flush=True)
`

// Each edit is the whole way from the file of one version to that of another, in the folder of the hook.
var edits = map[string]func(dir, version string) error{
	"in place": func(dir, version string) error {
		return os.WriteFile(dir+"/guard.sh", []byte(versioned(version)), 0o600)
	},
	"by a rename": func(dir, version string) error {
		if err := os.WriteFile(dir+"/new", []byte(versioned(version)), 0o600); err != nil {
			return err
		}
		return os.Rename(dir+"/new", dir+"/guard.sh")
	},
	"with the old time": func(dir, version string) error {
		then := time.Unix(1700000000, 0)
		if err := os.WriteFile(dir+"/guard.sh", []byte(versioned(version)), 0o600); err != nil {
			return err
		}
		return os.Chtimes(dir+"/guard.sh", then, then)
	},
	"of two files that are exchanged": func(dir, version string) error {
		if text, _ := os.ReadFile(dir + "/guard.sh"); string(text) == versioned(version) {
			return os.WriteFile(dir+"/other.sh", []byte(versioned("b")), 0o600)
		}
		return unix.Renameat2(unix.AT_FDCWD, dir+"/guard.sh", unix.AT_FDCWD, dir+"/other.sh", unix.RENAME_EXCHANGE)
	},
	"of a link": func(dir, version string) error {
		if err := os.WriteFile(dir+"/"+version+".sh", []byte(versioned(version)), 0o600); err != nil {
			return err
		}
		_ = os.Remove(dir + "/link")
		if err := os.Symlink(version+".sh", dir+"/link"); err != nil {
			return err
		}
		return os.Rename(dir+"/link", dir+"/guard.sh")
	},
	"of an imported module": func(dir, version string) error {
		return os.WriteFile(dir+"/rules.py", []byte("VERSION = \""+version+"\"\n"), 0o600)
	},
	"of an imported module, by a rename": func(dir, version string) error {
		if err := os.WriteFile(dir+"/new", []byte("VERSION = \""+version+"\"\n"), 0o600); err != nil {
			return err
		}
		return os.Rename(dir+"/new", dir+"/rules.py")
	},
	"of a module that hides another": func(dir, version string) error {
		if version == "a" {
			return os.WriteFile(dir+"/rules.py", []byte("VERSION = \"a\"\n"), 0o600)
		}
		if err := os.MkdirAll(dir+"/rules", 0o700); err != nil {
			return err
		}
		return os.WriteFile(dir+"/rules/__init__.py", []byte("VERSION = \"b\"\n"), 0o600)
	},
}

// A call that begins after an edit never gets an answer of the file before, also if other calls are made at once, and
// if the content is one that the file had before.
func TestEditsOfAWarmHook(t *testing.T) {
	t.Parallel()
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWarm(t, versioned("a"))
			if strings.Contains(name, "module") {
				binary.Needs(t, "python3")
				binary.WriteFile(t, w.Dir, "guard.py", python)
				w.writeAs([]string{"python3", "-B", "guard.py"}, binary.Hook{"timeout": 20})
			}
			require.NoError(t, edit(w.Dir, "a"))
			w.call("x")
			ctx, over := context.WithCancel(context.Background())
			var others sync.WaitGroup
			defer others.Wait()
			defer over()
			for range 2 {
				others.Go(func() {
					for ctx.Err() == nil {
						_, _ = w.outcome(w.command("block"))
					}
				})
			}
			n := testall.Of(4, 125)
			warm := 0
			for i := range n {
				version := string("ba"[i%2])
				require.NoError(t, edit(w.Dir, version))
				for range 2 {
					o := w.call("block")
					require.Equal(t, "version "+version, o.Reason, "edit %d: %+v", i, o)
					if o.warm() {
						warm++
					}
				}
				if name == "of a module that hides another" && version == "b" {
					require.NoError(t, os.RemoveAll(w.Dir+"/rules"))
				}
			}
			t.Logf("%d of %d answers were warm", warm, 2*n)
		})
	}
}

// writeAs writes the hooks file with another command.
func (w *warm) writeAs(command []string, more ...binary.Hook) {
	w.Helper()
	w.write(append(more, binary.Hook{"command": command})...)
}

// A file that the hook reads is one of those that make it another, if "files" names the file.
func TestFilesOfAWarmHook(t *testing.T) {
	t.Parallel()
	w := newWarm(t, guard, binary.Hook{"files": []string{"rules/**"}})
	binary.WriteFile(t, w.Dir, "rules/one", "1")
	first := w.warmed()
	require.Equal(t, first, w.pid())
	binary.WriteFile(t, w.Dir, "rules/one", "2")
	second := w.pid()
	require.NotEqual(t, first, second)
	binary.WriteFile(t, w.Dir, "rules/two", "1")
	require.NotContains(t, []string{first, second}, w.pid())
	require.LessOrEqual(t, len(w.keepers()), 8)
	binary.WriteFile(t, w.Dir, "guard.sh", guard+"# changed\n")
	for i := range 12 {
		binary.WriteFile(t, w.Dir, "rules/two", fmt.Sprint(i))
		w.pid()
	}
	require.Eventually(t, func() bool { return len(w.keepers()) <= 8 }, binary.Patience, time.Millisecond)
}

// A process that read another file while the file was away answers no later call, though the file of the later call is
// in the state in which trust saw the file of the first.
func TestFolderOfAWarmHookIsAnotherForAMoment(t *testing.T) {
	t.Parallel()
	script := strings.ReplaceAll(versioned("$version"), "block*)", "block*|wait*)")
	begin := "if mkdir began 2>&-; then " + binary.Waits("hook") + "fi\n. rules/version.sh\n"
	w := newWarm(t, begin+script, binary.Hook{"files": []string{"rules/**"}})
	binary.WriteFile(t, w.Dir, "rules/version.sh", "version=a")
	binary.WriteFile(t, w.Dir, "other/version.sh", "version=b")
	swap := func() {
		rules, other := w.Dir+"/rules", w.Dir+"/other"
		require.NoError(t, unix.Renameat2(unix.AT_FDCWD, rules, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE))
	}
	o, ok := w.during(func(int, int) {
		swap()
		require.NoError(t, os.WriteFile(w.Dir+"/gate", []byte("\n"), 0o600))
	})
	require.True(t, ok)
	require.Equal(t, "version b", o.Reason, "%+v", o)
	swap()
	for range 2 {
		require.Equal(t, "version a", w.call("block").Reason)
	}
}

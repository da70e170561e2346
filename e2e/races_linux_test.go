package e2e

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// during repeats a change of files until the returned function is called, which returns how often it was made.
func during(change func()) (end func() int) {
	var over atomic.Bool
	made, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		for ; !over.Load(); made++ {
			change()
		}
	}()
	return func() int {
		over.Store(true)
		<-done
		return made
	}
}

// TestFoldersTurnedOver turns over what leads to an allowed script all the time. A call on which the other script has
// run does not go on.
func TestFoldersTurnedOver(t *testing.T) {
	t.Parallel()
	calls := testall.Of(40, 1000)
	link := func(p *project, to string) {
		next := filepath.Join(p.dir, "next")
		_ = os.Remove(next)
		_ = os.Symlink(to, next)
		_ = os.Rename(next, filepath.Join(p.dir, "gates"))
	}
	exchange := func(p *project, a, b string) {
		_ = unix.Renameat2(unix.AT_FDCWD, filepath.Join(p.dir, a), unix.AT_FDCWD, filepath.Join(p.dir, b),
			unix.RENAME_EXCHANGE)
	}
	for name, test := range map[string]struct {
		gates string // what gates links to; "": a folder
		turn  func(p *project, other bool)
	}{
		"a link": {gates: "A", turn: func(p *project, other bool) {
			link(p, map[bool]string{false: "A", true: "B"}[other])
		}},
		"a link behind a link": {gates: "inner", turn: func(p *project, other bool) { exchange(p, "inner", "other") }},
		"two links exchanged":  {gates: "A", turn: func(p *project, other bool) { exchange(p, "gates", "other") }},
		"a folder":             {turn: func(p *project, other bool) { exchange(p, "gates", "B") }},
		"the script":           {turn: func(p *project, other bool) { exchange(p, "gates/s.sh", "B/s.sh") }},
		"a folder behind a link": {gates: "deep/A", turn: func(p *project, other bool) {
			exchange(p, "deep", "deeper")
		}},
	} {
		for pace, pause := range map[string]time.Duration{"": 0, ", slowly": 700 * time.Microsecond} {
			t.Run(name+pace, func(t *testing.T) {
				t.Parallel()
				p := newProject(t)
				const harmless = "#!/bin/sh\necho allowed\n"
				for _, folder := range []string{"A", "deep/A"} {
					p.write(folder+"/s.sh", harmless)
				}
				for _, folder := range []string{"B", "deeper/A"} {
					p.write(folder+"/s.sh", "#!/bin/sh\necho other\n")
				}
				for at, to := range map[string]string{"inner": "A", "other": "B", "gates": test.gates} {
					if to != "" {
						require.NoError(t, os.Symlink(to, filepath.Join(p.dir, at)))
					}
				}
				if test.gates == "" {
					p.write("gates/s.sh", harmless)
				}
				p.write(".tenex-hooks.json",
					`{"hooks": [{"name": "gate", "command": ["sh", "gates/s.sh"], "events": ["pre-tool"]}]}`)
				p.allow()
				require.Equal(t, "allowed", p.goesOn(p.dir, "--trust", "required").Inject[0].Content)
				end := during(func() {
					for _, other := range []bool{true, false} {
						test.turn(p, other)
						time.Sleep(pause)
					}
				})
				goesOn, unseen := 0, 0
				for range calls {
					o := p.call(p.dir, "--trust", "required")
					if o.Decision != "continue" {
						continue
					}
					goesOn++
					if len(o.Inject) == 0 || o.Inject[0].Content != "allowed" {
						unseen++
					}
				}
				t.Log(end(), "turns,", goesOn, "of", calls, "calls went on,", unseen, "of them with the other script")
				require.Zero(t, unseen)
			})
		}
	}
}

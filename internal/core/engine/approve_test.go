//go:build linux

package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/approval"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	model "github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

var code = regexp.MustCompile(`hookrun approve ([0-9a-v]{8})$`)

// desk is where a person sits who approves calls. Of those calls nobody can be asked.
type desk struct {
	*bench
	state string
}

func newDesk(t *testing.T) *desk { return &desk{newBench(t), t.TempDir()} }

func (d *desk) fire(c dialect.Call, hooks ...hook) engine.Fired {
	d.Helper()
	p, err := d.runner(engine.Options{StateDir: d.state}, hooks...).
		Plan(&c, engine.CallSettings{CannotAsk: func() bool { return true }})
	require.NoError(d, err)
	o, err := p.Fire(context.Background())
	require.NoError(d, err)
	return o
}

// approve approves the call whose code the reason has.
func (d *desk) approve(o engine.Fired) {
	d.Helper()
	found := code.FindStringSubmatch(o.Reason)
	require.NotNil(d, found, o.Reason)
	r, err := approval.Read(d.state, found[1])
	require.NoError(d, err)
	require.NoError(d, r.Approve(d.state))
}

// A call passes once after a person has approved it, and is blocked again then. Another call never passes.
func TestApprove(t *testing.T) {
	d := newDesk(t)
	approvable := hook{"approvable": true}
	asks := `echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}'`
	for name, h := range map[string]hook{
		"rule":    rule("block", "no", approvable),
		"command": sh("echo no >&2; exit 2", approvable),
		"failure": sh("kill -9 $$", approvable),
		"asks":    sh(asks),
	} {
		t.Run(name, func(t *testing.T) {
			c := d.pre()
			o := d.fire(c, h)
			require.NotEqual(t, protocol.Continue, o.Decision)
			require.NotEqual(t, protocol.Continue, d.fire(c, h).Decision, "nobody has approved it")
			d.approve(o)
			other := c
			other.Args = `{"command":"ls -l"}`
			require.NotEqual(t, protocol.Continue, d.fire(other, h).Decision)
			passed := d.fire(c, h, sh("true"))
			require.Equal(t, protocol.Continue, passed.Decision)
			require.Equal(t, "approved", passed.Hooks[0].Status)
			require.Equal(t, "ok", passed.Hooks[1].Status)
			require.Len(t, passed.SystemMessages, 1)
			require.Contains(t, passed.SystemMessages[0], "a person has approved this call once, which hook 'h' ")
			require.NotEqual(t, protocol.Continue, d.fire(c, h).Decision, "it passes once")
		})
	}
}

// An approval counts for all hooks of the call that are approvable, and for no other.
func TestApproveOfSeveral(t *testing.T) {
	d := newDesk(t)
	first, second := rule("block", "one", hook{"approvable": true}), rule("block", "two", hook{"approvable": true})
	d.approve(d.fire(d.pre(), first, second))
	require.Equal(t, protocol.Continue, d.fire(d.pre(), first, second).Decision)
	d.approve(d.fire(d.pre(), first, second))
	o := d.fire(d.pre(), first, rule("block", "never"), second)
	require.NotEqual(t, protocol.Continue, o.Decision)
	require.Equal(t, "never", o.Reason)
	require.Equal(t, protocol.Continue, d.fire(d.pre(), first, second).Decision, "it was not used up")
}

// Hooks that are not approvable, and calls that are none of a tool before it runs, have no code.
func TestNotApprovable(t *testing.T) {
	d := newDesk(t)
	approvable := hook{"approvable": true}
	require.Equal(t, "no", d.fire(d.pre(), rule("block", "no")).Reason)
	require.Equal(t, "no", d.fire(d.post(), rule("block", "no", approvable)).Reason)
	prompt := dialect.Call{Event: protocol.PreExecute, Workspace: d.Dir, Prompt: "p"}
	require.Equal(t, "no", d.fire(prompt, rule("block", "no", approvable)).Reason)
	long := d.pre()
	long.Args = `{"command":"` + strings.Repeat("x", 20<<10) + `"}`
	require.Contains(t, d.fire(long, rule("block", "no", approvable)).Reason, "so nobody can approve the call)")
	o, err := d.runner(engine.Options{StateDir: d.state},
		sh(`echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`)).Fire(context.Background(), d.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Ask, o.Decision, "the caller can ask")
}

// A file that others could have written blocks, and the reason says why.
func TestApproveByOthers(t *testing.T) {
	d := newDesk(t)
	h := rule("block", "no", hook{"approvable": true})
	d.approve(d.fire(d.pre(), h))
	require.NoError(t, os.Chmod(filepath.Join(d.state, approval.Folder), 0o777))
	o := d.fire(d.pre(), h)
	require.NotEqual(t, protocol.Continue, o.Decision)
	require.Contains(t, o.Reason, "can be written to by others; remove it")
}

// Skipped hooks do not run, with a warning at the calls that they are for. A managed hook runs.
func TestSkip(t *testing.T) {
	b := newBench(t)
	r := b.runner(engine.Options{Skip: []string{"h", "none"}}, rule("block", "no"), rule("inject", "text"))
	o, err := r.Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Len(t, o.Texts, 1)
	require.Equal(t, []string{"$HOOKRUN_SKIP skips hook 'h', which is for this call",
		`$HOOKRUN_SKIP names "none", and no hook below the managed scope is called so`}, o.Warnings)
	managed := b.config(rule("block", "no"))
	managed.Hooks[0].Level = model.ManagedLevel
	o, err = b.with(engine.Options{Skip: []string{"h"}}, managed).Fire(context.Background(), b.pre())
	require.NoError(t, err)
	require.NotEqual(t, protocol.Continue, o.Decision)
}

// The approval is for the arguments that the hook saw: another rewrite is another call. A call that two readers could
// read differently has no code, and an approval of a call that another hook blocks stays.
func TestApproveWhatIsSeen(t *testing.T) {
	d := newDesk(t)
	h := rule("block", "no", hook{"approvable": true})
	rewrite := func(to string) hook {
		return sh(`echo '{"hookSpecificOutput":{"updatedInput":{"command":"` + to + `"}}}'`)
	}
	d.approve(d.fire(d.pre(), rewrite("one"), h))
	require.Equal(t, protocol.Block, d.fire(d.pre(), rewrite("two"), h).Decision)
	require.Equal(t, protocol.Continue, d.fire(d.pre(), rewrite("one"), h).Decision)

	d.approve(d.fire(d.pre(), h))
	twice := d.pre()
	twice.Args = `{"command":"other","command":"ls"}`
	o := d.fire(twice, h)
	require.Equal(t, protocol.Block, o.Decision)
	require.NotRegexp(t, code, o.Reason)
	require.Equal(t, protocol.Block, d.fire(d.pre(), h, rule("block", "never")).Decision)
	require.Equal(t, protocol.Continue, d.fire(d.pre(), h).Decision, "the approval is still there")
}

//go:build linux || windows

package conformance

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/conformance/kit"
	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/testsupport/testforms"
	"github.com/hookrun/hookrun/protocol"
)

// requireForms requires that the outcome of a recorded case is the same in every form of output, and that its JSON is
// the whole of it. It runs the hooks once more, in this process, unless they took long.
func (r *trial) requireForms(t *testing.T) {
	t.Helper()
	var o protocol.Outcome
	if json.Unmarshal([]byte(r.Stdout), &o) != nil { // no outcome was expected
		return
	}
	again, err := form.JSON(o)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(r.Stdout), string(again))
	call, _, err := clients.All().ParseInput(r.Stdin)
	require.NoError(t, err)
	call.Workspace = r.Workspace
	testforms.Require(t, &call, o)
	if r.Took > 2*time.Second {
		return
	}
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: r.Workspace,
		Files: []string{r.HooksFile}, AsClient: true})
	require.NoError(t, err)
	hooks, err := engine.New(cfg, engine.Options{Env: r.environment(t),
		Binary: binary.Path, StateDir: r.Base, OneShot: true})
	require.NoError(t, err)
	defer hooks.Close()
	ctx, cancel := context.WithTimeout(context.Background(), kit.Limit)
	defer cancel()
	fired, err := hooks.Fire(ctx, call)
	require.NoError(t, err)
	testforms.Require(t, &call, fired.Outcome)
}

// notes are hookrun's own words to the user, which the model reads where a client shows the user none.
var notes = regexp.MustCompile(`(?m)^(For the user: )?hookrun: .*$`)

// otherwise are cases in which hookrun's answer in the client's form says more than the client's own hook did.
var otherwise = map[string]string{
	"cursor/preToolUse-ask": "Cursor's hooks cannot ask here, so hookrun blocks",
	"droid/prompt-system":   "Droid shows the user no systemMessage of a prompt's hook, so the model reads it as well",
}

// requireAnswer requires that the outcome is the client's also in the client's form, in which the runner of conformance
// compares any program. What hookrun prints in that form is made from the outcome, without a second run.
func (r *trial) requireAnswer(t *testing.T, client string) {
	t.Helper()
	var o protocol.Outcome
	if json.Unmarshal([]byte(r.Stdout), &o) != nil { // no outcome was expected
		return
	}
	d, ok := clients.All().ClientNamed(client)
	require.True(t, ok)
	reply, err := d.Reply(o)
	require.NoError(t, err)
	answered := *r.Trial
	answered.Stdout, answered.Stderr, answered.Code = string(reply.Stdout), reply.Stderr, reply.Exit
	wrong := answered.Judge(kit.Rules{Form: kit.Answer, Notes: notes})
	if otherwise[client+"/"+r.ID] != "" {
		require.NotEmpty(t, wrong)
		return
	}
	require.Empty(t, wrong, "%s", reply.Stdout)
}

//go:build linux

package clients

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCodexInCI: what docs/clients/README.md says of Codex where nobody can type /hooks. Without both kinds of trust no
// hook runs, and Codex says nothing of the hook.
func TestCodexInCI(t *testing.T) {
	at := slices.IndexFunc(realClients, func(c client) bool { return c.name == "codex" })
	const flag = "--dangerously-bypass-hook-trust"
	for name, row := range map[string]struct {
		flags   []string
		trusted bool // the project, in the user's file
		runs    bool // the hook
	}{
		"the project is trusted":                {trusted: true},
		"the flag, and no trust":                {flags: []string{flag}},
		"the flag, and the project is trusted":  {flags: []string{flag}, trusted: true, runs: true},
		"the flag, and --trust for the project": {flags: []string{flag, "--trust"}, runs: true},
	} {
		t.Run(name, func(t *testing.T) {
			if alone(t, pathOf(t, "codex")) {
				return
			}
			c := realClients[at]
			c.args = slices.Insert(slices.Clone(c.args), 1, row.flags...)
			if !row.trusted {
				const file = ".codex/config.toml"
				text, trust, found := strings.Cut(c.home[file], `projects."$WORKSPACE"`)
				require.True(t, found, trust)
				c.home = map[string]string{file: text}
			}
			r := newClientRun(t, c)
			r.install()
			r.turn([]string{"touch forbidden"})
			require.Equal(t, row.runs, r.modelReads("touch forbidden", "not this one"), r.output)
			require.Equal(t, !row.runs, r.ran("forbidden"), r.output)
			require.False(t, r.userReads("/hooks"), r.output)
		})
	}
}

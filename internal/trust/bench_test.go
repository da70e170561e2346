package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/trust"
)

// BenchmarkJudge is what a call costs that needs to be trusted: ten hooks with ten scripts of 10 KB.
func BenchmarkJudge(b *testing.B) {
	dir := b.TempDir()
	var entries []string
	for i := range 10 {
		name := fmt.Sprintf("s%d.sh", i)
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("# a comment\n", 850)), 0o700))
		entries = append(entries, fmt.Sprintf(`{"name":"h%d","command":["./%s"],"events":["pre-tool"]}`, i, name))
	}
	doc := `{"hooks":[` + strings.Join(entries, ",") + `]}`
	require.NoError(b, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(doc), 0o600))
	cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: dir})
	require.NoError(b, err)
	o := trust.Options{Workspace: dir, Environ: func(h *hook.Hook) []string {
		return launch.Environ(h, dialect.NewCall(dialect.Call{Workspace: dir}), nil, "")
	}}
	state := filepath.Join(b.TempDir(), "state")
	store, err := trust.Open(state, "")
	require.NoError(b, err)
	now, err := trust.Take(cfg, o)
	require.NoError(b, err)
	require.NoError(b, store.Allow(now))
	rules := trust.Rules{Required: true, Pin: true, Session: "s"}
	_, err = store.Pin(now, rules, engine.Judgment{})
	require.NoError(b, err)
	for b.Loop() {
		now, err := trust.Take(cfg, o)
		require.NoError(b, err)
		store, err := trust.Open(state, "")
		require.NoError(b, err)
		j, err := store.Judge(now, rules)
		require.NoError(b, err)
		require.Zero(b, j)
		for i := range cfg.Hooks {
			require.Empty(b, now.ChangedBeforeRun(&cfg.Hooks[i]))
			require.Empty(b, now.ChangedDuringRun(&cfg.Hooks[i]))
		}
	}
}

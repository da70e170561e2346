package hookfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// TestYAMLExpansion: aliases of aliases stand for more than a memory holds, and cost nothing while nobody writes them
// out.
func TestYAMLExpansion(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [b, b, b, b]\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1)
	}
	b.WriteString("hooks:\n  PreToolUse:\n  - handler: m.f\n")
	cfg, err := parts.All().Parse("f.yaml", []byte(b.String()))
	require.NoError(t, err)
	require.Len(t, cfg.Hooks, 1)
}

// FuzzYAML: whatever the file, its problems have places within it.
func FuzzYAML(f *testing.F) {
	for _, doc := range []string{
		"hooks:\n  PreToolUse:\n  - handler: m.f\n    fail_closed: true # Deny\n",
		"a: &x {b: [c, 'd', \"e\"]}\nf: {<<: *x, b: 1}\n", "hooks: [{type: PreToolUse, handler: \"m.\\u0066\"}]\n",
		"agents:\n- id: a\n  backend: {hooks: {PostToolUse: {override: true, hooks: [handler: m.f]}}}\n",
		"hooks: &x {PreToolUse: [{handlr: 1}]}\nagent: {id: b, backend: {hooks: *x}}\r",
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		lines := 1 + strings.Count(doc, "\n") + strings.Count(doc, "\r")
		if _, err := parts.All().Parse("f.yaml", []byte(doc)); err != nil {
			for _, p := range err.(hook.Diagnostics) {
				require.True(t, 1 <= p.Line && p.Line <= lines && 1 <= p.Column, "%+v", p)
			}
		}
	})
}

package hookfile_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// FuzzParse reads what Parse accepts with encoding/json, which must see the same hooks: a file that two readers read
// differently is a way around a gate.
func FuzzParse(f *testing.F) {
	for _, test := range good {
		f.Add([]byte(test.doc))
	}
	for _, test := range slices.Concat(unreadable, ruleless) {
		f.Add([]byte(test.doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		cfg, err := parts.All().Parse("f", doc)
		text := strings.TrimPrefix(string(doc), bom)
		if err != nil {
			require.Nil(t, cfg)
			requirePlaces(t, text, err)
			return
		}
		requirePlaces(t, text, hook.Diagnostics(cfg.Warnings))
		require.True(t, json.Valid([]byte(text)), "accepted what is no JSON")
		require.True(t, utf8.ValidString(text), "accepted what is no UTF-8")
		var file map[string]any
		require.NoError(t, unmarshal(text, &file))
		if _, ok := file["hooks"].(map[string]any); ok {
			return // Claude Code's form has a fuzz target of its own
		}
		entries, _ := file["hooks"].([]any)
		require.Len(t, cfg.Hooks, len(entries))
		for i := range cfg.Hooks {
			requireSame(t, entries[i].(map[string]any), &cfg.Hooks[i])
		}
	})
}

func unmarshal(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // 1e400 is JSON too
	return d.Decode(v)
}

// requirePlaces checks that every problem stands at a character of the text or at its end, in order.
func requirePlaces(t *testing.T, text string, err error) {
	var problems hook.Diagnostics
	require.True(t, errors.As(err, &problems))
	lines := strings.Split(text, "\n")
	line, column := 1, 1
	for _, p := range problems {
		require.Equal(t, "f", p.File)
		require.NotEmpty(t, p.Text)
		require.NotContains(t, p.Text, "\n", "a message is one line")
		require.LessOrEqual(t, p.Line, len(lines))
		require.GreaterOrEqual(t, p.Column, 1)
		require.LessOrEqual(t, p.Column, utf8.RuneCountInString(lines[p.Line-1])+1)
		require.False(t, p.Line < line || p.Line == line && p.Column < column, "out of order: %v", err)
		line, column = p.Line, p.Column
	}
}

// requireSame compares a hook with what encoding/json made of its entry.
func requireSame(t *testing.T, entry map[string]any, h *hook.Hook) {
	require.Equal(t, entry["name"], h.Name)

	switch command := entry["command"].(type) {
	case string:
		require.Equal(t, hook.Command{Shell: command}, h.Process().Command)
	case []any:
		require.Empty(t, h.Process().Shell)
		require.Equal(t, command, anys(h.Process().Argv))
		require.NotEmpty(t, h.Process().Argv)
	case nil:
		require.Zero(t, h.Process().Command)
		require.NotNil(t, h.Rule())
		if reason, ok := entry["block"]; ok {
			require.Equal(t, dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy,
				Status: dialect.StatusBlocked, Reason: reason.(string)}, h.Rule().Verdict)
		} else {
			require.Equal(t, dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK,
				Context: entry["inject"].(string)}, h.Rule().Verdict)
		}
	default:
		t.Fatalf("a command that is %T", command)
	}
	require.Equal(t, entry["command"] == nil, h.Rule() != nil)

	rule, _ := entry["if"].(string)
	require.Equal(t, rule, h.IfText())
	when, _ := entry["when"].([]any)
	require.Len(t, h.When, len(when))

	for _, e := range dialect.CanonicalEvents() {
		names := entry["events"].([]any)
		want := slices.Contains(names, any(string(e))) ||
			slices.Contains(names, any(string(dialect.ClaudeEventNamed(e))))
		require.Equal(t, want, slices.Contains(h.Events, e), e)
	}
	require.NotEmpty(t, h.Events)

	matcher, _ := entry["matcher"].(string)
	if _, ok := entry["matcher"]; !ok {
		require.Nil(t, h.Matcher)
	} else {
		require.Equal(t, matcher, h.Matcher.String())
	}

	require.Equal(t, entry["timeout"] != nil, h.Timeout > 0)

	env, _ := entry["env"].(map[string]any)
	require.Len(t, h.Env, len(env))
	for _, variable := range h.Env {
		name, value, _ := strings.Cut(variable, "=")
		require.Equal(t, env[name], value)
	}

	switch policy := entry["on_failure"].(type) {
	case nil:
		require.Nil(t, h.OnFailure)
	case string:
		for _, cause := range tenex.Dialect.Causes() {
			require.Equal(t, policy, h.OnFailure[cause].String())
		}
	case map[string]any:
		for _, cause := range dialect.FailureCauses() {
			decision, there := h.OnFailure[cause]
			require.Equal(t, policy[string(cause)] != nil, there)
			if there {
				require.Equal(t, policy[string(cause)], decision.String())
			}
		}
	}
}

func anys(texts []string) (all []any) {
	for _, s := range texts {
		all = append(all, s)
	}
	return all
}

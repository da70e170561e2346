package hookimport_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/hookimport"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

const (
	copilot = ".github/hooks/a.json"
	cursor  = ".cursor/hooks.json"
)

// What a client's own word says of failures is what on_failure says in an entry that keeps the client's rules.
func TestKeptFailurePolicy(t *testing.T) {
	t.Parallel()
	theirs := func(key string) string {
		return `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"` + key + `}]}]}}`
	}
	cursors := func(event, key string) string {
		return `{"version":1,"hooks":{"` + event + `":[{"command":"a"` + key + `}]}}`
	}
	for _, test := range []struct{ path, doc, policy string }{
		{claude, theirs(""), ""},
		{claude, theirs(`,"onFailure":"block"`), `,"on_failure":"block"`},
		{claude, theirs(`,"onFailure":"continue"`), `,"on_failure":"continue"`},
		{cursor, cursors("beforeReadFile", ""), ""},
		{cursor, cursors("beforeReadFile", `,"failClosed":false`), ""},
		{cursor, cursors("beforeReadFile", `,"failClosed":true`), `,"on_failure":"block"`},
		{cursor, cursors("preToolUse", `,"failClosed":true`), `,"on_failure":"block"`},
		{cursor, cursors("afterFileEdit", `,"failClosed":true`), ""}, // nothing is held up there
	} {
		result, err := hookimport.Parse(test.path, []byte(test.doc), nil)
		require.NoError(t, err, test.doc)
		if test.policy == "" {
			require.NotContains(t, entries(t, result), "on_failure", test.doc)
		} else {
			require.Contains(t, entries(t, result), test.policy, test.doc)
		}
		file := filepath.Join(t.TempDir(), hookfile.FileName)
		_, err = hookimport.Write(file, result.Entries)
		require.NoError(t, err, test.doc)

		before, err := parts.All().Parse(test.path, []byte(test.doc))
		require.NoError(t, err, test.doc)
		after, err := parts.All().LoadFile(file, nil)
		require.NoError(t, err, test.doc)
		want := maps.Clone(before.Hooks[0].OnFailure)
		delete(want, protocol.CauseUnsupported) // of types of hooks that no entry has
		if test.policy == "" {
			want = nil
		}
		require.Equal(t, want, after.Hooks[0].OnFailure, test.doc)
	}
}

// The report names the events at which `hookrun install` adds an entry for such hooks alone.
func TestNotedEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, event, entry string }{
		{cursor, "preToolUse", ""}, {cursor, "beforeShellExecution", ""}, {cursor, "afterFileEdit", ""},
		{cursor, "beforeTabFileRead", "beforeTabFileRead"}, {cursor, "stop", "stop"},
		{copilot, "preToolUse", ""}, {copilot, "PreToolUse", ""}, {copilot, "postToolUseFailure", ""},
		{copilot, "agentStop", "agentStop"}, {copilot, "Stop", "Stop"},
	} {
		doc := `{"version":1,"hooks":{"` + test.event + `":[{"type":"command","command":"a"}]}}`
		result, err := hookimport.Parse(test.path, []byte(doc), nil)
		require.NoError(t, err, doc)
		var named []string
		for _, i := range result.Report {
			if text, ok := strings.CutPrefix(i.Text, "these hooks run once hookrun has an entry at "); ok {
				event, _, _ := strings.Cut(text, ":")
				named = append(named, event)
			}
		}
		require.Equal(t, test.entry, strings.Join(named, " "), doc)
	}
}

// Of several commands one is carried, and the report names the others; so with Copilot CLI's two timeouts.
func TestOneCommand(t *testing.T) {
	t.Parallel()
	const others = ` is not carried: an entry has one command for all systems`
	for keys, lost := range map[string]string{
		`"bash":"a"`: "", `"powershell":"a"`: "", `"bash":"a","powershell":"a"`: "",
		`"bash":"a","powershell":"b"`:             `"powershell"` + others,
		`"command":"b","bash":"a"`:                `"command"` + others,
		`"bash":"a","timeout":7,"timeoutSec":5`:   `"timeoutSec" counts, and not this`,
		`"bash":"a","timeout":5,"timeoutSec":5.0`: "",
	} {
		doc := `{"version":1,"hooks":{"preToolUse":[{"type":"command",` + keys + `}]}}`
		result, err := hookimport.Parse(copilot, []byte(doc), nil)
		require.NoError(t, err, doc)
		var left []string
		for _, i := range result.Report {
			if i.Kind == hookimport.LeftOut {
				left = append(left, i.Text)
			}
		}
		require.Equal(t, lost, strings.Join(left, "\n"), doc)
		require.Len(t, result.Entries, 1, doc)
		require.Contains(t, entries(t, result), `"a"`, doc)
	}
}

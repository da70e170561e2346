//go:build linux

package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/hookimport"
	"github.com/hookrun/hookrun/internal/testall"
)

// TestImportedVerdicts imports the hooks of every recorded case so that they keep their client's rules, and asks both
// files about the call: the verdict is the same.
func TestImportedVerdicts(t *testing.T) {
	testall.Only(t, "it imports a corpus")
	t.Parallel()
	for dir, atLeast := range map[string]int{"claude": 364, "codex": 213, "copilot": 242, "cursor": 154, "droid": 131,
		"gemini": 153, "kimi": 100, "qwen": 234} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel() // most of it waits for hooks that sleep
			refused, empty, same := 0, 0, 0
			eachCase(t, dir, true, func(t *testing.T, r *trial) *int {
				result, err := hookimport.Read(r.settings, nil, hookimport.Client)
				if err != nil {
					_, loads := hookfile.LoadFile(r.settings, nil)
					require.Error(t, loads, "%v: what is loaded can be imported", err)
					return &refused
				}
				for _, i := range result.Report {
					require.NotEqual(t, hookimport.Differs, i.Kind, "%s", i)
				}
				into := filepath.Join(r.base, "imported.json")
				_, err = hookimport.Write(into, result.Entries)
				require.NoError(t, err)
				if len(result.Entries) == 0 {
					return &empty
				}
				theirs := r.outcome(t, r.settings)
				theyRan := r.marks(t)
				require.NoError(t, os.RemoveAll(filepath.Join(r.workspace, "n"))) // how often a hook of Copilot's ran
				ours := r.outcome(t, into)
				if r.Matrix != nil { // which hooks ran is all that it is about
					require.Equal(t, theyRan, r.marks(t), "%s", r.Note)
				}
				for _, field := range verdict {
					switch part := merged[r.ID] + merged[dir+"/"+r.ID]; {
					case part == "decision":
						require.Equal(t, "decision", field)
						require.NotEqual(t, saidOf(theirs, field), saidOf(ours, field))
						require.NotEqual(t, "continue", saidOf(ours, field), "what one hook blocks no other undoes")
						return &same
					case part != "" && strings.HasPrefix(field, part):
						require.NotEqual(t, saidOf(theirs, field), saidOf(ours, field))
					default:
						require.Equal(t, saidOf(theirs, field), saidOf(ours, field), "%s\ntheirs %s\nours %s", field,
							theirs, ours)
					}
				}
				return &same
			})
			t.Logf("%d files refused, %d without a hook that can be carried, %d the same", refused, empty, same)
			require.GreaterOrEqual(t, same, ofImported(atLeast))
		})
	}
}

var verdict = []string{"decision", "reason", "cause", "approved", "stop", "stop_reason", "updated_input",
	"updated_output", "inject.#.content", "system_messages"}

// merged are the cases with several hooks whose outcome has a field with another value, since order and merging are
// those of the project's file: the first block ends the call, gives the reason, and keeps what others say from the
// model.
var merged = map[string]string{
	"stop-block-and-stop":   "stop",
	"ups-block-and-context": "inject.#.content", "pre-deny-and-context": "inject.#.content",
	"bt-exit2-and-json-deny": "reason", "bt-deny-then-allow": "reason", "bt-ask-then-deny": "reason",

	// Copilot CLI takes the last context alone, and no rewrite beside a block. Droid takes the first of some.
	"copilot/ups-context-and-block": "inject.#.content", "copilot/ups-two-context": "inject.#.content",
	"copilot/post-modified-block-same": "updated_output", "copilot/post-modified-and-block": "updated_output",
	"two-denies": "reason", "droid/several-rewrites": "updated_input",
	"droid/several-post-contexts": "inject.#.content",
	"several-topdeny-topallow":    "reason", "several-stop-blocks": "reason", "qwen/several-stop-stop": "reason",
	"several-prompt-block-context": "inject.#.content", "several-exit2-topallow": "reason",
	"several-exit2-exit2": "reason", "several-deny-text": "system_messages",

	// In these clients one hook undoes what another one decided.
	"copilot/perm-exit2-and-allow": "decision", "copilot/perm-deny-and-allow": "decision",
	"droid/several-ask-deny": "decision", "several-slow-allow-deny": "decision",
	"droid/several-allow-deny": "decision", "qwen/several-deny-allow": "decision",
	"several-topdeny-allow": "decision", "several-topask-text": "decision", "several-exit2-allow": "decision",
	"several-deny-ask": "decision", "several-ask-allow": "decision", "qwen/several-allow-exit2": "decision",
}

var (
	savedContext = regexp.MustCompile(`/context-[0-9]+\.txt`)
	hookName     = regexp.MustCompile(`^(Stopped by project hook|[A-Za-z]+ hook) '.*?'( |$)`)
)

// saidOf is a field of an outcome, without the name of the hook and that of a file.
func saidOf(outcome gjson.Result, field string) string {
	text := savedContext.ReplaceAllString(outcome.Get(field).String(), "")
	return hookName.ReplaceAllString(text, "$1 NAME ")
}

//go:build linux

package conformance

import (
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
	t.Parallel()
	for dir, atLeast := range map[string]int{"claude": 365, "codex": 213, "gemini": 153, "kimi": 100} {
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
				theirs := r.outcome(r.settings)
				theyRan := r.marks(t)
				ours := r.outcome(into)
				if r.Matrix != nil { // which hooks ran is all that it is about
					require.Equal(t, theyRan, r.marks(t), "%s", r.Note)
				}
				for _, field := range verdict {
					if part := merged[r.ID]; part != "" && strings.HasPrefix(field, part) {
						require.NotEqual(t, saidOf(theirs, field), saidOf(ours, field))
					} else {
						require.Equal(t, saidOf(theirs, field), saidOf(ours, field), "%s\ntheirs %s\nours %s", field,
							theirs, ours)
					}
				}
				return &same
			})
			t.Logf("%d files refused, %d without a hook that can be carried, %d the same", refused, empty, same)
			require.GreaterOrEqual(t, same, testall.Of(1, atLeast))
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

//go:build linux

package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/conformance/kit"
	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/clients/hookimport"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// Cases that sleep, and those that are about patterns of if alone, run only where all tests do: in an imported file
// hooks sleep one after the other, those of multi-parallel-60 for a minute and a half, and an if is carried as a text.
// The ones of chosen always run, so that each rule about time, order and if has some.
var sleeping = regexp.MustCompile(`sleep[ (]+[0-9.]*[1-9]`)

// imported is which part of the cases is imported, unless HOOKRUN_SOAK=1: each is run as the client would without that.
const imported = 3

var soak = os.Getenv("HOOKRUN_SOAK") == "1"

// ofImported is how many of some cases are at least among those that are imported.
func ofImported(n int) int {
	if soak {
		return n
	}
	return n / (imported + 2)
}

var chosen = []string{"proc-timeout-sleep", "multi-timeout-and-deny", "multi-exit2-slow-exit2-fast",
	"pre-timeout-zero", "pre-timeout-other-ok", "if-bash-01", "if-bash2-15", "if-bash2-73"}

// imports are how many cases of a client at least have a hooks file that can be imported.
var imports = map[string]int{"claude": 364, "codex": 213, "copilot": 242, "crush": 250, "cursor": 154, "droid": 131,
	"gemini": 153, "kimi": 100, "qwen": 234}

// TestImportedVerdicts imports the hooks of every recorded case, and asks both files about the call: the verdict is the
// same.
func TestImportedVerdicts(t *testing.T) {
	testall.Only(t, "it imports a corpus")
	t.Parallel()
	for _, dir := range recordedClients(t) {
		atLeast := imports[dir]
		if atLeast == 0 { // it has no hooks file
			continue
		}
		t.Run(dir, func(t *testing.T) {
			t.Parallel() // most of it waits for hooks that sleep
			refused, empty, same := 0, 0, 0
			eachCase(t, dir, true, func(t *testing.T, r *trial) *int {
				result, err := hookimport.Read(r.HooksFile, nil)
				if err != nil {
					_, loads := parts.All().LoadFile(r.HooksFile, nil)
					require.Error(t, loads, "%v: what is loaded can be imported", err)
					return &refused
				}
				into := filepath.Join(r.Base, "imported.json")
				_, err = hookimport.Write(into, result.Entries)
				require.NoError(t, err)
				if len(result.Entries) == 0 {
					return &empty
				}
				theirs := r.outcome(t, r.HooksFile)
				theyRan := r.marks(t)
				require.NoError(t, os.RemoveAll(filepath.Join(r.Workspace, "n"))) // how often a hook of Copilot's ran
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
					case slices.ContainsFunc(strings.Fields(part),
						func(p string) bool { return strings.HasPrefix(field, p) }):
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

// merged are the cases with several hooks whose outcome has fields with another value, since order and merging are
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

	// Crush joins the reasons, and takes an allow beside a hook that failed.
	"many-deny-deny": "reason", "many-deny-none": "reason", "many-exit2-deny": "reason",
	"many-exit2-exit2": "reason", "many-same-reason": "reason", "many-halt-deny": "reason stop_reason",
	"many-deny-halt": "reason stop", "many-halt-halt": "reason stop_reason",
	"many-49-silent-deny": "reason stop_reason", "many-allow-fail": "cause approved",

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

// eachCase runs a test of each recorded case, and counts in what it returns. Cases that sleep are left out unless asked
// for.
func eachCase(t *testing.T, dir string, sleepers bool, test func(*testing.T, *trial) *int) {
	client, lines, err := kit.ReadClient(cases, dir)
	require.NoError(t, err)
	var mu sync.Mutex
	t.Run("cases", func(t *testing.T) {
		for i, line := range lines {
			id, n := line.ID, i+1
			sleeps := sleeping.MatchString(line.Text)
			slow := sleeps || strings.HasPrefix(id, "if-bash") || n%sampled != 0
			t.Run(id, func(t *testing.T) {
				if !soak && n%imported != 0 && !slices.Contains(chosen, id) {
					t.Skip("it is like others: it runs with HOOKRUN_SOAK=1")
				}
				longest := id == "multi-parallel-60" && !soak
				if longest || !sleepers && sleeps && !slices.Contains(chosen, id) {
					t.Skip("it sleeps: it runs with HOOKRUN_SOAK=1")
				}
				if slow && !slices.Contains(chosen, id) {
					testall.Only(t, "most cases are alike")
				}
				t.Parallel()
				count := test(t, newTrial(t, line.Text, client))
				mu.Lock()
				defer mu.Unlock()
				*count++
			})
		}
	})
}

// outcome fires the case with a hooks file.
func (r *trial) outcome(t *testing.T, config string) gjson.Result {
	t.Helper()
	cmd := exec.Command(binary.Path, "fire", "-C", r.Workspace, "-c", config, "-o", "json")
	cmd.Dir, cmd.Env, cmd.Stdin = r.Base, r.environment(t), strings.NewReader(r.Stdin)
	cmd.WaitDelay = kit.Limit
	out, _ := cmd.Output() // the exit code says what the outcome does
	return gjson.ParseBytes(out)
}

// marks returns the notes of hooks that ran, and puts them aside.
func (r *trial) marks(t *testing.T) []string {
	t.Helper()
	ran, err := r.Ran()
	require.NoError(t, err)
	return ran
}

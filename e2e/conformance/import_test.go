//go:build linux

package conformance

import (
	"encoding/json"
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

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/hookimport"
	"github.com/hookrun/hookrun/internal/testall"
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

// TestImportedInOwnTerms imports the hooks of every recorded case in the project's terms and asks both files about the
// call. Where the report has nothing but notes and what is said in other words, decision and reason are the same,
// unless a hook ended in a way that the notes name.
func TestImportedInOwnTerms(t *testing.T) {
	testall.Only(t, "it imports a corpus")
	t.Parallel()
	// hooks of Copilot CLI and Gemini CLI answer in words of their own
	for dir, atLeast := range map[string]int{"claude": 100, "codex": 50, "copilot": 0, "gemini": 0} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel() // most of it waits for hooks that sleep
			refused, incomplete, compared, noted := 0, 0, 0, 0
			eachCase(t, dir, soak, func(t *testing.T, r *trial) *int {
				return importCase(t, r, &refused, &incomplete, &compared, &noted)
			})
			t.Logf("%d files refused, %d not carried whole, %d the same, %d as noted", refused, incomplete, compared,
				noted)
			require.GreaterOrEqual(t, compared, ofImported(atLeast))
		})
	}
}

// eachCase runs a test of each recorded case, and counts in what it returns. Cases that sleep are left out unless asked
// for.
func eachCase(t *testing.T, dir string, sleepers bool, test func(*testing.T, *trial) *int) {
	var common prelude
	doc, err := os.ReadFile(filepath.Join("..", "testdata", dir, "prelude.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(doc, &common))
	paths, err := filepath.Glob(filepath.Join("..", "testdata", dir, "*.jsonl"))
	require.NoError(t, err)
	var mu sync.Mutex
	n := 0
	t.Run("cases", func(t *testing.T) {
		for _, path := range paths {
			doc, err := os.ReadFile(path)
			require.NoError(t, err)
			for line := range strings.Lines(string(doc)) {
				if strings.TrimSpace(line) == "" {
					continue
				}
				id := gjson.Get(line, "id").String()
				n++
				slow := sleeping.MatchString(line) || strings.HasPrefix(id, "if-bash") || n%sampled != 0
				t.Run(id, func(t *testing.T) {
					if !soak && n%imported != 0 && !slices.Contains(chosen, id) {
						t.Skip("it is like others: it runs with HOOKRUN_SOAK=1")
					}
					longest := id == "multi-parallel-60" && !soak
					if longest || !sleepers && sleeping.MatchString(line) && !slices.Contains(chosen, id) {
						t.Skip("it sleeps: it runs with HOOKRUN_SOAK=1")
					}
					if slow && !slices.Contains(chosen, id) {
						testall.Only(t, "most cases are alike")
					}
					t.Parallel()
					count := test(t, newTrial(t, line, common))
					mu.Lock()
					defer mu.Unlock()
					*count++
				})
			}
		}
	})
}

// importCase returns which of the counters the case is one of. Files are read in this process: a process for each would
// be most of the time.
func importCase(t *testing.T, r *trial, refused, incomplete, compared, noted *int) *int {
	t.Helper()
	result, err := hookimport.Read(r.settings, nil, hookimport.Project)
	if err != nil {
		_, loads := hookfile.LoadFile(r.settings, nil)
		require.Error(t, loads, "%v: what is loaded can be imported", err)
		return refused
	}
	into := filepath.Join(r.base, "imported.json")
	added, err := hookimport.Write(into, result.Entries)
	require.NoError(t, err)
	require.Len(t, added, len(result.Entries))
	switch {
	case len(added) == 0:
		return map[bool]*int{true: noted, false: incomplete}[result.Faithful()]
	case slices.ContainsFunc(result.Report, differs):
		return incomplete
	}
	theirs := r.outcome(t, r.settings)
	theyRan := r.marks(t)
	ours := r.outcome(t, into)
	weRan := r.marks(t)
	switch wider := slices.ContainsFunc(result.Report, func(i hookimport.Item) bool {
		return i.Kind == hookimport.Wider
	}); {
	case r.Matrix == nil: // else which hooks ran is all that it is about
	case wider, r.Stdin != nil && gjson.GetBytes(r.Stdin, "tool_name").String() == "srv___ping": // mcp__srv__ping here
		require.Subset(t, weRan, theyRan, "%s", r.Note)
	default:
		require.Equal(t, theyRan, weRan, "%s", r.Note)
	}
	decision := func(o gjson.Result) string { return o.Get("decision").String() }
	if decision(theirs) == decision(ours) &&
		strings.TrimSpace(theirs.Get("reason").String()) == strings.TrimSpace(ours.Get("reason").String()) {
		return compared
	}
	lost := decision(theirs) != "continue" && decision(ours) == "continue" && r.ID != "proc-timeout-partial-deny" &&
		!(theirs.Get("stop").Bool() && ours.Get("stop").Bool())
	require.False(t, lost, "a gate was lost\n%s\n%s", theirs, ours)
	require.True(t, isNoted(r.ID, theirs, ours), "theirs %s\nours %s", theirs, ours)
	return noted
}

// outcome fires the case with a hooks file.
func (r *trial) outcome(t *testing.T, config string) gjson.Result {
	t.Helper()
	cmd := exec.Command(binary.Path, "fire", "-C", r.workspace, "-c", config, "-o", "json")
	cmd.Dir, cmd.Env, cmd.Stdin = r.base, r.environment(t), strings.NewReader(r.stdin)
	cmd.WaitDelay = callLimit
	out, _ := cmd.Output() // the exit code says what the outcome does
	return gjson.ParseBytes(out)
}

// differs reports whether something of one hook is not the same here. What is so with every file is at no line of it.
func differs(i hookimport.Item) bool {
	return i.Line > 0 && (i.Kind == hookimport.Differs || i.Kind == hookimport.LeftOut)
}

// marks returns and removes the notes of hooks that ran.
func (r *trial) marks(t *testing.T) (ran []string) {
	t.Helper()
	notes, err := os.ReadDir(r.notes)
	require.NoError(t, err)
	for _, n := range notes {
		name, _, _ := strings.Cut(n.Name(), ".")
		ran = append(ran, name)
		require.NoError(t, os.RemoveAll(filepath.Join(r.notes, n.Name())))
	}
	slices.Sort(ran)
	return ran
}

// isNoted reports whether outcomes may differ: a hook ended in a way that the notes of every import name.
func isNoted(id string, theirs, ours gjson.Result) bool {
	if theirs.Get("decision").String() == ours.Get("decision").String() &&
		(strings.Contains(ours.Get("reason").String(), "roject hook '") ||
			strings.HasSuffix(theirs.Get("reason").String(), " by hook")) {
		return true // it gave no reason, so the words are hookrun's, or the client's
	}
	if theirs.Get("stop").Bool() && ours.Get("stop").Bool() {
		return true // the client does not run this call either
	}
	for _, h := range theirs.Get("hooks").Array() {
		code := h.Get("exit_code").Int()
		switch {
		case code != 0 && code != 2, h.Get("status").String() == "failed", h.Get("status").String() == "unstarted":
			return true
		case code == 2 && (h.Get("stdout_bytes").Int() > 0 || strings.TrimSpace(h.Get("stderr").String()) == ""):
			return true
		}
	}
	if strings.Contains(theirs.Get("warnings").String(), "Droid takes ") {
		return true // for none, or another hook's
	}
	// answers that their client does not read like this
	return id == "pre-json-bom" || id == "pre-legacy-block-vs-json-allow" || id == "proc-timeout-partial-deny"
}

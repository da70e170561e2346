//go:build unix

package examples

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// massgenExamples is the folder of MassGen's built-in hooks as programs.
func massgenExamples(t *testing.T) string {
	return filepath.Join(binary.Repository(t), "scripts", "examples", "massgen")
}

// massgenRoom is a project with these programs in it, and a place for hookrun's queues.
type massgenRoom struct {
	*testing.T
	dir string
	env []string
}

// newMassgenRoom wires hooks as lines of YAML, by event.
func newMassgenRoom(t *testing.T, hooks string, env ...string) *massgenRoom {
	t.Helper()
	binary.Needs(t, "python3")
	r := &massgenRoom{T: t, dir: t.TempDir()}
	files, err := os.ReadDir(massgenExamples(t))
	require.NoError(t, err)
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".py" {
			continue
		}
		// Links: a program that was just written may still be open in a child that another test is starting, and is
		// busy then.
		require.NoError(t, os.Symlink(filepath.Join(massgenExamples(t), f.Name()), r.path(f.Name())))
	}
	binary.WriteFile(t, r.dir, "massgen.yaml", hooks)
	r.env = append([]string{"HOOKRUN_STATE=" + filepath.Join(t.TempDir(), "state"),
		"MASSGEN_ROUND_STATE=" + r.path("state.json"), "PYTHONDONTWRITEBYTECODE=1"}, env...)
	return r
}

func (r *massgenRoom) path(name string) string { return filepath.Join(r.dir, name) }

// run runs one of the programs, which must end well.
func (r *massgenRoom) run(stdin string, argv ...string) string {
	r.Helper()
	done := r.try(stdin, argv...)
	require.Equal(r, 0, done.Code, done.Stderr)
	require.Empty(r, done.Stderr)
	return done.Stdout
}

func (r *massgenRoom) try(stdin string, argv ...string) binary.Result {
	r.Helper()
	return binary.Run(r.T, r.dir, stdin, r.env, append([]string{r.path(argv[0])}, argv[1:]...)...)
}

// atOnce runs one of the programs several times at the same time.
func (r *massgenRoom) atOnce(times int, stdin func(i int) string, argv ...string) {
	r.Helper()
	var all sync.WaitGroup
	ended := make([]binary.Result, times)
	for i := range times {
		all.Go(func() { ended[i] = r.try(stdin(i), argv...) })
	}
	all.Wait()
	for _, done := range ended {
		require.Equal(r, 0, done.Code, done.Stderr)
	}
}

// massgenOutcome is the part of an outcome that these tests look at.
type massgenOutcome struct {
	Decision, Reason string
	Warnings         []string
	Inject           []massgenInject
	Hooks            []struct{ Name, Status string }
}

type massgenInject struct{ Content, Strategy, Source string }

func (o massgenOutcome) texts() (all []string) {
	for _, i := range o.Inject {
		all = append(all, i.Content)
	}
	return all
}

// fire is `hookrun EVENT` for a tool of an agent in session s.
func (r *massgenRoom) fire(event, agent, tool string, flags ...string) (o massgenOutcome) {
	r.Helper()
	argv := []string{binary.Path, event, "-o", "json", "--config", "massgen.yaml", "--session-id", "s", "--agent-id",
		agent, "--tool", tool}
	done := binary.Run(r.T, r.dir, "", r.env, append(argv, flags...)...)
	require.NoError(r, json.Unmarshal([]byte(done.Stdout), &o), "exit %d, stdout %q, stderr %q", done.Code,
		done.Stdout, done.Stderr)
	want := 0
	if o.Decision != "continue" {
		want = 2
	}
	require.Equal(r, want, done.Code, done.Stderr)
	return o
}

func (r *massgenRoom) post(agent, tool, result string) massgenOutcome {
	r.Helper()
	return r.fire("post-tool", agent, tool, "--args", "{}", "--result", result)
}

func (r *massgenRoom) pre(agent, tool string) massgenOutcome {
	r.Helper()
	return r.fire("pre-tool", agent, tool, "--args", "{}")
}

// says is post of a call that must give the model these texts and no warning.
func (r *massgenRoom) says(agent string, want ...massgenInject) {
	r.Helper()
	o := r.post(agent, "shell", "ok")
	require.Equal(r, want, o.Inject)
	require.Empty(r, o.Warnings)
}

// waits is what is in the queue of session s: each text's first line that is not blank.
func (r *massgenRoom) waits() string {
	r.Helper()
	return binary.Run(r.T, r.dir, "", r.env, binary.Path, "queue", "--session", "s").Stdout
}

// state writes the state file of the session.
func (r *massgenRoom) state(v any) { binary.WriteFile(r.T, r.dir, "state.json", binary.JSON(r.T, v)) }

// agent is what the state file has of an agent.
func (r *massgenRoom) agent(name string) map[string]any {
	r.Helper()
	text, err := os.ReadFile(r.path("state.json"))
	require.NoError(r, err)
	var state struct{ Agents map[string]map[string]any }
	require.NoError(r, json.Unmarshal(text, &state))
	return state.Agents[name]
}

// ago is a time in the past as Python's time.time() has it.
func ago(d time.Duration) float64 { return float64(time.Now().Add(-d).UnixMilli()) / 1000 }

// massgenGolden is a file of testdata/massgen/golden.
func massgenGolden(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "massgen", "golden", name))
	require.NoError(t, err)
	return string(text)
}

// wired is a hooks file with one hook.
func wired(event, hook string) string { return "hooks:\n  " + event + ":\n    - " + hook + "\n" }

// told is the text for agent_b.
func (r *massgenRoom) told(state, answers binary.Object) string {
	r.Helper()
	r.state(state)
	return r.run(binary.JSON(r.T, answers), "peer_answer.py", "--print", "--agent", "agent_b")
}

func (r *massgenRoom) ledger() (entries []binary.Object) {
	r.Helper()
	text, err := os.ReadFile(r.path(".massgen_scratch/verification/media_call_ledger.json"))
	require.NoError(r, err)
	var ledger struct {
		Version   int
		UpdatedAt time.Time `json:"updated_at"`
		Entries   []binary.Object
	}
	require.NoError(r, json.Unmarshal(text, &ledger))
	require.Equal(r, 1, ledger.Version)
	require.WithinDuration(r, time.Now(), ledger.UpdatedAt, time.Minute)
	return ledger.Entries
}

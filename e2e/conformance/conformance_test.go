//go:build linux || windows

package conformance

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/conformance/kit"
	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// cases are the recorded cases. The runner of conformance gives the same ones to any program, and judges it by the same
// code.
var cases = os.DirFS("../../conformance")

// TestConformance holds hookrun to what each client itself did with the same hooks. Some clients cannot be run here:
// their cases are written from their documents, as their client.json says.
func TestConformance(t *testing.T) {
	for _, client := range recordedClients(t) {
		t.Run(client, func(t *testing.T) { runConformance(t, client) })
	}
}

// recordedClients are the folders that have cases of a client.
func recordedClients(t *testing.T) []string {
	names, err := kit.Names(cases)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 10)
	return names
}

// slots keeps few cases going at a time: some of them say how long they may take.
var slots = make(chan struct{}, 4)

// sampled is which part of the recorded cases always runs: every 24th of each file. The others run where all tests do.
const sampled = 24

// runConformance runs the cases of a client.
func runConformance(t *testing.T, name string) {
	client, lines, err := kit.ReadClient(cases, name)
	require.NoError(t, err)
	require.NotEmpty(t, lines)
	var mutex sync.Mutex
	ran, leftOut := 0, map[string]int{}
	count := func(what string) {
		mutex.Lock()
		defer mutex.Unlock()
		if what == "" {
			ran++
		} else {
			leftOut[what]++
		}
	}
	// The cases end after this function has.
	t.Cleanup(func() { t.Logf("%d cases, %d compared; left out, by what they need: %v", len(lines), ran, leftOut) })
	n := map[string]int{} // of each file
	for _, line := range lines {
		always := n[line.Topic]%sampled == 0
		n[line.Topic]++
		t.Run(line.ID, func(t *testing.T) {
			if !always {
				testall.Only(t, "most cases are alike")
			}
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			trial := newTrial(t, line.Text, client)
			trial.fire(t, binary.Path, kit.Limit)
			if what := trial.leftOut(); what != "" {
				count(what)
				t.Skipf("the hooks need %s", what)
			}
			count("")
			wrong := trial.Judge(strict)
			for try := 1; try < kit.Tries && kit.MayBeBusy(wrong); try++ {
				trial = newTrial(t, line.Text, client)
				trial.fire(t, binary.Path, kit.Limit)
				wrong = trial.Judge(strict)
			}
			for _, d := range wrong {
				t.Error(d)
			}
			if len(wrong) == 0 {
				trial.requireAnswer(t, name)
			}
			trial.requireForms(t)
			if len(wrong) > 0 {
				t.Logf("stdout %s\nstderr %s", kit.Shortened(trial.Stdout), kit.Shortened(trial.Stderr))
			}
		})
	}
}

// strict is how hookrun is judged: by all of its outcome.
var strict = kit.Rules{Form: kit.Outcome}

// trial is a case, tried with hookrun.
type trial struct{ *kit.Trial }

func newTrial(t *testing.T, line string, client *kit.Client) *trial {
	t.Helper()
	made, err := kit.New(line, client)
	require.NoError(t, err)
	t.Cleanup(func() {
		if !made.Close() {
			t.Logf("cannot remove %s", made.Base)
		}
	})
	prepare(t, made.Needs)
	if need := made.Missing(); need != "" {
		t.Skipf("%s is missing", need)
	}
	return &trial{made}
}

// fire calls `hookrun fire` as a client would, and in another folder than the workspace.
func (r *trial) fire(t *testing.T, hookrun string, limit time.Duration) {
	t.Helper()
	r.Run(r.Base, r.environment(t), limit, hookrun,
		"fire", "--config", r.HooksFile, "-C", r.Workspace, "--output", "json")
	if binary.Busy(r.Err) {
		t.Skip("no process could be started")
	}
	require.NoError(t, r.Err)
}

func (r *trial) environment(t *testing.T) []string { return r.Environment(r.ownVariables(t)) }

//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/net/keeper"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// warm is a workspace with a persistent hook and a state folder of its own. At the end of the test nothing is left of
// its keepers.
type warm struct {
	*testing.T
	Dir, State, Hook, Binary string
	Env                      []string
}

// guard is a hook in sh that says in a log what it got, and blocks each call whose command begins with "block".
const guard = `exec 5>>log
while IFS= read -r line; do
	id=${line#*\"id\":} id=${id%%[,\}]*} command=${line#*\"command\":\"} command=${command%%\"*}
	echo "$command" >&5
	case $command in
	block*) echo "{\"id\":$id,\"decision\":\"block\",\"reason\":\"$command $$\"}" ;;
	wait*) exec 3<gate; echo hook $$ >ready; read x <&3; exec 3<&-
		echo "{\"id\":$id,\"decision\":\"block\",\"reason\":\"$command $$\"}" ;;
	exit) echo why >&2; exit 7 ;;
	*) echo "{\"id\":$id}" ;;
	esac
done
`

var warms atomic.Int64

// newWarm makes a workspace whose hook is this script.
func newWarm(t *testing.T, script string, more ...binary.Hook) *warm {
	t.Helper()
	state, err := os.MkdirTemp("", "w") // short: the path of a socket is
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(state) })
	w := &warm{T: t, Dir: t.TempDir(), State: state, Hook: fmt.Sprintf("hook %d %d", os.Getpid(), warms.Add(1)),
		Binary: binary.Path}
	w.Env = append(binary.Environment(w.Dir), "XDG_STATE_HOME="+state, "HOME="+w.Dir, "E2E_MARK="+w.Dir)
	binary.WriteFile(t, w.Dir, "guard.sh", script)
	w.write(more...)
	t.Cleanup(w.end)
	return w
}

// write writes the hooks file.
func (w *warm) write(more ...binary.Hook) {
	w.Helper()
	h := rpc.PreTool(w.Hook, "*", []string{"sh", "guard.sh"}, append([]binary.Hook{{"persistent": true}}, more...)...)
	binary.WriteHooks(w.T, w.Dir, h)
}

// end ends the keepers of the state folder. Of all keepers of the hook nothing may be left.
func (w *warm) end() {
	w.Helper()
	for _, pid := range w.keepers() {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	for _, i := range keeper.List(filepath.Join(w.State, "hookrun")) {
		require.NoError(w, i.End())
	}
	w.nothingLeft()
}

func (w *warm) nothingLeft() {
	w.Helper()
	require.Eventually(w, func() bool { return len(w.keepers())+len(w.marked()) == 0 }, binary.Patience,
		time.Millisecond)
}

// keepers returns the keepers of the hook.
func (w *warm) keepers() (pids []int) {
	return pidsWhere(func(folder string, pid int) bool {
		text, _ := os.ReadFile(folder + "/cmdline")
		return string(text) == "hookrun\x00"+keeper.Command+"\x00"+w.Hook+"\x00"
	})
}

// marked returns what runs of the hook, and hookrun itself.
func (w *warm) marked() (pids []int) {
	return pidsWhere(func(folder string, pid int) bool {
		text, _ := os.ReadFile(folder + "/environ")
		return bytes.Contains(append(text, 0), []byte("E2E_MARK="+w.Dir+"\x00"))
	})
}

func pidsWhere(is func(folder string, pid int) bool) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && binary.Alive(pid) && is("/proc/"+e.Name(), pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// command returns a hookrun for one call.
func (w *warm) command(command string, more ...string) *exec.Cmd {
	args, err := json.Marshal(map[string]string{"command": command})
	require.NoError(w, err)
	cmd := exec.Command(w.Binary, append([]string{"pre-tool", "--tool", "shell", "--args", string(args), "-o", "json",
		"-C", w.Dir}, more...)...)
	cmd.Env, cmd.Dir = w.Env, "/"
	return cmd
}

// warmOutcome is what these tests read of an outcome.
type warmOutcome struct {
	Decision, Reason, Cause string
	Warnings                []string
	Hooks                   []struct {
		Status, Cause, Stderr string
		Warm                  bool
		ExitCode              *int `json:"exit_code"`
	}
}

// warm reports whether a process answered that an earlier call had started.
func (o warmOutcome) warm() bool { return len(o.Hooks) == 1 && o.Hooks[0].Warm }

// outcome returns the outcome of a command. ok is false if it was killed.
func (w *warm) outcome(cmd *exec.Cmd) (o warmOutcome, ok bool) {
	w.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return o, false
	}
	require.NoError(w, json.Unmarshal(out, &o), "%s%s %v", out, &stderr, err)
	return o, true
}

// call calls the hook.
func (w *warm) call(command string, more ...string) warmOutcome {
	w.Helper()
	o, ok := w.outcome(w.command(command, more...))
	require.True(w, ok)
	return o
}

// pid returns the process that answers.
func (w *warm) pid() string {
	w.Helper()
	o := w.call("block pid")
	words := strings.Fields(o.Reason)
	require.Len(w, words, 3, "%+v", o)
	return words[2]
}

// warmed calls the hook until a warm process answers, and returns that process.
func (w *warm) warmed() (pid string) {
	w.Helper()
	require.Eventually(w, func() bool {
		o := w.call("block pid")
		pid = strings.TrimPrefix(o.Reason, "block pid ")
		return o.warm()
	}, binary.Patience, time.Millisecond)
	return pid
}

// log returns how often the hook got each command.
func (w *warm) log() map[string]int {
	times := map[string]int{}
	text, _ := os.ReadFile(filepath.Join(w.Dir, "log"))
	for line := range strings.Lines(string(text)) {
		times[strings.TrimSpace(line)]++
	}
	return times
}

func TestWarmHook(t *testing.T) {
	t.Parallel()
	w := newWarm(t, guard)
	require.False(t, w.call("first").warm())
	pid := w.warmed()
	for range 5 {
		require.Equal(t, pid, w.pid())
	}
	require.Equal(t, "continue", w.call("fine").Decision)
	at := w.keepers()
	require.Len(t, at, 1)

	cmd := exec.Command(w.Binary, "fire", "-o", "claude", "-C", w.Dir)
	cmd.Env = w.Env
	cmd.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash",` +
		`"tool_input":{"command":"block claude"},"tool_use_id":"t1","cwd":"` + w.Dir + `"}`)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), `"permissionDecisionReason":"block claude `+pid)
	require.Equal(t, at, w.keepers())
	require.Equal(t, 1, w.log()["block claude"])
}

// A hook answers in the same way if it is kept, at the first call and when it is warm, as if it is not.
func TestWarmHookIsLikeACold(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]string{
		"a block":            `{\"id\":$id,\"decision\":\"block\",\"reason\":\"no\"}`,
		"an exit code":       `{\"id\":$id,\"exit_code\":2,\"stderr\":\"no\"}`,
		"another code":       `{\"id\":$id,\"exit_code\":1,\"stderr\":\"no\"}`,
		"a text":             `{\"id\":$id,\"stdout\":\"remember\"}`,
		"an error":           `{\"id\":$id,\"error\":\"no database\"}`,
		"another id":         `{\"id\":12345678,\"decision\":\"block\"}`,
		"no JSON":            `hello`,
		"two objects":        `{}{}`,
		"without an id":      `{\"decision\":\"block\",\"reason\":\"no\"}`,
		"a nearly right key": `{\"id\":$id,\"exitCode\":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := strings.ReplaceAll(guard, "\texit) ", "\tsay) echo \""+does+"\" ;;\n\texit) ")
			kept := newWarm(t, script)
			once := newWarm(t, script, binary.Hook{"keep": "0s"})
			want := once.call("say")
			require.Empty(t, once.keepers())
			require.NotEmpty(t, want.Hooks)
			kept.call("say")
			kept.warmed()
			got := kept.call("say")
			require.True(t, got.warm(), "%+v", got)
			got.Hooks[0].Warm = false
			number := regexp.MustCompile(`the call has \d+|hook \d+ \d+`)
			got.Reason, want.Reason = number.ReplaceAllString(got.Reason, ""), number.ReplaceAllString(want.Reason, "")
			got.Warnings, want.Warnings = nil, nil // with the name
			require.Equal(t, want, got)
		})
	}
}

// Many calls at once of one warm hook are answered once each.
func TestWarmHookOfManyCalls(t *testing.T) {
	for _, workers := range []int{1, 4} {
		w := newWarm(t, guard, binary.Hook{"workers": workers})
		w.warmed()
		var all sync.WaitGroup
		var wereWarm atomic.Int64
		calls := testall.Of(2, 100)
		for n := range 20 {
			all.Go(func() {
				for i := range calls {
					token := fmt.Sprint("block ", n, ".", i)
					o := w.call(token)
					if !strings.HasPrefix(o.Reason, token+" ") {
						t.Errorf("%s: %+v", token, o)
					}
					if o.warm() {
						wereWarm.Add(1)
					}
				}
			})
		}
		all.Wait()
		log := w.log()
		for n := range 20 {
			for i := range calls {
				require.Equal(t, 1, log[fmt.Sprint("block ", n, ".", i)])
			}
		}
		t.Logf("%d of %d were warm", wereWarm.Load(), 20*calls)
		require.NotZero(t, wereWarm.Load())
	}
}

// Keepers, hooks and hookruns are killed at random. A gate that blocks each call lets none go on, and gets none twice.
func TestKillsOfWarmHooks(t *testing.T) {
	w := newWarm(t, guard, binary.Hook{"workers": 2})
	w.warmed()
	ctx, over := context.WithCancel(context.Background())
	var callers sync.WaitGroup
	for n := range 4 {
		callers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				token := fmt.Sprint("block ", n, ".", i)
				if o, ok := w.outcome(w.command(token)); ok {
					if o.Decision != "block" || o.Cause == "policy" && !strings.HasPrefix(o.Reason, token+" ") {
						t.Errorf("%s: %+v", token, o)
					}
				}
			}
		})
	}
	for i := range testall.Of(20, 500) {
		time.Sleep(time.Duration(rand.IntN(15)) * time.Millisecond) // no verdict depends on when
		pids := w.marked()                                          // hooks and hookruns
		if i%3 == 0 {
			pids = w.keepers()
		}
		if len(pids) > 0 {
			_ = syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL)
		}
	}
	over()
	callers.Wait()
	for token, times := range w.log() {
		if token != "block pid" {
			require.Equal(t, 1, times, token)
		}
	}
	w.warmed()
}

// The commands after which no hook of the project runs end what is warm, in whatever way the project is named.
func TestCommandsThatEndWarmHooks(t *testing.T) {
	t.Parallel()
	for _, commands := range [][]string{
		{"status --end"}, {"deny"}, {"install claude", "uninstall claude"}, {"uninstall claude -C ."},
	} {
		t.Run(strings.Join(commands, ", "), func(t *testing.T) {
			t.Parallel()
			w := newWarm(t, guard)
			w.warmed()
			for i, command := range commands {
				require.Len(t, w.keepers(), 1)
				cmd := exec.Command(w.Binary, strings.Fields(command)...)
				cmd.Env, cmd.Dir = w.Env, w.Dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				if i == len(commands)-1 {
					require.Empty(t, w.keepers(), "%s", out)
				}
			}
		})
	}
}

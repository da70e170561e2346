//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// with returns a copy with other variables.
func (w *warm) with(variables ...string) *warm {
	other := *w
	other.Env = append(w.Env[:len(w.Env):len(w.Env)], variables...)
	return &other
}

// Each caller that differs from the first has another process, and the first keeps its own.
func TestWarmHookOfOthers(t *testing.T) {
	t.Parallel()
	w := newWarm(t, guard)
	first := w.warmed()
	bin := filepath.Join(t.TempDir(), "hookrun")
	text, err := os.ReadFile(w.Binary)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bin, append(text, 0), 0o700))
	build := w.with()
	build.Binary = bin
	shell := w.with()
	shell.Binary = filepath.Join(t.TempDir(), "umask")
	require.NoError(t, os.WriteFile(shell.Binary, []byte("#!/bin/sh\numask 077\nexec "+w.Binary+" \"$@\"\n"), 0o700))
	for name, other := range map[string]*warm{
		"PATH":          w.with("PATH=" + os.Getenv("PATH") + ":/x"),
		"a variable":    w.with("X=1"),
		"not UTF-8":     w.with("X=\xff"),
		"another build": build,
		"umask":         shell,
	} {
		pid := other.warmed()
		require.NotEqual(t, first, pid, name)
		require.Equal(t, pid, other.pid(), name)
	}
	require.Eventually(t, func() bool { return len(w.keepers()) <= 8 }, binary.Patience, time.Millisecond,
		"the oldest have ended")
}

// Two workspaces with equal files, one that moves and one that is made again.
func TestWarmHooksOfWorkspaces(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	w := newWarm(t, guard)
	place := func(name string) *warm {
		other := *w
		other.Dir = filepath.Join(above, name)
		binary.WriteFile(t, other.Dir, "guard.sh", guard)
		other.write()
		return &other
	}
	one, two := place("one"), place("two")
	pids := map[string]bool{one.warmed(): true, two.warmed(): true, w.warmed(): true}
	require.Len(t, pids, 3)

	moved := *one
	moved.Dir = filepath.Join(above, "moved")
	require.NoError(t, os.Rename(one.Dir, moved.Dir))
	pids[moved.warmed()] = true
	require.Len(t, pids, 4, "of the place where it was")

	require.NoError(t, os.RemoveAll(two.Dir))
	two = place("two")
	pids[two.warmed()] = true
	require.Len(t, pids, 5, "of the folder that is gone")
	require.Equal(t, 1, two.log()["block pid"]-1, "the log of the new one")

	require.NoError(t, os.RemoveAll(above))
	require.Eventually(t, func() bool { return len(w.keepers()) == 1 }, binary.Patience, time.Millisecond)
}

// Where nothing can be kept, each call runs the hook itself, and says nothing of it.
func TestHookThatCannotBeWarm(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(w *warm){
		"a long path": func(w *warm) { w.Env = append(w.Env, "XDG_STATE_HOME="+w.State+"/"+strings.Repeat("x", 90)) },
		"a file": func(w *warm) {
			require.NoError(w, os.WriteFile(filepath.Join(w.State, "hookrun"), nil, 0o600))
		},
		"a folder for others": func(w *warm) {
			require.NoError(w, os.Mkdir(filepath.Join(w.State, "hookrun"), 0o700))
			require.NoError(w, os.Chmod(filepath.Join(w.State, "hookrun"), 0o777))
		},
		"a folder of the project": func(w *warm) { w.Env = append(w.Env, "XDG_STATE_HOME="+w.Dir+"/state") },
		"no home":                 func(w *warm) { w.Env = append(w.Env, "XDG_STATE_HOME=", "HOME=/dev/null") },
		"no files":                func(w *warm) { w.under("ulimit -f 0") },
		"read-only":               func(w *warm) { w.mount("ro") },
		"full":                    func(w *warm) { w.mount("size=4k,nr_inodes=1,mode=700") },
		"keep 0s":                 func(w *warm) { w.write(binary.Hook{"keep": "0s"}) },
		"keep 0":                  func(w *warm) { w.write(binary.Hook{"keep": 0}) },
		"not persistent":          func(w *warm) { w.write(binary.Hook{"persistent": false}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWarm(t, guard)
			spoil(w)
			for i := range 2 {
				token := fmt.Sprint("block ", i)
				o := w.call(token)
				require.Equal(t, "block", o.Decision)
				require.False(t, o.warm())
				require.Empty(t, o.Warnings)
				if name != "no files" && name != "not persistent" { // no file can be written to
					require.Equal(t, "policy", o.Cause, "%+v", o)
					require.Equal(t, 1, w.log()[token])
				}
			}
			require.Empty(t, w.keepers())
		})
	}
}

// under runs hookrun in a shell that ran other commands before.
func (w *warm) under(commands string) {
	path := filepath.Join(w.State, "under")
	require.NoError(w, os.WriteFile(path, []byte("#!/bin/sh\n"+commands+"\nexec "+w.Binary+" \"$@\"\n"), 0o700))
	w.Binary = path
}

// mount mounts a small file system as the state folder until the end of the test.
func (w *warm) mount(options string) {
	w.Helper()
	if os.Getuid() != 0 {
		w.Skip("only root can mount")
	}
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", w.State).CombinedOutput()
	if err != nil {
		w.Skipf("%s", out)
	}
	w.Cleanup(func() { _ = exec.Command("umount", "-l", w.State).Run() })
}

// A few descriptors are enough for a call, warm or not.
func TestWarmHookWithFewDescriptors(t *testing.T) {
	t.Parallel()
	w := newWarm(t, guard)
	w.under("ulimit -n 20") // fewer are too few for a hook that is not persistent
	for i := range 4 {
		token := fmt.Sprint("block ", i)
		o := w.call(token)
		require.Equal(t, "policy", o.Cause, "%+v", o)
		require.Equal(t, 1, w.log()[token])
	}
}

// Without XDG_STATE_HOME the state is in the home folder.
func TestWarmHookOfAHome(t *testing.T) {
	t.Parallel()
	w := newWarm(t, guard)
	home := w.with("XDG_STATE_HOME=", "HOME="+w.State)
	pid := home.warmed()
	require.Equal(t, pid, home.pid())
	sockets, err := filepath.Glob(w.State + "/.local/state/hookrun/keepers/*.sock")
	require.NoError(t, err)
	require.Len(t, sockets, 1)
	require.NoError(t, os.RemoveAll(w.State+"/.local"), "which ends the keeper")
	w.nothingLeft()
}

// inherit_env is part of the environment that the hook gets.
func TestWarmHookWithoutTheEnvironment(t *testing.T) {
	t.Parallel()
	script := strings.Replace(guard, `reason\":\"$command $$`, `reason\":\"$command $$ $X`, 1)
	w := newWarm(t, script, binary.Hook{"inherit_env": []string{"PATH"}})
	first, second := w.with("X=1"), w.with("X=2")
	require.Eventually(t, func() bool { return first.call("block").warm() }, binary.Patience, time.Millisecond)
	o := second.call("block")
	require.True(t, o.warm(), "the hook does not get the variable: %+v", o)
	for _, pid := range w.keepers() {
		require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
	}
	w.nothingLeft()
	w.write()
	require.True(t, strings.HasSuffix(first.call("block").Reason, " 1"))
	require.True(t, strings.HasSuffix(second.call("block").Reason, " 2"))
	require.True(t, strings.HasSuffix(first.call("block").Reason, " 1"))
}

// during starts a call that waits, calls then with the hook's process and hookrun's, and returns the outcome.
func (w *warm) during(then func(hook, call int), more ...string) (o warmOutcome, ok bool) {
	w.Helper()
	ready := filepath.Join(w.Dir, "ready")
	if _, err := os.Lstat(ready); err != nil {
		require.NoError(w, syscall.Mkfifo(ready, 0o600))
		require.NoError(w, syscall.Mkfifo(filepath.Join(w.Dir, "gate"), 0o600))
	}
	gate, err := os.OpenFile(filepath.Join(w.Dir, "gate"), os.O_RDWR, 0)
	require.NoError(w, err)
	defer gate.Close()
	says, err := os.OpenFile(ready, os.O_RDWR|syscall.O_NONBLOCK, 0)
	require.NoError(w, err)
	defer says.Close()
	require.NoError(w, says.SetReadDeadline(time.Now().Add(binary.Patience)))
	cmd := w.command("wait", more...)
	done := make(chan struct{})
	var out strings.Builder
	cmd.Stdout = &out
	require.NoError(w, cmd.Start())
	go func() {
		defer close(done)
		_ = cmd.Wait()
	}()
	var name string
	var pid int
	_, err = fmt.Fscan(says, &name, &pid)
	require.NoError(w, err)
	then(pid, cmd.Process.Pid)
	<-done
	ok = json.Unmarshal([]byte(out.String()), &o) == nil
	return o, ok
}

func TestWarmHookInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	kill := func(t *testing.T, signal syscall.Signal, pids ...int) {
		for _, pid := range pids {
			require.NoError(t, syscall.Kill(pid, signal))
		}
	}
	for name, test := range map[string]struct {
		then   func(w *warm, hook, call int)
		causes string
	}{
		"the keeper is killed": {func(w *warm, _, _ int) { kill(w.T, syscall.SIGKILL, w.keepers()...) }, "output"},
		"the keeper ends":      {func(w *warm, _, _ int) { kill(w.T, syscall.SIGTERM, w.keepers()...) }, "output"},
		"the keeper stops":     {func(w *warm, _, _ int) { kill(w.T, syscall.SIGSTOP, w.keepers()...) }, "timeout"},
		"the hook is killed":   {func(w *warm, hook, _ int) { kill(w.T, syscall.SIGKILL, hook) }, "signal"},
		"the hook stops":       {func(w *warm, hook, _ int) { kill(w.T, syscall.SIGSTOP, hook) }, "timeout"},
		"hookrun is killed":    {func(w *warm, _, call int) { kill(w.T, syscall.SIGKILL, call) }, ""},
		"hookrun ends":         {func(w *warm, _, call int) { kill(w.T, syscall.SIGTERM, call) }, ""},
		"all are ended": {func(w *warm, _, _ int) {
			cmd := exec.Command(w.Binary, "status", "--end", "-C", w.Dir)
			cmd.Env = w.Env
			out, err := cmd.CombinedOutput()
			require.NoError(w, err, "%s", out)
		}, "output"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWarm(t, guard, binary.Hook{"timeout": "1s", "on_failure": "block"})
			w.warmed()
			var pids [2]int
			o, ok := w.during(func(hook, call int) {
				pids = [2]int{hook, call}
				test.then(w, hook, call)
			})
			if test.causes == "" {
				require.False(t, ok)
			} else {
				require.Equal(t, "block", o.Decision)
				require.Equal(t, test.causes, o.Cause, "%+v", o)
			}
			for _, pid := range pids {
				require.Eventually(t, func() bool { return !binary.Alive(pid) }, binary.Patience, time.Millisecond)
			}
			require.Equal(t, 1, w.log()["wait"])
			if keepers := w.keepers(); test.causes == "" || strings.HasPrefix(name, "the hook") {
				require.Len(t, keepers, 1)
			}
			w.warmed()
		})
	}
}

// stopped reports whether no thread of a process runs any more. A thread goes on for a while after SIGSTOP.
func stopped(t *testing.T, pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	require.NoError(t, err)
	return len(threads) > 0 && !slices.ContainsFunc(threads, func(path string) bool {
		stat, err := os.ReadFile(path)
		_, state, _ := strings.Cut(string(stat), ") ")
		return err != nil || !strings.HasPrefix(state, "T")
	})
}

// A keeper that hangs before a call costs the call a part of its time.
func TestWarmHookWhoseKeeperHangs(t *testing.T) {
	t.Parallel()
	w := newWarm(t, guard, binary.Hook{"timeout": "20s"})
	first := w.warmed()
	for _, pid := range w.keepers() {
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		require.Eventually(t, func() bool { return stopped(t, pid) }, binary.Patience, time.Millisecond)
	}
	for i := range 3 {
		token := fmt.Sprint("block ", i)
		o := w.call(token)
		require.Equal(t, "policy", o.Cause, "%+v", o)
		require.NotContains(t, o.Reason, first)
		require.Equal(t, 1, w.log()[token])
	}
}

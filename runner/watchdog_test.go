//go:build linux

package runner_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

func TestHooksOfACallShareAWatchdog(t *testing.T) {
	b := newBench(t)
	const n = 5
	open := b.gate("gate")
	var hooks []hook
	for i := range n {
		hooks = append(hooks, command(fmt.Sprintf("%s : %d", atGate("gate"), i)))
	}
	f := b.begin(context.Background(), b.with(runner.Options{}, b.claude("PreToolUse", hooks...)), b.pre())
	pids := b.readyAll(n)
	require.Len(t, guards(), 1, "it was there before the first hook, which is a shell")
	require.Len(t, children(), n+1)
	watchdog := guards()[0]
	require.Equal(t, strconv.Itoa(watchdog), statField(watchdog, 3), "in a session of its own: a Ctrl-C is not for it")
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", watchdog))
	require.NoError(t, err)
	require.Len(t, fds, 4)
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", watchdog))
	require.NoError(t, err)
	require.NotContains(t, string(env), b.mark, "it has nothing of the hooks'")
	for _, pid := range pids {
		require.Contains(t, watched(t, watchdog), strconv.Itoa(pid))
	}
	open()
	require.Len(t, b.end(f).Hooks, n)
	require.Empty(t, statField(watchdog, 0))
}

// watched returns the groups of the runs that a watchdog would end now.
func watched(t *testing.T, watchdog int) (groups []string) {
	runs, err := os.ReadFile(fmt.Sprintf("/proc/%d/fd/3", watchdog))
	require.NoError(t, err)
	for line := range strings.Lines(string(runs)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			groups = append(groups, fields[1])
		} else {
			require.Empty(t, fields)
		}
	}
	return groups
}

// The watchdog knows every hook that runs, and none that ended.
func TestWatchdogKnowsEveryHook(t *testing.T) {
	b := newBench(t)
	open, last := b.gate("gate"), b.gate("last")
	f := b.begin(context.Background(), b.with(runner.Options{}, b.claude("PreToolUse",
		command(atGate("gate")), command(": too; "+atGate("gate")), command(atGate("last")))), b.pre())
	pids := b.readyAll(3)
	watchdog := guards()[0]
	require.Len(t, watched(t, watchdog), 3)
	var left string
	for _, pid := range pids {
		if strings.Contains(describe(pid), "<last") {
			left = strconv.Itoa(pid)
		}
	}
	open()
	require.Eventually(t, func() bool { return len(watched(t, watchdog)) == 1 }, patience, time.Millisecond)
	require.Equal(t, []string{left}, watched(t, watchdog))
	last()
	b.end(f)
}

// A watchdog that somebody killed or stopped holds no call up, and is replaced by one that knows what the old one knew.
func TestWatchdogIsReplaced(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(signal.String(), func(t *testing.T) {
			b := newBench(t)
			r := b.stays(runner.Options{}, b.config(
				sh(atGate("gate")+"echo no >&2; exit 2", hook{"events": []string{"pre-tool"}}), sh("true", hook{"events": []string{"post-tool"}})))
			open := b.gate("gate")
			f := b.begin(context.Background(), r, b.pre())
			pid := b.ready()[0]
			old := guards()[0]
			require.NoError(t, syscall.Kill(old, signal))
			for range 100 {
				b.must(r, b.post())
			}
			require.Eventually(t, func() bool {
				all := guards()
				return len(all) == 1 && all[0] != old && statField(old, 0) == ""
			}, patience, time.Millisecond)
			require.Equal(t, []string{pid}, watched(t, guards()[0]))
			open()
			<-f.ended
			require.NoError(t, f.err)
			require.Equal(t, protocol.Block, f.outcome.Decision)
		})
	}
}

// watchdogScript is what a watchdog really runs.
func (b *bench) watchdogScript() string {
	b.Helper()
	open := b.gate("script")
	f := b.begin(context.Background(), b.with(runner.Options{}, b.claude("PreToolUse", command(atGate("script")))), b.pre())
	b.readyAll(1)
	script := cmdline(guards()[0])[2]
	open()
	b.end(f)
	return script
}

// shells are those that may be /bin/sh somewhere.
func shells() (found []string) {
	for _, name := range []string{"/bin/sh", "dash", "bash", "busybox", "ksh", "mksh"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	return found
}

func shell(path, script string) *exec.Cmd {
	if filepath.Base(path) == "busybox" {
		return exec.Command(path, "sh", "-c", script)
	}
	return exec.Command(path, "-c", script)
}

// At the end of its input a watchdog ends the runs that stand in its file, with all that came of them; nothing else.
func TestWatchdogScript(t *testing.T) {
	b := newBench(t)
	script := b.watchdogScript()
	const ( // a hook with a child in its group, and one that left it
		family = `trap '' TERM; sh -c 'sleep 1000; :' & setsid sh -c 'sleep 1000; :' & echo $$ >ready; wait`
		mark   = "HOOKRUN_RUN=1.%d.1795346119063317108"
	)
	grepless := t.TempDir() // a grep that ends a line at a NUL, as busybox's does
	require.NoError(t, os.WriteFile(filepath.Join(grepless, "grep"),
		[]byte("#!/bin/sh\nPATH=/usr/bin:/bin\ncase $1 in -l*) exit 1 ;; esac\ntr '\\0' '@' | sed 's/@.*//' | grep \"$@\"\n"), 0o755))
	for _, path := range shells() {
		for _, tools := range []string{"/usr/bin:/bin", grepless + ":/usr/bin:/bin"} {
			if path != "/bin/sh" && strings.HasPrefix(tools, grepless) {
				continue
			}
			t.Run(filepath.Base(path)+" "+tools, func(t *testing.T) {
				run := func(n int) *exec.Cmd {
					cmd := exec.Command("sh", "-c", family)
					cmd.Dir, cmd.Env = b.dir, append(os.Environ(), b.mark, fmt.Sprintf(mark, n))
					cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
					require.NoError(t, cmd.Start())
					return cmd
				}
				known, groupless, over := run(1), run(2), run(3)
				b.readyAll(3)
				runs, err := os.Create(filepath.Join(t.TempDir(), "runs"))
				require.NoError(t, err)
				defer runs.Close()
				for n, group := range []string{strconv.Itoa(known.Process.Pid), ""} {
					fmt.Fprintf(runs, "%-79s\n", strings.TrimPrefix(fmt.Sprintf(mark, n+1), "HOOKRUN_RUN=")+" "+group)
				}
				fmt.Fprintf(runs, "%-79s\n", "")
				_, err = runs.Seek(0, 0)
				require.NoError(t, err)
				watchdog := shell(path, script)
				watchdog.Env, watchdog.ExtraFiles = []string{"PATH=" + tools}, []*os.File{runs}
				require.NoError(t, watchdog.Run())
				require.Error(t, known.Wait())
				require.Error(t, groupless.Wait())
				require.True(t, alive(over.Process.Pid), "it is over, and its children were left on purpose")
				for _, pid := range pids() {
					env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
					for n := range 2 {
						require.False(t, strings.Contains(string(env), fmt.Sprintf(mark, n+1)) && alive(pid), describe(pid))
					}
				}
				for _, pid := range pids() {
					env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
					if strings.Contains(string(env), fmt.Sprintf(mark, 3)) {
						_ = syscall.Kill(pid, syscall.SIGKILL)
					}
				}
				_ = over.Wait()
				require.Eventually(t, func() bool { return len(b.marked()) == 0 }, patience, time.Millisecond)
			})
		}
	}
}

// While a child holds the pipes of a hook that has ended, nothing is done but wait.
func TestWaitingForAPipeTakesNoTimeOfAProcessor(t *testing.T) {
	b := newBench(t)
	used := func() time.Duration {
		var u syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	o := b.fire(sh("sleep 1000 & exit 0"))
	require.Less(t, used()-before, 200*time.Millisecond, "of 500")
	for _, pid := range o.Hooks[0].LeftRunning {
		b.spare(pid)
	}
}

//go:build linux

package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// Guarantee 5. That a SIGKILL of this process ends all others is tested with the real binary: see folder e2e.

func TestWatchdogIsShared(t *testing.T) {
	b := newBench(t)
	const n = 5
	open := b.Gate("gate")
	var started []*process.Process
	for range n {
		started = append(started, b.start(b.script(processtest.AtGate("gate")), line, never()))
	}
	pids := b.ReadyAll(n)
	require.Len(t, processtest.Watchdogs(), 1, "it was there before the first process, which is a shell")
	require.Len(t, processtest.Children(), n+1)
	watchdog := processtest.Watchdogs()[0]
	session := processtest.StatField(watchdog, 3)
	require.Equal(t, strconv.Itoa(watchdog), session, "in a session of its own: a Ctrl-C is not for it")
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", watchdog))
	require.NoError(t, err)
	require.Len(t, fds, 4)
	require.False(t, processtest.HasVariable(watchdog, b.Mark), "it has nothing of the processes'")
	for _, pid := range pids {
		require.Contains(t, watched(t, watchdog), strconv.Itoa(pid))
	}
	open()
	for _, p := range started {
		b.wait(p)
	}
	b.Close()
	b.Supervisor = &process.Supervisor{}
	require.Empty(t, processtest.StatField(watchdog, 0))
}

// A supervisor for one shot starts no watchdog for a program without children that ends at once.
func TestWatchdogIsStartedLate(t *testing.T) {
	b := newBench(t)
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	p := b.start(b.program(sleep, "0.2"), line, never())
	require.Empty(t, processtest.Watchdogs())
	b.wait(p)
	require.Len(t, processtest.Watchdogs(), 1, "it ran for longer than a millisecond")
}

// watched returns the groups that a watchdog would end now.
func watched(t *testing.T, watchdog int) (groups []string) {
	records, err := os.ReadFile(fmt.Sprintf("/proc/%d/fd/3", watchdog))
	require.NoError(t, err)
	for record := range strings.Lines(string(records)) {
		if fields := strings.Fields(record); len(fields) == 2 {
			groups = append(groups, fields[1])
		} else {
			require.Empty(t, fields)
		}
	}
	return groups
}

// The watchdog knows every process that runs, and none that ended.
func TestWatchdogKnowsEveryProcess(t *testing.T) {
	b := newBench(t)
	open, last := b.Gate("gate"), b.Gate("last")
	first := b.start(b.script(processtest.AtGate("gate")), line, never())
	b.ReadyAll(1)
	second := b.start(b.script(processtest.AtGate("last")), line, never())
	left := b.ReadyAll(1)[0]
	watchdog := processtest.Watchdogs()[0]
	require.Len(t, watched(t, watchdog), 2)
	open()
	b.wait(first)
	require.Equal(t, []string{strconv.Itoa(left)}, watched(t, watchdog))
	last()
	b.wait(second)
	require.Empty(t, watched(t, watchdog))
}

// A watchdog that somebody killed or stopped holds nobody up, and is replaced by one that knows what the old one knew.
func TestWatchdogIsReplaced(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(signal.String(), func(t *testing.T) {
			b := newBench(t)
			b.OneShot = false
			open := b.Gate("gate")
			p := b.start(b.script(processtest.AtGate("gate")+"exit 2"), line, never())
			pid := b.Ready()[0]
			old := processtest.Watchdogs()[0]
			require.NoError(t, syscall.Kill(old, signal))
			for range 100 {
				b.run("true")
			}
			require.Eventually(t, func() bool {
				all := processtest.Watchdogs()
				return len(all) == 1 && all[0] != old && processtest.StatField(old, 0) == ""
			}, processtest.Patience, time.Millisecond)
			require.Equal(t, []string{pid}, watched(t, processtest.Watchdogs()[0]))
			open()
			require.Equal(t, 2, b.wait(p).ExitCode)
		})
	}
}

// Starts that fail, processes that leave orphans and watchdogs that die do not wait for each other.
func TestStartsGoOnWhileWatchdogsDie(t *testing.T) {
	b := newBench(t)
	b.ForgetSubreaper()
	b.Subreaper, b.OneShot = true, false
	var all sync.WaitGroup
	var steps atomic.Int64
	each := func(goroutines, times int, step func()) {
		for range goroutines {
			all.Go(func() {
				for range times {
					step()
					steps.Add(1)
				}
			})
		}
	}
	each(6, testall.Of(200, 30_000), func() {
		_, err := b.Start(b.program(b.Path("missing")), line, never(), nil)
		var failed *process.StartError
		if !errors.As(err, &failed) {
			t.Errorf("%v", err)
		}
	})
	each(3, testall.Of(20, 2000), func() {
		p, err := b.Start(b.script("true & true & exit 0"), line, never(), nil)
		if err == nil {
			result, _ := p.Wait(context.Background())
			err = result.Err
		}
		if err != nil {
			t.Error(err)
		}
	})
	each(1, testall.Of(3, 100), func() {
		for _, pid := range processtest.Watchdogs() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.Wait()
	}()
	for before := int64(-1); ; {
		select {
		case <-done:
			b.reapsOrphans()
			return
		case <-time.After(processtest.Patience):
			now := steps.Load()
			require.Greater(t, now, before, "deadlock after %d steps", now)
			before = now
		}
	}
}

// watchdogScript is what a watchdog really runs.
func (b *bench) watchdogScript() string {
	b.Helper()
	b.run("exit 0")
	return processtest.Cmdline(processtest.Watchdogs()[0])[2]
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

// At the end of its input a watchdog ends the processes that stand in its file, with all their descendants, and
// nothing else.
func TestWatchdogScript(t *testing.T) {
	b := newBench(t)
	script := b.watchdogScript()
	// A grep that ends a line at a NUL, as busybox's does.
	grepless := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(grepless, "grep"), []byte("#!/bin/sh\nPATH=/usr/bin:/bin\n"+
		"case $1 in -l*) exit 1 ;; esac\ntr '\\0' '@' | sed 's/@.*//' | grep \"$@\"\n"), 0o755))
	for _, path := range testall.Part(6, shells()) {
		b.watchdogScriptIn(path, script, "/usr/bin:/bin", 1)
	}
	if !testall.On() {
		return
	}
	// It takes many processes for each scan there, and a record without a group takes twenty scans.
	b.watchdogScriptIn("/bin/sh", script, grepless+":/usr/bin:/bin", 2)
}

// watchdogScriptIn runs the script with three processes, of which two have a record, and so many of these a group.
func (b *bench) watchdogScriptIn(path, script, tools string, groups int) {
	b.Run(filepath.Base(path)+" "+tools, func(t *testing.T) {
		mark := func(n int) string { return fmt.Sprintf("%d.%d.%d", os.Getpid(), n, time.Now().UnixNano()) }
		run := func(mark string) *exec.Cmd { // a process with a child in its group, and one that left it
			cmd := exec.Command("sh", "-c",
				`trap '' TERM; sh -c 'sleep 1000; :' & setsid sh -c 'sleep 1000; :' & echo $$ >ready; wait`)
			cmd.Dir, cmd.Env = b.Dir, append(os.Environ(), b.Mark, process.RunVariable+"="+mark)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			require.NoError(t, cmd.Start())
			return cmd
		}
		marks := []string{mark(1), mark(2), mark(3)}
		first, second, over := run(marks[0]), run(marks[1]), run(marks[2])
		b.ReadyAll(3)
		records, err := os.Create(filepath.Join(t.TempDir(), "records"))
		require.NoError(t, err)
		defer records.Close()
		for i, cmd := range []*exec.Cmd{first, second} {
			record := marks[i]
			if i < groups {
				record += fmt.Sprint(" ", cmd.Process.Pid)
			}
			fmt.Fprintf(records, "%-79s\n", record)
		}
		fmt.Fprintf(records, "%-79s\n", "")
		_, err = records.Seek(0, 0)
		require.NoError(t, err)
		watchdog := shell(path, script)
		watchdog.Env, watchdog.ExtraFiles = []string{"PATH=" + tools}, []*os.File{records}
		require.NoError(t, watchdog.Run())
		require.Error(t, first.Wait())
		require.Error(t, second.Wait())
		require.True(t, processtest.Alive(over.Process.Pid), "it is over, and its children were left on purpose")
		for _, pid := range processtest.PIDs() {
			for _, mark := range marks[:2] {
				left := processtest.HasVariable(pid, process.RunVariable+"="+mark) && processtest.Alive(pid)
				require.False(t, left, processtest.Describe(pid))
			}
			if processtest.HasVariable(pid, process.RunVariable+"="+marks[2]) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		_ = over.Wait()
		require.Eventually(t, func() bool { return len(b.Marked()) == 0 }, processtest.Patience, time.Millisecond)
	})
}

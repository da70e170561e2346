//go:build linux || darwin

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watchdog is a shell that waits for the end of this process, however that comes, and then kills the processes that
// still run with all their descendants. The parent-death signal reaches a leader alone, not its descendants, and
// macOS has none.
//
// The watchdog finds the processes in a file that only the two of us have. A record has the mark of a process, which
// is known before the fork, and its process group, which is known after. So there is no moment in which we could be
// killed and leave a process behind that the watchdog does not know. It reads the file when we are gone and not
// before. We never write to it otherwise, so a watchdog that is stopped, or gone, holds nobody up.
//
// The zero watchdog has no shell yet: the first process starts it.
type watchdog struct {
	keep bool // replace a shell that ended or was stopped

	mu      sync.Mutex
	runs    *os.File // a record for each process
	free    []int64  // records that were used before
	records int64
	pid     int      // of the shell; 0: there is none
	alive   *os.File // its stdin, which our death closes
	closing chan struct{}
	closed  bool
	keeper  sync.WaitGroup
}

// recordSize is the length of a line of the file: a mark, a blank, a process group and spaces.
const recordSize = 80

// The second of these pauses is between the deaths of two watchdogs that did not live for long, and doubles up to the
// third.
const (
	watchdogLife     = time.Second
	watchdogPause    = 100 * time.Millisecond
	watchdogPauseMax = 5 * time.Second
)

// watchdogScript waits for the end of stdin. Then it reads the records from descriptor 3, and kills the group of
// each, and every process that has the mark of one in its environment, with its group. It looks again until it has
// found nothing twice: what is being killed may just have forked. A record without a group is of a process that was
// being forked when we died. That one has the mark only after its exec, so there it looks more often.
//
// Some versions of grep end a line at a NUL. There the environment is taken apart first, which takes a process for
// each.
const watchdogScript = `while read -r _; do :; done
scans=2 groups=
while read -r mark group; do
	[ "$mark" ] || continue
	set -- "$@" -e "HOOKRUN_RUN=$mark"
	[ "$group" ] || scans=20
	groups="$groups $group"
done <&3
[ $# -gt 0 ] || exit 0
if printf 'a\0b' | grep -qF -e b; then
	marked() { grep -lF "$@" /proc/[0-9]*/environ; }
else
	marked() { for file in /proc/[0-9]*/environ; do tr '\0' '\n' <"$file" | grep -qF "$@" && echo "$file"; done; }
fi
end() {
	read -r stat <"/proc/$1/stat" && set -- "$1" ${stat##*)}
	[ "${4:-0}" -gt 1 ] && kill -s KILL -- "-$4"
	kill -s KILL "$1"
}
clean=0 tries=0
while [ $clean -lt $scans ] && [ $tries -lt 1000 ]; do
	clean=$((clean + 1)) tries=$((tries + 1))
	for group in $groups; do kill -s KILL -- "-$group"; done
	for file in $(marked "$@"); do
		clean=0 file=${file#/proc/}
		end "${file%/environ}"
	done
done`

// enter puts a process under watch that is about to be started. It is started all the same where the system has no
// process to spare for a watchdog. A supervisor for one shot would pay for a watchdog as much as for the process. So
// there a program that has no children at first gets one only if it runs for longer than a millisecond: see begin.
func (w *watchdog) enter(l *leader, program Program) {
	l.record = -1
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.runs == nil
	if first {
		runs, err := memoryFile()
		if err != nil {
			return
		}
		w.runs, w.closing = runs, make(chan struct{})
	}
	if n := len(w.free); n > 0 {
		l.record, w.free = w.free[n-1], w.free[:n-1]
	} else {
		l.record = w.records
		w.records++
	}
	l.watchdog = w
	w.write(l.record, l.mark)
	if w.pid == 0 && !w.closed && (w.keep || program.forksAtOnce()) {
		w.start()
	}
	if first && w.keep {
		w.keeper.Go(w.replace)
	}
}

// begin starts the shell, unless there is one.
func (w *watchdog) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs != nil && w.pid == 0 && !w.closed {
		w.start()
	}
}

// forksAtOnce reports whether a program can have children as soon as it runs: a shell and a script can. Every other
// one takes longer to load what it needs for that.
func (p Program) forksAtOnce() bool {
	if name := filepath.Base(p.Path); strings.HasSuffix(name, "sh") || name == "busybox" {
		return true
	}
	file, err := unix.Open(p.Path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer unix.Close(file)
	var start [2]byte
	n, _ := unix.Read(file, start[:])
	return string(start[:max(n, 0)]) == "#!"
}

// started notes the process group in the record.
func (l *leader) started() {
	if l.record >= 0 {
		l.watchdog.write(l.record, fmt.Sprintf("%s %d", l.mark, l.pid))
	}
}

// unwatch clears the record of a process that is over, or not ours any more. It comes before the process is reaped:
// until then nobody else has its pid.
func (l *leader) unwatch() {
	if l.record < 0 {
		return
	}
	w := l.watchdog
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(l.record, "")
	w.free = append(w.free, l.record)
	l.record = -1
}

// write replaces a record.
func (w *watchdog) write(record int64, text string) {
	var line [recordSize]byte
	for i := copy(line[:], text); i < recordSize; i++ {
		line[i] = ' '
	}
	line[recordSize-1] = '\n'
	_, _ = w.runs.WriteAt(line[:], record*recordSize)
}

// start starts the shell. The lock is held.
func (w *watchdog) start() {
	stdin, alive, err := os.Pipe()
	if err != nil {
		return
	}
	defer stdin.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		alive.Close()
		return
	}
	defer null.Close()
	starting.RLock()
	defer starting.RUnlock()
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", watchdogScript}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=/usr/bin:/bin"},
		Files: []uintptr{stdin.Fd(), null.Fd(), null.Fd(), w.runs.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // a Ctrl-C is not for it
	})
	if err != nil {
		alive.Close()
		return
	}
	live.Store(pid, true)
	w.pid, w.alive = pid, alive
}

// replace kills a shell that is stopped, and replaces one that ended, until end is called.
func (w *watchdog) replace() {
	for pause := time.Duration(0); ; pause = min(max(2*pause, watchdogPause), watchdogPauseMax) {
		begun := time.Now()
		for pid := w.shell(); pid != 0 && !w.reap(pid); {
		}
		if time.Since(begun) > watchdogLife {
			pause = 0
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-w.closing:
			timer.Stop()
			return
		}
		w.mu.Lock()
		if w.pid == 0 && !w.closed { // else a process that was started meanwhile has started one
			w.start()
		}
		w.mu.Unlock()
	}
}

func (w *watchdog) shell() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pid
}

// reap waits until the shell has ended or is stopped, which nobody would undo when we are gone, and reports whether
// it ended.
func (w *watchdog) reap(pid int) (ended bool) {
	waitChange(pid, unix.WEXITED|unix.WSTOPPED)
	w.mu.Lock() // so that nobody kills a pid that is no child's any more
	defer w.mu.Unlock()
	var status unix.WaitStatus
	got, err := unix.Wait4(pid, &status, unix.WNOHANG|unix.WUNTRACED, nil)
	switch {
	case err == unix.EINTR || err == nil && got == 0:
		return false
	case err == nil && status.Stopped():
		_ = unix.Kill(pid, unix.SIGKILL)
		return false
	}
	live.Delete(pid)
	w.alive.Close()
	w.pid, w.alive = 0, nil
	return true
}

// end ends the shell: all processes are over.
func (w *watchdog) end() {
	w.mu.Lock()
	if w.runs == nil || w.closed {
		w.mu.Unlock()
		return
	}
	w.closed = true
	close(w.closing)
	pid := w.pid
	if pid != 0 {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	w.mu.Unlock()
	if w.keep {
		w.keeper.Wait()
	} else {
		for pid != 0 && !w.reap(pid) {
		}
	}
	w.runs.Close()
}

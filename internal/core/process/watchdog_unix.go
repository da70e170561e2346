//go:build linux || darwin

package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watchdog is a shell that waits for the end of this process, even by SIGKILL. Then it kills the running processes with
// all their descendants. The parent-death signal does not suffice: it reaches a leader but not the leader's
// descendants, and macOS has no such signal.
//
// The watchdog finds the processes in a file shared only with this process. A record holds the mark of a process,
// written before the fork, and its process group, written after. So if this process is killed at any point, the
// watchdog knows every process. The watchdog reads the file only after the end of this process. It gets no other input,
// so a stopped or dead watchdog delays no start.
//
// The zero watchdog has no shell yet: the first process starts the shell.
type watchdog struct {
	keep bool // replace a shell that ended, and kill a stopped shell

	mu      sync.Mutex // lock before starting; see starting
	runs    *os.File   // a record for each process
	free    []int64    // unused records
	records int64
	pid     int      // of the shell; 0: no shell
	alive   *os.File // the shell's stdin, which ends when this process dies
	closing chan struct{}
	closed  bool
	keeper  sync.WaitGroup
}

// recordSize is the length of a line of the file: a mark, a space, a process group and padding.
const recordSize = 80

// If two shells in a row live for less than watchdogLife, the next start waits watchdogPause. The pause doubles up to
// watchdogPauseMax.
const (
	watchdogLife     = time.Second
	watchdogPause    = 100 * time.Millisecond
	watchdogPauseMax = 5 * time.Second
)

// watchdogScript waits for the end of stdin, then reads the records from descriptor 3. For each record the script kills
// the group, and every process with the mark in its environment, together with that process's group. The script repeats
// the scan until two scans in a row find no process, because a process may fork while being killed. A record without a
// group belongs to a process that was being forked when this process died. The process gets the mark only at its exec,
// so the script then scans more often.
//
// Some versions of grep end a line at a NUL. For them tr splits each environment first, at the cost of more processes.
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

// watch adds a process to the watchdog's file before the start. If the system cannot start a watchdog, the process runs
// without. For a one-shot supervisor a watchdog costs as much as the process. So a program without children at its
// start gets a watchdog only after running for a millisecond: see begin.
func (w *watchdog) watch(l *leader, program Program) {
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

// begin starts the shell if none runs.
func (w *watchdog) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs != nil && w.pid == 0 && !w.closed {
		w.start()
	}
}

// forksAtOnce reports whether a program may have children as soon as it runs, as a shell or a script may. Other
// programs take longer to load their code.
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

// started writes the process group into the record.
func (l *leader) started() {
	if l.record >= 0 {
		l.watchdog.write(l.record, l.mark+" "+strconv.Itoa(l.pid))
	}
}

// unwatch clears the record of a process that has ended or was released. Call unwatch before the process is reaped,
// because after that the system may reuse the pid.
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

// start starts the shell. The caller holds the lock.
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
	pid, err := forkExec("/bin/sh", []string{"sh", "-c", watchdogScript}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=/usr/bin:/bin"},
		Files: []uintptr{stdin.Fd(), null.Fd(), null.Fd(), w.runs.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // keeps Ctrl-C from the shell
	})
	if err != nil {
		alive.Close()
		return
	}
	w.pid, w.alive = pid, alive
}

// replace kills stopped shells and replaces ended ones, until end is called.
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
		if w.pid == 0 && !w.closed { // watch may have started a shell meanwhile
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

// reap waits until the shell has ended or is stopped, and reports whether it ended. A stopped shell could not kill
// after the death of this process.
func (w *watchdog) reap(pid int) (ended bool) {
	waitChange(pid, unix.WEXITED|unix.WSTOPPED)
	w.mu.Lock() // so end cannot kill a reused pid
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

// end ends the shell after all processes have ended.
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
		w.keeper.Wait() // it may have paused while watch started the shell
	}
	for w.shell() != 0 && !w.reap(pid) {
	}
	w.runs.Close()
}

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

// watchdog is a shell that waits for the end of this process, however that comes. Then it kills the processes that
// still run, with all their descendants. The parent-death signal reaches only a leader, not its descendants, and macOS
// has none.
//
// The watchdog finds the processes in a file that only it and this process have. A record has the mark of a process,
// which is known before the fork, and its process group, which is known after. So at no point can this process be
// killed and leave a process that the watchdog does not know. The watchdog reads the file only when this process is
// gone. It gets no other input, so a stopped or dead watchdog delays nothing.
//
// The zero watchdog has no shell yet: the first process starts it.
type watchdog struct {
	keep bool // replace a shell that ended or was stopped

	mu      sync.Mutex // taken before starting: see there
	runs    *os.File   // a record for each process
	free    []int64    // unused records
	records int64
	pid     int      // of the shell; 0: none
	alive   *os.File // its stdin, which ends when this process dies
	closing chan struct{}
	closed  bool
	keeper  sync.WaitGroup
}

// recordSize is the length of a line of the file: a mark, a space, a process group and padding.
const recordSize = 80

// The second constant is the pause after the death of two watchdogs that did not live long. It doubles up to the third.
const (
	watchdogLife     = time.Second
	watchdogPause    = 100 * time.Millisecond
	watchdogPauseMax = 5 * time.Second
)

// watchdogScript waits for the end of stdin. Then it reads the records from descriptor 3. For each it kills the group,
// and every process with the mark in its environment, with its group. It repeats this until it has found nothing twice,
// because a process may fork while it is being killed. A record without a group belongs to a process that was being
// forked when this process died. It gets the mark only at its exec, so there the script looks more often.
//
// Some versions of grep end a line at a NUL. For them the script splits the environment first, which takes a process
// for each.
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

// enter puts a process under watch before it is started. If the system has no process to spare for a watchdog, the
// process is started without. For a one-shot supervisor a watchdog costs as much as the process. So there a program
// that has no children at first gets one only if it runs for longer than a millisecond: see begin.
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

// forksAtOnce reports whether a program may have children as soon as it runs, as a shell or a script may. Any other
// program takes longer to load its code.
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
		l.watchdog.write(l.record, fmt.Sprintf("%s %d", l.mark, l.pid))
	}
}

// unwatch clears the record of a process that is over or no longer ours. Call it before the process is reaped, while
// its pid is still its own.
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
		Sys:   &syscall.SysProcAttr{Setsid: true}, // Ctrl-C must not reach it
	})
	if err != nil {
		alive.Close()
		return
	}
	w.pid, w.alive = pid, alive
}

// replace kills a shell that is stopped, and replaces a shell that ended, until end is called.
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
		if w.pid == 0 && !w.closed { // a process started meanwhile may have started one
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

// reap waits until the shell has ended or is stopped, and reports whether it ended. A stopped shell would do nothing
// after the death of this process.
func (w *watchdog) reap(pid int) (ended bool) {
	waitChange(pid, unix.WEXITED|unix.WSTOPPED)
	w.mu.Lock() // nobody may kill a pid that is no longer our child's
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

// end ends the shell, because all processes are over.
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

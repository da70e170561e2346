package process

import "time"

const (
	// TermTime is the time between SIGTERM and SIGKILL. docs/processes.md has it for users, and no other page.
	TermTime = 500 * time.Millisecond
	// killTime is how long to wait for killed processes. Only one that hangs in the kernel takes longer.
	killTime = 2 * time.Second
	// pollTime is the first pause between two checks of what is left; it doubles each time. The system announces only
	// the leader's exit.
	pollTime    = 2 * time.Millisecond
	pollTimeMax = 50 * time.Millisecond
)

// end kills the process with all its descendants, first with SIGTERM and then with SIGKILL. It returns what could not
// be killed. exited waits for the end of the leader up to a limit, and reports whether it ended.
func (l *leader) end(exited func(time.Duration) bool) (left []int) {
	l.terminate()
	if left = l.waitGone(exited, TermTime); len(left) == 0 {
		return nil
	}
	for until := time.Now().Add(killTime); ; { // repeat: a process may fork while it is being killed
		l.kill()
		if left = l.waitGone(exited, 2*pollTimeMax); len(left) == 0 || time.Now().After(until) {
			return left
		}
	}
}

// waitGone waits until neither the leader nor a descendant runs, and returns those that still do.
func (l *leader) waitGone(exited func(time.Duration) bool, limit time.Duration) (left []int) {
	until := time.Now().Add(limit)
	for pause := pollTime; ; pause = min(2*pause, pollTimeMax) {
		left = l.descendants()
		running := !exited(0)
		if running {
			left = append(left, l.pid)
		}
		if len(left) == 0 || !time.Now().Before(until) {
			return left
		}
		if running {
			exited(pause)
		} else {
			time.Sleep(pause)
		}
	}
}

// exit returns a channel that is closed when the leader has ended. The leader is not reaped yet: until then its pid
// stays its own, and signals reach the right group.
func (l *leader) exit() chan struct{} {
	exited := make(chan struct{})
	go func() {
		l.waitExit()
		close(exited)
	}()
	return exited
}

// reapLater reaps a process that nobody waits for.
func (l *leader) reapLater() {
	go func() {
		l.waitExit()
		l.reap()
		l.forget()
	}()
}

// exitStatus is how a leader ended.
type exitStatus struct {
	code   int
	signal string // such as SIGKILL; "" if it exited
	err    error  // why the exit status is unknown; nil: it is known
}

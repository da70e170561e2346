package process

import "time"

// end kills the process with all descendants, first with SIGTERM and then with SIGKILL. It returns the pids of
// processes that survived. exited waits for the end of the leader up to a limit, and reports whether the leader ended.
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

// waitGone waits up to limit for the leader and all descendants to end, and returns the pids still running.
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

// exit returns a channel that is closed when the leader has ended. The leader is not reaped yet: until then the system
// does not reuse the pid, so signals reach the right group.
func (l *leader) exit() chan struct{} {
	exited := make(chan struct{})
	go func() {
		l.waitExit()
		close(exited)
	}()
	return exited
}

// reapLater reaps the process in the background.
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
	err    error  // why the exit status is unknown, or nil
}

package process

import "time"

const (
	// termTime is what a process has between SIGTERM and SIGKILL.
	termTime = 500 * time.Millisecond
	// killTime is how long killed processes are waited for. Only one that hangs in the kernel takes longer.
	killTime = 2 * time.Second
	// pollTime is the pause between two looks at what is left, which doubles from look to look. Exits other than the
	// leader's are not announced.
	pollTime    = 2 * time.Millisecond
	pollTimeMax = 50 * time.Millisecond
)

// end kills the process with all its descendants: first gently, then not. It returns what could not be killed. exited
// waits for the end of the leader, so long at most, and reports whether it came.
func (l *leader) end(exited func(time.Duration) bool) (left []int) {
	l.terminate()
	if left = l.waitGone(exited, termTime); len(left) == 0 {
		return nil
	}
	for until := time.Now().Add(killTime); ; { // again and again: what is being killed may still be forking
		l.kill()
		if left = l.waitGone(exited, 2*pollTimeMax); len(left) == 0 || time.Now().After(until) {
			return left
		}
	}
}

// waitGone waits until neither the leader nor any descendant runs, and returns what still does.
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

// exit returns a channel that is closed when the leader has ended. It is not reaped: until we do that, nobody else
// can get its pid, and signals find the right group.
func (l *leader) exit() chan struct{} {
	exited := make(chan struct{})
	go func() {
		l.waitExit()
		close(exited)
	}()
	return exited
}

// reapLater takes the exit status of a process that nobody waits for.
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
	err    error  // the others are unknown
}

//go:build linux || darwin

package runner

import (
	"os"
	"strconv"
	"syscall"
)

// guard is a shell that waits for our end and then kills a hook's group. The parent-death signal reaches the hook alone, not
// the programs that it started, and macOS has none.
type guard struct {
	pid   int
	alive *os.File // its stdin: closed by our death, however that comes
}

// guard starts the hook's guard. Without one, where the system has no process to spare, the hook runs all the same.
func (p *process) guard() *guard {
	stdin, alive, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer stdin.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		alive.Close()
		return nil
	}
	defer null.Close()
	starting.RLock()
	defer starting.RUnlock()
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", `read -r _; kill -s KILL -- "-$0"`, strconv.Itoa(p.pid)}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   []string{},
		Files: []uintptr{stdin.Fd(), null.Fd(), null.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // a Ctrl-C is not for it
	})
	if err != nil {
		alive.Close()
		return nil
	}
	live.Store(pid, true)
	return &guard{pid, alive}
}

// release ends the guard: the hook is over.
func (g *guard) release() {
	if g == nil {
		return
	}
	_ = syscall.Kill(g.pid, syscall.SIGKILL)
	for {
		if _, err := syscall.Wait4(g.pid, nil, 0, nil); err != syscall.EINTR {
			break
		}
	}
	live.Delete(g.pid)
	g.alive.Close()
}

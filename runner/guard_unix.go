//go:build linux || darwin

package runner

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// guard is a shell that waits for our end and then kills the groups of the hooks that run at once. The parent-death signal
// reaches a hook alone, not the programs that it started, and macOS has none. The zero guard is no process yet: most hooks
// end before they get one.
type guard struct {
	mu    sync.Mutex
	pid   int
	alive *os.File // its stdin: closed by our death, however that comes
	tried bool
}

// guardScript keeps the groups that it is told of. What it was told before our end it reads before it sees that end, so no
// group that was taken back is killed: its number may be somebody else's by then.
//
// The first group is its argument: it is there however soon we end after the start.
const guardScript = `groups=" $1 "
while read -r what group; do
	case $what in
	+) groups="$groups$group " ;;
	-) groups="${groups%% $group *} ${groups#* $group }" ;;
	esac
done
for group in $groups; do kill -s KILL -- "-$group"; done`

// watch puts a hook under guard. Without one, where the system has no process to spare, it runs all the same.
func (g *guard) watch(p *process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.tried {
		g.tried = true
		g.start(p)
	}
	g.add(p)
}

// join puts a hook under the guard if there is one already: then it costs nothing to do so from the start.
func (g *guard) join(p *process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.add(p)
}

func (g *guard) add(p *process) {
	if g.alive != nil && !p.guarded {
		fmt.Fprintln(g.alive, "+", p.pid)
		p.guarded = true
	}
}

// leave takes a hook away again: it is over, or not ours any more.
func (g *guard) leave(p *process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.guarded {
		fmt.Fprintln(g.alive, "-", p.pid)
	}
}

func (g *guard) start(first *process) {
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
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", guardScript, "sh", strconv.Itoa(first.pid)}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   []string{},
		Files: []uintptr{stdin.Fd(), null.Fd(), null.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // a Ctrl-C is not for it
	})
	if err != nil {
		alive.Close()
		return
	}
	live.Store(pid, true)
	g.pid, g.alive, first.guarded = pid, alive, true
}

// end ends the guard: the hooks are over.
func (g *guard) end() {
	if g.alive == nil {
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

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
// end before they get one. If somebody kills it, the next hook that needs one gets another, and so do those that run.
type guard struct {
	mu     sync.Mutex
	pid    int
	alive  *os.File         // its stdin: closed by our death, however that comes
	groups map[int]struct{} // that it knows
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
	if g.alive != nil {
		g.add(p)
	}
	if g.alive == nil { // also if it turned out to be dead just now
		g.start(p)
	}
}

// join puts a hook under the guard if there is one already: then it costs nothing to do so from the start.
func (g *guard) join(p *process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.alive != nil {
		g.add(p)
	}
}

func (g *guard) add(p *process) {
	if _, known := g.groups[p.pid]; !known {
		g.groups[p.pid] = struct{}{}
		g.tell("+", p.pid)
	}
}

// leave takes a hook away again: it is over, or not ours any more.
func (g *guard) leave(p *process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.groups[p.pid]; known {
		delete(g.groups, p.pid)
		g.tell("-", p.pid)
	}
}

// tell says something to the guard. One that does not hear is dead.
func (g *guard) tell(what string, group int) {
	if g.alive == nil {
		return
	}
	if _, err := fmt.Fprintln(g.alive, what, group); err != nil {
		g.stop()
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
	g.pid, g.alive = pid, alive
	known := g.groups // by one that is dead
	g.groups = map[int]struct{}{first.pid: {}}
	for group := range known {
		if group != first.pid {
			g.groups[group] = struct{}{}
			g.tell("+", group)
		}
	}
}

// end ends the guard: the hooks are over.
func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stop()
}

func (g *guard) stop() {
	if g.alive == nil {
		return
	}
	_ = syscall.Kill(g.pid, syscall.SIGKILL) // not reaped yet, so the number is its own
	for {
		if _, err := syscall.Wait4(g.pid, nil, 0, nil); err != syscall.EINTR {
			break
		}
	}
	live.Delete(g.pid)
	g.alive.Close()
	g.alive = nil
}

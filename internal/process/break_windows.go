package process

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

var (
	kernel32      = windows.NewLazySystemDLL("kernel32.dll")
	attachConsole = kernel32.NewProc("AttachConsole") // package windows has none
)

// SendBreak sends CTRL_BREAK to a process group, whose number is the pid of its first process. The caller must have no
// console: it goes to that of the group, since the event reaches only processes of the sender's console.
func SendBreak(group string) error {
	pid, err := strconv.ParseUint(group, 10, 32)
	if err != nil {
		return fmt.Errorf("%q is no process group", group)
	}
	if ok, _, err := attachConsole.Call(uintptr(pid)); ok == 0 {
		return fmt.Errorf("attaching to the console of process %d: %w", pid, err)
	}
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(pid)); err != nil {
		return fmt.Errorf("sending CTRL_BREAK to process group %d: %w", pid, err)
	}
	return nil
}

// terminate asks the process to end, and kills it if nobody can ask. Our own console may be the terminal of the user,
// so we do not leave it for that of the process. A process of the supervisor's binary sends the event.
func (l *leader) terminate() {
	sender := exec.Command(l.binary, BreakCommand, strconv.Itoa(l.pid))
	sender.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS}
	if l.binary == "" || sender.Start() != nil {
		l.kill()
		return
	}
	l.sender = sender
}

// endSender ends what terminate has started. Until then the handle of the leader keeps its pid from being given to
// another process.
func (l *leader) endSender() {
	if l.sender != nil {
		_ = l.sender.Process.Kill() // all that it could ask has ended
		_ = l.sender.Wait()
	}
}

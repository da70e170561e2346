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
	attachConsole = kernel32.NewProc("AttachConsole") // missing in package windows
)

// SendBreak sends CTRL_BREAK to a process group. The number of a group is the pid of the group's first process. The
// caller must have no console: SendBreak attaches to the console of the group, because the event reaches only processes
// of the sender's console.
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

// terminate starts a process of the supervisor's binary to send CTRL_BREAK, or kills the job if no sender starts. Our
// process does not send the event, because we may be in the user's terminal and would have to leave that console.
func (l *leader) terminate() {
	sender := exec.Command(l.binary, BreakCommand, strconv.Itoa(l.pid))
	sender.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS}
	if l.binary == "" || sender.Start() != nil {
		l.kill()
		return
	}
	l.sender = sender
}

// endSender ends the process started by terminate. The leader's handle is still open, so its pid is not yet reused.
func (l *leader) endSender() {
	if l.sender != nil {
		_ = l.sender.Process.Kill() // all receivers of the event have ended
		_ = l.sender.Wait()
	}
}

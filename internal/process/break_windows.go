package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// breakVariable holds the process group to which this program, started once more, is to send CTRL_BREAK.
//
// The event reaches only processes of the sender's console, and each of ours has a console without a window. To change
// to that console we would have to leave our own, which may be the terminal of the user. So a process without a
// console does it.
const breakVariable = "HOOKRUN_SEND_CTRL_BREAK"

var (
	kernel32      = windows.NewLazySystemDLL("kernel32.dll")
	attachConsole = kernel32.NewProc("AttachConsole") // package windows has none
)

// init runs before main of any program that this package is a part of. The exit code is that of a hookrun that gave no
// verdict, in case somebody sets the variable.
func init() {
	group := os.Getenv(breakVariable)
	if group == "" {
		return
	}
	if pid, err := strconv.ParseUint(group, 10, 32); err == nil {
		if ok, _, _ := attachConsole.Call(uintptr(pid)); ok != 0 {
			_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(pid))
		}
	}
	os.Exit(1)
}

// sendBreak sends CTRL_BREAK to a process group, as far as that is possible. It does not wait for it.
func sendBreak(group int) {
	self, err := os.Executable()
	if err != nil {
		return
	}
	sender := exec.Command(self)
	sender.Env = append(os.Environ(), breakVariable+"="+strconv.Itoa(group))
	sender.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS}
	if sender.Start() == nil {
		go func() { _ = sender.Wait() }()
	}
}

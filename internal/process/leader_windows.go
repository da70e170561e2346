package process

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ResumeThread would need the handle of a thread, which package syscall closes. Package windows has no NtResumeProcess.
var ntResumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// leader is a started process in its own job object. The job contains all its descendants. Windows ends the job when
// this process dies and its handles are closed.
type leader struct {
	pid         int
	handle, job windows.Handle
	binary      string    // of the supervisor
	sender      *exec.Cmd // of CTRL_BREAK; nil: none was started
}

// start starts a program suspended, so that none of it can run outside the job.
func (s *Supervisor) start(program Program, stdio [3]uintptr, life lifetime, _ *watchdog) (*leader, error) {
	s.prepared.Do(s.prepare)
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("creating a job object: %w", err)
	}
	l := &leader{job: job, binary: s.Binary}
	if err := l.setLifetime(life); err != nil {
		windows.CloseHandle(l.job)
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir:   program.Dir,
		Env:   program.Env,
		Files: stdio[:],
		Sys: &syscall.SysProcAttr{
			HideWindow:    true,
			CmdLine:       commandLine(program),
			CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
		},
	}
	pid, handle, err := syscall.StartProcess(program.Path, program.Args, attr)
	if err != nil {
		windows.CloseHandle(l.job)
		return nil, &StartError{program, err}
	}
	l.pid, l.handle = pid, windows.Handle(handle)
	if err := windows.AssignProcessToJobObject(job, l.handle); err != nil {
		windows.TerminateProcess(l.handle, 1)
		l.closeHandles()
		return nil, &StartError{program, fmt.Errorf("putting it into a job object: %w", err)}
	}
	if status, _, _ := ntResumeProcess.Call(handle); status != 0 {
		windows.TerminateJobObject(job, 1)
		l.closeHandles()
		return nil, &StartError{program, fmt.Errorf("resuming it: status 0x%x", status)}
	}
	return l, nil
}

// commandLine joins the arguments as programs take them apart. Those of Git for Windows, its sh among them, read more
// than others in a word without quotes: single quotes, patterns of file names, and @ for a file with more arguments.
// So such a word gets quotes, but not from cmd.exe, which keeps them. Behind /s /c that takes off the first quote and
// the last, and runs what is between them: quotes in there are the command's own.
func commandLine(program Program) string {
	quotes := !strings.EqualFold(filepath.Base(program.Path), "cmd.exe")
	words := make([]string, len(program.Args))
	for i, arg := range program.Args {
		words[i] = windows.EscapeArg(arg)
		if quotes && strings.ContainsAny(arg, "'*?[]{}()~@") && !strings.HasPrefix(words[i], `"`) {
			ending := arg[len(strings.TrimRight(arg, `\`)):] // a backslash before a quote counts only if it is doubled
			words[i] = `"` + words[i] + ending + `"`
		}
	}
	if last := len(words) - 1; !quotes && last > 2 && strings.EqualFold(words[last-2]+words[last-1], "/s/c") {
		words[last] = `"` + program.Args[last] + `"`
	}
	return strings.Join(words, " ")
}

// setLifetime sets whether the job ends with its last handle.
func (l *leader) setLifetime(life lifetime) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if life == diesWithUs {
		limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	}
	size := uint32(unsafe.Sizeof(limits))
	_, err := windows.SetInformationJobObject(l.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), size)
	if err != nil {
		return fmt.Errorf("setting up a job object: %w", err)
	}
	return nil
}

func (l *leader) closeHandles() {
	windows.CloseHandle(l.handle)
	windows.CloseHandle(l.job)
}

func (l *leader) waitExit() { windows.WaitForSingleObject(l.handle, windows.INFINITE) }

// hasEnded reports whether the leader has ended.
func (l *leader) hasEnded() bool {
	event, _ := windows.WaitForSingleObject(l.handle, 0)
	return event == windows.WAIT_OBJECT_0
}

// reap returns the exit status. There are no signals: a program that crashed has the number of the exception as its
// exit code, which no program chooses.
func (l *leader) reap() exitStatus {
	var code uint32
	if err := windows.GetExitCodeProcess(l.handle, &code); err != nil {
		return exitStatus{code: -1, err: fmt.Errorf("its exit status is lost: %w", err)}
	}
	if crashed(code) {
		return exitStatus{code: -1, signal: crashName(code)}
	}
	return exitStatus{code: int(code)}
}

// crashed reports whether an exit code is that of an exception that nobody handled: an NTSTATUS of the severity
// "error", the system's (0xC…) or that of a language's runtime (0xE…), or a breakpoint. Negative codes that programs
// choose begin with 0xF.
func crashed(code uint32) bool {
	return code>>28 >= 0xC && code>>28 <= 0xE || code == uint32(windows.STATUS_BREAKPOINT)
}

// crashNames are the exceptions that programs mostly die of.
var crashNames = map[windows.NTStatus]string{
	windows.STATUS_ACCESS_VIOLATION:       "STATUS_ACCESS_VIOLATION",
	windows.STATUS_BREAKPOINT:             "STATUS_BREAKPOINT",
	windows.STATUS_CONTROL_C_EXIT:         "STATUS_CONTROL_C_EXIT",
	windows.STATUS_DLL_INIT_FAILED:        "STATUS_DLL_INIT_FAILED",
	windows.STATUS_DLL_NOT_FOUND:          "STATUS_DLL_NOT_FOUND",
	windows.STATUS_ENTRYPOINT_NOT_FOUND:   "STATUS_ENTRYPOINT_NOT_FOUND",
	windows.STATUS_HEAP_CORRUPTION:        "STATUS_HEAP_CORRUPTION",
	windows.STATUS_ILLEGAL_INSTRUCTION:    "STATUS_ILLEGAL_INSTRUCTION",
	windows.STATUS_INTEGER_DIVIDE_BY_ZERO: "STATUS_INTEGER_DIVIDE_BY_ZERO",
	windows.STATUS_STACK_BUFFER_OVERRUN:   "STATUS_STACK_BUFFER_OVERRUN",
	windows.STATUS_STACK_OVERFLOW:         "STATUS_STACK_OVERFLOW",
}

// crashName returns the number of an exception, and its name if that is known.
func crashName(code uint32) string {
	number := fmt.Sprintf("0x%08X", code)
	if name := crashNames[windows.NTStatus(code)]; name != "" {
		return number + " " + name
	}
	return number
}

func (l *leader) kill() { _ = windows.TerminateJobObject(l.job, 1) }

// descendants returns the processes of the job except the leader.
func (l *leader) descendants() (pids []int) {
	var list struct {
		assigned, listed uint32
		ids              [256]uintptr
	}
	size := uint32(unsafe.Sizeof(list)) // if there are more processes, those that fit are listed
	_ = windows.QueryInformationJobObject(l.job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), size, nil)
	for _, id := range list.ids[:min(int(list.listed), len(list.ids))] {
		if int(id) != l.pid && !hostsConsole(uint32(id)) {
			pids = append(pids, int(id))
		}
	}
	return pids
}

// hostsConsole reports whether a process is the one that the system has for a console. It ends with the console.
func hostsConsole(pid uint32) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return false
	}
	defer windows.CloseHandle(process)
	path := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(path))
	if windows.QueryFullProcessImageName(process, 0, &path[0], &n) != nil {
		return false
	}
	system, err := windows.GetSystemDirectory()
	return err == nil && strings.EqualFold(windows.UTF16ToString(path[:n]), filepath.Join(system, "conhost.exe"))
}

// leftInGroup returns what the leader has left behind, and lets it live on.
func (l *leader) leftInGroup() []int {
	left := l.descendants()
	l.setLifetime(outlivesUs)
	return left
}

func (l *leader) forget() {
	l.endSender()
	l.closeHandles()
}

// becomeSubreaper has no counterpart.
func becomeSubreaper() bool { return false }

func reapOrphans() {}

// watchdog is not needed: the system ends the job when this process dies.
type watchdog struct{ keep bool }

func (w *watchdog) begin() {}
func (w *watchdog) end()   {}
func (l *leader) unwatch() {}

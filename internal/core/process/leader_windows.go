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

// NtResumeProcess is called because ResumeThread needs a thread handle, and package syscall closes that handle. Package
// windows lacks NtResumeProcess.
var ntResumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// leader is a started process in a job object of its own. The job contains all descendants. Windows ends the job when
// this process dies, because that closes the job's handles.
type leader struct {
	pid         int
	handle, job windows.Handle
	binary      string    // of the supervisor
	sender      *exec.Cmd // sends CTRL_BREAK; nil: not started
}

// start starts a program suspended, so no part of the program can run outside the job.
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

// commandLine joins the arguments for the parsers of Windows programs. Programs of Git for Windows, such as its sh,
// treat single quotes, file name patterns and @ (a file with more arguments) specially in an unquoted word, so
// commandLine quotes words with these characters. For cmd.exe it does not, because cmd.exe keeps the quotes. After /s
// /c, cmd.exe removes the first and the last quote and runs the text between them; inner quotes belong to the command.
func commandLine(program Program) string {
	quotes := !strings.EqualFold(filepath.Base(program.Path), "cmd.exe")
	words := make([]string, len(program.Args))
	for i, arg := range program.Args {
		words[i] = windows.EscapeArg(arg)
		if quotes && strings.ContainsAny(arg, "'*?[]{}()~@") && !strings.HasPrefix(words[i], `"`) {
			ending := arg[len(strings.TrimRight(arg, `\`)):] // double the backslashes before the closing quote
			words[i] = `"` + words[i] + ending + `"`
		}
	}
	if last := len(words) - 1; !quotes && last > 2 && strings.EqualFold(words[last-2]+words[last-1], "/s/c") {
		words[last] = `"` + program.Args[last] + `"`
	}
	return strings.Join(words, " ")
}

// setLifetime sets whether closing the last handle ends the job.
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

// reap returns the exit status. Windows has no signals: the exit code of a crashed program is the number of the
// exception, and programs do not choose such codes.
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

// crashed reports whether an exit code is the number of an unhandled exception: an NTSTATUS of severity "error", from
// the system (0xC…) or a language's runtime (0xE…), or a breakpoint. Negative codes chosen by programs begin with 0xF.
func crashed(code uint32) bool {
	return code>>28 >= 0xC && code>>28 <= 0xE || code == uint32(windows.STATUS_BREAKPOINT)
}

// crashNames are the names of the most frequent exceptions.
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

// crashName returns the number of an exception, and the name if known.
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
	size := uint32(unsafe.Sizeof(list)) // if the job has more processes, the first 256 are listed
	_ = windows.QueryInformationJobObject(l.job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), size, nil)
	for _, id := range list.ids[:min(int(list.listed), len(list.ids))] {
		if int(id) != l.pid && !hostsConsole(uint32(id)) {
			pids = append(pids, int(id))
		}
	}
	return pids
}

// hostsConsole reports whether a process is conhost.exe, the system's host of a console. It ends with the console.
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

// leftInGroup returns the running descendants of an ended leader, and allows them to outlive this process.
func (l *leader) leftInGroup() []int {
	left := l.descendants()
	l.setLifetime(outlivesUs)
	return left
}

func (l *leader) forget() {
	l.endSender()
	l.closeHandles()
}

// becomeSubreaper returns false: Windows has no subreapers.
func becomeSubreaper() bool { return false }

func reapOrphans() {}

// watchdog does nothing: Windows ends the job when this process dies.
type watchdog struct{ keep bool }

func (w *watchdog) begin() {}
func (w *watchdog) end()   {}
func (l *leader) unwatch() {}

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// What package windows does not have.
var (
	peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")
	// ResumeThread would need the handle of a thread, which package syscall closes.
	ntResumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
)

// leader is a process in a job object of its own. The job holds all that comes of it, and Windows ends the job when this
// process dies and its handles are closed.
type leader struct {
	pid         int
	handle, job windows.Handle
}

// start starts a program suspended, so that nothing of it can run outside the job. diesWithUs: it is killed when this process dies.
func (s *Supervisor) start(program Program, stdio [3]uintptr, diesWithUs bool, _ *watchdog) (*leader, error) {
	s.prepared.Do(s.prepare)
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("creating a job object: %w", err)
	}
	l := &leader{job: job}
	if err := l.endWithUs(diesWithUs); err != nil {
		windows.CloseHandle(l.job)
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir:   program.Dir,
		Env:   program.Env,
		Files: stdio[:],
		Sys: &syscall.SysProcAttr{
			HideWindow:    true,
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

// endWithUs says whether the job ends with its last handle.
func (l *leader) endWithUs(yes bool) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if yes {
		limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	}
	size := uint32(unsafe.Sizeof(limits))
	_, err := windows.SetInformationJobObject(l.job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), size)
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

// reap returns how the hook ended. There are no signals; what Windows ends for a fault has an exit code of its own.
func (l *leader) reap() (code int, signal string, err error) {
	var status uint32
	if err := windows.GetExitCodeProcess(l.handle, &status); err != nil {
		return -1, "", fmt.Errorf("its exit status is lost: %w", err)
	}
	return int(int32(status)), "", nil
}

// terminate has no gentle form here: a hook without a console gets no event.
func (l *leader) terminate() { l.kill() }
func (l *leader) kill()      { windows.TerminateJobObject(l.job, 1) }

// descendants returns the processes of the job but the hook itself.
func (l *leader) descendants() (pids []int) {
	var list struct {
		assigned, listed uint32
		ids              [256]uintptr
	}
	size := uint32(unsafe.Sizeof(list)) // with more processes than fit, those that do are listed
	windows.QueryInformationJobObject(l.job, windows.JobObjectBasicProcessIdList, uintptr(unsafe.Pointer(&list)), size, nil)
	for _, id := range list.ids[:min(int(list.listed), len(list.ids))] {
		if int(id) != l.pid {
			pids = append(pids, int(id))
		}
	}
	return pids
}

// leftInGroup returns what the hook left behind, and lets it live on.
func (l *leader) leftInGroup() []int {
	left := l.descendants()
	l.endWithUs(false)
	return left
}

func (l *leader) forget() { l.closeHandles() }

func becomeSubreaper() {}

func reapOrphansUntil(over <-chan struct{}) {}

// unreadBytes cannot be told here.
func unreadBytes(*os.File) int { return -1 }

// watchdog is not needed: the system ends the job when we die.
type watchdog struct{ keep bool }

func (w *watchdog) begin() {}
func (w *watchdog) end()   {}
func (l *leader) unwatch() {}

// pipeEnd is our end of a pipe. Pipes of Windows cannot be read or written up to a deadline, so both are polled.
type pipeEnd struct {
	*os.File
	stopped atomic.Bool
	noWait  bool
}

func (e *pipeEnd) stop() { e.stopped.Store(true) }

func (e *pipeEnd) Read(b []byte) (int, error) {
	for !e.stopped.Load() {
		var available uint32
		ok, _, err := peekNamedPipe.Call(e.Fd(), 0, 0, 0, uintptr(unsafe.Pointer(&available)), 0)
		if ok == 0 {
			if errors.Is(err, windows.ERROR_BROKEN_PIPE) {
				return 0, io.EOF
			}
			return 0, err
		}
		if available > 0 {
			return e.File.Read(b[:min(len(b), int(available))])
		}
		time.Sleep(time.Millisecond)
	}
	return 0, os.ErrDeadlineExceeded
}

func (e *pipeEnd) Write(b []byte) (written int, err error) {
	if !e.noWait {
		mode := uint32(windows.PIPE_NOWAIT)
		windows.SetNamedPipeHandleState(windows.Handle(e.Fd()), &mode, nil, nil)
		e.noWait = true
	}
	for written < len(b) && !e.stopped.Load() {
		n, err := e.File.Write(b[written:min(len(b), written+4096)])
		written += max(n, 0)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.ErrShortWrite) { // nothing written: it is full
			return written, err
		}
		if n <= 0 {
			time.Sleep(time.Millisecond)
		}
	}
	if written < len(b) {
		return written, os.ErrDeadlineExceeded
	}
	return written, nil
}

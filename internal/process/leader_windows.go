package process

import (
	"fmt"
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
}

// start starts a program suspended, so that none of it can run outside the job. With diesWithUs it is killed when this
// process dies.
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

// endWithUs sets whether the job ends with its last handle.
func (l *leader) endWithUs(yes bool) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if yes {
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

// reap returns the exit status. There are no signals; a crash has an exit code of its own.
func (l *leader) reap() exitStatus {
	var status uint32
	if err := windows.GetExitCodeProcess(l.handle, &status); err != nil {
		return exitStatus{code: -1, err: fmt.Errorf("its exit status is lost: %w", err)}
	}
	return exitStatus{code: int(int32(status))}
}

// terminate kills: a process without a console cannot be asked to end.
func (l *leader) terminate() { l.kill() }
func (l *leader) kill()      { windows.TerminateJobObject(l.job, 1) }

// descendants returns the processes of the job except the leader.
func (l *leader) descendants() (pids []int) {
	var list struct {
		assigned, listed uint32
		ids              [256]uintptr
	}
	size := uint32(unsafe.Sizeof(list)) // if there are more processes, those that fit are listed
	windows.QueryInformationJobObject(l.job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), size, nil)
	for _, id := range list.ids[:min(int(list.listed), len(list.ids))] {
		if int(id) != l.pid {
			pids = append(pids, int(id))
		}
	}
	return pids
}

// leftInGroup returns what the leader has left behind, and lets it live on.
func (l *leader) leftInGroup() []int {
	left := l.descendants()
	l.endWithUs(false)
	return left
}

func (l *leader) forget() { l.closeHandles() }

// becomeSubreaper has no counterpart.
func becomeSubreaper() bool { return false }

func reapOrphans() {}

// watchdog is not needed: the system ends the job when this process dies.
type watchdog struct{ keep bool }

func (w *watchdog) begin() {}
func (w *watchdog) end()   {}
func (l *leader) unwatch() {}

package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

var (
	kernel32             = syscall.NewLazyDLL("kernel32.dll")
	createJobObject      = kernel32.NewProc("CreateJobObjectW")
	assignProcess        = kernel32.NewProc("AssignProcessToJobObject")
	setInformation       = kernel32.NewProc("SetInformationJobObject")
	queryInformation     = kernel32.NewProc("QueryInformationJobObject")
	terminateJobObject   = kernel32.NewProc("TerminateJobObject")
	peekNamedPipe        = kernel32.NewProc("PeekNamedPipe")
	setNamedPipeState    = kernel32.NewProc("SetNamedPipeHandleState")
	ntResumeProcess      = syscall.NewLazyDLL("ntdll.dll").NewProc("NtResumeProcess")
	createSuspended      = uint32(0x4)
	createNoWindow       = uint32(0x08000000) // a console of its own, which nobody sees
	limitKillOnJobClose  = uint32(0x2000)
	extendedLimitClass   = uintptr(9) // JobObjectExtendedLimitInformation
	basicProcessIDsClass = uintptr(3) // JobObjectBasicProcessIdList
	pipeNoWait           = uint32(1)
)

// extendedLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type extendedLimits struct {
	perProcessTime, perJobTime             int64
	flags                                  uint32
	minWorkingSet, maxWorkingSet           uintptr
	activeProcesses                        uint32
	affinity                               uintptr
	priority, scheduling                   uint32
	io                                     [6]uint64
	processMemory, jobMemory, peakProc, pk uintptr
}

// process is a hook in a job object of its own. The job holds all that comes of it, and Windows ends the job when this
// process dies and its handles are closed.
type process struct {
	pid         int
	handle, job syscall.Handle
}

// start starts the hook suspended, so that nothing of it can run outside the job. withUs: it dies when this process does.
func (r *Runner) start(what program, stdio [3]uintptr, withUs bool, _ *watchdog) (*process, error) {
	job, _, err := createJobObject.Call(0, 0)
	if job == 0 {
		return nil, fmt.Errorf("creating a job object: %w", err)
	}
	p := &process{job: syscall.Handle(job)}
	if err := p.endWithUs(withUs); err != nil {
		syscall.CloseHandle(p.job)
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir:   what.dir,
		Env:   what.env,
		Files: stdio[:],
		Sys:   &syscall.SysProcAttr{HideWindow: true, CreationFlags: createSuspended | createNoWindow | syscall.CREATE_NEW_PROCESS_GROUP},
	}
	pid, handle, err := syscall.StartProcess(what.path, what.argv, attr)
	if err != nil {
		syscall.CloseHandle(p.job)
		return nil, fmt.Errorf("%s: %w", what.argv[0], err)
	}
	p.pid, p.handle = pid, syscall.Handle(handle)
	if ok, _, err := assignProcess.Call(job, handle); ok == 0 {
		syscall.TerminateProcess(p.handle, 1)
		p.closeHandles()
		return nil, fmt.Errorf("%s: putting it into a job object: %w", what.argv[0], err)
	}
	if status, _, _ := ntResumeProcess.Call(handle); status != 0 {
		terminateJobObject.Call(job, 1)
		p.closeHandles()
		return nil, fmt.Errorf("%s: resuming it: status 0x%x", what.argv[0], status)
	}
	return p, nil
}

// endWithUs says whether the job ends with its last handle.
func (p *process) endWithUs(yes bool) error {
	var limits extendedLimits
	if yes {
		limits.flags = limitKillOnJobClose
	}
	if ok, _, err := setInformation.Call(uintptr(p.job), extendedLimitClass, uintptr(unsafe.Pointer(&limits)), unsafe.Sizeof(limits)); ok == 0 {
		return fmt.Errorf("setting up a job object: %w", err)
	}
	return nil
}

func (p *process) closeHandles() {
	syscall.CloseHandle(p.handle)
	syscall.CloseHandle(p.job)
}

func (p *process) waitExit() { syscall.WaitForSingleObject(p.handle, syscall.INFINITE) }

// reap returns how the hook ended. There are no signals; what Windows ends for a fault has an exit code of its own.
func (p *process) reap() (code int, signal string, err error) {
	var status uint32
	if err := syscall.GetExitCodeProcess(p.handle, &status); err != nil {
		return -1, "", fmt.Errorf("its exit status is lost: %w", err)
	}
	return int(int32(status)), "", nil
}

// terminate has no gentle form here: a hook without a console gets no event.
func (p *process) terminate() { p.kill() }
func (p *process) kill()      { terminateJobObject.Call(uintptr(p.job), 1) }

// rest returns the processes of the job but the hook itself.
func (p *process) rest() (pids []int) {
	var list struct {
		assigned, listed uint32
		ids              [256]uintptr
	}
	queryInformation.Call(uintptr(p.job), basicProcessIDsClass, uintptr(unsafe.Pointer(&list)), unsafe.Sizeof(list), 0)
	for _, id := range list.ids[:min(int(list.listed), len(list.ids))] {
		if int(id) != p.pid {
			pids = append(pids, int(id))
		}
	}
	return pids
}

// leftInGroup returns what the hook left behind, and lets it live on.
func (p *process) leftInGroup() []int {
	left := p.rest()
	p.endWithUs(false)
	return left
}

func (p *process) forget() { p.closeHandles() }

func becomeSubreaper() {}

func reapOrphansUntil(over <-chan struct{}) {}

// unread cannot be told here.
func unread(*os.File) int { return -1 }

// watchdog is not needed: the system ends the job when we die.
type watchdog struct{ stays bool }

func (g *watchdog) begin()  {}
func (g *watchdog) end()    {}
func (p *process) unwatch() {}

// foldName: names of variables do not differ by case.
func foldName(name string) string { return strings.ToUpper(name) }

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
			if errors.Is(err, syscall.ERROR_BROKEN_PIPE) {
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
		mode := pipeNoWait
		setNamedPipeState.Call(e.Fd(), uintptr(unsafe.Pointer(&mode)), 0, 0)
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

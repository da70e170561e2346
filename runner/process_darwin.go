package runner

import (
	"encoding/binary"
	"os"
	"slices"
	"syscall"
	"unsafe"
)

// sysProcAttr: a session and group of its own. macOS has no death with the parent.
func (p *process) sysProcAttr(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// closeOnExec marks every descriptor that was inherited from the caller: what Go opened is marked already.
func closeOnExec() { closeOnExecEach("/dev/fd") }

// becomeSubreaper has no counterpart: orphans fall to launchd.
func becomeSubreaper() {}

// unread cannot be told here.
func unread(*os.File) int { return -1 }

func reapOrphans() {}

// childless only matters where orphans fall to us.
func childless() bool { return false }

// group returns the running processes of a process group, as proc_listpids(3) does.
func group(pgid int) (pids []int) {
	const listPIDs, ofGroup = 1, 2 // PROC_INFO_CALL_LISTPIDS, PROC_PGRP_ONLY
	var buf [4096]byte
	n, _, errno := syscall.Syscall6(syscall.SYS_PROC_INFO, listPIDs, ofGroup, uintptr(pgid), 0, uintptr(unsafe.Pointer(&buf)), unsafe.Sizeof(buf))
	if errno != 0 {
		return nil
	}
	for i := 0; i+4 <= int(n); i += 4 {
		if pid := int(binary.NativeEndian.Uint32(buf[i:])); pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// rest returns what runs of the hook's group but its leader. What left the group is not found.
func (p *process) rest() []int {
	return slices.DeleteFunc(group(p.pid), func(pid int) bool { return pid == p.pid })
}

// memoryFile makes a file that has no name.
func memoryFile() (*os.File, error) {
	f, err := os.CreateTemp("", "hookrun-runs-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

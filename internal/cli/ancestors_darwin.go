package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// ancestors returns the program names of this process's ancestors, at most 16 bytes of each.
func ancestors() (lines [][]string) {
	for pid := os.Getppid(); pid > 1 && len(lines) < maxAncestors; {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		lines = append(lines, []string{unix.ByteSliceToString(info.Proc.P_comm[:])})
		pid = int(info.Eproc.Ppid)
	}
	return lines
}

package ancestor

import (
	"encoding/binary"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ancestors returns the command lines of this process's ancestors, and the files of their programs. Without the right
// to read these, it returns the first 16 bytes of a program's name.
func ancestors() (lines [][]string) {
	for pid := os.Getppid(); pid > 0 && len(lines) < maxAncestors; {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		lines = append(lines, []string{unix.ByteSliceToString(info.Proc.P_comm[:])})
		// The number of arguments, the file of the program, and the arguments, each with NULs behind.
		if text, err := unix.SysctlRaw("kern.procargs2", pid); err == nil && len(text) > 4 {
			program, rest, _ := strings.Cut(string(text[4:]), "\x00")
			words := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
			count := min(int(binary.LittleEndian.Uint32(text)), len(words)-1)
			lines = append(lines, []string{program}, words[:max(count, 1)])
		}
		pid = int(info.Eproc.Ppid)
	}
	return lines
}

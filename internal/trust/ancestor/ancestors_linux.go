package ancestor

import (
	"fmt"
	"os"
	"strings"
)

// ancestors returns the command lines of this process's ancestors, and the files of their programs. In a container the
// first process may be an agent.
func ancestors() (lines [][]string) {
	for pid := os.Getppid(); pid > 0 && len(lines) < maxAncestors; {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			break
		}
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		lines = append(lines, strings.Split(strings.TrimRight(string(text), "\x00"), "\x00"), []string{program})
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		rest := string(stat[strings.LastIndexByte(string(stat), ')')+1:]) // the name before may have any character
		if _, scan := fmt.Sscan(rest, new(string), &pid); err != nil || scan != nil {
			break
		}
	}
	return lines
}

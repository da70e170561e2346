package cli

import (
	"fmt"
	"os"
	"strings"
)

// ancestors returns the command lines of this process's ancestors.
func ancestors() (lines [][]string) {
	for pid := os.Getppid(); pid > 1 && len(lines) < maxAncestors; {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			break
		}
		lines = append(lines, strings.Split(strings.TrimRight(string(text), "\x00"), "\x00"))
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		rest := string(stat[strings.LastIndexByte(string(stat), ')')+1:]) // the name before may have any character
		if _, scan := fmt.Sscan(rest, new(string), &pid); err != nil || scan != nil {
			break
		}
	}
	return lines
}

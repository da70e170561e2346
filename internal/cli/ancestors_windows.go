package cli

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ancestors returns the program names of this process's ancestors.
func ancestors() (lines [][]string) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	parents, names := map[uint32]uint32{}, map[uint32]string{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		parents[entry.ProcessID] = entry.ParentProcessID
		names[entry.ProcessID] = windows.UTF16ToString(entry.ExeFile[:])
	}
	for pid := uint32(os.Getppid()); names[pid] != "" && len(lines) < maxAncestors; pid = parents[pid] {
		lines = append(lines, []string{names[pid]})
	}
	return lines
}

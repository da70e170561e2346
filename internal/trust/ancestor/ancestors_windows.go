package ancestor

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ancestors returns the program names of this process's ancestors, and the command lines that this user can read.
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
		if words := commandLine(pid); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}

// commandLine returns the words of a process's command line, or nil.
func commandLine(pid uint32) []string {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(process) }()
	buffer := make([]windows.NTUnicodeString, 8<<10) // the text is behind the first
	size := uint32(uintptr(len(buffer)) * unsafe.Sizeof(buffer[0]))
	err = windows.NtQueryInformationProcess(process, windows.ProcessCommandLineInformation, unsafe.Pointer(&buffer[0]),
		size, &size)
	if err != nil {
		return nil
	}
	words, _ := windows.DecomposeCommandLine(buffer[0].String())
	return words
}

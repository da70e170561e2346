package launch

import (
	"io/fs"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// shell runs string commands.
const shell = "sh"

// sameVariable ignores case, because Windows mostly writes Path.
func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// hashBangTakesCRLF: Resolve reads the #! line.
const hashBangTakesCRLF = true

// neededHere are variables that programs need to start or to find the user's folders.
var neededHere = []string{"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE",
	"USERNAME", "APPDATA", "LOCALAPPDATA",
	"ProgramData", "ProgramFiles", "ProgramFiles(x86)", "CommonProgramFiles", "NUMBER_OF_PROCESSORS",
	"PROCESSOR_ARCHITECTURE", "OS"}

// inspectProgram only checks write access. Resolve has checked the rest.
func inspectProgram(path, name, _ string, _ []string, _ fileFault) (faults []string) {
	if fault := worldWritable(path, nil, name); fault != "" {
		faults = append(faults, fault)
	}
	return faults
}

func byShellFault(path, name, dir string, env []string) string { return "" }

// FileFault returns "", because Resolve has checked the first line.
func FileFault(path, name, dir string, env []string) string { return "" }

func worldWritable(path string, info fs.FileInfo, name string) string {
	if !owner.WritableByAll(path, info) {
		return ""
	}
	return name + ": everybody may write to it, and so change what this hook does; fix it with: " + owner.Mend(path)
}

// foldVariable: names of variables do not differ by case.
func foldVariable(name string) string { return strings.ToUpper(name) }

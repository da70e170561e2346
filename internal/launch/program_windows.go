package launch

import (
	"io/fs"
	"strings"

	"github.com/hookrun/hookrun/internal/files/owner"
)

// shell runs string commands.
const shell = "sh"

// sameVariable: on Windows it is mostly Path.
func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// hashBangTakesCRLF: Resolve reads the #! line.
const hashBangTakesCRLF = true

// neededHere are variables without which programs do not start or find the user's folders.
var neededHere = []string{"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE",
	"USERNAME", "APPDATA", "LOCALAPPDATA",
	"ProgramData", "ProgramFiles", "ProgramFiles(x86)", "CommonProgramFiles", "NUMBER_OF_PROCESSORS",
	"PROCESSOR_ARCHITECTURE", "OS"}

// inspectProgram has little to add to what Resolve finds.
func inspectProgram(path, name, _ string, _ []string, _ fileFault) (faults []string) {
	if fault := worldWritable(path, nil, name); fault != "" {
		faults = append(faults, fault)
	}
	return faults
}

func byShellFault(path, name, dir string, env []string) string { return "" }

// FileFault has nothing to add: Resolve has looked at the first line.
func FileFault(path, name, dir string, env []string) string { return "" }

func worldWritable(path string, info fs.FileInfo, name string) string {
	if !owner.WritableByAll(path, info) {
		return ""
	}
	return name + ": everybody may write to it, and so change what this hook does; mend it with: " + owner.Mend(path)
}

// foldVariable: names of variables do not differ by case.
func foldVariable(name string) string { return strings.ToUpper(name) }

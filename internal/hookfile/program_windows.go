package hookfile

import (
	"io/fs"
	"strings"
)

// shell runs string commands.
const shell = "sh"

// ownCommand is the field that a handler's command for this system stands in, if it has one of its own.
const ownCommand = "commandWindows"

// sameVariable: on Windows it is mostly Path.
func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// hashBangTakesCRLF: Launch reads the #! line.
const hashBangTakesCRLF = true

// neededHere are variables without which programs do not start or find the user's folders.
var neededHere = []string{"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE",
	"USERNAME", "APPDATA", "LOCALAPPDATA",
	"ProgramData", "ProgramFiles", "ProgramFiles(x86)", "CommonProgramFiles", "NUMBER_OF_PROCESSORS",
	"PROCESSOR_ARCHITECTURE", "OS"}

// inspectProgram has nothing to add to what Launch finds where files have no mode bits.
func inspectProgram(path, name, workspace string, env []string, byShell bool) []string { return nil }

func byShellFault(path, name, dir string, env []string) string { return "" }

// StartFault has nothing to add: Launch has looked at the first line.
func StartFault(path, name, dir string, env []string) string { return "" }

func worldWritable(info fs.FileInfo, name string) string { return "" }

// foldVariable: names of variables do not differ by case.
func foldVariable(name string) string { return strings.ToUpper(name) }

//go:build unix

package launch

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/files/regular"
)

// shell runs string commands. Not by PATH: who can change that should not be able to change what a gate does.
const shell = "/bin/sh"

// lookPath finds the file of a program.
func lookPath(path string, _ []string) (string, error) { return exec.LookPath(path) }

// findShell finds sh or bash.
func findShell(name, dir string, env []string) (path string, err error) {
	path, err = find("/bin/"+name, dir, env)
	if err != nil && name == "bash" { // not every system has it there
		path, err = find(name, dir, env)
	}
	return path, err
}

// hashBangTakesCRLF: the system does not find an interpreter whose name ends in CR.
const hashBangTakesCRLF = false

// findProgram finds the program of an array.
func findProgram(name, dir string, env []string) (path string, err error) {
	return find(name, dir, env)
}

// pathFault: every path is absolute or starts in the workspace.
func pathFault(string) string { return "" }

// powerShells are the names of PowerShell.
var powerShells = []string{"pwsh"}

// stubFault: no program of Unix only pretends to be one.
func stubFault(string) string { return "" }

// Resolve returns what to start for a program that Program has found: the program itself, since the system knows #!
// lines.
func Resolve(path string, argv []string, _ string, _ []string) (string, []string, error) {
	return path, argv, nil
}

func sameVariable(a, b string) bool { return a == b }

// neededHere are variables that programs need on this system alone.
var neededHere []string

// inspectProgram looks at a program that was found and may be executed.
func inspectProgram(path, name, workspace string, env []string, faultOf fileFault) (faults []string) {
	info, err := os.Stat(path)
	if err != nil {
		return []string{startError(name, err).Error()}
	}
	if !info.Mode().IsRegular() {
		// and to open a pipe would wait for ever
		return []string{name + ": not a regular file but " + regular.Kind(info.Mode())}
	}
	if fault := worldWritable(path, info, name); fault != "" {
		faults = append(faults, fault)
	}
	if fault := faultOf(path, name, workspace, env); fault != "" {
		faults = append(faults, fault)
	}
	return faults
}

// byShellFault is FileFault for a program that a shell is to start. The shell runs a file of no known kind as a script
// of its own.
func byShellFault(path, name, dir string, env []string) string {
	return firstLineFault(startOf(path), name, dir, env)
}

// FileFault explains why the system does not start a program that exists and is executable, as far as its first line
// tells; "" if nothing is wrong with that line. It uses the words of Inspect, so that a run and a check report the
// same. name is the program as the hooks file names it, dir where it runs, env its environment.
func FileFault(path, name, dir string, env []string) string {
	start := startOf(path)
	if fault := firstLineFault(start, name, dir, env); fault != "" {
		return fault
	}
	// no program of a machine's: those have NULs in their first bytes
	if start != nil && !bytes.HasPrefix(start, []byte("#!")) && !bytes.ContainsRune(start, 0) {
		return name + ": neither a program nor a script with a #! line; put #!/bin/sh on its first line"
	}
	return ""
}

// MarkFault reports that a script begins with a byte order mark, "" if it does not.
func MarkFault(path, name string) string {
	if !bytes.HasPrefix(startOf(path), []byte("\ufeff#!")) {
		return ""
	}
	return name + markFault
}

// startOf reads the first bytes of a program, nil for one that is executable and not readable, and for what is no
// regular file: to open a named pipe would wait for ever.
func startOf(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	start := make([]byte, 512)
	n, _ := io.ReadFull(f, start)
	return start[:n]
}

// firstLineFault looks at the #! line of a program that begins with these bytes.
func firstLineFault(start []byte, name, workspace string, env []string) string {
	if bytes.HasPrefix(start, []byte("\ufeff#!")) {
		return name + markFault
	}
	line, isScript := bytes.CutPrefix(start, []byte("#!"))
	if !isScript {
		return ""
	}
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if bytes.HasSuffix(line, []byte("\r")) {
		return name + `: its #! line ends in CR LF, so its interpreter is not found; save it with LF line ends`
	}
	return missingInterpreter(name, strings.Fields(string(line)), workspace, env)
}

// missingInterpreter looks for what a #! line names, and behind env for the program that env is to start.
func missingInterpreter(name string, words []string, workspace string, env []string) string {
	if len(words) == 0 {
		return name + ": its #! line names no interpreter; write #!/bin/sh"
	}
	if _, err := find(absolute(words[0], workspace), workspace, env); err != nil {
		return fmt.Sprintf("%s: the interpreter of its #! line cannot run: %v", name, err)
	}
	if filepath.Base(words[0]) != "env" {
		return ""
	}
	args := words[1:]
	if len(args) == 0 {
		return name + ": its #! line names no interpreter behind env; write #!/usr/bin/env sh"
	}
	if program, split := splitString(args); split {
		args = program
	} else if len(args) > 1 && !splitsWords {
		return fmt.Sprintf("%s: its #! line gives env more than one word, which it takes for one name; write #!%s -S "+
			"%s",
			name, words[0], strings.Join(args, " "))
	}
	program := envProgram(args)
	if program == "" {
		return ""
	}
	if _, err := find(program, workspace, env); err != nil {
		return fmt.Sprintf("%s: the interpreter of its #! line cannot run: %v", name, err)
	}
	return ""
}

// splitString takes env's flag for a #! line of several words away.
func splitString(args []string) (rest []string, ok bool) {
	for _, flag := range []string{"-S", "-vS", "--split-string="} {
		if first, ok := strings.CutPrefix(args[0], flag); ok {
			return append([]string{first}, args[1:]...), true
		}
	}
	return nil, false
}

// envProgram returns the program that env is to start, "" where that takes more than a look to tell.
func envProgram(args []string) string {
	for _, w := range args {
		switch {
		case strings.ContainsAny(w, "'\"\\$#"), strings.HasPrefix(w, "PATH="), slices.Contains(envUnclear, w):
			return ""
		case w == "", w[0] == '-', strings.Contains(w, "="):
			continue
		}
		return w
	}
	return ""
}

// envUnclear are flags of env that take the next word for themselves, or PATH away.
var envUnclear = []string{"-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0", "-i", "-", "--ignore-environment"}

// absolute keeps find from looking in PATH: the kernel does not, for a #! line.
func absolute(interpreter, workspace string) string {
	if filepath.IsAbs(interpreter) {
		return interpreter
	}
	return filepath.Join(workspace, interpreter)
}

func worldWritable(_ string, info fs.FileInfo, name string) string {
	if info.Mode().Perm()&0o002 == 0 {
		return ""
	}
	return name + ": everybody may write to it, and so change what this hook does; chmod o-w it"
}

// foldVariable: names of variables differ by case.
func foldVariable(name string) string { return name }

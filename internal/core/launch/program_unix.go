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

	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// shell runs string commands. It is not looked up in PATH: a change of PATH must not change what a gate does.
const shell = "/bin/sh"

// lookPath finds the file of a program.
func lookPath(path string, _ []string) (string, error) { return exec.LookPath(path) }

// findShell finds sh or bash.
func findShell(name, dir string, env []string) (path string, err error) {
	path, err = find("/bin/"+name, dir, env)
	if err != nil && name == "bash" { // some systems have bash elsewhere
		path, err = find(name, dir, env)
	}
	return path, err
}

// hashBangTakesCRLF: the system looks for an interpreter with CR in its name, and fails.
const hashBangTakesCRLF = false

// findProgram finds the program of an array.
func findProgram(name, dir string, env []string) (path string, err error) {
	return find(name, dir, env)
}

// pathFault: every path is absolute or relative to the workspace.
func pathFault(string) string { return "" }

// powerShells are the names of PowerShell.
var powerShells = []string{"pwsh"}

// stubFault: Unix has no stubs of programs.
func stubFault(string) string { return "" }

// Resolve returns the program to start, which is path itself: the system understands #! lines.
func Resolve(path string, argv []string, _ string, _ []string) (string, []string, error) {
	return path, argv, nil
}

func sameVariable(a, b string) bool { return a == b }

// neededHere are variables that programs need on this system only.
var neededHere []string

// inspectProgram checks a program that exists and is executable.
func inspectProgram(path, name, workspace string, env []string, faultOf fileFault) (faults []string) {
	info, err := os.Stat(path)
	if err != nil {
		return []string{startError(name, err).Error()}
	}
	if !info.Mode().IsRegular() {
		// To open a named pipe would wait for ever.
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

// byShellFault is FileFault for a program started by a shell. The shell runs a file of unknown kind as its own script,
// also if the name says that the script is in another language.
func byShellFault(path, name, dir string, env []string) string {
	if hashBang(name, dir, env) != "/bin/sh" {
		return FileFault(path, name, dir, env)
	}
	return firstLineFault(startOf(path), name, dir, env)
}

// languages have the endings of scripts, and the programs that run the scripts.
var languages = []struct{ endings, programs string }{
	{".py", "python3"}, {".js .mjs .cjs", "node"}, {".ts .mts .cts", "bun tsx deno node"}, {".rb", "ruby"},
	{".pl", "perl"}, {".php", "php"}, {".lua", "lua"}, {".ps1", "pwsh"},
}

// hashBang returns what follows #! in the first line of a script, by the ending of the name: /bin/sh for an ending that
// is not known.
func hashBang(name, dir string, env []string) string {
	for _, l := range languages {
		if !slices.Contains(strings.Fields(l.endings), filepath.Ext(name)) {
			continue
		}
		for program := range strings.FieldsSeq(l.programs) {
			if _, err := find(program, dir, env); err == nil || !strings.Contains(l.programs, " ") {
				return "/usr/bin/env " + strings.Replace(program, "deno", "-S deno run", 1)
			}
		}
		return "/usr/bin/env node"
	}
	return "/bin/sh"
}

// FileFault explains why the system does not start an executable file, as far as the first line tells; "" if that line
// has no fault. It uses the words of Inspect, so a run and a check print the same message. name is the program in the
// hooks file, dir the working directory, env the environment.
func FileFault(path, name, dir string, env []string) string {
	start := startOf(path)
	if fault := firstLineFault(start, name, dir, env); fault != "" {
		return fault
	}
	// A machine program has NULs in its first bytes.
	if start != nil && !bytes.HasPrefix(start, []byte("#!")) && !bytes.ContainsRune(start, 0) {
		first := hashBang(name, dir, env)
		fault := name + ": neither a program nor a script with a #! line; put #!" + first + " on its first line"
		if program, is := strings.CutPrefix(first, "/usr/bin/env "); is {
			fault += ", or run " + strings.TrimPrefix(program, "-S ") + " " + name
		}
		return fault
	}
	return ""
}

// MarkFault reports that a script begins with a byte order mark; otherwise "".
func MarkFault(path, name string) string {
	if !bytes.HasPrefix(startOf(path), []byte("\ufeff#!")) {
		return ""
	}
	return name + markFault
}

// startOf reads the first bytes of a program. It returns nil if the program is not readable, or no regular file: to
// open a named pipe would wait for ever.
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

// firstLineFault checks the #! line of a program that begins with these bytes.
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

// missingInterpreter checks that the interpreter in a #! line exists, and the program after env.
func missingInterpreter(name string, words []string, workspace string, env []string) string {
	if len(words) == 0 {
		return name + ": its #! line names no interpreter; write #!" + hashBang(name, workspace, env)
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

// splitString removes env's flag for a #! line of several words.
func splitString(args []string) (rest []string, ok bool) {
	for _, flag := range []string{"-S", "-vS", "--split-string="} {
		if first, ok := strings.CutPrefix(args[0], flag); ok {
			return append([]string{first}, args[1:]...), true
		}
	}
	return nil, false
}

// envProgram returns the program started by env, or "" if the arguments are too complex to tell.
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

// envUnclear are flags of env that take the next word, or that drop PATH.
var envUnclear = []string{"-u", "--unset", "-C", "--chdir", "-P", "-a", "--argv0", "-i", "-", "--ignore-environment"}

// absolute keeps find from looking in PATH: for a #! line the kernel does not use PATH.
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

//go:build unix

package projecthooks

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// shell runs string commands. Not by PATH: who can change that should not be able to change what a gate does.
const shell = "/bin/sh"

// inspectProgram looks at a program that was found and may be executed.
func inspectProgram(path, name, workspace string, env []string) (faults []string) {
	info, err := os.Stat(path)
	if err != nil {
		return []string{startError(name, err).Error()}
	}
	if fault := worldWritable(info, name); fault != "" {
		faults = append(faults, fault)
	}
	f, err := os.Open(path)
	if err != nil {
		return faults // a program may be executable and not readable
	}
	defer f.Close()
	start := make([]byte, 512)
	n, _ := io.ReadFull(f, start)
	start = start[:n]
	line, isScript := bytes.CutPrefix(start, []byte("#!"))
	if !isScript {
		if !bytes.ContainsRune(start, 0) { // no program of a machine's: those have NULs in their first bytes
			faults = append(faults, name+": neither a program nor a script with a #! line; put #!/bin/sh on its first line")
		}
		return faults
	}
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if bytes.HasSuffix(line, []byte("\r")) {
		return append(faults, name+`: its #! line ends in CR LF, so its interpreter is not found; save it with LF line ends`)
	}
	return append(faults, missingInterpreter(name, strings.Fields(string(line)), workspace, env)...)
}

// missingInterpreter looks for what a #! line names, and behind env for its argument.
func missingInterpreter(name string, words []string, workspace string, env []string) []string {
	if len(words) == 0 {
		return []string{name + ": its #! line names no interpreter; write #!/bin/sh"}
	}
	if _, err := find(absolute(words[0], workspace), workspace, env); err != nil {
		return []string{fmt.Sprintf("%s: the interpreter of its #! line cannot run: %v", name, err)}
	}
	if filepath.Base(words[0]) != "env" {
		return nil
	}
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") || strings.Contains(w, "=") {
			continue
		}
		if _, err := find(w, workspace, env); err != nil {
			return []string{fmt.Sprintf("%s: the interpreter of its #! line cannot run: %v", name, err)}
		}
		break
	}
	return nil
}

// absolute keeps find from looking in PATH: the kernel does not, for a #! line.
func absolute(interpreter, workspace string) string {
	if filepath.IsAbs(interpreter) {
		return interpreter
	}
	return filepath.Join(workspace, interpreter)
}

func worldWritable(info fs.FileInfo, name string) string {
	if info.Mode().Perm()&0o002 == 0 {
		return ""
	}
	return name + ": everybody may write to it, and so change what this hook does; chmod o-w it"
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// cases is the folder of the recorded cases and of their runner.
const cases = "conformance"

// runnerModule is the go.mod of the cases' archive. The modules that both need come after it.
const runnerModule = `module github.com/hookrun/hookrun/conformance

go %s

require github.com/hookrun/hookrun v0.0.0

replace github.com/hookrun/hookrun => ./hookrun

`

// writeCases writes conformance_VERSION.tar.gz: the folder of the recorded cases, as a Go module in which go run .
// works. The code of hookrun that the runner needs is in the folder hookrun.
func (r *release) writeCases(dir string) error {
	version, err := os.ReadFile(filepath.Join(cases, "VERSION"))
	if err != nil {
		return err
	}
	top := fmt.Sprintf("conformance_%s", strings.TrimSpace(string(version)))
	var members []member
	add := func(name, from string) error {
		text, err := os.ReadFile(from)
		members = append(members, member{path.Join(top, name), 0o644, text})
		return err
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(module), "\ngo ")
	needs, rest, found := strings.Cut(rest, "\n")
	if !found {
		return fmt.Errorf("go.mod has no line as go 1.26.0")
	}
	text := fmt.Sprintf(runnerModule, needs) + strings.TrimSpace(rest) + "\n"
	members = append(members, member{top + "/go.mod", 0o644, []byte(text)})
	for name, from := range map[string]string{"LICENSE": "LICENSE", "go.sum": "go.sum", "hookrun/go.mod": "go.mod"} {
		if err := add(name, from); err != nil {
			return err
		}
	}
	needed, err := neededFolders()
	if err != nil {
		return err
	}
	// Files that are not committed count in a build with --dirty; without it there are none.
	files, err := output(nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for _, file := range files {
		name, isCase := strings.CutPrefix(file, cases+"/")
		switch {
		case strings.HasSuffix(file, "_test.go"):
			continue
		case !isCase && needed[path.Dir(file)]:
			name = "hookrun/" + file
		case !isCase:
			continue
		}
		if err := add(name, file); err != nil {
			return err
		}
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	var archive bytes.Buffer
	if err := r.tar(&archive, members); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, top+".tar.gz"), archive.Bytes(), 0o644)
}

// neededFolders are the folders of hookrun's packages that the runner imports, on any system.
func neededFolders() (map[string]bool, error) {
	folders := map[string]bool{}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		const ours = "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}"
		dirs, err := output([]string{"GOOS=" + system}, "go", "list", "-deps", "-f", ours, "./"+cases)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			relative, err := filepath.Rel(root, dir)
			if err != nil {
				return nil, err
			}
			folders[filepath.ToSlash(relative)] = true
		}
	}
	return folders, nil
}

// output returns the lines that a program prints.
func output(env []string, program string, args ...string) ([]string, error) {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), nil
}

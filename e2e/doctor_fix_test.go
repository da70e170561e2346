//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
)

func (p *patient) read(name string) string {
	text, err := os.ReadFile(p.path(name))
	require.NoError(p, err)
	return string(text)
}

func (p *patient) replaceAll(name, old, now string) {
	p.Helper()
	text := p.read(name)
	require.Contains(p, text, old)
	p.write(name, strings.ReplaceAll(text, old, now))
}

func (p *patient) move(from, to string) {
	require.NoError(p, os.MkdirAll(filepath.Dir(p.path(to)), 0o755))
	require.NoError(p, os.Rename(p.path(from), p.path(to)))
}

func (p *patient) run(args ...string) {
	p.Helper()
	out, err := p.command(binary.Path, args...).CombinedOutput()
	require.NoError(p, err, "%s", out)
}

func (p *patient) allow() { p.run("allow", "--yes") }

// outOfPath takes hookrun out of PATH, and inPath puts it there again.
func (p *patient) outOfPath() { require.NoError(p, os.Remove(p.hookrun)) }
func (p *patient) inPath()    { require.NoError(p, os.Link(binary.Path, p.hookrun)) }

// otherInPath puts another program in the place of the hookrun in PATH.
func (p *patient) otherInPath() {
	p.outOfPath()
	require.NoError(p, os.WriteFile(p.hookrun, []byte("#!/bin/sh\n"), 0o755))
}

// is reports whether a finding has the severity, check and text of names. * stands for any severity.
func (f *finding) is(names string) bool {
	words := strings.SplitN(names, " ", 3)
	return (words[0] == "*" && f.Severity != "ok" || f.Severity == words[0]) && f.Check == words[1] &&
		strings.Contains(f.What, words[2])
}

// find returns the finding that names describes, and all that are errors.
func (p *patient) find(names string) (found *finding, errors []string) {
	p.Helper()
	for _, f := range p.examine() {
		if found == nil && f.is(names) {
			found = &f
		}
		if f.Severity == "error" {
			errors = append(errors, f.What)
		}
	}
	return found, errors
}

// TestFix names what is wrong with each set-up, tries the fix, and requires that the finding is gone and that nothing
// got worse.
func TestFix(t *testing.T) {
	programs := standIns(t)
	rows := setUps
	for _, name := range install.Names() {
		client, _ := install.Lookup(name)
		fix := "install " + name + " -C $W"
		if client.Folder == "" {
			fix = "install " + name + " --user"
		}
		rows = append(rows, setUp{name: "not installed in " + name, client: name, fix: fix,
			names: "error entry hookrun is not installed"})
	}
	require.GreaterOrEqual(t, len(rows), 30)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.test(newPatient(t, first(row.client, "claude"), programs, false))
		})
	}
}

func first(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

func (s *setUp) test(p *patient) {
	var flags []string
	for _, word := range append(s.with, "+") {
		if word != "+" {
			flags = append(flags, word)
			continue
		}
		if s.with != nil {
			p.install(flags...)
		}
		flags = nil
	}
	if s.with != nil {
		p.trust()
	}
	if s.spoil != nil {
		s.spoil(p)
	}
	inPlace := strings.NewReplacer("$W", p.workspace)
	found, before := p.find(s.names)
	require.NotNil(p, found, "not named: %s", before)
	require.Contains(p, found.Mend, inPlace.Replace(s.mend))
	if s.fix == "" {
		require.Empty(p, found.Command)
	} else {
		require.Equal(p, "hookrun "+inPlace.Replace(s.fix), strings.Join(found.Command, " "))
		require.Equal(p, found.Mend, strings.Join(found.Command, " "))
	}
	p.fix()
	found, after := p.find(s.names)
	require.LessOrEqual(p, len(after), len(before), "it got worse:\n%s\n%s", before, after)
	if s.hand != nil {
		require.NotNil(p, found, "--fix did what a person must do")
		s.hand(p)
		found, after = p.find(s.names)
		require.LessOrEqual(p, len(after), len(before), "it got worse:\n%s\n%s", before, after)
	}
	require.Nil(p, found, "not mended")
	if s.then != nil {
		s.then(p.T, p)
	}
}

// fix runs doctor --fix --yes as a script does, without a terminal. Its exit code and report are of what is left.
func (p *patient) fix() {
	cmd := p.command(binary.Path, "doctor", p.client, "-o", "json", "--fix", "--yes")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	var report struct{ OK bool }
	require.NoError(p, json.Unmarshal(out, &report), "%s%s", out, &stderr)
	require.Equal(p, report.OK, cmd.ProcessState.ExitCode() == 0)
	p.Log(stderr.String())
}

// TestFixAsks: --fix asks for each command, and hookrun allow asks itself, whatever the answer before was.
func TestFixAsks(t *testing.T) {
	const question, allowed = "Run it? [y/N/all] ", "to run? [y/N] "
	for _, row := range []struct {
		typed              string
		questions          int
		installed, allowed bool
	}{
		{"n\nn\n", 1, false, false},
		{"\nn\n", 1, false, false},
		{"y\nn\n", 1, true, false},
		{"y\ny\n", 1, true, true},
		{"all\ny\n", 1, true, true},
	} {
		t.Run(row.typed, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t, "claude", standIns(t), false)
			cmd := p.command(binary.Path, "doctor", "claude", "--fix")
			var stdout strings.Builder
			cmd.Stdout = &stdout
			code, screen := binary.AtTerminal(t, cmd, row.typed)
			require.Equal(t, row.questions, strings.Count(screen, question), screen)
			require.Equal(t, 1, strings.Count(screen, allowed), screen)
			require.Contains(t, screen, "hookrun install claude -C "+p.workspace+"\r\n  fixes: hookrun is not ")
			require.Equal(t, row.installed && row.allowed, code == 0, "%s%s", &stdout, screen)
			require.Equal(t, !row.installed, strings.Contains(stdout.String(), "  not run\n"))
			require.Equal(t, !row.installed, strings.Contains(stdout.String(), "  error    hookrun is not installed"))
			require.Equal(t, row.installed, exists(p.path(settings)))
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestFixWithoutATerminal: a caller without one may be an agent, and gets the commands to read.
func TestFixWithoutATerminal(t *testing.T) {
	p := newPatient(t, "claude", standIns(t), false)
	without := func(flags ...string) (code int, stdout, stderr string) {
		cmd := p.command(binary.Path, append([]string{"doctor", "claude"}, flags...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdin = strings.NewReader("y\ny\n")
		var out, errors strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errors
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), out.String(), errors.String()
	}
	code, stdout, _ := without("--fix")
	require.Equal(t, 1, code)
	require.True(t, strings.HasPrefix(stdout, "hookrun install claude -C "+p.workspace+"\n  fixes: hookrun is not "+
		"installed: no settings of Claude Code run it\n  not run: there is no terminal to ask at; --yes runs it\n\n"+
		"hookrun allow "+p.workspace+"\n"), stdout)
	require.Contains(t, stdout, "  not run: a person must look at the hooks, and run it at a terminal\n")
	require.Contains(t, stdout, "  error    hookrun is not installed")
	code, stdout, stderr := without("--fix", "-o", "json")
	require.Equal(t, 1, code)
	require.Contains(t, stdout, `"command":["hookrun","install","claude","-C","`+p.workspace+`"]`)
	require.Contains(t, stderr, "not run: there is no terminal")
	require.NoFileExists(t, p.path(settings))
	code, _, stderr = without("--yes")
	require.Equal(t, 1, code)
	require.Equal(t, "hookrun doctor: --yes is for --fix; give both, or neither\n", stderr)

	code, stdout, _ = without("--fix", "--yes")
	require.Equal(t, 1, code)
	require.Contains(t, stdout, "  error    nobody has allowed the project's hooks, so every tool call is blocked\n")
	require.FileExists(t, p.path(settings))
	p.allow()
	code, stdout, _ = without("--fix", "--yes")
	require.Equal(t, 0, code)
	require.True(t, strings.HasPrefix(stdout, "no finding advises a command\n\n"), stdout)
}

// standIns are programs with the names of the clients that say a version and no more.
func standIns(t *testing.T) (folder string) {
	folder = t.TempDir()
	for _, name := range install.Names() {
		d, _ := clients.All().ClientNamed(name)
		version := "1.0"
		if len(d.Install.Versions) > 0 {
			version = d.Install.Versions[0]
		}
		script := "#!/bin/sh\necho " + name + " " + version + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, d.Install.Program), []byte(script), 0o755))
	}
	return folder
}

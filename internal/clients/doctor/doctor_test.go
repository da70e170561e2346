package doctor_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/check"
	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/record/lastrun"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// patient is a home and a workspace with files that were made up.
type patient struct {
	*testing.T
	*doctor.Doctor
	variables map[string]string
}

const guard = `{"hooks": [
  {"name": "guard", "command": "exit 2", "events": ["pre-tool"], "timeout": "5s", "on_failure": "block"},
  {"name": "late", "command": "true", "events": ["pre-tool"], "timeout": "3s", "on_failure": "block"},
  {"name": "rule", "block": "no", "events": ["pre-tool"], "if": "shell(rm *)"}
]}`

// newPatient is one in whose project the claude, codex or gemini client runs hookrun, if it is named.
func newPatient(t *testing.T, client string) *patient {
	p := &patient{T: t, variables: map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": "true"}}
	folder, home := t.TempDir(), t.TempDir()
	p.Doctor = &doctor.Doctor{
		Workspace: doctor.Workspace{Folder: folder, Started: folder, Found: "hooks file .tenex-hooks.json"},
		Home:      home, State: filepath.Join(home, "state"), Binary: filepath.Join(home, "hookrun.exe"),
		Now:    time.Now(),
		Getenv: func(name string) string { return p.variables[name] },
		Look:   func(string) (string, error) { return "", errors.New("not in PATH") },
	}
	require.NoError(t, os.WriteFile(p.Binary, []byte("#!/bin/sh\n"), 0o755))
	p.hooks(guard)
	if client != "" {
		p.Clients = []string{client}
		p.install(client)
	}
	return p
}

// hooks loads hooks, as hookrun's command line does it.
func (p *patient) hooks(text string) {
	path := filepath.Join(p.Workspace.Folder, hookfile.FileName)
	cfg, err := parts.All().Parse(path, []byte(text))
	file := check.File{Path: path}
	errors.As(err, (*hook.Diagnostics)(&file.Errors))
	if p.Workspace.Config = cfg; cfg != nil {
		file.Tally = hook.Count(cfg.Hooks, hook.ManagedLevel, p.Now)
		file.Hooks = file.Tally.Active()
	}
	p.Workspace.Files = []check.File{file}
}

func (p *patient) install(client string) {
	c, _ := install.Lookup(client)
	changes, err := c.InstallAll(c.Project(p.Workspace.Folder), install.Entry{Binary: p.Binary,
		Args: []string{"--output", client}, Timeout: 15 * time.Second, Events: c.Events})
	require.NoError(p, err)
	for _, change := range changes {
		require.NoError(p, change.Write())
	}
}

// write writes a file; $WORKSPACE and $HOME in its name stand for folders.
func (p *patient) write(name, text string) {
	name = strings.NewReplacer("$WORKSPACE", p.Workspace.Folder, "$HOME", p.Home).Replace(name)
	require.NoError(p, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(p, os.WriteFile(name, []byte(text), 0o600))
}

// finds requires a finding, and returns it.
func (p *patient) finds(severity doctor.Severity, check, text string) doctor.Finding {
	p.Helper()
	r := p.Examine()
	require.Equal(p, 1, r.Version)
	for _, f := range r.Findings {
		require.Equal(p, f.Severity == doctor.OK, f.Mend == "", "%+v", f)
		if f.Severity == severity && f.Check == check && strings.Contains(f.What, text) {
			require.False(p, severity == doctor.Error && r.OK)
			return f
		}
	}
	require.FailNow(p, "not found", "%s %s %s in\n%+v", severity, check, text, r.Findings)
	return doctor.Finding{}
}

// errors are what keeps the gate from holding.
func (p *patient) errors() (all []string) {
	for _, f := range p.Examine().Findings {
		if f.Severity == doctor.Error {
			all = append(all, f.What)
		}
	}
	return all
}

func TestHealthy(t *testing.T) {
	testall.NotOnWindows(t, "its programs are scripts for sh")
	for _, client := range []string{"claude", "gemini"} {
		p := newPatient(t, client)
		require.Empty(t, p.errors())
		require.True(t, p.Examine().OK)
	}
}

func TestWhatKeepsAGateFromHolding(t *testing.T) {
	testall.NotOnWindows(t, "its programs are scripts for sh")
	for _, row := range []struct {
		name, client string
		spoil        func(*patient)
		severity     doctor.Severity
		check, text  string
	}{
		{"not installed", "claude", func(p *patient) { p.write("$WORKSPACE/.claude/settings.json", "{}") },
			doctor.Error, "entry", "is not installed"},
		{"disabled", "claude", func(p *patient) {
			p.write("$WORKSPACE/.claude/settings.local.json", `{"disableAllHooks": true}`)
		}, doctor.Error, "switch", `"disableAllHooks" is true`},
		{"a stronger file has it on again", "claude", func(p *patient) {
			p.write("$HOME/.claude/settings.json", `{"disableAllHooks": true}`)
			p.write("$WORKSPACE/.claude/settings.local.json", `{"disableAllHooks": false}`)
		}, doctor.OK, "switch", "leaves hooks on"},
		{"disabled in config.toml", "codex", func(p *patient) {
			p.write("$HOME/.codex/config.toml", "[features]\nhooks = false\n")
		}, doctor.Error, "switch", "features.hooks is false"},
		{"disabled by name", "gemini", func(p *patient) {
			p.write("$HOME/.gemini/settings.json", `{"hooksConfig": {"disabled": ["hookrun"]}} // mine`)
		}, doctor.Error, "switch", `among its "disabled"`},
		{"untrusted", "codex", func(*patient) {}, doctor.Error, "client-trust", "does not trust the project"},
		{"untrusted folder", "gemini", func(p *patient) { delete(p.variables, "GEMINI_CLI_TRUST_WORKSPACE") },
			doctor.Error, "client-trust", "nobody has trusted the folder"},
		{"untrusted folder, in which it ran", "gemini", func(p *patient) {
			delete(p.variables, "GEMINI_CLI_TRUST_WORKSPACE")
			require.NoError(p, lastrun.Record(p.State, "gemini", p.Workspace.Folder))
		}, doctor.Warning, "client-trust", "nobody has trusted the folder"},
		{"untrusted folder", "copilot", func(*patient) {}, doctor.Error, "client-trust", "nobody has trusted"},
		{"untrusted workspace", "cursor", func(*patient) {}, doctor.Error, "client-trust", "has trusted"},
		{"safe mode", "claude", func(p *patient) { p.variables["CLAUDE_CODE_SAFE_MODE"] = "1" },
			doctor.Error, "client-trust", "CLAUDE_CODE_SAFE_MODE"},
		{"gone", "claude", func(p *patient) { require.NoError(p, os.Remove(p.Binary)) },
			doctor.Error, "program", "is gone"},
		{"not executable", "gemini", func(p *patient) { require.NoError(p, os.Chmod(p.Binary, 0o600)) },
			doctor.Error, "program", "is not executable"},
		{"too short", "claude", func(p *patient) {
			p.hooks(strings.Replace(guard, `"5s"`, `"12s"`, 1))
		}, doctor.Error, "timeout", "has a timeout of 15s, and its hooks may take 15s"},
		{"too short by its default", "gemini", func(p *patient) {
			p.write("$WORKSPACE/.gemini/settings.json",
				`{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "`+p.Binary+` fire"}]}]}}`)
			p.hooks(strings.Replace(guard, `"5s"`, `"2m"`, 1))
		}, doctor.Error, "timeout", "has a timeout of 1m0s, and its hooks may take 2m3s"},
		{"no entry at an event", "claude", func(p *patient) {
			p.write("$WORKSPACE/.claude/settings.json",
				`{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "`+p.Binary+` fire"}]}]}}`)
		}, doctor.Error, "entry", `no entry runs hookrun at PreToolUse, which has hooks: "guard", "late", "rule"`},
		{"a matcher", "claude", func(p *patient) {
			p.write("$WORKSPACE/.claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [`+
				`{"type": "command", "command": "'`+p.Binary+`' fire"}]}]}}`)
		}, doctor.Error, "matcher", `has the matcher "Bash"`},
		{"a client that drops its file", "claude", func(p *patient) {
			p.write("$WORKSPACE/.claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash"}, {"hooks": [`+
				`{"type": "command", "command": "`+p.Binary+` fire"}]}]}}`)
		}, doctor.Error, "settings", "and hookrun's entry with it"},
		{"a file that is no JSON", "claude", func(p *patient) { p.write("$HOME/.claude/settings.json", `{`) },
			doctor.Warning, "settings", "may drop the whole file"},
		{"a fault of the hooks file", "claude", func(p *patient) { p.hooks(`{"hooks": [{}]}`) },
			doctor.Error, "hook", `hook 1 has no "name"`},
		{"a hooks file elsewhere", "claude", func(p *patient) {
			p.Workspace.Files, p.Workspace.Config = nil, &hookfile.Config{}
			p.Workspace.Found = "no hooks file in " + p.Workspace.Folder
			p.Workspace.Remarks = []project.Remark{{What: "the hooks file /x was passed over", Mend: "give -C /"}}
			p.write("$WORKSPACE/sub/"+hookfile.FileName, guard)
		}, doctor.Error, "hooks-file", "this hooks file does not count"},
		{"a hooks file above", "claude", func(p *patient) {
			p.Workspace.Files, p.Workspace.Config = nil, &hookfile.Config{}
			p.Workspace.Remarks = []project.Remark{{What: "the hooks file /x was passed over", Mend: "give -C /"}}
		}, doctor.Error, "hooks-file", "the hooks file /x was passed over"},
		{"run twice", "codex", func(p *patient) {
			p.write("$HOME/.codex/hooks.json",
				`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "`+p.Binary+` fire"}]}]}}`)
		}, doctor.Warning, "twice", "every hook runs twice"},
		{"state that cannot be written", "claude", func(p *patient) {
			p.write("$HOME/file", "")
			p.State = filepath.Join(p.Home, "file")
		}, doctor.Warning, "state", "is no folder"},
		{"no state", "claude", func(p *patient) { p.StateErr = errors.New("$HOME is not defined") },
			doctor.Warning, "state", "$HOME is not defined"},
		{"a log that cannot be written", "claude", func(p *patient) { p.Log = p.Home },
			doctor.Warning, "log", "no regular file"},
	} {
		t.Run(row.client+" "+row.name, func(t *testing.T) {
			p := newPatient(t, row.client)
			row.spoil(p)
			p.finds(row.severity, row.check, row.text)
		})
	}
}

func TestSocketWithoutAServer(t *testing.T) {
	p := newPatient(t, "")
	p.write("$HOME/file", "")
	for _, name := range []string{"nothing", "file"} {
		p.Socket = filepath.Join(p.Home, name)
		p.finds(doctor.Error, "socket", "nothing listens")
	}
}

func TestClientsThatAreFound(t *testing.T) {
	p := newPatient(t, "")
	p.finds(doctor.Note, "clients", "no client was found")
	require.Empty(t, p.Examine().Clients)
	p.variables["CLAUDECODE"] = "1"
	require.Equal(t, []string{"claude"}, p.Examine().Clients)
	p.write("$HOME/.codex/config.toml", "")
	require.Equal(t, []string{"claude", "codex"}, p.Examine().Clients)
	p.Look = func(program string) (string, error) {
		if program != "gemini" {
			return "", errors.New("not in PATH")
		}
		return "/bin/gemini", nil
	}
	require.Equal(t, []string{"claude", "codex", "gemini"}, p.Examine().Clients)
	p.Clients = []string{"codex"}
	require.Equal(t, []string{"codex"}, p.Examine().Clients)
	for _, f := range p.Examine().Findings {
		require.Contains(t, []string{"", "codex"}, f.Client)
	}
}

func TestWhenItLastAsked(t *testing.T) {
	p := newPatient(t, "claude")
	p.finds(doctor.Warning, "last-run", "has never run hookrun in this workspace since the install")
	require.NoError(t, lastrun.Record(p.State, "claude", p.Workspace.Folder))
	p.Now = time.Now().Add(49 * time.Hour)
	p.finds(doctor.OK, "last-run", "it last ran hookrun 2 days ago")
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(p.Workspace.Folder, ".claude", "settings.json"), later, later))
	p.finds(doctor.Note, "last-run", "and not since its settings changed")
}

// What a client's version and the canary come to is told by what the programs print, which nothing starts here.
func TestPrograms(t *testing.T) {
	deny := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"` + canary.Reason + `"}}`
	for _, row := range []struct {
		name, stdout, stderr string
		exit                 int
		timedOut             bool
		severity             doctor.Severity
		text                 string
	}{
		{name: "denied", stdout: deny, severity: doctor.OK, text: "blocks the test call"},
		{name: "silent", severity: doctor.Error, text: "does not block the test call (exit 0): no output"},
		{name: "missing", stderr: "sh: hookrun: not found", exit: 127, severity: doctor.Error, text: "exited with 127"},
		{name: "blocked by the shell", stderr: "sh: not found", exit: 2, severity: doctor.Error, text: "every call"},
		{name: "late", timedOut: true, severity: doctor.Error, text: "no answer in 15s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newPatient(t, "claude")
			p.Look = func(string) (string, error) { return "/bin/claude", nil }
			version := "9.9.9 (Claude Code)"
			p.Start = func(program process.Program, stdin process.Input, limit time.Duration) (r process.Result) {
				require.Positive(t, limit)
				if program.Path == "/bin/claude" {
					require.Equal(t, string(filepath.Separator), program.Dir)
					require.Equal(t, []string{"claude", "--version"}, program.Args)
					r.Stdout.Head = []byte(version)
					r.Stdout.Total = int64(len(version))
					return r
				}
				require.Equal(t, p.Workspace.Folder, program.Dir)
				command := program.Args[len(program.Args)-1] // of PowerShell, too
				require.Regexp(t, regexp.QuoteMeta(p.Binary)+`'? fire --output claude`, command)
				require.Contains(t, program.Env, "CLAUDE_PROJECT_DIR="+p.Workspace.Folder)
				require.Contains(t, string(stdin[0]), canary.Tool)
				r.ExitCode, r.TimedOut = row.exit, row.timedOut
				r.Stdout.Head, r.Stderr.Head = []byte(row.stdout), []byte(row.stderr)
				r.Stdout.Total, r.Stderr.Total = int64(len(row.stdout)), int64(len(row.stderr))
				return r
			}
			p.finds(row.severity, "canary", row.text)
			p.finds(doctor.Note, "version", "9.9.9, which nobody has tried")
			claude, _ := clients.All().ClientNamed("claude")
			version = claude.Install.Versions[0]
			p.finds(doctor.OK, "version", "which hookrun knows")
			version = "?"
			p.finds(doctor.Warning, "version", "does not print its version: exit 0")
		})
	}
}

// A plugin starts hookrun itself, also where there is no shell.
func TestPluginNeedsNoShell(t *testing.T) {
	p := newPatient(t, "opencode")
	p.Start = func(program process.Program, _ process.Input, _ time.Duration) (r process.Result) {
		binary := filepath.ToSlash(p.Binary) // as the plugin names it
		require.Equal(t, binary, program.Path)
		require.Equal(t, []string{binary, "fire", "--output", "opencode"}, program.Args)
		r.Stdout.Head = []byte(`{"decision": "block", "reason": "` + canary.Reason + `"}`)
		r.Stdout.Total = int64(len(r.Stdout.Head))
		return r
	}
	p.finds(doctor.OK, "canary", "blocks the test call, as OpenCode would run it")
}

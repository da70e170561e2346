//go:build linux

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// patient is a home and a project in which a client runs hookrun.
type patient struct {
	*testing.T
	client          string
	programs        string // the folder with the client's
	home, workspace string
	hookrun         string // that the entry runs
	real            bool
}

const hooks = `{"hooks": [
  {"name": "guard", "command": "touch ran; exit 0", "events": ["pre-tool"], "timeout": "5s", "on_failure": "block"}
]}
`

func newPatient(t *testing.T, client, programs string, real bool) *patient {
	p := &patient{T: t, client: client, programs: programs, real: real, home: t.TempDir(), workspace: t.TempDir()}
	p.hookrun = filepath.Join(t.TempDir(), "hookrun")
	require.NoError(t, os.Link(binary.Path, p.hookrun))
	p.write(".tenex-hooks.json", hooks)
	p.write(".git/HEAD", "ref: refs/heads/main\n")
	return p
}

// path is that of a file of the project, or of the home.
func (p *patient) path(name string) string {
	if rest, home := strings.CutPrefix(name, "~/"); home {
		return filepath.Join(p.home, rest)
	}
	return filepath.Join(p.workspace, name)
}

func (p *patient) write(name, text string) {
	require.NoError(p, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	require.NoError(p, os.WriteFile(p.path(name), []byte(text), 0o600))
}

// command is a program that the user starts in the project.
func (p *patient) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.workspace
	path := strings.Join([]string{p.programs, filepath.Dir(p.hookrun), os.Getenv("PATH")}, string(os.PathListSeparator))
	cmd.Env = []string{"PATH=" + path, "HOME=" + p.home, "TMPDIR=" + p.TempDir(), "GEMINI_CLI_TRUST_WORKSPACE=true"}
	return cmd
}

func (p *patient) install(flags ...string) {
	out, err := p.command(p.hookrun, append([]string{"install", p.client}, flags...)...).CombinedOutput()
	require.NoError(p, err, "%s", out)
}

// trustFolder has Codex trust the project.
func (p *patient) trustFolder() {
	p.write("~/.codex/config.toml", fmt.Sprintf("check_for_update_on_startup = false\nanalytics.enabled = false\n"+
		"features.plugins = false\nprojects.%q.trust_level = \"trusted\"\n", p.workspace))
}

// trust does what Codex asks of its user.
func (p *patient) trust() {
	if p.client != "codex" {
		return
	}
	p.trustFolder()
	if p.real {
		binary.TrustInCodex(p.T, p.home, p.workspace, p.command(filepath.Join(p.programs, "codex"), "app-server"), 3)
		return
	}
	var file struct {
		Hooks map[string][]struct{ Hooks []map[string]any }
	}
	text, err := os.ReadFile(p.path(".codex/hooks.json"))
	require.NoError(p, err)
	require.NoError(p, json.Unmarshal(text, &file))
	config, err := os.ReadFile(p.path("~/.codex/config.toml"))
	require.NoError(p, err)
	names := map[string]string{"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use",
		"UserPromptSubmit": "user_prompt_submit"}
	for event, groups := range file.Hooks {
		handler := groups[0].Hooks[0]
		handler["async"] = false
		var whole strings.Builder
		e := json.NewEncoder(&whole)
		e.SetEscapeHTML(false)
		require.NoError(p, e.Encode(map[string]any{"event_name": names[event], "hooks": []any{handler}}))
		sum := sha256.Sum256([]byte(strings.TrimSpace(whole.String())))
		config = fmt.Appendf(config, "hooks.state.%q.trusted_hash = \"sha256:%x\"\n",
			p.path(".codex/hooks.json")+":"+names[event]+":0:0", sum)
	}
	p.write("~/.codex/config.toml", string(config))
}

// finding is one of `hookrun doctor -o json`.
type finding struct {
	Client, Check, Severity, What, Where, Mend string
	Command                                    []string
}

// examine runs doctor, which must exit with 1 if anything is an error.
func (p *patient) examine(flags ...string) (all []finding) {
	p.Helper()
	cmd := p.command(binary.Path, append([]string{"doctor", p.client, "-o", "json"}, flags...)...)
	out, _ := cmd.Output()
	var report struct {
		OK       bool
		Clients  []string
		Findings []finding
	}
	require.NoError(p, json.Unmarshal(out, &report), "%s", out)
	require.Equal(p, []string{p.client}, report.Clients)
	bad := false
	for _, f := range report.Findings {
		bad = bad || f.Severity == "error"
		require.Equal(p, f.Severity == "ok", f.Mend == "", "%+v", f)
	}
	require.Equal(p, !bad, report.OK)
	require.Equal(p, map[bool]int{false: 0, true: 1}[bad], cmd.ProcessState.ExitCode())
	require.NoFileExists(p, p.path("ran"), "a hook has run")
	return report.Findings
}

// gate is one way in which a gate is off.
type gate struct {
	name        string
	clients     string // "": every client
	untrusted   bool
	uninstalled bool
	unallowed   bool // nobody has said that the hooks may run
	spoil       func(*patient)
	check, what string // of the finding
}

var gates = []gate{
	{name: "not installed", uninstalled: true, check: "entry", what: "hookrun is not installed"},
	{
		name: "hooks disabled", check: "switch", what: "runs no hook",
		spoil: func(p *patient) {
			switch p.client {
			case "claude":
				p.replace(".claude/settings.json", "{\n", "{\n  \"disableAllHooks\": true,\n")
			case "gemini":
				p.replace(".gemini/settings.json", "{\n", "{\n  \"hooksConfig\": {\"enabled\": false},\n")
			default:
				p.write(".codex/config.toml", "[features]\nhooks = false\n")
			}
		},
	},
	{
		name: "other settings file in the way", check: "switch", what: "",
		spoil: func(p *patient) {
			switch p.client {
			case "claude":
				p.write(".claude/settings.local.json", `{"disableAllHooks": true}`)
			case "gemini":
				p.write("~/.gemini/settings.json", `{"hooksConfig": {"disabled": ["hookrun"]}}`)
			default:
				p.replace("~/.codex/config.toml", "features.plugins", "features.hooks = false\nfeatures.plugins")
			}
		},
	},
	{
		name: "entry's program gone", check: "program", what: "the program of the entry, hookrun, is not in PATH",
		spoil: func(p *patient) { require.NoError(p, os.Remove(p.hookrun)) },
	},
	{
		name: "untrusted in Codex", clients: "codex", untrusted: true,
		check: "client-trust", what: "does not trust the project",
	},
	{
		name: "changed since it was trusted in Codex", clients: "codex",
		check: "client-trust", what: "has changed since",
		spoil: func(p *patient) { p.replace(".codex/hooks.json", `"timeout": 11`, `"timeout": 12`) },
	},
	{
		name: "timeout too short", check: "timeout", what: "and its hooks may take 10m0s",
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"5s"`, `"10m"`) },
	},
	{
		name: "hooks file with a fault", check: "hook", what: `no "command"`,
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"command"`, `"comand"`) },
	},
	{
		name: "a tool's name with a typo", check: "hook", what: `has "shel", which is no tool that hookrun knows`,
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"timeout"`, `"matcher": "shel|Bsah", "timeout"`) },
	},
	{
		name: "a gate for another client's tool", clients: "gemini",
		check: "hook", what: "meets no tool of Gemini CLI, nor",
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"timeout"`, `"if": "AgentSwarm", "timeout"`) },
	},
	{
		name: "a matcher in the entry", clients: "claude", check: "matcher", what: `hook "guard" does not run for`,
		spoil: func(p *patient) {
			text, err := os.ReadFile(p.path(".claude/settings.json"))
			require.NoError(p, err)
			narrow := strings.ReplaceAll(string(text), `"hooks": [`, `"matcher": "Write", "hooks": [`)
			p.write(".claude/settings.json", narrow)
		},
	},
	{
		name: "nobody waits", clients: "claude", check: "entry", what: `has "async"`,
		spoil: func(p *patient) {
			p.replace(".claude/settings.json", `"type": "command"`, `"async": true, "type": "command"`)
		},
	},
	{
		name: "another PATH", clients: "claude", check: "client-trust", what: `"env" sets PATH`,
		spoil: func(p *patient) {
			p.replace(".claude/settings.json", "{\n", "{\n  \"env\": {\"PATH\": \"bin\"},\n")
		},
	},
	{name: "hooks that nobody allowed", unallowed: true, check: "trust", what: "nobody has allowed the project's"},
	{
		name: "hooks changed since they were allowed", check: "trust", what: "the hooks of",
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", "exit 0", "exit 1") },
	},
	{
		name: "hooks file in another folder", check: "hooks-file", what: "this hooks file does not count",
		spoil: func(p *patient) {
			require.NoError(p, os.Mkdir(p.path("sub"), 0o755))
			require.NoError(p, os.Rename(p.path(".tenex-hooks.json"), p.path("sub/.tenex-hooks.json")))
		},
	},
}

func (p *patient) replace(name, old, now string) {
	p.Helper()
	text, err := os.ReadFile(p.path(name))
	require.NoError(p, err)
	require.Contains(p, string(text), old)
	p.write(name, strings.Replace(string(text), old, now, 1))
}

// test names each way in which the gate of a client is off, and finds nothing where it is on.
func test(t *testing.T, client, programs string, real bool) {
	t.Run("healthy", func(t *testing.T) {
		p := newPatient(t, client, programs, real)
		p.install("--allow")
		p.trust()
		var canary, version bool
		for _, f := range p.examine() {
			require.NotEqual(t, "error", f.Severity, "%+v", f)
			canary = canary || f.Check == "canary" && f.Severity == "ok"
			version = version || f.Check == "version" && f.Severity == "ok"
			if f.Check == "last-run" {
				require.Contains(t, f.What, "never run hookrun in this workspace since the install")
			}
		}
		require.True(t, canary && version)
	})
	for _, g := range gates {
		if g.clients != "" && g.clients != client {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			p := newPatient(t, client, programs, real)
			switch {
			case g.uninstalled:
			case g.unallowed:
				p.install()
			default:
				p.install("--allow")
			}
			if !g.untrusted && !g.uninstalled {
				p.trust()
			}
			if g.spoil != nil {
				g.spoil(p)
			}
			var all []finding
			for _, f := range p.examine() {
				if f.Severity == "error" {
					all = append(all, f)
				}
				if f.Severity == "error" && f.Check == g.check && strings.Contains(f.What, g.what) {
					t.Logf("%s: %s -> %s", f.Where, f.What, f.Mend)
					return
				}
			}
			require.FailNow(t, "not named", "%+v", all)
		})
	}
}

// TestGates names the ways with programs that say a version and no more.
func TestGates(t *testing.T) {
	programs := t.TempDir()
	for _, client := range []string{"claude", "codex", "gemini"} {
		d, _ := clients.All().ClientNamed(client)
		script := "#!/bin/sh\necho " + client + " " + d.Install.Versions[0] + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(programs, client), []byte(script), 0o755))
	}
	for _, client := range []string{"claude", "codex", "gemini"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			test(t, client, programs, false)
		})
	}
}

// TestGatesOfRealClients does the same with the clients themselves, from npm.
func TestGatesOfRealClients(t *testing.T) {
	for _, client := range []string{"claude", "codex", "gemini"} {
		t.Run(client, func(t *testing.T) {
			testall.Only(t, "it installs a client of npm, up to 400 MB")
			test(t, client, binary.InstallClient(t, client), true)
		})
	}
}

// A client that asks leaves the time, and the canary of doctor does not.
func TestLastAsked(t *testing.T) {
	programs := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(programs, "claude"), []byte("#!/bin/sh\necho 2.1.332\n"), 0o755))
	p := newPatient(t, "claude", programs, false)
	p.install("--allow")
	lastRun := func() string {
		for _, f := range p.examine() {
			if f.Check == "last-run" {
				return f.What
			}
		}
		return ""
	}
	require.Contains(t, lastRun(), "never run hookrun")
	require.Contains(t, lastRun(), "never run hookrun")
	fire := p.command(p.hookrun, "fire", "--output", "claude")
	fire.Stdin = strings.NewReader(`{"hook_event_name": "Stop", "cwd": "` + p.workspace + `"}`)
	out, err := fire.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "it last ran hookrun less than a minute ago", lastRun())

	// A state folder that cannot be written to changes no verdict and says nothing.
	p.write("~/file", "")
	fire = p.command(p.hookrun, "fire", "--output", "claude")
	fire.Env = append(fire.Env, "XDG_STATE_HOME="+p.path("~/file"))
	fire.Stdin = strings.NewReader(`{"hook_event_name": "Stop"}`)
	out, err = fire.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "{}\n", string(out))
}

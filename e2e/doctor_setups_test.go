//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// setUp is a broken set-up: what doctor finds in it, and what mends it. Add a row for whatever else doctor names.
type setUp struct {
	name   string
	client string         // "": Claude Code
	with   []string       // flags of the install that was there before, those of a second one behind "+"; nil: none
	spoil  func(*patient) // breaks it
	names  string         // severity, check and text of the finding; * is any severity
	fix    string         // the command of the finding without "hookrun", $W is the workspace; "": there is none
	mend   string         // a part of the line that mends it
	hand   func(*patient) // does what that line says, if --fix cannot
	then   func(*testing.T, *patient)
}

const (
	settings      = ".claude/settings.json"
	localSettings = ".claude/settings.local.json"
	userSettings  = "~/.claude/settings.json"
	plugin        = ".opencode/plugins/hookrun.js"
)

var (
	inProject = []string{"--allow"}
	inLocal   = []string{"--local", "--allow"}
	forUser   = []string{"--user"}
	withLocal = []string{"--allow", "+", "--local"}
	withUser  = []string{"--allow", "+", "--user"}
)

var setUps = []setUp{
	{name: "not installed", names: "error entry hookrun is not installed", fix: "install claude -C $W"},
	{
		name: "not installed, nor in PATH", spoil: (*patient).outOfPath,
		names: "error entry hookrun is not installed", mend: "on PATH, then run: hookrun install claude -C $W",
		hand: func(p *patient) { p.inPath(); p.install("--allow") },
	},
	{
		name: "settings with a fault", spoil: func(p *patient) { p.write(settings, "{") },
		names: "error entry hookrun is not installed", mend: "fix $W/.claude/settings.json first, then run: hookrun",
		hand: func(p *patient) { p.write(settings, "{}"); p.install("--allow") },
	},
	{
		name: "program of the local entry gone", with: inLocal,
		spoil: func(p *patient) { p.replaceAll(localSettings, p.hookrun, "/gone/hookrun") },
		names: "error program the program of the entry is gone: /gone/hookrun", fix: "install claude -C $W --local",
		then: func(t *testing.T, p *patient) { require.NoFileExists(t, p.path(settings)) },
	},
	{
		name: "program of the user's entry gone", with: forUser,
		spoil: func(p *patient) { p.allow(); p.replaceAll(userSettings, p.hookrun, "/gone/hookrun") },
		names: "error program the program of the entry is gone: /gone/hookrun", fix: "install claude --user",
		then: func(t *testing.T, p *patient) { require.NoFileExists(t, p.path(settings)) },
	},
	{
		name: "program of the local entry not executable", with: inLocal,
		spoil: func(p *patient) {
			p.write("old/hookrun", "")
			p.replaceAll(localSettings, p.hookrun, p.path("old/hookrun"))
		},
		names: "error program is not executable", fix: "install claude -C $W --local",
	},
	{
		name: "entry by name, and no hookrun in PATH", with: inProject, spoil: (*patient).outOfPath,
		names: "error program the program of the entry, hookrun, is not in PATH", mend: "put ",
		hand: (*patient).inPath,
	},
	{
		name: "local entry by name, and no hookrun in PATH", with: inProject,
		spoil: func(p *patient) {
			require.NoError(p, os.Rename(p.path(settings), p.path(localSettings)))
			p.outOfPath()
		},
		names: "error program the program of the entry, hookrun, is not in PATH", fix: "install claude -C $W --local",
	},
	{
		name: "a hookrun that does nothing", with: forUser,
		spoil: func(p *patient) {
			p.allow()
			p.write("old/hookrun", "#!/bin/sh\n")
			require.NoError(p, os.Chmod(p.path("old/hookrun"), 0o755))
			p.replaceAll(userSettings, p.hookrun, p.path("old/hookrun"))
		},
		names: "error canary the entry blocks every call with an error: hookrun gave no answer",
		fix:   "install claude --user",
	},
	{
		name: "another hookrun in PATH", with: inProject, spoil: (*patient).otherInPath,
		names: "note program the entry runs another hookrun than this one", mend: "first on PATH",
		hand: func(p *patient) { p.outOfPath(); p.inPath() },
	},
	{
		name: "another hookrun in PATH that does nothing", with: inProject, spoil: (*patient).otherInPath,
		names: "warning canary the entry was not tried", mend: "first on PATH",
		hand: func(p *patient) { p.outOfPath(); p.inPath() },
	},
	{
		name: "in the project and local, and no hookrun in PATH", with: withLocal, spoil: func(p *patient) {
			p.replaceAll(localSettings, p.hookrun, binary.Path)
			p.outOfPath()
		},
		names: "warning twice so every hook runs twice", mend: "run one of: ",
		hand: func(p *patient) { p.inPath(); p.run("uninstall", "claude", "--local") },
	},
	{
		name: "in the project and local", with: withLocal, names: "warning twice so every hook runs twice",
		fix:  "uninstall claude -C $W --local",
		then: func(t *testing.T, p *patient) { require.FileExists(t, p.path(settings)) },
	},
	{
		name: "in the project and local, whose program is gone", with: withLocal,
		spoil: func(p *patient) { p.replaceAll(localSettings, p.hookrun, "/gone/hookrun") },
		names: "warning twice so every hook runs twice", fix: "uninstall claude -C $W --local",
		then: func(t *testing.T, p *patient) {
			for _, f := range p.examine() {
				require.NotEqual(t, "program", f.Check)
			}
		},
	},
	{
		name: "in the project and the user's", with: withUser, names: "warning twice so every hook runs twice",
		mend: "run one of: hookrun uninstall claude ",
		hand: func(p *patient) { p.run("uninstall", "claude", "--user") },
	},
	{
		name: "timeout too short", with: inProject,
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"5s"`, `"10m"`); p.allow() },
		names: "error timeout and its hooks may take 10m0s", fix: "install claude -C $W",
	},
	{
		name: "timeout of an entry with a log too short", with: []string{"--allow", "--log", "default"},
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"5s"`, `"10m"`); p.allow() },
		names: "error timeout and its hooks may take 10m0s", fix: "install claude -C $W --log default",
		then: func(t *testing.T, p *patient) { require.Contains(t, p.read(settings), "--log default") },
	},
	{
		name: "program of an entry that lets calls go on gone", with: []string{"--local", "--before-allow", "continue"},
		spoil: func(p *patient) { p.allow(); p.replaceAll(localSettings, p.hookrun, "/gone/hookrun") },
		names: "error program the program of the entry is gone",
		fix:   "install claude -C $W --local --before-allow continue",
	},
	{
		name: "timeout of the user's entry too short", with: forUser,
		spoil: func(p *patient) { p.allow(); p.replaceAll(userSettings, `"timeout": 600`, `"timeout": 1`) },
		names: "error timeout has a timeout of 1s", fix: "install claude --user",
	},
	{
		name: "hooks that take longer than Kimi Code lets an entry run", client: "kimi", with: forUser,
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"5s"`, `"10m"`); p.allow() },
		names: "error timeout and its hooks may take 10m0s", mend: "timeouts of less than 10m0s together",
		hand: func(p *patient) { p.replace(".tenex-hooks.json", `"10m"`, `"9m"`); p.allow() },
	},
	{
		name: "nobody waits", with: inLocal,
		spoil: func(p *patient) { p.replaceAll(localSettings, `"type":`, `"async": true, "type":`) },
		names: `error entry has "async"`, fix: "install claude -C $W --local",
	},
	{
		name: "another type", with: inProject,
		spoil: func(p *patient) { p.replaceAll(settings, `"type": "command"`, `"type": "prompt"`) },
		names: `error entry has not the type "command"`, fix: "install claude -C $W",
	},
	{
		name: "with an if", with: inProject,
		spoil: func(p *patient) { p.replaceAll(settings, `"type":`, `"if": "Bash(rm *)", "type":`) },
		names: `warning entry has "if"`, fix: "install claude -C $W",
	},
	{
		name: "no entry at an event", with: inLocal,
		spoil: func(p *patient) { p.replace(localSettings, `"PreToolUse"`, `"PreCompact"`) },
		names: "error entry no entry runs hookrun at PreToolUse", fix: "install claude -C $W --local",
	},
	{
		name: "without trust", with: inLocal,
		spoil: func(p *patient) { p.replaceAll(localSettings, " --trust required --pin", "") },
		names: "note trust the entry has no --trust required", fix: "install claude -C $W --local",
	},
	{
		name: "without a pin", with: forUser,
		spoil: func(p *patient) { p.allow(); p.replaceAll(userSettings, " --pin", "") },
		names: "note pin the entry has no --pin", fix: "install claude --user",
	},
	{
		name: "another end of the command", with: inLocal,
		spoil: func(p *patient) { p.replaceAll(localSettings, "; exit 2'", "; exit 0'") },
		names: "warning canary the entry was not tried", fix: "install claude -C $W --local",
	},
	{
		name: "an entry that somebody wrote",
		spoil: func(p *patient) {
			const entry = `{"type": "command", "command": "hookrun fire"}`
			p.write(settings, `{"hooks": {"PreToolUse": [{"hooks": [`+entry+`]}]}}`)
		},
		names: "note pin the entry has no --pin", mend: "take the entry out of $W/.claude/settings.json, then run: ",
		hand: func(p *patient) { p.write(settings, `{}`); p.install("--allow") },
	},
	{
		name: "nobody has allowed the hooks", with: []string{}, names: "error trust nobody has allowed",
		fix: "allow $W", hand: (*patient).allow,
	},
	{
		name: "hooks have changed", with: inProject,
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", "exit 0", "exit 1") },
		names: "error trust the hooks of", fix: "allow $W", hand: (*patient).allow,
	},
	{
		name: "hooks switched off", with: inProject,
		spoil: func(p *patient) { p.write(localSettings, `{"disableAllHooks": true}`) },
		names: `error switch "disableAllHooks" is true`, mend: `take "disableAllHooks" out`,
		hand: func(p *patient) { p.write(localSettings, `{}`) },
	},
	{
		name: "a matcher", with: inProject,
		spoil: func(p *patient) {
			p.replace(settings, `"PreToolUse": [`+"\n      {", `"PreToolUse": [`+"\n      {"+`"matcher": "Write",`)
		},
		names: `* matcher has the matcher "Write"`, mend: "take the matcher out",
		hand: func(p *patient) { p.replace(settings, `"matcher": "Write",`, "") },
	},
	{
		name: "hooks file with a fault", with: inProject,
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"command"`, `"comand"`) },
		names: `error hook no "command"`, mend: "then run hookrun check",
		hand: func(p *patient) { p.replace(".tenex-hooks.json", `"comand"`, `"command"`) },
	},
	{
		name: "hooks file in a folder below", with: inProject,
		spoil: func(p *patient) { p.move(".tenex-hooks.json", "sub/.tenex-hooks.json") },
		names: "error hooks-file this hooks file does not count", mend: "or move the file to $W",
		hand: func(p *patient) { p.move("sub/.tenex-hooks.json", ".tenex-hooks.json") },
	},
	{
		name: "outside of git, behind a folder of others", with: inProject,
		spoil: func(p *patient) {
			require.NoError(p, os.RemoveAll(p.path(".git")))
			require.NoError(p, os.Chmod(p.workspace, 0o777))
			p.write("sub/.claude/settings.json", p.read(settings))
			p.workspace = p.path("sub")
		},
		names: "error hooks-file can be written to by other users", mend: "to use it give -C ",
		hand: func(p *patient) { require.NoError(p, os.Chmod(filepath.Dir(p.workspace), 0o755)) },
	},
	{
		name: "started below a project without git, whose settings are not read there", with: inProject,
		spoil: func(p *patient) {
			require.NoError(p, os.RemoveAll(p.path(".git")))
			p.write("sub/file", "")
			p.workspace = p.path("sub")
		},
		names: "error entry hookrun is not installed", fix: "install claude -C $W",
	},
	{
		name: "an edited plugin", client: "opencode", with: inProject,
		spoil: func(p *patient) { p.write(plugin, p.read(plugin)+"//") },
		names: "error entry was edited since", mend: "remove it, then try again",
		hand: func(p *patient) {
			require.NoError(p, os.Remove(p.path(plugin)))
			p.install("--allow")
		},
	},
	{
		name: "a plugin whose hookrun is not in PATH", client: "opencode", with: inProject,
		spoil: (*patient).outOfPath, names: "error program is not in PATH", mend: "put ", hand: (*patient).inPath,
	},
	{
		name: "not installed in a folder that Codex trusts", client: "codex", spoil: (*patient).trustFolder,
		names: "error entry hookrun is not installed", fix: "install codex -C $W",
	},
	{
		name: "timeout too short in Codex", client: "codex", with: inProject,
		spoil: func(p *patient) { p.replace(".tenex-hooks.json", `"5s"`, `"10m"`); p.allow() },
		names: "error timeout and its hooks may take 10m0s", mend: "then have Codex trust the entry anew",
		hand: func(p *patient) { p.run("install", "codex"); p.trust() },
	},
	{
		name: "changed since it was trusted in Codex", client: "codex", with: inProject,
		spoil: func(p *patient) { p.replace(".codex/hooks.json", `"timeout": 11`, `"timeout": 12`) },
		names: "error client-trust has changed since", mend: "/hooks", hand: (*patient).trust,
	},
}

package doctor_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/core/process"
)

// entries writes entries for PreToolUse with these matchers into Claude Code's settings.
func (p *patient) entries(matchers ...string) {
	var groups []string
	for _, m := range matchers {
		groups = append(groups, `{"matcher": "`+m+`", "hooks": [`+
			`{"type": "command", "command": "'`+filepath.ToSlash(p.Binary)+`' fire"}]}`)
	}
	p.write("$WORKSPACE/.claude/settings.json", `{"hooks": {"PreToolUse": [`+strings.Join(groups, ",")+`]}}`)
}

// gate is a hooks file with one gate.
func gate(keys string) string {
	return `{"hooks": [{"name": "gate", "block": "no", "events": ["pre-tool"], ` + keys + `}]}`
}

// TestMatchersOfTheEntry: a matcher in hookrun's own entry is an error if it keeps calls from a gate.
func TestMatchersOfTheEntry(t *testing.T) {
	for _, row := range []struct {
		hooks    string
		matchers []string
		severity doctor.Severity
		text     string
	}{
		{gate(`"matcher": "shell"`), []string{"Write"}, doctor.Error, `hook "gate" does not run for Bash`},
		{gate(`"if": "shell(git push *)"`), []string{"Write"}, doctor.Error, `hook "gate" does not run for Bash`},
		{`{"hooks": [{"name": "gate", "block": "no", "events": ["pre-tool"]}]}`,
			[]string{"Bash|Edit|Write"}, doctor.Error, `hook "gate" does not run for `},
		{gate(`"matcher": "shell"`), []string{"Bash"}, doctor.Error, `hook "gate" does not run for `},
		{gate(`"matcher": "fs_read"`), []string{"Write", "Edit"}, doctor.Error, `hook "gate" does not run for Read`},
		// Together the entries match all that the gate is for.
		{gate(`"matcher": "fs_read"`), []string{"Read|NotebookRead", "Write"}, doctor.Warning,
			"runs for no other tool"},
		{`{"hooks": [{"name": "text", "inject": "x", "events": ["post-tool"]}]}`, []string{"Write"}, doctor.Warning,
			"runs for no other tool"},
	} {
		t.Run(row.hooks+" "+strings.Join(row.matchers, " "), func(t *testing.T) {
			p := newPatient(t, "claude")
			p.hooks(row.hooks)
			p.entries(row.matchers...)
			p.finds(row.severity, "matcher", row.text)
		})
	}
}

// TestIfOfTheEntry: so is an "if".
func TestIfOfTheEntry(t *testing.T) {
	p := newPatient(t, "claude")
	p.write("$WORKSPACE/.claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", `+
		`"if": "Bash(rm *)", "command": "'`+filepath.ToSlash(p.Binary)+`' fire"}]}]}}`)
	p.finds(doctor.Error, "entry", `has "if", so hookrun does not run for every call`)
	p.hooks(`{"hooks": [{"name": "text", "inject": "x", "events": ["post-tool"]}]}`)
	p.finds(doctor.Warning, "entry", `has "if", so hookrun does not run for every call`)
}

// TestGatesThatMeetNoTool: a gate that meets no tool of a client is a warning there, and an error if no client here has
// such a tool.
func TestGatesThatMeetNoTool(t *testing.T) {
	const patches = `"matcher": "apply_patch"`
	for _, row := range []struct {
		name, hooks string
		also        string // a client that is here, too
		severity    doctor.Severity
		text        string
	}{
		{"of no client here", gate(patches), "", doctor.Error,
			`hook "gate" meets no tool of Claude Code, nor of any other`},
		{"of another client here", gate(patches), "codex", doctor.Warning, `hook "gate" meets no tool of Claude Code`},
		{"of no client here by its if", gate(`"if": "apply_patch"`), "gemini", doctor.Error, "nor of any other"},
		{"of another client by its rules", `{"hooks": [{"name": "gate", "command": "true", "events": ["PreToolUse"], ` +
			`"matcher": "image_generation", "dialect": "codex", "on_failure": "block"}]}`, "codex", doctor.Warning,
			"meets no tool of Claude Code"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newPatient(t, "claude")
			p.hooks(row.hooks)
			if row.also != "" {
				p.install(row.also)
			}
			f := p.finds(row.severity, "hook", row.text)
			require.Equal(t, filepath.Join(p.Workspace.Folder, ".tenex-hooks.json")+":1", f.Where)
			require.Equal(t, "claude", f.Client)
		})
	}
	// Gates for some tool of the client, for all, for MCP servers, for a loop's tools, and off.
	for _, hooks := range []string{gate(`"matcher": "shell"`), gate(`"matcher": "apply_patch|shell"`),
		gate(`"matcher": "fs_*"`), gate(`"matcher": "mcp__github__*"`), gate(`"if": "mcp__github__push"`),
		gate(`"matcher": "deploy"`), gate(`"matcher": "*"`), gate(`"matcher": "apply_patch", "enabled": false`),
		strings.Replace(gate(`"matcher": "apply_patch"`), `]}`, `], "tools": {"apply_patch": null}}`, 1),
		`{"hooks": [{"name": "gate", "block": "no", "events": ["pre-execute"], "matcher": "apply_patch"}]}`,
		`{"hooks": [{"name": "gate", "command": "true", "events": ["PreToolUse"], "matcher": "Bash", ` +
			`"dialect": "codex"}]}`,
	} {
		p := newPatient(t, "claude")
		p.hooks(hooks)
		for _, f := range p.Examine().Findings {
			require.NotContains(t, f.What, "meets no tool", hooks)
		}
	}
}

// TestServersThatNobodyTells: a gate for tools of an MCP server is an error in a client that tells no server, unless a
// file of the client or the project's "tools" has the server.
func TestServersThatNobodyTells(t *testing.T) {
	const text = `hook "gate" is for tools of the MCP server github, which is in no file of `
	for client, tool := range map[string]string{"cursor": "MCP:TOOL", "vscode": "mcp_github_TOOL"} {
		for _, narrowed := range []string{`"matcher": "shell|mcp__github__*"`, `"if": "mcp__github__push"`} {
			p := newPatient(t, client)
			p.hooks(gate(narrowed))
			f := p.finds(doctor.Error, "hook", text)
			require.Contains(t, f.Mend, `"tools": {"`+tool+`": "mcp__github__TOOL"}`)
			require.Equal(t, client, f.Client)
			p.hooks(strings.Replace(gate(narrowed), `]}`, `], "tools": {"x": "mcp__github__push"}}`, 1))
			require.NotContains(t, strings.Join(p.errors(), "\n"), text)
			p.hooks(gate(narrowed))
			p.write("$WORKSPACE/.cursor/mcp.json", `{"mcpServers": {"github": {"command": "x"}}}`)
			p.write("$WORKSPACE/.vscode/mcp.json", `{"servers": {"github": {"command": "x"}}}`)
			require.NotContains(t, strings.Join(p.errors(), "\n"), text)
		}
	}
	for client, narrowed := range map[string]string{"cursor": `"matcher": "mcp__*"`,
		"claude": `"if": "mcp__github__push"`} {
		p := newPatient(t, client)
		p.hooks(gate(narrowed))
		require.NotContains(t, strings.Join(p.errors(), "\n"), "MCP server")
	}
}

// Nobody has recorded Cursor, so there is no version of it that hookrun knows.
func TestVersionOfAClientThatNobodyRecorded(t *testing.T) {
	p := newPatient(t, "cursor")
	p.Look = func(string) (string, error) { return "/bin/cursor-agent", nil }
	p.Start = func(process.Program, process.Input, time.Duration) (r process.Result) {
		r.Stdout.Head, r.Stdout.Total = []byte("1.2.3\n"), 6
		return r
	}
	found := ""
	for _, f := range p.Examine().Findings {
		if f.Check == "version" {
			found = f.What
		}
	}
	require.Equal(t, "1.2.3, which nobody has tried with this hookrun", found)
}

// TestVersionAtTheEndOfASentence: "GitHub Copilot CLI 1.0.102." has the version 1.0.102.
func TestVersionAtTheEndOfASentence(t *testing.T) {
	for stdout, version := range map[string]string{
		"GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.\n": "1.0.102, which hookrun knows",
		"v1.0.102-beta.1+x.\n": "1.0.102-beta.1+x, which nobody has tried",
		"1.0.102\n":            "1.0.102, which hookrun knows",
	} {
		p := newPatient(t, "copilot")
		p.Look = func(string) (string, error) { return "/bin/copilot", nil }
		p.Start = func(process.Program, process.Input, time.Duration) (r process.Result) {
			r.Stdout.Head, r.Stdout.Total = []byte(stdout), int64(len(stdout))
			return r
		}
		found := ""
		for _, f := range p.Examine().Findings {
			if f.Check == "version" {
				found = f.What
			}
		}
		require.Contains(t, found, version)
	}
}

package pack

// codeThatWrites are words of programs in other languages that change files.
var codeThatWrites = []string{"'w'", `"w"`, "'a'", `"a"`, ",w)", ", w)", "'w+'", `"w+"`, ".write(", "write_text",
	"write_bytes", "writefile", "unlink", "os.remove", "os.rename", "os.replace", "os.chmod", "shutil.", "rmtree",
	"rmsync", "fs.rm", "renamesync", "file.write", "file.delete", "fileutils", "file_put_contents", "os.system",
	"subprocess", "execsync", "system(", "json.dump(", "copyfile", "symlink", "set-content", "out-file", "writeall",
	"appendall", "file]::delete", "file]::move", "remove-item", "rm .", "rm -f .", "rm -rf .", "mv .", "> .claude",
	">.claude", "> .tenex", ">.tenex"}

var agents = Pack{
	Name: "agents", Version: 2, Summary: "no agent changes the hooks and the settings that restrict it",
	Rules: []Rule{
		{
			Name: "no-hook-edits", Blocks: "a change of hookrun's own files",
			Find:  func(c *Call) Found { return c.touches()[guardHooks] },
			Doubt: [][]string{{".tenex-hooks", "hookrun/hooks.json"}, codeThatWrites},
		},
		{
			Name: "no-client-settings", Blocks: "a change of the settings or the hooks of an agent's client",
			Find: func(c *Call) Found { return c.touches()[guardSettings] },
			Doubt: [][]string{{".claude/settings", ".claude/hooks", ".codex/config.toml", ".codex/hooks",
				".gemini/settings.json", ".qwen/settings.json", ".cursor/hooks", ".factory/settings",
				".factory/hooks", ".copilot/", ".github/hooks", ".kimi-code/config", ".opencode/plugin", "crush.json",
				"opencode.json", ".clinerules/hooks", ".junie/config", ".kiro/", "windsurf/hooks"}, codeThatWrites},
		},
		{
			Name: "no-unseen-commands", Since: 2, Asks: true, Blocks: unseenCommand,
			Find: func(c *Call) Found { return c.touches()[guardCommands] },
			Doubt: [][]string{{".claude/", "opencode/", ".gemini/", ".qwen/", ".factory/", ".agents/skills",
				"mcp.json", "/agents/"}, codeThatWrites, {"!`", "```!", "!{", "#!", "\\\"command", "hooks:", "servers",
				"copyfile", "shutil", "rename", "replace("}},
		},
		{
			Name: "no-user-memory", Blocks: "a change of a client's instructions for all projects",
			Find: func(c *Call) Found { return c.touches()[guardMemory] },
		},
		{
			Name: "no-gate-commands", Blocks: "a command that allows, removes or changes hooks",
			Find: gateCommand,
			Doubt: [][]string{{"hookrun"}, {"hookrun allow", "hookrun deny", "hookrun approve", "hookrun uninstall",
				"hookrun install", "hookrun init", "hookrun,allow", "hookrun,approve", "hookrun,deny",
				"hookrun,uninstall", "hookrun,install", "kill hookrun", "pkill -f hookrun", "killall hookrun"}},
		},
		{
			Name: "no-gate-variables", Blocks: "a variable or an option that starts a client without its hooks",
			Find: gateVariable,
			Doubt: [][]string{{"hookrun_skip", "hookrun_trust", "disableallhooks\":true", "disableallhooks\": true",
				"disableallhooks:true"},
				{"environ", "env=", "env:", "setenv", "putenv", "export ", "claude", "hookrun_skip=",
					"hookrun_trust="}},
		},
	},
}

package pack

// codeThatWrites are words of programs in other languages that change files.
var codeThatWrites = []string{"'w'", `"w"`, "'a'", `"a"`, ",w)", ", w)", "'w+'", `"w+"`, ".write(", "write_text",
	"write_bytes", "writefile", "unlink", "os.remove", "os.rename", "os.replace", "os.chmod", "shutil.", "rmtree",
	"rmsync", "fs.rm", "renamesync", "file.write", "file.delete", "fileutils", "file_put_contents", "os.system",
	"subprocess", "execsync", "system(", "json.dump(", "copyfile", "symlink", "set-content", "out-file", "writeall",
	"appendall", "file]::delete", "file]::move", "remove-item", "rm .", "rm -f .", "rm -rf .", "mv .", "> .claude",
	">.claude", "> .tenex", ">.tenex"}

var agents = Pack{
	Name: "agents", Version: 2, Summary: "no agent changes the gates and the settings that hold it",
	Rules: []Rule{
		{
			Name: "no-hook-edits", Blocks: "a change of hookrun's own files",
			Why:     "The files say what an agent must not do, so people change them.",
			Instead: "Say which hook is in the way and why, and let a person change it.",
			Limits: "A file that a script, a patch or an archive writes, a switch of the branch or of the whole " +
				"working tree, and files in places that a variable such as XDG_CONFIG_HOME names.",
			Find:  func(c *Call) Found { return c.touches()[guardHooks] },
			Doubt: [][]string{{".tenex-hooks", "hookrun/hooks.json"}, codeThatWrites},
		},
		{
			Name: "no-client-settings", Blocks: "a change of the settings or the hooks of an agent's client",
			Why:     "The settings start the gates, and can switch the gates off.",
			Instead: "Say which setting is to change and why, and let a person change it.",
			Limits: "A file that a script, a patch or an archive writes, a switch of the branch or of the whole " +
				"working tree, the files of MassGen, which can lie anywhere, and folders that a variable such as " +
				" CODEX_HOME names. CLAUDE.md, AGENTS.md and GEMINI.md of a project may be edited: people ask " +
				"for that daily, the change is reviewed with the code, and no gate depends on them.",
			Find: func(c *Call) Found { return c.touches()[guardSettings] },
			Doubt: [][]string{{".claude/settings", ".claude/hooks", ".codex/config.toml", ".codex/hooks",
				".gemini/settings.json", ".qwen/settings.json", ".cursor/hooks", ".factory/settings",
				".factory/hooks", ".copilot/", ".github/hooks", ".kimi-code/config", ".opencode/plugin", "crush.json",
				"opencode.json", ".clinerules/hooks", ".junie/config", ".kiro/", "windsurf/hooks"}, codeThatWrites},
		},
		{
			Name: "no-unseen-commands", Since: 2, Asks: true, Blocks: unseenCommand,
			Why: "A client asks no gate about !`…` in a skill or command (Claude Code, OpenCode), !{…} in a command " +
				"(Gemini CLI, Qwen Code), a command that is a script (Droid), hooks and MCP servers in the head of a " +
				"skill or agent, and servers in .mcp.json and the like.",
			Instead: "Leave the command out, or show the whole text (with a file tool or a quoted here-document), or " +
				"have a person allow it.",
			Limits: "A file that a script or git writes or that a tool moves, and a file that a skill names.",
			Find:   func(c *Call) Found { return c.touches()[guardCommands] },
			Doubt: [][]string{{".claude/", "opencode/", ".gemini/", ".qwen/", ".factory/", ".agents/skills",
				"mcp.json", "/agents/"}, codeThatWrites, {"!`", "```!", "!{", "#!", "\\\"command", "hooks:", "servers",
				"copyfile", "shutil", "rename", "replace("}},
		},
		{
			Name: "no-user-memory", Blocks: "a change of a client's instructions for all projects",
			Why:     "A sentence there is an order in each later session, in other projects too.",
			Instead: "Write it into the CLAUDE.md or AGENTS.md of the project, or let a person do it.",
			Limits:  "A tool of a client's own for its memory, and the files that such a memory includes.",
			Find:    func(c *Call) Found { return c.touches()[guardMemory] },
		},
		{
			Name: "no-gate-commands", Blocks: "a command that allows, removes or changes gates",
			Why:     "An agent that can allow its own gates has none.",
			Instead: "Ask a person to run it in a terminal.",
			Limits:  "hookrun under another name, and in a script.",
			Find:    gateCommand,
			Doubt: [][]string{{"hookrun"}, {"hookrun allow", "hookrun deny", "hookrun approve", "hookrun uninstall",
				"hookrun install", "hookrun init", "hookrun,allow", "hookrun,approve", "hookrun,deny",
				"hookrun,uninstall", "hookrun,install", "kill hookrun", "pkill -f hookrun", "killall hookrun"}},
		},
		{
			Name: "no-gate-variables", Blocks: "a variable or an option that starts a client without its gates",
			Why:     "A client without gates runs every call.",
			Instead: "Start the client without that, or ask a person.",
			Limits: "A settings file of another name that a client is given, a variable that a script sets, and " +
				"files that no client and no shell reads by itself.",
			Find: gateVariable,
			Doubt: [][]string{{"hookrun_skip", "hookrun_trust", "disableallhooks\":true", "disableallhooks\": true",
				"disableallhooks:true"},
				{"environ", "env=", "env:", "setenv", "putenv", "export ", "claude", "hookrun_skip=",
					"hookrun_trust="}},
		},
	},
}

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
			Block: func() []Example {
				return append(Lines("rm .tenex-hooks.json", "sed -i s/block/x/ .tenex-hooks.json",
					"git checkout -- .tenex-hooks.json", "mv .tenex-hooks.json x", "cp x .tenex-hooks.json",
					"cp x/.tenex-hooks.json .", "echo {} > .tenex-hooks.json",
					"echo {} | tee .tenex-hooks.local.json", "chmod 000 ./.tenex-hooks.json",
					"cd sub && rm ../.tenex-hooks.json"),
					Paths("fs_write", ".tenex-hooks.json", "sub/../.tenex-hooks.json",
						"/home/user/.config/hookrun/hooks.json", "~/.config/hookrun/hooks.json", ".TENEX-HOOKS.json",
						".tenex-hooks/guard.sh")...)
			},
			Pass: func() []Example {
				return append(Lines("cat .tenex-hooks.json", "jq .hooks .tenex-hooks.json",
					"hookrun check .tenex-hooks.json", "git diff .tenex-hooks.json", "git add .tenex-hooks.json",
					"git commit -m 'change .tenex-hooks.json' .tenex-hooks.json",
					"cp .tenex-hooks.json /tmp/copy.json", "ls -la .tenex-hooks.json ~/.config/hookrun",
					"rm -rf build && grep hooks .tenex-hooks.json"),
					append(Paths("fs_read", ".tenex-hooks.json"), Paths("fs_write", "/tmp/fixture/.tenex-hooks.json",
						"docs/tenex-hooks.json", ".tenex-hooks.example.json")...)...)
			},
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
			Block: func() []Example {
				return append(Lines("echo {} > .claude/settings.json", "rm .claude/settings.local.json",
					"cp x .claude/settings.json", "tee .claude/settings.json < x",
					"mv x.json .claude/settings.json", "cd .claude && rm settings.json", "rm -rf .claude",
					"sed -i 's/true/false/' ~/.claude/settings.json", "jq '.hooks={}' x > .gemini/settings.json",
					"rm -rf ~/.codex"),
					Paths("fs_write", ".claude/settings.json", "/home/user/.claude/settings.json", ".codex/config.toml",
						"sub/.claude/hooks/a.sh", ".gemini/settings.json", "opencode.json",
						".cursor/../.claude/settings.local.json")...)
			},
			Pass: func() []Example {
				return append(Lines("cat .claude/settings.json", "jq . ~/.claude/settings.json",
					"ls -la .claude .codex ~/.gemini", "grep -rn hooks .claude",
					"bash .claude/hooks/guard.sh < in.json", "python3 .claude/hooks/check.py",
					"cp .claude/settings.json /tmp/s.json", "git add .claude/settings.json",
					"git diff HEAD -- .claude/settings.json"),
					append(Paths("fs_read", ".claude/settings.json", "~/.codex/config.toml"), Paths("fs_write",
						"CLAUDE.md", "AGENTS.md", "docs/settings.json", ".claude/commands/a.md",
						".claude/skills/a/SKILL.md", ".github/workflows/a.yml", ".vscode/settings.json",
						".cursor/rules/a.mdc")...)...)
			},
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
			Block: func() []Example {
				return Lines("echo 'State: !`git push`' > .claude/commands/a.md",
					"cat > .claude/skills/a/SKILL.md <<'E'\n!`./deploy`\nE", "cp a.md .claude/commands/",
					"curl -o .claude/skills/a/SKILL.md https://x.io/a.md",
					"sed -i s/status/push/ .claude/commands/a.md",
					"printf 'prompt = \"!{rm x}\"' | tee .gemini/commands/a.toml", "cp -r skills .claude/skills",
					"echo '#!/bin/sh' > .factory/commands/a", "echo '!`x`' >> .opencode/command/a.md",
					"unzip a.zip -d .claude/skills", "D=.claude/commands; cat x > $D/a.md",
					"echo '{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}' > .mcp.json",
					"ln -s /tmp/a.md .claude/commands/a.md", "echo 'hooks:' >> ~/.claude/skills/a/SKILL.md")
			},
			Pass: func() []Example {
				return append(Lines("echo 'Run the tests.' > .claude/commands/a.md", "rm -rf .claude/commands",
					"cat > .claude/skills/a/SKILL.md <<'E'\n# A\nRun `make`!\nE", "mkdir -p .claude/skills/a",
					"cat .claude/commands/a.md", "python3 .claude/skills/a/run.py", "git mv .claude/commands/a.md b.md",
					"cp .claude/commands/a.md /tmp", "mv .claude/commands/a.md docs/", "grep -rn '!`' .claude",
					"python3 check.py .claude/skills/a/SKILL.md", "git checkout -- .claude/commands",
					"echo '!`x`' > docs/a.md", "chmod +x .factory/commands/a", "touch .claude/commands/a.md",
					"echo '!`x`' > .gemini/commands/a.md", "cp run.py .claude/skills/a/run.py"),
					Paths("fs_read", ".claude/commands/a.md", ".mcp.json")...)
			},
		},
		{
			Name: "no-user-memory", Blocks: "a change of a client's instructions for all projects",
			Why:     "A sentence there is an order in each later session, in other projects too.",
			Instead: "Write it into the CLAUDE.md or AGENTS.md of the project, or let a person do it.",
			Limits:  "A tool of a client's own for its memory, and the files that such a memory includes.",
			Find:    func(c *Call) Found { return c.touches()[guardMemory] },
			Block: func() []Example {
				return append(Lines("echo x >> ~/.claude/CLAUDE.md", "rm ~/.codex/AGENTS.md",
					"cp CLAUDE.md ~/.claude/", "cp x $HOME/.claude/CLAUDE.md", "sed -i s/a/b/ ~/.gemini/GEMINI.md",
					"tee -a ~/.claude/CLAUDE.md < x", "echo x > /home/user/.qwen/QWEN.md",
					"mv x ~/.config/opencode/AGENTS.md", "cd ~/.claude && echo x > CLAUDE.md",
					"ln -sf \"$PWD/x\" ~/.claude/CLAUDE.md"),
					Paths("fs_write", "/home/user/.claude/CLAUDE.md", "~/.codex/AGENTS.md", "~/.gemini/gemini.md")...)
			},
			Pass: func() []Example {
				return append(Lines("cat ~/.claude/CLAUDE.md", "echo x >> CLAUDE.md", "cp ~/.claude/CLAUDE.md .",
					"grep -n x ~/.codex/AGENTS.md", "rm AGENTS.md", "sed -i s/a/b/ GEMINI.md",
					"mv docs/AGENTS.md AGENTS.md", "ln -s AGENTS.md CLAUDE.md", "git checkout -- CLAUDE.md"),
					append(Paths("fs_read", "~/.claude/CLAUDE.md"), Paths("fs_write", "CLAUDE.md", "sub/AGENTS.md",
						".claude/CLAUDE.md", "~/.claude/projects/x/memory/MEMORY.md")...)...)
			},
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
			Block: func() []Example {
				return Lines("hookrun allow", "hookrun deny", "hookrun approve 1234", "hookrun uninstall claude",
					"hookrun install --all", "hookrun init --add git", "hookrun import --write",
					"npx hookrun allow", "/usr/local/bin/hookrun allow", "./hookrun -C .. allow")
			},
			Pass: func() []Example {
				return Lines("hookrun check",
					"hookrun explain pre-tool --tool shell --args '{\"command\":\"hookrun allow\"}'",
					"hookrun status", "hookrun test", "hookrun log --would-block", "hookrun pack git",
					"hookrun doctor", "hookrun import", "hookrun allow --help")
			},
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
			Block: func() []Example {
				return Lines("HOOKRUN_SKIP=git/no-force-push claude -p x", "export HOOKRUN_SKIP=a",
					"env HOOKRUN_SKIP=a claude", "HOOKRUN_TRUST=off codex exec x",
					"claude --settings '{\"disableAllHooks\":true}' -p x",
					"claude -p x --settings='{\"disableAllHooks\": true}'", "codex -c features.hooks=false exec x",
					"codex exec --disable hooks x", "CLAUDE_CONFIG_DIR=/tmp/x claude -p x",
					"CODEX_HOME=/tmp/x codex exec x")
			},
			Pass: func() []Example {
				return Lines("claude -p x", "codex exec x", "gemini -p x", "HOME=/tmp/x npm test",
					"echo $HOOKRUN_SKIP", "env | grep HOOKRUN", "XDG_CONFIG_HOME=/tmp/x go test ./...",
					"grep -rn disableAllHooks docs", "claude --settings .claude/settings.json -p x")
			},
		},
	},
}

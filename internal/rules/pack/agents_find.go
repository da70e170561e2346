package pack

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
)

// Subcommands of hookrun, which a test compares with those of the command line, and subcommands of package managers and
// the like that stop or remove hookrun.
var (
	gateCommands    = []string{"allow", "deny", "approve", "uninstall", "install", "init"}
	hookrunCommands = []string{"pre-execute", "pre-tool", "post-tool", "fire", "serve", "check", "explain", "test",
		"get", "inject", "drain", "queue", "log", "mcp", "import", "status", "fleet", "doctor", "completion", "version",
		"pack", "help"}
	stopCommands = []string{"stop", "disable", "mask", "kill", "uninstall", "remove"}
)

func gateCommand(c *Call) Found {
	for i := range c.Commands {
		command := &c.Commands[i]
		if command.Program == "" && len(command.Args) > 0 && slices.Contains(gateCommands, command.Args[0].Text) &&
			slices.ContainsFunc(c.lines, func(line string) bool { return strings.Contains(line, "hookrun") }) {
			return Found{Subject: command.String(), Doubt: "a variable may contain hookrun"}
		}
		found := func(doubt string) Found { return Found{Subject: command.String(), Doubt: doubt} }
		if args, ok := command.hookrun(); ok {
			if hasWord(args, "--help", "-h") {
				continue
			}
			switch changes, computed := changesGates(args); {
			case computed:
				return found("the shell computes which command of hookrun that is")
			case changes:
				return found("")
			}
			continue
		}
		isHookrun := func(w Word) bool { return strings.HasPrefix(path.Base(w.Text), "hookrun") }
		switch command.Program {
		case "pkill", "killall", "taskkill", "stop-process":
			if slices.ContainsFunc(command.Args, isHookrun) {
				return found("")
			}
		case "kill":
			if command.getsOutputOf(func(c *Command) bool { return slices.ContainsFunc(c.Args, isHookrun) }) {
				return found("")
			}
		case "systemctl", "launchctl", "npm", "pnpm", "yarn", "pip", "pip3", "brew", "pipx", "cargo", "apt", "apt-get":
			if hasWord(command.Args, stopCommands...) && slices.ContainsFunc(command.Args, isHookrun) {
				return found("")
			}
		case "gemini", "qwen", "copilot", "droid":
			if hasWord(command.Args, "hooks") && hasWord(command.Args, "disable", "remove", "uninstall",
				"disable-all") {
				return found("")
			}
		}
	}
	return Found{}
}

// hookrun returns the arguments of hookrun, if the command starts hookrun in any way.
func (c *Command) hookrun() (args []Word, ok bool) {
	switch strings.ToLower(c.Program) {
	case "hookrun":
		return c.Args, true
	case "":
		if len(c.Words) > 0 && strings.Contains(strings.ToLower(c.Words[0].Text), "hookrun") {
			return c.Args, true
		}
	case "go", "npm", "npx", "pnpm", "yarn", "bunx", "uv", "uvx", "pipx", "python", "python3", "py", "docker",
		"dotnet", "bun":
		runs := hasWord(c.Args, "run", "exec", "x", "dlx", "-m") || strings.HasSuffix(c.Program, "x")
		i := slices.IndexFunc(c.Args, func(w Word) bool {
			name, _, _ := strings.Cut(path.Base(w.Text), "@")
			return name == "hookrun"
		})
		if runs && i >= 0 {
			return c.Args[i+1:], true
		}
	}
	return nil, false
}

// changesGates reports whether hookrun with these arguments changes gates. computed means that only the shell knows.
func changesGates(args []Word) (changes, computed bool) {
	for i, w := range args {
		switch {
		case w.Computed && w.Prefix == "":
			return false, i == 0
		case slices.Contains(gateCommands, w.Text):
			return true, false
		case w.Text == "import":
			return hasWord(args, "--write"), false
		case w.Text == "doctor":
			return hasWord(args, "--fix"), false
		case slices.Contains(hookrunCommands, w.Text):
			return false, false
		}
	}
	return false, false
}

// client reports whether the command starts a client, directly or from the client's package.
func (c *Command) client() bool {
	if c.Row.Says("client") {
		return true
	}
	return len(c.Words) > 0 && (strings.Contains(c.Words[0].Text, "claude-code") || strings.Contains(c.Words[0].Text,
		"gemini-cli") ||
		strings.Contains(c.Words[0].Text, "@openai/codex") || strings.Contains(c.Words[0].Text, "qwen-code"))
}

func gateVariable(c *Call) Found {
	starts := sync.OnceValue(func() bool {
		return slices.ContainsFunc(c.Commands, func(o Command) bool { return o.client() })
	})
	sets := sync.OnceValue(c.setsGates)
	for i := range c.Commands {
		command := &c.Commands[i]
		client := command.client()
		if client && command.opensGates() {
			return Found{Subject: command.String()}
		}
		for _, w := range command.Env {
			if gateName(w.Text, client) {
				return Found{Subject: w.Text + " " + command.String()}
			}
		}
		switch command.Program {
		case "export", "declare", "typeset", "unset", "setx", "set", "readonly", "env", "sudo", "doas", "launchctl":
			for _, w := range command.Args {
				if gateName(w.Text, starts()) {
					return Found{Subject: command.String()}
				}
			}
		case "tee":
			isProfile := func(w Word) bool { return isProfile(w.Text) }
			if sets() && slices.ContainsFunc(command.operands(), isProfile) {
				return Found{Subject: command.String()}
			}
		}
	}
	for _, f := range slices.Concat(c.Redirect, c.Files) {
		if f.Writes && isProfile(cmp.Or(f.Word.Text, f.Path)) && sets() {
			return Found{Subject: "a file that sets HOOKRUN_SKIP or HOOKRUN_TRUST: " + f.Path}
		}
	}
	return Found{}
}

// setsGates reports whether the arguments of the call name a variable that switches gates off.
func (c *Call) setsGates() bool {
	return strings.Contains(c.Args, "HOOKRUN_SKIP") || strings.Contains(c.Args, "HOOKRUN_TRUST")
}

// isProfile reports whether a shell, a client or an editor reads variables from the file when it starts.
func isProfile(file string) bool {
	name := strings.ToLower(path.Base(file))
	switch name {
	case "mise.toml", ".mcp.json", "mcp.json", "devcontainer.json", "environment", "settings.json", "launch.json":
		return true
	}
	return strings.HasPrefix(name, ".env") || strings.HasPrefix(name, ".") &&
		(strings.HasSuffix(name, "rc") || strings.Contains(name, "profile") || strings.HasSuffix(name, "env"))
}

// gateName reports whether a text sets a variable that controls gates. For a client, more variables count.
func gateName(text string, client bool) bool {
	name, _, sets := strings.Cut(text, "=")
	switch name {
	case "HOOKRUN_SKIP", "HOOKRUN_TRUST":
		return true
	case "HOOKRUN_STATE", "HOOKRUN_DEPTH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR",
		"CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "QWEN_HOME", "KIMI_CODE_HOME", "CLINE_DIR":
		return sets && client
	}
	return false
}

// opensGates reports whether an option starts a client without hooks.
func (c *Command) opensGates() bool {
	for i, w := range c.Args {
		before := ""
		if i > 0 {
			before = c.Args[i-1].Text
		}
		option, value, ok := strings.Cut(w.Text, "=")
		if !ok || !strings.HasPrefix(option, "-") {
			option, value = before, w.Text
		}
		low := strings.ToLower(value)
		switch {
		case option == "--settings" && strings.Contains(low, "disableallhooks") && !strings.Contains(low, "false"),
			w.Text == "--setting-sources", strings.HasPrefix(w.Text, "--setting-sources="),
			c.Program == "claude" && w.Text == "--bare",
			option == "--disable" && strings.HasSuffix(low, "hooks"),
			(option == "-c" || option == "--config") && strings.Contains(low, "hooks") && strings.Contains(low, "="):
			return true
		}
	}
	return false
}

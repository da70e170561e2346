package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/install"
	"github.com/hookrun/hookrun/internal/lazy"
)

// maxAncestors limits the ancestors to examine: on Windows, a parent's number may have gone to a younger process.
const maxAncestors = 1000

// belowAgent returns the agent that started this process, or "" if no agent is found.
func belowAgent() string { return agentAbove(os.Getenv, ancestors()) }

// agentAbove looks for an agent in the variables that hookrun and clients set for their children, and in the command
// lines of the processes above. Install of each client's dialect has the client's signs.
func agentAbove(getenv func(string) string, above [][]string) string {
	for _, v := range []string{"HOOKRUN_EVENT", "HOOKRUN_DEPTH", "HOOKRUN_HOOK", "HOOKRUN_TOOL", "HOOKRUN_RUN"} {
		if getenv(v) != "" {
			return "a hook ($" + v + ")"
		}
	}
	agents, ides := map[string]string{"hookrun": "hookrun"}, map[string]string{}
	for _, name := range install.Names() {
		c, _ := install.Lookup(name)
		for _, program := range strings.Fields(c.IDE) {
			ides[program] = c.Files.Client
		}
		signs := append(strings.Fields(c.Program+" "+c.Agent), c.Variables...)
		for i, sign := range signs {
			v, isVariable := strings.CutPrefix(sign, "$")
			if isVariable = isVariable || i >= len(signs)-len(c.Variables); isVariable && getenv(v) != "" {
				return c.Files.Client + " ($" + v + ")"
			}
			if !isVariable {
				agents[sign] = c.Files.Client
			}
		}
	}
	for _, v := range []string{"AI_AGENT", "AGENT"} { // of any agent
		if getenv(v) != "" {
			return "an agent ($" + v + ")"
		}
	}
	// In a terminal of an IDE, the IDE's process is above the person's shell. The agent of an IDE sets a variable in
	// its own terminals, and has no terminal where an extension starts the process.
	terminal := strings.ToLower(getenv("TERM_PROGRAM"))
	inTerminal := terminal == "vscode" || ides[terminal] != ""
	for _, words := range above {
		if isExtensionHost(words) {
			return "an extension of an IDE (a process " + words[0] + ")"
		}
		for _, name := range programNames(words) {
			client := agents[name]
			if ide := ides[name]; ide != "" {
				client = ide
				if inTerminal {
					break
				}
			}
			if client != "" {
				return client + " (a process " + name + ")"
			}
		}
	}
	return ""
}

// isExtensionHost reports whether a process runs the extensions of VS Code or a fork. People's terminals are below
// another process.
func isExtensionHost(words []string) bool {
	return slices.Contains(words, "--type=extensionHost") ||
		strings.Contains(strings.ToLower(filepath.Base(words[0])), " helper (plu") // macOS cuts the name
}

// runners are programs whose arguments name the program that runs. The name of a runner may end with a version.
var runners = lazy.Regexp{Text: `^(?:node|nodejs|bun|deno|tsx|electron|python|pypy|ruby|perl|sh|bash|dash|zsh|ksh|fish)` +
	`[0-9]*$`}

// programNames returns the names of the program that a command line runs, also by an interpreter, as in
// node --no-warnings /usr/bin/gemini or python3 -m kimi_cli.
func programNames(words []string) (names []string) {
	names = namesOf(words[0])
	if !runners.Get().MatchString(names[0]) {
		return names
	}
	arguments := 0
	for _, w := range words[1:] {
		if arguments < 2 && !strings.HasPrefix(w, "-") { // the first may be the value of an option
			names = append(names, namesOf(w)...)
			arguments++
		}
	}
	return names
}

// variants matches a name with the endings of packages: claude-code, .claude-wrapped, codex-x86_64-unknown-linux-musl.
var variants = lazy.Regexp{Text: `^(.+?)(?:-(?:cli|code|ai|bin|wrapped|(?:linux|darwin|win32|windows|x86|x64|amd64|` +
	`arm64|aarch64).*))+$`}

// namesOf returns the names that a path of a program or a script has: its own, the one of its package, and both without
// endings.
func namesOf(path string) (names []string) {
	path = strings.ToLower(strings.ReplaceAll(filepath.ToSlash(path), "_", "-"))
	own := []string{path[strings.LastIndex(path, "/")+1:]}
	for _, packages := range []string{"/node-modules/", "/site-packages/"} {
		if i := strings.LastIndex(path, packages); i >= 0 {
			folders := append(strings.Split(path[i+len(packages):], "/"), "")
			if strings.HasPrefix(folders[0], "@") {
				folders = folders[1:]
			}
			own = append(own, folders[0])
		}
	}
	for _, name := range own {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "."), ".")
		name, _, _ = strings.Cut(name, " helper")
		names = append(names, name)
		if short := variants.Get().FindStringSubmatch(name); short != nil {
			names = append(names, short[1])
		}
	}
	return names
}

// Package ancestor finds an agent among the processes above this one, so that no agent answers a question for a person.
package ancestor

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// maxAncestors limits the ancestors to examine: on Windows, a parent's number may have gone to a younger process.
const maxAncestors = 1000

// Agent returns the agent that started this process, or "" if no agent is found.
func Agent() string { return agentAbove(os.Getenv, ancestors()) }

// agentAbove looks for an agent in the variables that hookrun and clients set for their children, and in the command
// lines of the processes above. The signs of a client stand in its dialect.Installation and its Agent method.
func agentAbove(getenv func(string) string, above [][]string) string {
	var ides []string
	signs := map[string]string{"$HOOKRUN_EVENT": "a hook", "$HOOKRUN_DEPTH": "a hook", "$HOOKRUN_HOOK": "a hook",
		"$HOOKRUN_TOOL": "a hook", "$HOOKRUN_RUN": "a hook", "$AI_AGENT": "an agent", "$AGENT": "an agent",
		"hookrun": "hookrun", extensionHost: "an extension of an IDE"}
	for _, name := range install.Names() {
		c, _ := install.Lookup(name)
		more, ide := c.Agent()
		all := strings.Join(append([]string{c.Program + " " + ide + " " + more}, c.Variables...), " $")
		for _, sign := range strings.Fields(all) {
			signs[sign] = c.Files.Client
		}
		ides = append(ides, strings.Fields(ide)...)
	}
	for _, sign := range slices.Sorted(maps.Keys(signs)) {
		if v, is := strings.CutPrefix(sign, "$"); is && getenv(v) != "" {
			return signs[sign] + " (" + sign + ")"
		}
	}
	// An IDE's process is above the shells of people, too, in the IDE's terminals. There its agent sets a variable.
	terminal := strings.ToLower(getenv("TERM_PROGRAM"))
	inTerminal := terminal == "vscode" || slices.Contains(ides, terminal)
	for _, words := range above {
		for _, name := range programNames(words) {
			if signs[name] != "" && !(inTerminal && slices.Contains(ides, name)) {
				return signs[name] + " (a process " + name + ")"
			}
		}
	}
	return ""
}

// extensionHost is the name given to the process with the extensions of VS Code or a fork. No terminal is below it.
const extensionHost = "extension-host"

// runners are programs whose arguments name the program that runs. The name of a runner may end with a version.
var runners = lazy.Regexp{Text: `^(?:node|nodejs|bun|deno|tsx|electron|python|pypy|ruby|perl|` +
	`sh|bash|dash|zsh|ksh|fish)[0-9]*$`}

// programNames returns the names of the program that a command line runs, also by an interpreter, as in
// node --no-warnings /usr/bin/gemini or python3 -m kimi_cli.
func programNames(words []string) (names []string) {
	names = namesOf(words[0])
	isRunner, arguments := runners.Get().MatchString(names[0]), 0
	for _, w := range words[1:] {
		switch {
		case w == "--type=extensionHost":
			names = append(names, extensionHost)
		case isRunner && arguments < 2 && !strings.HasPrefix(w, "-"): // the first may be the value of an option
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
	if found := inPackage.Get().FindStringSubmatch(path); found != nil {
		own = append(own, found[1])
	}
	for _, name := range own {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "."), ".")
		name, process, _ := strings.Cut(name, " helper") // on macOS, cut after 16 bytes
		if strings.HasPrefix(process, " (plu") {
			name = extensionHost
		}
		names = append(names, name)
		if short := variants.Get().FindStringSubmatch(name); short != nil {
			names = append(names, short[1])
		}
	}
	return names
}

var inPackage = lazy.Regexp{Text: `.*/(?:node-modules|site-packages)/(?:@[^/]*/)?([^/]+)`}

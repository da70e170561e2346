package pack

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/permission"
)

// guard is the kind of a guarded file.
type guard int

const (
	guardNone     guard = iota
	guardHooks          // hookrun's own files
	guardSettings       // settings and hooks of a client
	guardMemory         // instructions of a client for the model in all projects
	guardCommands       // texts from which a client runs commands
)

// guardedFolder has guarded files, wherever the folder is. All names are in lower case.
type guardedFolder struct {
	name  string   // "": the file may be in any folder
	files []string // paths below the folder; a path with a final slash is a folder
	guard guard
	// shared means that the folder has many other files too, so it is guarded only if a guarded file exists.
	shared bool
}

// guardedFolders is the table of guarded files. A test compares it with the dialects' knowledge of their clients.
var guardedFolders = [...]guardedFolder{
	{"", []string{".tenex-hooks.json", ".tenex-hooks.local.json"}, guardHooks, false},
	{"", []string{"crush.json", ".crush.json", "opencode.json", "opencode.jsonc"}, guardSettings, false},
	{"", []string{".mcp.json"}, guardCommands, false},

	{".tenex-hooks", []string{"/"}, guardHooks, false},
	{".config", []string{"hookrun/"}, guardHooks, true},
	{".local", []string{"state/hookrun/", "bin/hookrun"}, guardHooks, true},
	{"appdata", []string{"local/hookrun/", "roaming/hookrun/"}, guardHooks, true},
	{"etc", []string{"hookrun/"}, guardHooks, true},
	{"go", []string{"bin/hookrun"}, guardHooks, true},
	{"homebrew", []string{"bin/hookrun"}, guardHooks, true},
	{"hookrun", []string{"approved/"}, guardHooks, true},
	{"library", []string{"application support/hookrun/"}, guardHooks, true},
	{"programdata", []string{"hookrun/"}, guardHooks, true},
	{"usr", []string{"bin/hookrun", "local/bin/hookrun"}, guardHooks, true},

	{".agents", []string{"hooks.json"}, guardSettings, true},
	{".claude", []string{"settings.json", "settings.local.json", "hooks/", "hooks.json"}, guardSettings, false},
	{".cline", []string{"hooks/", "plugins/"}, guardSettings, true},
	{".clinerules", []string{"hooks/"}, guardSettings, true},
	{".codex", []string{"config.toml", "hooks.json", "hooks/"}, guardSettings, false},
	{".config", []string{"crush/crush.json", "crush/hooks/", "opencode/plugin/", "opencode/plugins/", "opencode/tool/",
		"opencode/tools/"}, guardSettings, true},
	{".copilot", []string{"config.json", "settings.json", "hooks/", "mcp-config.json"}, guardSettings, false},
	{".crush", []string{"crush.json"}, guardSettings, true},
	{".cursor", []string{"hooks.json", "hooks/", "cli.json", "cli-config.json"}, guardSettings, false},
	{".factory", []string{"settings.json", "settings.local.json", "hooks.json", "hooks/"}, guardSettings, false},
	{".gemini", []string{"settings.json", "hooks/", "config/hooks.json"}, guardSettings, false},
	{".github", []string{"hooks/", "copilot/settings.json", "copilot/settings.local.json"}, guardSettings, true},
	{".junie", []string{"config.json"}, guardSettings, true},
	{".kimi-code", []string{"config.toml"}, guardSettings, false},
	{".kiro", []string{"agents/", "hooks/"}, guardSettings, true},
	{".opencode", []string{"plugin/", "plugins/", "tool/", "tools/"}, guardSettings, false},
	{".qwen", []string{"settings.json", "hooks/"}, guardSettings, false},
	{".windsurf", []string{"hooks.json"}, guardSettings, true},
	{".codeium", []string{"windsurf/hooks.json"}, guardSettings, true},
	{"application support", []string{"claudecode/", "cursor/hooks.json", "geminicli/", "qwencode/"},
		guardSettings, true},
	{"etc", []string{"claude-code/", "codex/", "cursor/", "gemini-cli/", "qwen-code/"}, guardSettings, true},
	{"programdata", []string{"claudecode/", "cursor/", "openai/codex/", "gemini-cli/", "qwen-code/"},
		guardSettings, true},
	{"program files", []string{"claudecode/"}, guardSettings, true},

	{".agents", []string{"skills/"}, guardCommands, true},
	{".claude", []string{"agents/", "commands/", "skills/"}, guardCommands, false},
	{".codeium", []string{"windsurf/mcp_config.json"}, guardCommands, true},
	{".config", []string{"opencode/command/", "opencode/commands/", "opencode/skill/", "opencode/skills/"},
		guardCommands, true},
	{".copilot", []string{"agents/"}, guardCommands, true},
	{".cursor", []string{"mcp.json"}, guardCommands, true},
	{".factory", []string{"commands/", "mcp.json"}, guardCommands, false},
	{".gemini", []string{"commands/", "extensions/"}, guardCommands, false},
	{".github", []string{"agents/"}, guardCommands, true},
	{".junie", []string{"mcp/mcp.json"}, guardCommands, true},
	{".kimi-code", []string{"mcp.json"}, guardCommands, true},
	{".kiro", []string{"settings/mcp.json"}, guardCommands, true},
	{".opencode", []string{"command/", "commands/", "skill/", "skills/"}, guardCommands, false},
	{".qwen", []string{"agents/", "commands/", "extensions/", "skills/"}, guardCommands, false},
	{".vscode", []string{"mcp.json"}, guardCommands, true},
}

// memories are the files below the home folder with clients' instructions for the model in all projects.
var memories = [...]string{".claude/claude.md", ".codex/agents.md", ".codex/agents.override.md", ".gemini/gemini.md",
	".qwen/qwen.md", ".config/opencode/agents.md", ".config/crush/crush.md", ".copilot/copilot-instructions.md",
	".factory/agents.md", ".kimi-code/agents.md", ".config/agents.md"}

// anywhere is the number of the table's first entries, which are for files in any folder.
const anywhere = 3

// guardOf returns the guard of a path, which is absolute or the end of a path, in lower case and with slashes.
func guardOf(file, home string) guard {
	for at := 0; at <= len(file); {
		folder, rest, more := strings.Cut(file[at:], "/")
		inside, below := guardedFolders[anywhere:], rest
		if !more { // folder is the file's name
			inside, below = guardedFolders[:anywhere], folder
		}
		for i := range inside {
			if g := &inside[i]; (!more || g.name == folder) && g.has(below) {
				return g.guard
			}
		}
		at += len(folder) + 1
	}
	if below, ok := strings.CutPrefix(file, home+"/"); ok && home != "" && slices.Contains(memories[:], below) {
		return guardMemory
	}
	if below, ok := strings.CutPrefix(file, "~/"); ok && slices.Contains(memories[:], below) {
		return guardMemory
	}
	return guardNone
}

// has reports whether a path below the folder is a guarded file.
func (g *guardedFolder) has(below string) bool {
	for _, file := range g.files {
		isFolder := file[len(file)-1] == '/' && (file == "/" || strings.HasPrefix(below, file))
		if below == file || isFolder || g.guard == guardCommands && below+"/" == file {
			return true
		}
	}
	return false
}

// guardIn returns the guard of a file in a folder. folder is in lower case, given is the path as written. In a shared
// folder, guardIn checks whether the file exists.
func guardIn(folder, given string) guard {
	folder = strings.TrimSuffix(folder, "/") + "/"
	for at := 0; at < len(folder); {
		name, below, _ := strings.Cut(folder[at:], "/")
		for i := range guardedFolders {
			if g := &guardedFolders[i]; g.name == name && name != "" && g.isIn(below, given) {
				return g.guard
			}
		}
		at += len(name) + 1
	}
	return guardNone
}

// isIn reports whether a guarded file is inside below, a path in the guarded folder.
func (g *guardedFolder) isIn(below, given string) bool {
	for _, file := range g.files {
		if !strings.HasPrefix(file, below) {
			continue
		}
		if !g.shared || file == below {
			return true
		}
		if _, err := os.Lstat(path.Join(given, strings.TrimPrefix(file, below))); err == nil {
			return true
		}
	}
	return false
}

// guardByGlob returns the guard of a file that a shell pattern in lower case may match.
func guardByGlob(pattern string) guard {
	names := strings.Split(pattern, "/")
	for i := range guardedFolders {
		g := &guardedFolders[i]
		for _, file := range g.files {
			if g.shared {
				break
			}
			whole := file
			if g.name != "" {
				whole = g.name + "/" + strings.TrimPrefix(file, "/")
			}
			parts := strings.Split(strings.TrimSuffix(whole, "/"), "/")
			if len(names) >= len(parts) && chooses(names[len(names)-len(parts):], parts) {
				return g.guard
			}
		}
	}
	return guardNone
}

// chooses reports whether each pattern matches the name at its position. A pattern that begins with a star matches no
// hidden file. As the first pattern it matches nothing, because such a pattern is not aimed at a guarded file.
func chooses(patterns, names []string) bool {
	for i, pattern := range patterns {
		ok, err := path.Match(pattern, names[i])
		isOpen := strings.HasPrefix(pattern, "*") || strings.HasPrefix(pattern, "?")
		if err != nil || !ok || isOpen && (i == 0 || names[i][0] == '.') {
			return false
		}
	}
	return true
}

// guardInText returns the guard of a file whose name appears in a text in lower case.
func guardInText(text string) guard {
	for i := range guardedFolders {
		g := &guardedFolders[i]
		if g.shared && g.guard == guardSettings {
			continue
		}
		for _, file := range g.files {
			switch file = strings.TrimSuffix(file, "/"); {
			case g.name == "" && strings.Contains(text, file), g.name != "" && strings.Contains(text, g.name+"/"+file):
				return g.guard
			}
		}
	}
	return guardNone
}

// lineNames are the names of guarded files in a line.
type lineNames struct {
	guard    guard            // of a file
	folders  []*guardedFolder // folders of guarded files alone
	contents []bool           // by folder: the line has a pattern for all of its files
}

// lineNames returns the names in each line. The result is cached.
func (f *guardFinder) lineNames() []lineNames {
	for _, line := range f.call.lines[len(f.names):] {
		names := lineNames{guard: guardInText(line)}
		for i := range guardedFolders {
			if g := &guardedFolders[i]; g.name != "" && !g.shared && strings.Contains(line, g.name) {
				names.folders = append(names.folders, g)
				names.contents = append(names.contents, strings.Contains(line, g.name+"/*"))
			}
		}
		f.names = append(f.names, names)
	}
	return f.names
}

// touched has the first guarded file of each guard that a call may change.
type touched [guardCommands + 1]Found

// touches returns the guarded files that the call may change. The result is cached.
func (c *Call) touches() *touched {
	if c.guarded != nil {
		return c.guarded
	}
	c.guarded = &touched{}
	f := guardFinder{call: c, found: c.guarded, home: lowered(c.Home), start: c.firstFolder()}
	f.setDirs(nil)
	if c.Writes {
		for _, file := range c.Files {
			f.message = file.Path
			f.path(file.Path, "")
		}
		for _, text := range c.MaybePaths {
			f.message, f.at = text, text
			f.add(guardOf(lowered(text), f.home), "")
		}
	}
	for i, r := range c.Redirect {
		if r.Writes {
			f.setDirs(r.Folders)
			f.message, f.to = "> "+r.Word.Text, &c.Redirect[i]
			f.word(r.Word, false, "")
		}
	}
	for i := range c.Commands {
		f.command(&c.Commands[i])
	}
	return c.guarded
}

// firstFolder returns the folder that the line changes to before all else, as in cd DIR; …, or "" if uncertain.
func (c *Call) firstFolder() string {
	if len(c.lines) != 1 || !strings.HasPrefix(c.lines[0], "cd ") || len(c.Commands) == 0 ||
		c.Commands[0].Program != "cd" || len(c.Commands[0].Args) != 1 {
		return ""
	}
	w := c.Commands[0].Args[0]
	if w.Computed || w.Home || !path.IsAbs(w.Text) {
		return ""
	}
	if info, err := os.Stat(w.Text); err != nil || !info.IsDir() {
		return ""
	}
	return w.Text
}

func lowered(file string) string { return strings.ToLower(strings.ReplaceAll(file, `\`, "/")) }

// guardFinder finds the guarded files that a call changes.
type guardFinder struct {
	call    *Call
	found   *touched
	home    string   // in lower case
	start   string   // the folder that the line changes to first
	dirs    []string // start folders of relative paths
	at      string   // the file being checked
	current *Command // the command being checked
	to      *File    // the redirection being checked
	looks   int      // how often a text was searched for commands
	message string   // the text for messages if no command is being checked
	names   []lineNames
}

// add notes a guarded file. Only then add formats the command for the message.
func (f *guardFinder) add(g guard, doubt string) {
	if g == guardNone || f.found[g].Subject != "" {
		return
	}
	if g == guardCommands {
		f.found[g] = f.commandInText(doubt)
		return
	}
	what := f.message
	if f.current != nil {
		what = f.current.String()
	}
	f.found[g] = Found{Subject: what, Doubt: doubt}
}

// mostFolders limits the number of start folders for a path.
const mostFolders = 4

// setDirs sets the start folders of relative paths after the given folder changes. It includes the folders before each
// change, because cd may fail and the line may not reach it.
func (f *guardFinder) setDirs(folders []Word) {
	f.dirs = f.dirs[:0]
	if f.start == "" || len(folders) == 0 || folders[0].Text != f.start {
		f.dirs = append(f.dirs, f.call.Dir)
	}
	for i := max(0, len(folders)-mostFolders); i < len(folders); i++ {
		if dir := f.call.absolute(".", folders[:i+1]); dir != "" {
			f.dirs = append(f.dirs, path.Clean(dir))
		}
	}
}

// text returns the path of a word, with ~ for the home folder. known means that the shell computes no part of the path.
func (f *guardFinder) text(w Word) (file string, known bool) {
	file = w.Text
	if w.Home {
		for _, home := range []string{"$HOME", "${HOME}"} {
			if rest, ok := strings.CutPrefix(file, home); ok {
				file = "~" + rest
			}
		}
		return file, !strings.ContainsAny(file, "$`*?[{")
	}
	return file, !w.Computed
}

// word adds a word that names a changed file. tree means that if the file is a folder, its files may change too.
func (f *guardFinder) word(w Word, tree bool, doubt string) {
	file, known := f.text(w)
	if known {
		f.eachPath(file, func(at string) {
			low := lowered(at)
			if f.add(guardOf(low, f.home), doubt); tree {
				f.add(guardIn(low, at), doubt)
			}
		})
		return
	}
	for _, one := range permission.Braces(file) {
		low := lowered(one)
		f.at = one
		f.add(guardOf(low, f.home), doubt)
		if tree && !strings.HasPrefix(low, "*") {
			f.add(guardIn(strings.TrimSuffix(low, "/*"), one), doubt)
		}
		if strings.ContainsAny(low, "*?[") && !f.sweepsOther(one) {
			f.add(guardByGlob(low), "the shell computes which files those are")
			for _, dir := range f.dirs {
				f.add(guardByGlob(lowered(dir)+"/"+low), "the shell computes which files those are")
			}
		}
	}
	if strings.Trim(w.Prefix, "./") == "" && strings.Contains(file, "$") {
		f.at = file
		for _, line := range f.lineNames() {
			f.add(line.guard, "a variable may contain the file")
			for i, g := range line.folders {
				if line.contents[i] || g.has(lowered(path.Base(file))) {
					f.add(g.guard, "a variable may contain its folder")
					break
				}
			}
		}
	}
}

// path adds a changed path, and the paths that links lead to.
func (f *guardFinder) path(file, doubt string) {
	f.eachPath(file, func(at string) { f.add(guardOf(lowered(at), f.home), doubt) })
}

// eachPath calls look with each absolute path that a file may have. It skips temporary folders outside of the
// workspace, because no client reads files there.
func (f *guardFinder) eachPath(file string, look func(at string)) {
	isAbs := path.IsAbs(file) || strings.HasPrefix(file, "~")
	for i, dir := range f.dirs {
		at := file
		if i > 0 && isAbs {
			return
		}
		if !isAbs && dir != f.call.Dir {
			at = dir + "/" + file
		}
		for _, end := range f.call.facts.ResolvedPaths(f.call.Dir, at) {
			if end = filepath.ToSlash(end); !f.temporary(end) {
				f.at = end
				look(end)
			}
		}
	}
}

// temporary reports whether a path is in a temporary folder, but not in the workspace, the current folder or the home.
func (f *guardFinder) temporary(file string) bool {
	for _, own := range []string{f.call.Root, f.call.Dir, f.call.Home, f.call.Worktree} {
		if own = filepath.ToSlash(own); own != "" && (strings.EqualFold(file, own) || below(own, file)) {
			return false
		}
	}
	return isTemporary(file, f.call)
}

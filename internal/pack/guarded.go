package pack

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/permission"
)

// guard is what a file is to agents.
type guard int

const (
	guardNone     guard = iota
	guardHooks          // hookrun's own
	guardSettings       // settings and hooks of a client
	guardMemory         // what a client tells the model in all projects
)

// guardedFolder has files that are guarded, wherever the folder lies. All is in lower case.
type guardedFolder struct {
	name  string // "": the file lies in any folder
	files string // below it; one that ends with a slash is a folder
	guard guard
	// shared says that the folder has much else, so that it is guarded itself only if a file is there.
	shared bool
}

// guardedFolders is the table. A test holds it against what the dialects know of their clients.
var guardedFolders = [...]guardedFolder{
	{"", ".tenex-hooks.json,.tenex-hooks.local.json", guardHooks, false},
	{".tenex-hooks", "/", guardHooks, false},
	{".config", "hookrun/", guardHooks, true},
	{".local", "state/hookrun/,bin/hookrun", guardHooks, true},
	{"appdata", "local/hookrun/,roaming/hookrun/", guardHooks, true},
	{"etc", "hookrun/", guardHooks, true},
	{"go", "bin/hookrun", guardHooks, true},
	{"homebrew", "bin/hookrun", guardHooks, true},
	{"library", "application support/hookrun/", guardHooks, true},
	{"programdata", "hookrun/", guardHooks, true},
	{"usr", "bin/hookrun,local/bin/hookrun", guardHooks, true},

	{"", "crush.json,.crush.json,opencode.json,opencode.jsonc", guardSettings, false},
	{".agents", "hooks.json", guardSettings, true},
	{".claude", "settings.json,settings.local.json,hooks/,hooks.json", guardSettings, false},
	{".cline", "hooks/", guardSettings, true},
	{".clinerules", "hooks/", guardSettings, true},
	{".codex", "config.toml,hooks.json,hooks/", guardSettings, false},
	{".config", "crush/crush.json,crush/hooks/,opencode/plugin/,opencode/plugins/", guardSettings, true},
	{".copilot", "config.json,settings.json,hooks/,mcp-config.json", guardSettings, false},
	{".crush", "crush.json", guardSettings, true},
	{".cursor", "hooks.json,hooks/,cli.json,cli-config.json", guardSettings, false},
	{".factory", "settings.json,settings.local.json,hooks.json,hooks/", guardSettings, false},
	{".gemini", "settings.json,hooks/,config/hooks.json", guardSettings, false},
	{".github", "hooks/,copilot/settings.json,copilot/settings.local.json", guardSettings, true},
	{".kimi-code", "config.toml", guardSettings, false},
	{".opencode", "plugin/,plugins/", guardSettings, false},
	{".qwen", "settings.json,hooks/", guardSettings, false},
	{"application support", "claudecode/,cursor/hooks.json,geminicli/,qwencode/", guardSettings, true},
	{"etc", "claude-code/,codex/,cursor/,gemini-cli/,qwen-code/", guardSettings, true},
	{"programdata", "claudecode/,cursor/,openai/codex/,gemini-cli/,qwen-code/", guardSettings, true},
	{"program files", "claudecode/", guardSettings, true},
}

// memories are the files with what clients tell the model in all projects, below the home folder.
var memories = [...]string{".claude/claude.md", ".codex/agents.md", ".codex/agents.override.md", ".gemini/gemini.md",
	".qwen/qwen.md", ".config/opencode/agents.md", ".config/crush/crush.md", ".copilot/copilot-instructions.md",
	".factory/agents.md", ".kimi-code/agents.md", ".config/agents.md"}

// guardOf returns what a file is by its path, absolute or the end of one, in lower case and with slashes.
func guardOf(file, home string) guard {
	for at := 0; at <= len(file); {
		folder, rest, more := strings.Cut(file[at:], "/")
		for i := range guardedFolders {
			g := &guardedFolders[i]
			if g.name == "" && !more && g.has(folder) || g.name == folder && g.name != "" && more && g.has(rest) {
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

// has reports whether a path below the folder is that of a guarded file.
func (g *guardedFolder) has(below string) bool {
	for rest, more := g.files, true; more; {
		var file string
		if file, rest, more = strings.Cut(rest, ","); below == file {
			return true
		}
		if file[len(file)-1] == '/' && (file == "/" || strings.HasPrefix(below, file)) {
			return true
		}
	}
	return false
}

// guardIn returns the guard of a file that is in a folder, by its path in lower case. It looks whether the file is
// there if the folder has much else; given is the path as it is.
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

// isIn reports whether a guarded file is in a folder below.
func (g *guardedFolder) isIn(below, given string) bool {
	for file := range strings.SplitSeq(g.files, ",") {
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

// guardByGlob returns the guard of a file that a pattern of the shell may choose, in lower case.
func guardByGlob(pattern string) guard {
	names := strings.Split(pattern, "/")
	for i := range guardedFolders {
		g := &guardedFolders[i]
		for file := range strings.SplitSeq(g.files, ",") {
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

// chooses reports whether patterns choose names, each its own. A pattern that begins with a star chooses no hidden
// file, and as the first one it has no guarded file in mind.
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

// mentioned returns a guard of a file whose name stands in a text, in lower case.
func mentioned(text string) guard {
	for i := range guardedFolders {
		g := &guardedFolders[i]
		if g.shared && g.guard == guardSettings {
			continue
		}
		for file := range strings.SplitSeq(g.files, ",") {
			switch file = strings.TrimSuffix(file, "/"); {
			case g.name == "" && strings.Contains(text, file), g.name != "" && strings.Contains(text, g.name+"/"+file):
				return g.guard
			}
		}
	}
	return guardNone
}

// inMentioned returns the guard of a file of a name, in lower case, if the name of its folder stands in a text.
func inMentioned(text, file string) guard {
	for i := range guardedFolders {
		g := &guardedFolders[i]
		if g.name == "" || g.shared || !strings.Contains(text, g.name) {
			continue
		}
		if g.has(file) || strings.Contains(text, g.name+"/*") {
			return g.guard
		}
	}
	return guardNone
}

// touched are the guarded files that a call may change, the first of each guard.
type touched [guardMemory + 1]Found

// touches returns the guarded files that the call may change.
func (c *Call) touches() *touched {
	if c.guards != nil {
		return c.guards
	}
	c.guards = &touched{}
	f := guardFinder{call: c, found: c.guards, home: lowered(c.Home), start: c.startsIn()}
	f.from(nil)
	if c.Writes {
		for _, file := range c.Files {
			f.what = file.Path
			f.path(file.Path, "")
		}
		for _, text := range c.Others {
			f.what = text
			f.add(guardOf(lowered(text), f.home), "")
		}
	}
	for _, r := range c.Redirect {
		if r.Writes {
			f.from(r.Folders)
			f.what = "> " + r.Word.Text
			f.word(r.Word, false, "")
		}
	}
	for i := range c.Commands {
		f.command(&c.Commands[i])
	}
	return c.guards
}

// startsIn returns the folder that the line goes to first, whatever else it does: cd DIR; …; "" if that is not sure.
func (c *Call) startsIn() string {
	if len(c.lines) != 1 || !strings.HasPrefix(c.lines[0], "cd ") || len(c.Commands) == 0 ||
		c.Commands[0].Program != "cd" || len(c.Commands[0].Args) != 1 {
		return ""
	}
	w := c.Commands[0].Args[0]
	if info, err := os.Stat(w.Text); w.Computed || w.Home || !path.IsAbs(w.Text) || err != nil || !info.IsDir() {
		return ""
	}
	return w.Text
}

func lowered(file string) string { return strings.ToLower(strings.ReplaceAll(file, `\`, "/")) }

// guardFinder finds the guarded files that a call changes.
type guardFinder struct {
	call  *Call
	found *touched
	home  string   // in lower case
	start string   // to which the line goes first
	dirs  []string // from which relative paths may start
	by    *Command // that is looked at
	what  string   // is looked at if no command is
}

// add notes a guarded file. What changes it is written down only then.
func (f *guardFinder) add(g guard, doubt string) {
	if g == guardNone || f.found[g].What != "" {
		return
	}
	what := f.what
	if f.by != nil {
		what = f.by.String()
	}
	f.found[g] = Found{what, doubt}
}

// mostFolders limits in how many folders a path is looked for.
const mostFolders = 4

// from notes the folders in which a relative path may start behind others that the line went to: cd may fail, and the
// line may not come to it.
func (f *guardFinder) from(folders []Word) {
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

// text returns the path of a word, with ~ for the home folder. known says that the shell computes no part of it.
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

// word looks at a word that is a file which is changed. tree says that all in it may be, if it is a folder.
func (f *guardFinder) word(w Word, tree bool, doubt string) {
	file, known := f.text(w)
	if known {
		f.places(file, func(at string) {
			low := lowered(at)
			if f.add(guardOf(low, f.home), doubt); tree {
				f.add(guardIn(low, at), doubt)
			}
		})
		return
	}
	for _, one := range permission.Braces(file) {
		low := lowered(one)
		f.add(guardOf(low, f.home), doubt)
		if tree && !strings.HasPrefix(low, "*") {
			f.add(guardIn(strings.TrimSuffix(low, "/*"), one), doubt)
		}
		if strings.ContainsAny(low, "*?[") {
			f.add(guardByGlob(low), "the shell computes which files those are")
			for _, dir := range f.dirs {
				f.add(guardByGlob(lowered(dir)+"/"+low), "the shell computes which files those are")
			}
		}
	}
	if strings.Trim(w.Prefix, "./") == "" && strings.Contains(file, "$") {
		for _, line := range f.call.lines {
			f.add(mentioned(line), "a variable may hold the file")
			f.add(inMentioned(line, lowered(path.Base(file))), "a variable may hold its folder")
		}
	}
}

// path looks at a path that is changed, and at where it leads.
func (f *guardFinder) path(file, doubt string) {
	f.places(file, func(at string) { f.add(guardOf(lowered(at), f.home), doubt) })
}

// places calls look with the absolute paths that a file may have, without those in temporary folders outside of the
// workspace: no client reads them.
func (f *guardFinder) places(file string, look func(at string)) {
	isAbs := path.IsAbs(file) || strings.HasPrefix(file, "~")
	for i, dir := range f.dirs {
		at := file
		if i > 0 && isAbs {
			return
		}
		if !isAbs && dir != f.call.Dir {
			at = dir + "/" + file
		}
		for _, end := range f.call.seen.Ends(f.call.Dir, at) {
			if end = filepath.ToSlash(end); !f.temporary(end) {
				look(end)
			}
		}
	}
}

// temporary reports whether a path is in a temporary folder, and in none of the workspace, the current folder and the
// home.
func (f *guardFinder) temporary(file string) bool {
	for _, own := range []string{f.call.Root, f.call.Dir, f.call.Home} {
		if own = filepath.ToSlash(own); own != "" && (strings.EqualFold(file, own) || below(own, file)) {
			return false
		}
	}
	return isTemporary(file, f.call)
}

package trust

import (
	_ "embed"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

//go:embed variables.txt
var variableKinds string

// kindOf returns the kind of a variable in the table, and the expressions of its row. With a list, it returns the list
// if one of its patterns matches the name.
func kindOf(list, name string) (kind, expressions string) {
	for row := range strings.Lines(variableKinds) {
		kind, patterns, _ := strings.Cut(strings.TrimSpace(row), " ")
		patterns, expressions, _ := strings.Cut(patterns, " : ")
		for pattern := range strings.FieldsSeq(patterns) {
			is, _ := path.Match(pattern, name)
			if is && (kind == list || list == "" && !strings.ContainsAny(kind, "#.")) {
				return kind, expressions
			}
		}
	}
	return "", ""
}

func isIn(list, name string) bool {
	kind, _ := kindOf(list, name)
	return kind != ""
}

// environment adds the files that the variables of hooks files make programs load: those of the hook's entry, and those
// of the settings for all hooks of a client. A client's form has no key for files, so its doubts are kept apart.
func (c *commandLine) environment(variables []string) {
	c.inClientEnv = !c.hook.TakesFiles
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		c.variable(name, word{Text: value})
	}
	c.inClientEnv = false
}

// addOuter adds the variables that a project's file in a client's form gives to a hook of the user's file.
func (t *collector) addOuter(h *hook.Hook) error {
	if h.Settings == nil || len(h.Settings.ProjectEnv) == 0 {
		return nil
	}
	c := newCommandLine(t, h, t.Environ(h), t.Options.Workspace)
	c.environment(h.Settings.ProjectEnv)
	return c.err
}

// variable adds the files that a variable makes a program load. A value that a program may read in another way than
// hookrun is a doubt.
func (c *commandLine) variable(name string, value word) {
	name, text := foldVariable(name), value.Text
	kind, expressions := kindOf("", name)
	isOwn := kind == "own" || kind == ""
	switch {
	case name == "PATH" && slices.ContainsFunc(filepath.SplitList(text), c.mayBeOwn):
		c.doubt("PATH has a folder of the workspace, or one that is not absolute")
	case value.Computed && isOwn:
	case value.Computed:
		c.doubt("the value of %s is known only when it runs", name)
	case strings.Contains(text, "$(") || strings.Contains(text, "`"):
		c.doubt("%s has a command in its text", name)
	case isOwn:
		c.ownVariable(name, text, kind == "")
	case strings.Contains(text, "/proc/") || strings.Contains(text, "/dev/") && text != os.DevNull:
		c.doubt("%s names a file that depends on the process", name)
	case kind == "start":
		if c.file(text); strings.ContainsAny(text, "$~\\'\"*?[{") {
			c.doubt("the shell expands the value of %s", name)
		}
	case kind == "options":
		c.options(name, text, expressions)
	case kind == "code" || kind == "place":
		c.places(name, text, kind == "code")
	case (kind == "command" || kind == "line") && commandWords.Get().MatchString(text):
		c.runs(name, text)
	case kind == "line":
		outer := c.folders
		c.line(text)
		c.folders = outer
	case kind == "gitkey" && isIn(".gitkeys", strings.ToLower(launch.Variable(c.env,
		"GIT_CONFIG_KEY_"+name[strings.LastIndexByte(name, '_')+1:]))):
	case c.isPlain(name, text):
	default:
		c.doubt("%s may have a program run others", name)
	}
}

var (
	commandWords = lazy.Regexp{Text: `^[\w./+-]*(?: --?[A-Za-z-]+)*$`}
	switchValue  = lazy.Regexp{Text: `^(?:v?[0-9][0-9.]*|true|false|yes|no|on|off|always|never|auto)?$`}
	bareValue    = lazy.Regexp{Text: `^[\w.,:=@%+-]+$|^https?://`}
)

// isPlain reports whether a value is a switch, a plain word for a variable that takes no path, or a path outside of the
// workspace.
func (c *commandLine) isPlain(name, text string) bool {
	rest := strings.TrimPrefix(strings.ToUpper(name), "NPM_CONFIG_")
	if _, there := lookAt(c.in(c.folders[0], text)); there || !bareValue.Get().MatchString(text) ||
		!strings.Contains(name, "_") || isIn(".leads", rest) {
		return switchValue.Get().MatchString(text) || !c.mayBeOwn(text)
	}
	c.file(text)
	return true
}

func (c *commandLine) options(name, text, expressions string) {
	known, loads, _ := strings.Cut(expressions, " ")
	options := strings.Fields(text)
	for i := 0; i < len(options); i++ {
		option := options[i]
		if shellline.InList("--require --import --loader --experimental-loader -r", option) && i+1 < len(options) {
			i++
			option += "=" + options[i]
		}
		if found := regexp.MustCompile(loads).FindStringSubmatch(option); len(found) > 1 {
			c.file(found[1])
			c.node(found[1])
			c.file(found[1] + ".rb")
		} else if !regexp.MustCompile(known).MatchString(option) {
			c.doubt("%s has an option that is not known", name)
		}
	}
}

// places adds the files of a list of code. Every other element must be outside of the workspace.
func (c *commandLine) places(name, text string, isCode bool) {
	const list = string(filepath.ListSeparator)
	if text = strings.ReplaceAll(text, ";", list); name == "LD_PRELOAD" {
		text = strings.Join(strings.Fields(text), list)
	}
	for _, at := range strings.Split(text, list) {
		now, _ := lookAt(c.in(c.folders[0], at))
		switch {
		case text == "", !strings.ContainsAny(at, "/$") && (name == "LD_PRELOAD" || name == "LD_AUDIT"):
		case strings.Contains(at, "$"):
			c.doubt("the linker expands the value of %s", name)
		case !c.mayBeOwn(at):
		case isCode && now.regular:
			c.file(at)
		default:
			c.doubt("%s names a folder of the workspace, or a path that is not absolute", name)
		}
	}
}

// mayBeOwn reports whether a path leads to the workspace, or depends on the process.
func (c *commandLine) mayBeOwn(path string) bool {
	real, err := owner.Resolve(path)
	isOwn := func(path string) bool {
		return inside(path, c.Options.Workspace) || inside(path, c.Fingerprint.Workspace) || inside(path, "/proc")
	}
	return err != nil || !filepath.IsAbs(path) || strings.Contains(path, "..") || isOwn(filepath.Clean(path)) ||
		isOwn(real)
}

// runs adds the program that a variable names, with plain options: only a shell and its like run further files.
func (c *commandLine) runs(name, text string) {
	program, options, _ := strings.Cut(text, " ")
	switch base := foldName(filepath.Base(program)); {
	case shellline.IsShell(base) || isInterpreter(base) || shellline.InList(wrappers, base):
		c.doubt("%s may have a program run others", name)
	case base != foldName(program):
		c.file(program)
	case text != "":
		c.program(program, "")
	}
	for option := range strings.FieldsSeq(options) {
		c.argument(option)
	}
}

// ownVariable adds the files that a variable names which means nothing to known programs.
func (c *commandLine) ownVariable(name, text string, isUnknown bool) {
	const most = 256
	parts := append(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(betweenFiles, r) }), text)
	switch {
	case strings.Contains(text, "://"):
		return
	case len(parts) > most:
		c.doubt("%s has more than %d words", name, most)
		return
	}
	isUnknown = isUnknown && !isIn(".folders", name) || isIn(".code", name)
	for _, part := range parts {
		if !isIn(".data", filepath.Base(part)) {
			c.file(part)
		}
		if isUnknown && (!strings.Contains(text, " ") || strings.Contains(part, "/")) && c.isFolder(part) {
			c.doubt("%s names a folder, where a program may find code", name)
		}
	}
}

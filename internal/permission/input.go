package permission

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/shellline"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Kind is what a tool works on. It decides what a pattern is matched against.
type Kind int

// Unknown, the zero Kind, is an unknown tool: its arguments decide.
const (
	Unknown Kind = iota
	Shell
	File
	Folder // a file tool that uses the current directory unless a path says otherwise
	Host
	Other // it works on nothing that a pattern can describe
)

// KindOf returns the kind of a tool by the name that a project's rules use for it.
func KindOf(tool string) Kind {
	switch tool {
	case "shell":
		return Shell
	case "fs_glob", "fs_grep", "fs_list":
		return Folder
	case "web_fetch":
		return Host
	case "web_search", "todo_write", "delegate":
		return Other
	}
	if strings.HasPrefix(tool, "fs_") {
		return File
	}
	return Unknown
}

// ownTool returns what the client's own rules match of a tool that it was recorded with.
func ownTool(name string) (kind Kind, field string, ok bool) {
	switch name {
	case "Bash":
		return Shell, "command", true
	case "Edit", "MultiEdit", "Read", "Write":
		return File, "file_path", true
	case "NotebookEdit", "NotebookRead":
		return File, "notebook_path", true
	case "Glob", "Grep", "LS":
		return Folder, "path", true
	case "WebFetch":
		return Host, "url", true
	}
	return 0, "", false
}

// input is what rules read from a tool's input.
type input struct {
	kind      Kind   // of the tool
	recorded  bool   // it is what the client's own rules read
	field     string // the path's field, for messages
	lines     []shellLine
	otherLine bool // a command argument is no readable text
	paths     []string
	otherPath bool // a path argument cannot be read, or the paths of a patch are not found
	oddPath   bool // a path argument is neither a text nor a list
	patch     bool // some of the paths come from a patch, or the line runs apply_patch

	folders  []string // of the paths those that a tool for folders works on
	bases    []string // from which relative paths may start
	globs    []string // they choose files
	patterns []string // they choose files, or are looked for in them
	others   []string // texts and names of keys that may be paths
}

// shellLine is a command of the input.
type shellLine struct {
	text            string
	program         bool               // it may be a program in another language
	typed           bool               // it is typed into a shell that runs
	*shellline.Line                    // nil until a rule asks
	reached         *shellline.Reached // what it runs behind wrappers; nil until a project's own rule asks
}

// read parses the line.
func (l *shellLine) read() {
	if l.Line == nil {
		line := shellline.TakeApart(l.text)
		l.Line = &line
	}
}

// reach finds what the line runs behind wrappers.
func (l *shellLine) reach(wrappers []string) {
	if l.read(); l.reached == nil {
		l.reached = l.Reach(l.text, wrappers)
	}
}

// The keys of arguments, as keyName returns them: for a shell line, or for what a tool types into a shell; and for a
// patch as apply_patch takes it.
var (
	commandKeys = []string{"command", "cmd", "script", "code"}
	typedKeys   = []string{"input", "chars"}
	patchKeys   = []string{"command", "input", "patch", "patchtext"}
)

// input reads the input. After Once it does so once for all rules.
func (c *Call) input() *input {
	kind, field, isClients := ownTool(c.Tool)
	in := &input{kind: cmp.Or(c.Kind, kind, KindOf(c.Tool)), field: "path"}
	kept := &c.taken.all
	if isClients && !c.Project {
		in.kind, in.field, in.recorded, kept = kind, field, true, &c.taken.own
	}
	if *kept != nil {
		return *kept
	}
	*kept = in
	switch {
	case kept == &c.taken.own:
		in.readField(c)
	case strings.HasPrefix(c.Input, "{") && gjson.Valid(c.Input):
		in.read(c.Input, c.Wrappers)
		if in.kind == Shell {
			in.readPatches(in.lines, c.Wrappers)
		}
	case strings.HasPrefix(c.Input, `"`) && in.kind != Shell:
		in.readPatch(strictjson.Text(c.Input), c.Wrappers)
	}
	if !in.patch && keyName(c.Tool) == keyName(patchTool) {
		in.otherPath = true
	}
	return in
}

// readField reads the one field that the client's own rules match.
func (in *input) readField(c *Call) {
	value, ok := text(c.Input, in.field)
	switch in.kind {
	case Shell:
		in.lines, in.otherLine = []shellLine{{text: value}}, !ok
	case File:
		in.paths, in.otherPath = []string{value}, !ok
	case Folder:
		if c.Dir == "" || gjson.Get(c.Input, in.field).String() != "" { // null included
			in.paths, in.otherPath = []string{value}, !ok
		}
	}
}

func (in *input) read(input string, wrappers []string) {
	strictjson.Members(input, func(key, value string) bool {
		name := keyName(strictjson.Text(key))
		if in.kind != Shell && slices.Contains(patchKeys, name) && strings.HasPrefix(value, `"`) {
			in.readPatch(strictjson.Text(value), wrappers)
		}
		switch {
		case name == "commands":
			in.commands(value)
		case slices.Contains(commandKeys, name), in.kind == Shell && slices.Contains(typedKeys, name):
			in.line(name, value)
			if value[0] == '{' {
				in.argument(key, name, value, 1)
			}
		default:
			in.argument(key, name, value, 1)
		}
		return true
	})
}

// line reads a shell line. Tools that are no shell may take a program under some of the keys.
func (in *input) line(key, value string) {
	line, ok := text(`{"l":`+value+`}`, "l")
	switch {
	case ok:
		program := in.kind != Shell && (key == "script" || key == "code")
		isTyped := slices.Contains(typedKeys, key)
		in.lines = append(in.lines, shellLine{text: typed(key, line), program: program, typed: isTyped})
	case value != "null":
		in.otherLine = true
	}
}

// commands reads a list of shell lines, each of which is run by itself.
func (in *input) commands(value string) {
	list := gjson.Parse(value)
	if !list.IsArray() {
		list = gjson.Parse("[" + value + "]")
	}
	list.ForEach(func(_, element gjson.Result) bool {
		line, ok := text(`{"l":`+element.Raw+`}`, "l")
		if in.lines = append(in.lines, shellLine{text: line}); !ok {
			in.otherLine = true
		}
		if element.IsObject() { // of an editor
			in.value(useNone, element.Raw, 1)
		}
		return true
	})
}

const (
	maxOthers  = 1000 // texts of one input that may be paths
	maxBases   = 20
	maxJoined  = 10_000 // paths and folders from which they may start
	maxObjects = 64     // within each other
)

// argument reads an argument of the call, or a member of one.
func (in *input) argument(key, name, value string, nesting int) {
	u := useOf(name)
	isText := strings.HasPrefix(value, `"`)
	if isText && nesting == 1 && (u == useFolder || u == useDir || u == useBase) {
		switch s, ok := readable(value); {
		case len(in.bases) > maxBases:
			in.otherPath = true
		case ok && s != "":
			paths, _ := spellings(s)
			in.bases = append(in.bases, paths...)
		}
	}
	switch {
	case u == useBase && in.kind == Folder:
		u = useDir
	case u == useBase:
		u = useUnknown
	}
	switch {
	case in.kind != File && in.kind != Folder && in.kind != Unknown:
		return
	case u == useUnknown && (nesting > 1 || strings.ContainsAny(key, `./~\`)):
		in.text(u, key, nesting) // files may be the keys of an object
	}
	in.value(u, value, nesting)
}

// value reads what is under a key: a text, or texts in lists and objects.
func (in *input) value(u keyUse, value string, nesting int) {
	switch {
	case nesting > maxObjects:
		in.otherPath = true
	case value[0] == '"':
		in.text(u, value, nesting)
	case value[0] == '[':
		gjson.Parse(value).ForEach(func(_, element gjson.Result) bool {
			in.value(u, element.Raw, nesting+1)
			return true
		})
	case value[0] == '{':
		in.oddPath = in.oddPath || u.isPath()
		strictjson.Members(value, func(key, value string) bool {
			in.argument(key, keyName(strictjson.Text(key)), value, nesting+1)
			return true
		})
	case value != "null":
		in.oddPath = in.oddPath || u.isPath()
	}
}

// text reads a text by what its key is for.
func (in *input) text(u keyUse, raw string, nesting int) {
	if u == useNone || raw == `""` {
		return
	}
	s, ok := readable(raw)
	before, _, cut := strings.Cut(s, "\x00") // where a tool in C ends it
	switch {
	case u.isPath() && (!ok || cut):
		in.otherPath = true
	case u.isPath():
		paths, ok := spellings(s)
		in.paths, in.otherPath = append(in.paths, paths...), in.otherPath || !ok
		if u != usePath {
			in.folders = append(in.folders, paths...)
		} else if in.kind == Folder {
			in.others = append(in.others, paths...)
		}
	case u == useGlob && (!ok || cut):
		in.otherPath = true
	case u == useGlob:
		in.globs = append(in.globs, s)
	case u == usePattern && (!ok || cut): // as a glob it could be any
		in.patterns = append(in.patterns, "**")
	case u == usePattern:
		in.patterns = append(in.patterns, s)
	case u == useUnknown && ok && isJSON(s):
		in.value(u, strings.TrimSpace(s), nesting+1)
	case !ok, before == "", strings.Contains(s, "\n"), len(before) > maxPath:
	case len(in.others) >= maxOthers:
		in.otherPath = true
	default:
		paths, _ := spellings(before)
		in.others = append(in.others, paths...)
	}
}

// isJSON reports whether a text is an object or a list.
func isJSON(s string) bool {
	s = strings.TrimSpace(s)
	return (strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")) && gjson.Valid(s)
}

// spellings returns a path in the ways in which tools may read it: the path of a file: URL, and a path with a line
// behind it, as in a.go:10. ok is false for a URL that cannot be read.
func spellings(s string) (paths []string, ok bool) {
	trimmed := strings.TrimSpace(s)
	if len(trimmed) >= 5 && strings.EqualFold(trimmed[:5], "file:") {
		u, err := url.Parse(trimmed)
		if err != nil {
			return []string{s}, false
		}
		opaque, err := url.PathUnescape(u.Opaque)
		return slices.DeleteFunc([]string{strings.TrimPrefix(trimmed[5:], "//"), u.Path, opaque},
			func(path string) bool { return path == "" }), err == nil
	}
	paths = []string{s}
	bare := strings.TrimRight(trimmed, ":0123456789")
	if number, _, isLine := strings.Cut(trimmed[len(bare):], ":"); isLine && bare+number != "" {
		paths = append(paths, bare+number)
	}
	return paths, true
}

// readable returns a JSON string as text. ok is false if it is too long for a path or a line.
func readable(raw string) (string, bool) {
	if len(raw) > shellline.MaxLine {
		return "", false
	}
	return strictjson.Text(raw), true
}

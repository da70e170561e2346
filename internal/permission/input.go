package permission

import (
	"cmp"
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

// clientTool is a tool that the client was recorded with, and the field that the client's own rules match.
type clientTool struct {
	kind  Kind
	field string
}

var clientTools = map[string]clientTool{
	"Bash":         {Shell, "command"},
	"Edit":         {File, "file_path"},
	"MultiEdit":    {File, "file_path"},
	"Read":         {File, "file_path"},
	"Write":        {File, "file_path"},
	"NotebookEdit": {File, "notebook_path"},
	"NotebookRead": {File, "notebook_path"},
	"Glob":         {Folder, "path"},
	"Grep":         {Folder, "path"},
	"LS":           {Folder, "path"},
	"WebFetch":     {Host, "url"},
}

// input is what rules read from a tool's input.
type input struct {
	kind      Kind   // of the tool
	field     string // the path's field, for messages
	lines     []shellLine
	otherLine bool // a command argument is no readable text
	paths     []string
	otherPath bool // a path argument cannot be read, or the paths of a patch are not found
	oddPath   bool // a path argument is neither a text nor a list
	patch     bool // some of the paths come from a patch, or the line runs apply_patch
	other     []string
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
func (l *shellLine) read(project bool, wrappers []string) {
	if l.Line == nil {
		line := shellline.TakeApart(l.text)
		l.Line = &line
	}
	if project && l.reached == nil {
		l.reached = l.Reach(l.text, wrappers)
	}
}

// The keys of arguments, however a tool joins their words: for a shell line, or for what a tool types into a shell; for
// a path; and for a patch as apply_patch takes it.
var (
	commandKeys = []string{"command", "cmd", "script", "code"}
	typedKeys   = []string{"input", "chars"}
	pathKeys    = strings.Fields(`path paths file files filename filepath filepaths notebookpath absolutepath
		relativepath targetpath targetfile target dir dirpath directory folder source sourcepath destination
		destinationpath src dst from to frompath topath oldpath newpath uri include`)
	patchKeys = []string{"command", "input", "patch", "patchtext"}
)

// keyName returns the name of a key without what tools write in different ways: file_path, filePath and file-path.
func keyName(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// isPathKey reports whether a key is for paths.
func isPathKey(key string) bool { return slices.Contains(pathKeys, keyName(key)) }

// input reads the input. After Once it does so once for all rules.
func (c *Call) input() *input {
	tool, isClients := clientTools[c.Tool]
	in := &input{kind: cmp.Or(c.Kind, tool.kind, KindOf(c.Tool)), field: "path"}
	kept := &c.taken.all
	if isClients && !c.Project {
		in.kind, in.field, kept = tool.kind, tool.field, &c.taken.own
	}
	if *kept != nil {
		return *kept
	}
	*kept = in
	switch {
	case kept == &c.taken.own:
		in.readField(c)
	case strings.HasPrefix(c.Input, "{") && gjson.Valid(c.Input):
		in.read(c.Input)
		if in.kind == Shell {
			in.readPatches(c.Wrappers)
		}
	case strings.HasPrefix(c.Input, `"`) && in.kind != Shell:
		in.readPatch(strictjson.Text(c.Input))
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

func (in *input) read(input string) {
	strictjson.Members(input, func(key, value string) bool {
		name := keyName(strictjson.Text(key))
		isText := strings.HasPrefix(value, `"`)
		if isText && in.kind != Shell && slices.Contains(patchKeys, name) {
			in.readPatch(strictjson.Text(value))
		}
		switch {
		case name == "commands":
			in.commands(value)
		case slices.Contains(commandKeys, name), in.kind == Shell && slices.Contains(typedKeys, name):
			in.line(name, value)
		case isPathKey(name):
			in.path(value)
		case isText:
			if s, ok := readable(value); ok && len(in.other) < maxOther {
				in.other = append(in.other, s)
			}
		case strings.HasPrefix(value, "["): // edits of several files
			gjson.Parse(value).ForEach(func(_, element gjson.Result) bool {
				if element.IsObject() {
					in.pathIn(element.Raw)
				}
				return true
			})
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
			in.pathIn(element.Raw)
		}
		return true
	})
}

// maxOther is how many arguments with unknown keys are treated as possible paths.
const maxOther = 64

// path reads a path argument or a list of them. Numbers and booleans under that key are no paths.
func (in *input) path(value string) {
	switch {
	case value == `""`:
	case strings.HasPrefix(value, `"`):
		s, ok := readable(value)
		in.otherPath = in.otherPath || !ok
		if ok {
			in.paths = append(in.paths, strings.TrimPrefix(s, "file://"))
		}
	case strings.HasPrefix(value, "["):
		gjson.Parse(value).ForEach(func(_, element gjson.Result) bool {
			switch {
			case element.Type == gjson.String:
				in.path(element.Raw)
			case element.IsObject(): // a file and which lines of it
				in.pathIn(element.Raw)
			}
			return true
		})
	case value != "null":
		in.oddPath = true
	}
}

// pathIn reads the paths in an object.
func (in *input) pathIn(object string) {
	strictjson.Members(object, func(key, value string) bool {
		if isPathKey(strictjson.Text(key)) {
			in.path(value)
		}
		return true
	})
}

// readable returns a JSON string as text. ok is false if it is too long for a path or a line.
func readable(raw string) (string, bool) {
	if len(raw) > shellline.MaxLine {
		return "", false
	}
	return strictjson.Text(raw), true
}

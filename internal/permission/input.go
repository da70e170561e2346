package permission

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

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
	patch     bool // some of the paths come from a patch
	other     []string
}

// shellLine is a command of the input.
type shellLine struct {
	text         string
	*commandLine          // nil until a rule asks
	reached      *reached // what it runs behind wrappers; nil until a project's own rule asks
}

// read parses the line.
func (l *shellLine) read(project bool, wrappers []string) {
	if l.commandLine == nil {
		line := takeApart(l.text)
		l.commandLine = &line
	}
	if project && l.reached == nil {
		l.reached = l.reach(wrappers)
	}
}

// The keys of arguments: for a shell line, for a path (however a tool joins their words), and for a patch as Codex's
// tool takes it.
var (
	commandKeys = []string{"command", "cmd", "script"}
	pathKeys    = strings.Fields(`path paths file files filename filepath filepaths notebookpath absolutepath
		relativepath targetpath targetfile target dir dirpath directory folder source sourcepath destination
		destinationpath src dst from to frompath topath oldpath newpath uri include`)
	patchKeys = []string{"command", "input", "patch"}
)

const patchTool = "apply_patch"

// isPathKey reports whether a key is for paths. file_path, filePath and file-path are the same key.
func isPathKey(key string) bool {
	return slices.Contains(pathKeys, strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key)))
}

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
	}
	if !in.patch && c.Tool == patchTool {
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
		name := strictjson.Text(key)
		isText := strings.HasPrefix(value, `"`)
		if isText && slices.Contains(patchKeys, name) && strings.Contains(value, "*** ") {
			in.readPatch(strictjson.Text(value))
		}
		switch {
		case name == "commands":
			in.commands(value)
		case slices.Contains(commandKeys, name):
			if line, ok := text(`{"l":`+value+`}`, "l"); ok {
				in.lines = append(in.lines, shellLine{text: line})
			} else if value != "null" {
				in.otherLine = true
			}
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
	if len(raw) > maxLine {
		return "", false
	}
	return strictjson.Text(raw), true
}

// readPatch adds the paths of a patch in the form that apply_patch takes.
func (in *input) readPatch(patch string) {
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
				in.paths, in.patch = append(in.paths, strings.TrimSpace(file)), true
			}
		}
	}
}

package permission

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Kind is what a tool works on, and so what a pattern for it is held against.
type Kind int

// The zero Kind is that of a tool nobody knows: its arguments tell.
const (
	Unknown Kind = iota
	Shell
	File
	Folder // a file tool that works on the current directory where no path says otherwise
	Host
	Other // it works on nothing that a pattern is understood for
)

// KindOf is the kind of a tool by a project's name for it.
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

// projectInput is what rules of a project's own file read of an input.
type projectInput struct {
	lines     []shellLines
	otherLine bool // an argument for a command is no text that can be read
	paths     []string
	otherPath bool // an argument for a path is a text that cannot be read, or the paths of a patch are not found
	oddPath   bool // an argument for a path is neither a text nor a list
	patch     bool // some of the paths are a patch's
	other     []string
}

// patchTool is Codex's tool, whose paths stand in its patch.
const patchTool = "apply_patch"

// shellLines is a command of the input, and what it runs behind wrappers.
type shellLines struct {
	text    string
	line    *commandLine // as the client reads it; nil until a rule of its form asks
	more    *commandLine // for a project's own rules; nil until one asks
	reached *reached     // from more
}

// commandKeys are the arguments that carry a line for a shell, and pathKeys those that carry a path, however a tool
// joins their words.
var (
	commandKeys = []string{"command", "cmd", "script"}
	pathKeys    = []string{
		"path",
		"paths",
		"file",
		"files",
		"filename",
		"filepath",
		"filepaths",
		"notebookpath",
		"absolutepath",
		"relativepath",
		"targetpath",
		"targetfile",
		"target",
		"dir",
		"dirpath",
		"directory",
		"folder",
		"source",
		"sourcepath",
		"destination",
		"destinationpath",
		"src",
		"dst",
		"from",
		"to",
		"frompath",
		"topath",
		"oldpath",
		"newpath",
		"uri",
		"include",
	}
	patchKeys = []string{"command", "input", "patch"}
)

// bareKey is a key without what some write between its words: file_path, filePath and file-path are one.
func bareKey(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-':
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, key)
}

// projectInput reads the input, once where the call is for many rules.
func (c *Call) projectInput() *projectInput {
	if c.taken == nil {
		c.taken = &taken{}
	}
	if c.taken.project == nil {
		in := &projectInput{}
		if strings.HasPrefix(c.Input, "{") && gjson.Valid(c.Input) {
			in.read(c.Input)
		}
		if !in.patch && c.Tool == patchTool {
			in.otherPath = true
		}
		c.taken.project = in
	}
	return c.taken.project
}

func (in *projectInput) read(input string) {
	strictjson.Members(input, func(key, value string) bool {
		name := strictjson.Text(key)
		bare := bareKey(name)
		isText := strings.HasPrefix(value, `"`)
		if isText && slices.Contains(patchKeys, name) && strings.Contains(value, "*** ") {
			in.readPatch(strictjson.Text(value))
		}
		switch {
		case slices.Contains(commandKeys, name):
			if line, ok := text(`{"l":`+value+`}`, "l"); ok {
				in.lines = append(in.lines, shellLines{text: line})
			} else if value != "null" {
				in.otherLine = true
			}
		case slices.Contains(pathKeys, bare):
			in.path(value)
		case isText:
			if s, ok := readable(value); ok && len(in.other) < maxOther {
				in.other = append(in.other, s)
			}
		case strings.HasPrefix(value, "["): // edits of several files
			gjson.Parse(value).ForEach(func(_, element gjson.Result) bool {
				if element.IsObject() {
					strictjson.Members(element.Raw, func(key, value string) bool {
						if slices.Contains(pathKeys, bareKey(strictjson.Text(key))) {
							in.path(value)
						}
						return true
					})
				}
				return true
			})
		}
		return true
	})
}

// maxOther is how many arguments of unknown keys are taken for paths in doubt.
const maxOther = 64

// path reads an argument for a path, or a list of them. A number or a flag of that name is none.
func (in *projectInput) path(value string) {
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
			if element.Type == gjson.String {
				in.path(element.Raw)
			}
			return true
		})
	case value != "null":
		in.oddPath = true
	}
}

// readable returns a JSON string as a text, unless it is too long to be a path or a line.
func readable(raw string) (string, bool) {
	if len(raw) > maxLine {
		return "", false
	}
	return strictjson.Text(raw), true
}

// readPatch adds the paths of a patch as apply_patch takes it.
func (in *projectInput) readPatch(patch string) {
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
				in.paths, in.patch = append(in.paths, strings.TrimSpace(file)), true
			}
		}
	}
}

// matchProject holds the pattern against what the tool works on. Where nobody knows that, its arguments tell; a
// command that is there besides never keeps a rule for paths or hosts from being held against those.
func (r Rule) matchProject(c *Call) (bool, string) {
	in := c.projectInput()
	host, isHost := strings.CutPrefix(r.pattern, hostPrefix)
	switch c.kind() {
	case Shell:
		return r.matchLines(c, in)
	case File, Folder:
		return r.matchPaths(c, in)
	case Host:
		if isHost {
			return matchHost(host, *c)
		}
		return r.notUnderstood(c)
	case Other:
		return r.notUnderstood(c)
	}
	lines := len(in.lines) > 0 || in.otherLine
	paths := len(in.paths) > 0 || in.otherPath
	switch {
	case isHost:
		return matchHost(host, *c)
	case paths && lines:
		if ok, why := r.matchPaths(c, in); ok {
			return true, why
		}
		return r.matchLines(c, in)
	case paths:
		return r.matchPaths(c, in)
	case !lines:
		return r.notUnderstood(c)
	}
	if r.looksLikePath() {
		for _, file := range in.other {
			if ok, why := r.matchPath(*c, file); ok {
				return true, why
			}
		}
	}
	return r.matchLines(c, in)
}

// kind is what the tool works on.
func (c *Call) kind() Kind {
	if c.Kind != Unknown {
		return c.Kind
	}
	switch c.Tool {
	case "Bash":
		return Shell
	case "Edit", "MultiEdit", "Read", "Write", "NotebookEdit", "NotebookRead":
		return File
	case "Glob", "Grep", "LS":
		return Folder
	case "WebFetch":
		return Host
	}
	return KindOf(c.Tool)
}

// looksLikePath reports whether the pattern was probably written for paths.
func (r Rule) looksLikePath() bool {
	return !strings.ContainsAny(r.pattern, " \t") &&
		(strings.Contains(r.pattern, "/") || strings.Contains(r.pattern, "*."))
}

func (r Rule) matchPaths(c *Call, in *projectInput) (bool, string) {
	paths := in.paths
	switch {
	case in.otherPath:
		return unreadable("path")
	case len(paths) == 0 && c.kind() == Folder && c.Dir != "" && !in.oddPath:
		paths = []string{c.Dir}
	case len(paths) == 0:
		return unreadable("path")
	}
	why := ""
	for _, file := range paths {
		ok, because := r.matchPath(*c, file)
		if ok {
			return true, because
		}
		why = because
	}
	return false, why
}

// matchLines holds the pattern against each command of the lines, and in a project's own rule against what those run.
func (r Rule) matchLines(c *Call, in *projectInput) (bool, string) {
	switch {
	case len(in.lines) > 0 && !in.otherLine:
	case c.Tool == "Bash":
		return unreadable("command")
	default:
		return r.notUnderstood(c)
	}
	for i := range in.lines {
		s := &in.lines[i]
		if c.Project {
			if s.more == nil {
				line := takeApartMore(s.text)
				behind := line.reach()
				s.more, s.reached = &line, &behind
			}
			if ok, why := r.matchMore(c, s); ok {
				return true, why
			}
			continue
		}
		if s.line == nil {
			line := takeApart(s.text)
			s.line = &line
		}
		if ok, why := r.matchLine(c, *s.line); ok {
			return true, why
		}
	}
	return false, "matches no command of the line"
}

// matchMore holds the pattern against the commands of a line and those behind them. Doubt counts where no command matches.
func (r Rule) matchMore(c *Call, s *shellLines) (bool, string) {
	if s.more.opaque != "" {
		return throughNot(s.more.opaque)
	}
	doubt := ""
	for i, command := range s.more.commands {
		switch {
		case !c.spend(len(command)):
			return true, tooMuchWork
		case r.command.match(command):
			return true, "matches the command " + quote(command)
		case doubt == "" && r.command.mayMatch(s.more.words[i], false):
			doubt = "may match the command " + quote(command) + ", of which words are known only when it runs, so the hook runs"
		}
	}
	for _, command := range s.reached.commands {
		switch {
		case !c.spend(len(command.text)):
			return true, tooMuchWork
		case r.command.match(command.text):
			return true, "matches the command " + quote(command.text) + " behind " + command.by
		case doubt == "" && r.command.mayMatch(command.words, command.more):
			doubt = "may match the command " + quote(command.text) + " behind " + command.by +
				", whose arguments are known only when it runs, so the hook runs"
		}
	}
	if s.reached.opaque != "" {
		return throughNot(s.reached.opaque)
	}
	return doubt != "", doubt
}

// Doubt says what hookrun cannot tell of a call that the rule matches out of doubt alone, and what to write instead: a
// sentence for the agent. It is "" where the rule does not match, or matches what is there.
func (r Rule) Doubt(c Call) string {
	ok, why := r.Match(c)
	what, doubtful := strings.CutSuffix(why, soItRuns)
	if !ok || !doubtful || c.EqualKeys { // of equal keys the call has a warning
		return ""
	}
	if inside, ok := strings.CutPrefix(what, notThrough); ok {
		inside = strings.TrimSuffix(inside, ")")
		return "hookrun cannot tell what this line runs: it has " + inside + "; write it without that"
	}
	if command, ok := strings.CutPrefix(what, "may match the command "); ok {
		return "hookrun cannot tell what this line runs: " + command +
			"; write it without expansions, globs and braces in that command"
	}
	return "hookrun cannot tell whether the rule " + r.text + " is for this call: the rule " + what
}

// Misfit says why the pattern cannot do what it was written for with a tool of that kind, "" if it can.
func (r Rule) Misfit(kind Kind) string {
	host, isHost := strings.CutPrefix(r.pattern, hostPrefix)
	switch {
	case r.pattern == "":
	case kind == Unknown:
		return r.habit(kind)
	case kind == Other:
		return "has a pattern, and none is understood for this tool, so it matches every call; use \"matcher\" and \"when\""
	case kind == Host && !isHost:
		return "has a pattern that names no host, so it matches every call; write domain:HOST"
	case kind == Host && !plainHost(canonicalHost(host)):
		return "names a host that is not understood, so it matches every call; " +
			"write domain:HOST, which also means what lies below HOST"
	case kind == Host:
	case isHost:
		return "has a pattern for hosts, which this tool has none of; domain: is for web_fetch"
	case kind == Shell && r.looksLikePath() && strings.Contains(r.pattern, "**"):
		return "has a pattern for paths, and is held against the commands of a shell line"
	case kind == Shell && hasOperator(r.pattern):
		return "has an operator of the shell, and is held against each command of a line by itself, so it hardly matches"
	case kind != Shell && !isPathPattern(r.pattern):
		return "is no pattern of a path, so it never matches; it is read as a line of a .gitignore"
	default:
		return r.habit(kind)
	}
	return ""
}

// hasOperator reports whether an operator stands between the words of a pattern.
func hasOperator(pattern string) bool {
	return slices.ContainsFunc(strings.Fields(pattern), func(field string) bool {
		return field == "&&" || field == "||" || field == "|" || field == "&" ||
			strings.HasSuffix(field, ";") && field != `\;`
	})
}

// isPathPattern reports whether any path can match the pattern.
func isPathPattern(pattern string) bool {
	if strings.HasPrefix(pattern, "//") {
		pattern = "/" + strings.TrimLeft(pattern, "/")
	}
	_, ok := translate(strings.TrimPrefix(strings.TrimPrefix(pattern, "~"), "./"))
	return ok
}

package permission

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// Kind is the kind of object that a tool works on: a pattern is matched against this object.
type Kind int

// Unknown, the zero Kind, is an unknown tool. For such a tool the arguments decide.
const (
	Unknown Kind = iota
	Shell
	File
	Folder // a file tool that uses the current directory unless a path says otherwise
	Host
	Other // no pattern can describe the tool's object
)

// KindOf returns the kind of a tool by its name in a project's rules.
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

// ownTool returns which field of a recorded tool the client's own rules match.
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

// input is the part of a tool's input that rules read.
type input struct {
	kind           Kind   // of the tool
	recorded       bool   // read as by the client's own rules
	field          string // the path's field, for messages
	lines          []shellLine
	unreadableLine bool             // a command argument is not a readable text
	commandKey     string           // the first key of a command
	hints          []shellline.Hint // texts beside the lines that the tool may run in an unknown way
	recordedTool   bool             // a tool of a client, recorded with the client
	wrappers       []string
	isContent      bool // what is read is text for a file or a person
	paths          []string
	unreadablePath bool // a path argument is unreadable, or no path was found in a patch
	invalidPath    bool // a path argument is neither a text nor a list
	patch          bool // some of the paths come from a patch, or the line runs apply_patch

	folders    []string // the subset of paths that a folder tool works on
	bases      []string // start folders for relative paths
	globs      []string // choose files
	pathGlobs  []string // paths that some tools read as globs
	patterns   []string // choose files or are searched for in files
	maybePaths []string // texts and key names that may be paths
	fileURL    bool     // a file: URL is among them
}

// shellLine is a command of the input.
type shellLine struct {
	text            string
	soft            bool                 // perhaps in another language: doubt counts if it has the words of the rule
	joined          bool                 // soft: words, which few tools join for a shell
	typed           bool                 // typed into a running shell
	*shellline.Line                      // nil until a rule needs the parsed line
	unwrapped       *shellline.Unwrapped // nil until a project's own rule needs the commands behind wrappers
	maybe           []shellline.Command  // as in loose; nil until a part of the line is not read
}

// hasExpansion reports whether a word has an expansion in quotes.
func hasExpansion(w shellline.Word) bool {
	return w.Code || !w.Computed && strings.ContainsAny(w.Text, "$`") && strings.ContainsAny(w.Text, " \t\n")
}

// loose returns the commands that the text may hold.
func (l *shellLine) loose() []shellline.Command {
	if l.maybe == nil {
		text := l.text
		if l.Unreadable == "" { // else all commands but those in texts are known
			text = l.unwrapped.Texts(hasExpansion)
		}
		l.maybe = shellline.Loose(text)
	}
	return l.maybe
}

// read parses the line.
func (l *shellLine) read() {
	if l.Line == nil {
		line := shellline.Split(l.text)
		l.Line = &line
	}
}

// unwrap finds what the line runs behind wrappers.
func (l *shellLine) unwrap(wrappers []string) {
	if l.read(); l.unwrapped == nil {
		l.unwrapped = l.Unwrap(l.text, wrappers)
	}
}

// Keys of arguments, as returned by keyName: for a line and never a path, for text typed into a shell, and for a patch.
var (
	plainKeys = []string{"command", "cmd", "script", "code"}
	typedKeys = []string{"input", "chars"}
	patchKeys = []string{"command", "input", "patch", "patchtext"}
)

// input returns the parsed input. After WithCache, the input is parsed once for all rules.
func (c *Call) input() *input {
	kind, field, isClients := ownTool(c.Tool)
	kept, recorded := &c.cache.input, isClients && !c.Project
	if recorded {
		kept = &c.cache.clientInput
	}
	if *kept != nil {
		return *kept
	}
	in := &input{kind: cmp.Or(c.Kind, kind, KindOf(c.Tool)), field: "path",
		recordedTool: isClients, wrappers: c.Wrappers}
	if recorded {
		in.kind, in.field, in.recorded = kind, field, true
	}
	*kept = in
	switch {
	case recorded:
		in.readField(c)
	case strings.HasPrefix(c.Input, "{") && gjson.Valid(c.Input):
		in.read(c.Input, 1, in.kind == Shell || in.kind == Unknown)
		if in.kind == Shell && len(in.lines) == 0 && !in.unreadableLine {
			in.readInside(c.Input, 1)
		}
		if in.kind != Shell && !in.patch {
			in.readPatches(in.lines)
		}
		if in.kind == Shell {
			in.readPatchOfLines()
			if only := gjson.Parse(c.Input); only.Get("restart").Type == gjson.True && len(only.Map()) == 1 {
				in.lines = []shellLine{{}} // the shell of a model's API begins again and runs nothing
			}
		}
	case strings.HasPrefix(c.Input, "[") && in.kind == Unknown && gjson.Valid(c.Input):
		in.value(useUnknown, c.Input, 1)
	case in.kind == Shell && gjson.Valid(c.Input):
		in.readWhole(c.Input)
		in.readPatchOfLines()
	case in.kind != Shell:
		text := cmp.Or(strictjson.Text(c.Input), c.Input)
		if in.readPatch(text); in.kind == Unknown && strings.HasPrefix(text, "{") { // as Python prints it
			in.lines = append(in.lines, shellLine{text: text, soft: true})
		}
	}
	if !in.patch && keyName(c.Tool) == patchName {
		in.unreadablePath = true
	}
	return in
}

// readField reads the single field that the client's own rules match.
func (in *input) readField(c *Call) {
	value, ok := text(c.Input, in.field)
	switch in.kind {
	case Shell:
		in.lines, in.unreadableLine = []shellLine{{text: value}}, !ok
	case File:
		in.paths, in.unreadablePath = []string{value}, !ok
	case Folder:
		if c.Dir == "" || gjson.Get(c.Input, in.field).String() != "" { // null included
			in.paths, in.unreadablePath = []string{value}, !ok
		}
	}
}

// read reads an object: the arguments, or an object in them. runs means that the tool may run a command in it.
func (in *input) read(object string, nesting int, runs bool) {
	start := len(in.lines)
	var p *parts // nil: nothing beside the lines
	for key, value := range strictjson.Members(object) {
		name := keyName(strictjson.Text(key))
		use := besideCommand
		if runs || nesting == 1 {
			use, value = readUse(name, value)
		}
		if in.kind != Shell && nesting == 1 && slices.Contains(patchKeys, name) && value[0] == '"' {
			in.readPatch(strictjson.Text(value))
		}
		if in.commandKey == "" && use >= aLine {
			in.commandKey = strictjson.Text(key)
		}
		switch {
		case use == aScript && nesting > 1 && !shellline.IsShell(gjson.Get(object, "language").String()):
		case use == aLine, use == aScript && (in.kind != File || name != "code"), // else for the file
			in.kind == Shell && slices.Contains(typedKeys, name):
			if in.line(name, value) && nesting == 1 && slices.Contains(plainKeys, name) {
				continue
			}
		case use == someLines:
			in.commands(value, nesting)
			continue
		case runs:
			if p == nil {
				p = &parts{}
			}
			p.add(in, use, name, value)
		}
		in.argument(key, name, value, nesting)
	}
	if p != nil {
		p.join(in, start)
	}
}

// readUse returns the use of an argument, and its value. Some models write a list as a text.
func readUse(name, value string) (commandUse, string) {
	use := commandUseOf(name)
	switch {
	case value[0] != '"':
	case (name == "run" || name == "execute") && !strings.Contains(value, " "):
		return besideCommand, value // rather a name
	case (use == aLine || use == someWords || use == aVector) && len(value) > 1 && value[1] == '[':
		if text := strictjson.Text(value); gjson.Valid(text) {
			return use, text
		}
	}
	return use, value
}

// line reads a shell line, or a list of the words of a command, and reports whether it can.
func (in *input) line(key, value string) bool {
	if value[0] == '"' {
		text, ok := textOf(value)
		if !ok {
			in.unreadableLine = true
			return false
		}
		soft := in.kind != Shell && commandUseOf(key) == aScript
		isTyped := slices.Contains(typedKeys, key)
		in.lines = append(in.lines, shellLine{text: typed(key, text), soft: soft, typed: isTyped})
		return true
	}
	switch texts, ok := textsOf(value); {
	case ok && !slices.Contains(typedKeys, key):
		in.vector(texts)
	case value[0] == '{' && in.kind == Shell && in.readParts(value):
	case value[0] == '[', value[0] == '{':
		in.unreadableLine = in.unreadableLine || in.kind == Shell || value[0] == '['
		return false
	}
	return true
}

// commands reads a list of shell lines, which run separately.
func (in *input) commands(value string, nesting int) {
	list := gjson.Parse(value)
	if !list.IsArray() {
		list = gjson.Parse("[" + value + "]")
	}
	if words, ok := textsOf(value); ok && len(words) > 1 { // perhaps of one command
		in.hints = append(in.hints, shellline.Hint{Text: strings.Join(words, " "), Name: "the list of commands"})
	}
	for _, element := range list.ForEach {
		before := len(in.lines)
		switch {
		case !element.IsObject():
			in.line("command", element.Raw)
		default: // perhaps for an editor
			in.read(element.Raw, nesting+1, in.kind == Shell || in.kind == Unknown)
		}
		if len(in.lines) == before {
			in.unreadableLine = true
		}
	}
}

const (
	maxOthers  = 1000 // texts of one input that may be paths
	maxBases   = 20
	maxJoined  = 10_000 // relative paths times start folders
	maxObjects = 64     // nesting
)

// argument reads an argument of the call, or a member of an object in the arguments.
func (in *input) argument(key, name, value string, nesting int) {
	u := useOf(name)
	isText := strings.HasPrefix(value, `"`)
	if isText && nesting == 1 && (u == useFolder || u == useDir || u == useBase) {
		switch s, ok := readable(value); {
		case len(in.bases) > maxBases:
			in.unreadablePath = true
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
	case (u == useUnknown || u == useContent) && (nesting > 1 || strings.ContainsAny(key, `./~\`)):
		in.text(u, key, nesting) // the keys of an object may be files
	}
	in.value(u, value, nesting)
}

// value reads the value of a key: a text, or texts in lists and objects.
func (in *input) value(u keyUse, value string, nesting int) {
	switch {
	case nesting > maxObjects:
		in.unreadablePath = true
	case value[0] == '"':
		in.text(u, value, nesting)
	case value[0] == '[':
		for _, element := range gjson.Parse(value).ForEach {
			in.value(u, element.Raw, nesting+1)
		}
	case value[0] == '{':
		in.invalidPath = in.invalidPath || u.isPath()
		outer := in.isContent
		in.isContent = outer || u == useNone || u == useContent
		in.read(value, nesting+1, in.kind == Unknown && !in.isContent)
		in.isContent = outer
	case value != "null":
		in.invalidPath = in.invalidPath || u.isPath()
	}
}

// text reads a text. u is the use of its key.
func (in *input) text(u keyUse, raw string, nesting int) {
	if u == useNone || raw == `""` {
		return
	}
	s, ok := readable(raw)
	before, _, cut := strings.Cut(s, "\x00") // a tool in C ends the text at NUL
	switch {
	case (u.isPath() || u == useGlob) && (!ok || cut):
		in.unreadablePath = true
	case u.isPath():
		if strings.ContainsAny(s, "*?{") || nesting > 1 && strings.Contains(s, "[") {
			in.pathGlobs = append(in.pathGlobs, s)
		}
		paths, ok := spellings(s)
		in.paths, in.unreadablePath = append(in.paths, paths...), in.unreadablePath || !ok
		if u != usePath {
			in.folders = append(in.folders, paths...)
		} else if in.kind == Folder {
			in.maybePaths = append(in.maybePaths, paths...)
		}
		if in.kind == Unknown && listOfTexts.Get().MatchString(s) && gjson.Valid(s) { // servers read a list in a text
			in.value(u, strings.TrimSpace(s), nesting+1)
		}
	case u == useGlob:
		in.globs = append(in.globs, s)
	case u == usePattern && (!ok || cut): // may be any glob
		in.patterns = append(in.patterns, "**")
	case u == usePattern:
		in.patterns = append(in.patterns, s)
	case u == useUnknown && ok && strings.Contains(s, "\n") && in.readDiff(s):
	case (u == useUnknown || u == useContent) && ok && isJSON(s):
		in.value(u, strings.TrimSpace(s), nesting+1)
	case !ok, before == "", strings.Contains(s, "\n"), len(before) > maxPath:
	case len(in.maybePaths) >= maxOthers:
		in.unreadablePath = true
	default:
		paths, _ := spellings(before)
		in.maybePaths, in.fileURL = append(in.maybePaths, paths...), in.fileURL || isFileURL(before)
	}
}

// listOfTexts matches a list of JSON in a text, and no path such as [id] or [1].
var listOfTexts = lazy.Regexp{Text: `^\s*\[\s*[\["{]`}

// isJSON reports whether a text is an object or a list.
func isJSON(s string) bool {
	s = strings.TrimSpace(s)
	return (strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")) && gjson.Valid(s)
}

func isFileURL(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) >= 5 && strings.EqualFold(s[:5], "file:")
}

// spellings returns a path in all ways that tools may read: the path of a file: URL, and a path before a line number,
// as in a.go:10. ok is false for an unreadable URL.
func spellings(s string) (paths []string, ok bool) {
	trimmed := strings.TrimSpace(s)
	if isFileURL(s) {
		u, err := url.Parse(trimmed)
		if err != nil {
			return []string{s}, false
		}
		opaque, err := url.PathUnescape(u.Opaque)
		return slices.DeleteFunc([]string{strings.TrimPrefix(trimmed[5:], "//"), u.Path, opaque},
			func(path string) bool { return path == "" }), err == nil
	}
	paths = []string{s}
	bare := strings.TrimRight(trimmed, ":-0123456789")
	if number, _, isLine := strings.Cut(trimmed[len(bare):], ":"); isLine && bare+number != "" {
		paths = append(paths, bare+number)
	}
	return append(paths, decoded(trimmed)...), true
}

// decoded returns the paths that only some tools see in a text: without invisible characters, escapes of a URL, a place
// in the file, a mention, a stream and final points of Windows, or as a file of a commit.
func decoded(s string) (paths []string) {
	isPlain := func(r rune) bool { return r < 0x80 && !strings.ContainsRune("%@:#?", r) }
	if strings.TrimRight(s, ".") == s && strings.IndexFunc(s, func(r rune) bool { return !isPlain(r) }) < 0 {
		return nil
	}
	plain := strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.Is(unicode.Cf, r) }), "")
	if unescaped, err := url.PathUnescape(plain); err == nil {
		plain = unescaped
	}
	if strings.HasPrefix(plain, "@") && !strings.HasPrefix(plain, "@/") {
		plain = plain[1:]
	}
	if head, rest, ok := strings.Cut(plain, ":"); ok && len(head) > 1 &&
		strings.Trim(rest, "0123456789:-") != "" && !strings.HasPrefix(rest, "//") {
		paths = append(paths, rest)
	}
	for _, end := range []string{"::", "#", "?"} {
		plain, _, _ = strings.Cut(plain, end)
	}
	if plain = strings.TrimRight(plain, ". "); plain != s && strings.Trim(plain, "./") != "" {
		paths = append(paths, plain)
	}
	return paths
}

// readable decodes a JSON string. ok is false if the string is too long for a path or a line.
func readable(raw string) (string, bool) {
	if len(raw) > shellline.MaxLine {
		return "", false
	}
	return strictjson.Text(raw), true
}

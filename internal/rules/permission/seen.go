package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// Facts are the commands and files of a call, as far as the input shows them. Package pack decides on Facts.
type Facts struct {
	Kind  Kind
	Lines []*shellline.Unwrapped // the commands that the shell lines run
	Texts []string               // the shell lines
	// Unreadable means that the tool takes a command, a path or arguments that hookrun cannot read.
	Unreadable bool
	Unread     string   // of an unreadable command: a sentence that says why
	Files      []string // paths of the input as written, including the paths of a patch
	MaybePaths []string // texts of the input that may be paths, and patterns that choose files
	// Globs and Patterns are the parts of MaybePaths that choose files. Patterns may instead be searched for in files.
	Globs, Patterns []string

	call Call
}

// Inspect returns the commands and files of the call.
func (c Call) Inspect() (s Facts) {
	if c.cache == nil {
		c = c.WithCache()
	}
	c.Project, s.call = true, c
	in := c.input()
	s.Kind, s.Unreadable = in.kind, in.unreadableLine || in.unreadablePath || c.EqualKeys
	s.Unreadable = s.Unreadable || in.kind == Shell && len(in.lines) == 0
	switch {
	case in.unreadableLine, c.EqualKeys, len(in.lines) == 0:
		s.Unread = c.unread(in)
	case s.Unreadable:
		s.Unread = "hookrun cannot read a path in the arguments of this call"
	}
	for i := range in.lines {
		line := &in.lines[i]
		line.unwrap(c.Wrappers)
		unwrapped := *line.unwrapped
		if line.soft { // in a language that hookrun does not parse
			unwrapped.Hints = append(slices.Clip(unwrapped.Hints), shellline.Hint{Text: line.text, Name: "a program"})
		}
		s.Lines, s.Texts = append(s.Lines, &unwrapped), append(s.Texts, line.text)
	}
	if len(in.hints) > 0 {
		s.Lines, s.Texts = append(s.Lines, &shellline.Unwrapped{Hints: in.hints}), append(s.Texts, "")
	}
	s.Files = slices.Concat(in.paths, in.folders)
	s.Globs, s.Patterns = in.globs, in.patterns
	if in.kind != Folder { // a folder tool reaches only what its globs choose
		s.Globs = slices.Concat(in.globs, in.pathGlobs)
	}
	s.MaybePaths = slices.Concat(s.Globs, in.patterns, in.maybePaths)
	if in.kind == Unknown {
		s.Files, s.MaybePaths = slices.DeleteFunc(s.Files, isURL), slices.DeleteFunc(s.MaybePaths, isURL)
	}
	return s
}

// isURL reports whether a text is an address on the network, which no tool opens as a file. With a .. in it, a tool
// that takes any text for a path may leave the address.
func isURL(s string) bool {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(s), "://")
	return ok && !strings.Contains(rest, "..") && slices.Contains(schemes, strings.ToLower(scheme))
}

var schemes = []string{"http", "https", "ws", "wss", "ftp", "ssh", "git", "s3", "gs", "postgres", "postgresql", "mysql",
	"redis", "mongodb"}

// MayTouch reports whether the rule has a pattern, and an unknown tool's input names a file. The tool may read or write
// the file, so rules for file tools are for this call, too.
func (r Rule) MayTouch(c Call) bool {
	if r.pattern == "" || c.cache == nil || c.input().kind != Unknown {
		return false
	}
	return c.input().fileURL || slices.ContainsFunc(c.input().paths, func(file string) bool { return !isURL(file) })
}

// Shows reports what the arguments of a tool show: a command, a file, and text for a file. Objects and lists may be
// files, and arguments that are no JSON object may be anything.
func Shows(args string) (command, file, text bool) {
	if !strings.HasPrefix(args, "{") || !gjson.Valid(args) {
		return true, true, true
	}
	for key, value := range strictjson.Members(args) {
		switch name := keyName(strictjson.Text(key)); {
		case commandUseOf(name) == aLine, commandUseOf(name) == aScript, commandUseOf(name) == someLines:
			command = true
		case strings.HasPrefix(name, "content"), strings.HasPrefix(name, "new"), strings.HasPrefix(name, "patch"),
			name == "codecontent", name == "data", name == "edits", name == "filetext", name == "text":
			text = true
		default:
			file = file || useOf(name) == usePath || useOf(name) == useFolder || value[0] == '{' || value[0] == '['
		}
	}
	return command, file, text || HasPatch(Unknown, args, nil)
}

// ResolvedPaths returns the absolute paths that a tool may open for a path that starts in dir, in the system's form:
// the path without .., and the paths that symbolic links lead to.
func (s *Facts) ResolvedPaths(dir, file string) []string {
	c := &s.call
	written := absolute(slashed(file), slashed(dir), slashed(c.Home))
	if written == "" || len(written) > maxPath || c.cache == nil {
		return nil
	}
	clean := path.Clean(written)
	all := []string{native(clean)}
	for _, start := range []string{clean, written} { // after a link, .. leads elsewhere
		if end := native(c.cache.follow(start)); end != "" && !slices.Contains(all, end) {
			all = append(all, end)
		}
	}
	return all
}

// Resolve returns an absolute path without links, or "" if the path is unknown.
func (s *Facts) Resolve(file string) string { return s.call.cache.follow(slashed(file)) }

// LookUps returns the number of look-ups on the disk so far, for tests. One of a long path counts more.
func (s *Facts) LookUps() int { return s.call.cache.lookups }

// FilesOf returns the files named in the arguments of a file tool, each once, under any key. ok is false if no file is
// named or a file name is unreadable.
func FilesOf(args string) (files []string, ok bool) {
	const tool = "fs_edit"
	s := Call{Tool: tool, Kind: KindOf(tool), Input: args, Dir: "/", Root: "/"}.Inspect()
	for _, file := range s.Files {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files, len(files) > 0 && !s.Unreadable
}

package permission

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/shellline"
)

// Seen is what a call runs and works on, as far as its input says so. Package pack decides on it.
type Seen struct {
	Kind  Kind
	Lines []*shellline.Reached // what its shell lines run
	Texts []string             // those lines
	// Unseen says that the tool takes a command, a path or arguments that nobody can read.
	Unseen bool
	Files  []string // paths of the input, as they are written; those of a patch, too
	Others []string // texts of the input that may be paths, and patterns that choose files
	// Globs and Patterns are those of Others that choose files, and that choose files or are looked for in them.
	Globs, Patterns []string

	call Call
}

// Seen returns what the call runs and works on.
func (c Call) Seen() (s Seen) {
	if c.taken == nil {
		c = c.Once()
	}
	c.Project, s.call = true, c
	in := c.input()
	s.Kind, s.Unseen = in.kind, in.otherLine || in.otherPath || c.EqualKeys
	s.Unseen = s.Unseen || in.kind == Shell && len(in.lines) == 0
	for i := range in.lines {
		line := &in.lines[i]
		line.reach(c.Wrappers)
		reached := *line.reached
		if line.Project != "" && reached.Opaque == "" {
			reached.Opaque = line.Project
		}
		if line.program { // in a language that nobody has read
			reached.Hints = append(slices.Clip(reached.Hints), shellline.Hint{Text: line.text, What: "a program"})
		}
		s.Lines, s.Texts = append(s.Lines, &reached), append(s.Texts, line.text)
	}
	s.Files = slices.Concat(in.paths, in.folders)
	s.Globs, s.Patterns = in.globs, in.patterns
	s.Others = slices.Concat(in.globs, in.patterns, in.others)
	return s
}

// Ends returns the absolute paths that a tool may open for a path that starts in a folder, in the form of the system:
// the path without .., and the paths to which symbolic links lead.
func (s *Seen) Ends(dir, file string) []string {
	c := &s.call
	written := absolute(slashed(file), slashed(dir), slashed(c.Home))
	if written == "" || len(written) > maxPath || c.taken == nil {
		return nil
	}
	clean := path.Clean(written)
	all := []string{native(clean)}
	if end := native(c.taken.follow(clean)); end != "" && end != all[0] {
		all = append(all, end)
	}
	if strings.Contains(written, "..") { // behind a link it leads elsewhere
		if end := native(c.taken.follow(written)); end != "" && !slices.Contains(all, end) {
			all = append(all, end)
		}
	}
	return all
}

// Follow returns where an absolute path leads through its links, "" if that cannot be known.
func (s *Seen) Follow(file string) string { return s.call.taken.follow(slashed(file)) }

// FilesOf returns the files that the arguments of a tool for files name, each once, whatever key they are under. ok is
// false if there are none, or nobody can tell which.
func FilesOf(args string) (files []string, ok bool) {
	const tool = "fs_edit"
	s := Call{Tool: tool, Kind: KindOf(tool), Input: args, Dir: "/", Root: "/"}.Seen()
	for _, file := range s.Files {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files, len(files) > 0 && !s.Unseen
}

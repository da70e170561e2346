package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/projecthooks"
)

// project is where the hooks of a command come from, and what is to be said about that.
type project struct {
	projecthooks.Project
	began      string // where the search began
	configs    []string
	warning    string // a hooks file was passed over: every outcome says so
	suggestion string // one lies above that nobody would expect to count: for those who ask
}

// findProject is the one place that says where the project is: the folder that -C has given, else the nearest folder
// upwards with a hooks file. With --claude the folder is not searched for, since it has Claude Code's settings as well.
func findProject(folder string, given, claude bool) (p project, err error) {
	if err := mustBeFolder(folder); err != nil {
		return p, err
	}
	p.began = folder
	if given {
		p.Workspace, p.File = folder, ownFile(folder)
		return p, nil
	}
	if p.Project, err = projecthooks.FindProject(folder); err != nil {
		return p, err
	}
	if claude && p.Workspace != folder {
		p.warning = fmt.Sprintf(
			"the hooks file %s was passed over: with --claude the workspace is %s itself; to use it give -C %s",
			p.File, absolute(folder), quoted(p.Workspace))
		p.Workspace, p.File = folder, ""
	}
	if p.PassedOver == "" {
		return p, nil
	}
	use := "; to use it give -C " + quoted(filepath.Dir(p.PassedOver))
	if p.Repository == "" {
		const text = "the hooks file %s does not count: hookrun looks upwards in git repositories only%s"
		p.suggestion = fmt.Sprintf(text, p.PassedOver, use)
	} else {
		const text = "the hooks file %s was passed over: it lies above the git repository %s%s"
		p.warning = fmt.Sprintf(text, p.PassedOver, p.Repository, use)
	}
	return p, nil
}

// ownFile is the hooks file of a folder, if there is one.
func ownFile(folder string) string {
	path := filepath.Join(folder, projecthooks.FileName)
	// What cannot be looked at is a problem, not an absence.
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// warnings are for the outcome of every call.
func (p *project) warnings() []string { return nonEmpty(p.warning) }

// lookAbove finds a hooks file that lies above in the repository and does not count, where the one that does has no
// hooks, or is not there: for those who ask why no hook runs.
func (p *project) lookAbove(hooks int) {
	if hooks > 0 || len(p.configs) > 0 || len(p.remarks()) > 0 {
		return
	}
	above := projecthooks.FileAbove(p.Workspace)
	if above == "" {
		return
	}
	why := "-C is " + absolute(p.Workspace)
	if p.File != "" {
		why = absolute(p.File) + " is nearer, and has no hooks"
	}
	const text = "the hooks file %s lies above and does not count, since %s; to use it give -C %s"
	p.suggestion = fmt.Sprintf(text, above, why, quoted(filepath.Dir(above)))
}

// remarks are for those who ask where the hooks come from.
func (p *project) remarks() []string { return nonEmpty(p.warning, p.suggestion) }

func nonEmpty(texts ...string) (some []string) {
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return some
}

// String says which files the hooks are from.
func (p *project) String() string {
	switch {
	case len(p.configs) > 0:
		return "hooks file " + strings.Join(p.configs, ", ")
	case p.File == "":
		return "no hooks file in " + absolute(p.Workspace)
	case p.Workspace != p.began:
		return "hooks file " + p.File + ", found above " + absolute(p.began)
	}
	return "hooks file " + absolute(p.File)
}

// say writes on stderr which files the hooks are from, for -v.
func (p *project) say(w io.Writer) {
	fmt.Fprintln(w, "hookrun:", p)
	for _, text := range nonEmpty(p.suggestion) {
		fmt.Fprintln(w, "hookrun:", text)
	}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Package project finds the project of a folder, and makes remarks on hooks files that do not count.
//
//	p, err := project.Of(folder, project.Given{})
//	fmt.Println(p.Workspace, p.String(), project.Texts(p.Remarks()...))
package project

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// Project says where hooks come from, with remarks about the files.
type Project struct {
	hookfile.Project
	Configs  []string        // hooks files that are named, instead of the project's
	Files    []hookfile.File // files that were read
	Only     bool            // the first of them excludes all others
	Given    Given
	HasFile  bool     // Found
	Skipped  []Remark // passed over hooks files; part of every outcome
	Misnamed []Remark // files with nearly the name of a hooks file; nil: no search, or no file
	began    string   // start of the search
	above    []Remark // a hooks file above, which check, explain and -v print
}

// Remark is a note about files that hookrun does not read.
type Remark struct{ What, Mend string }

func (r Remark) String() string { return r.What + "; " + r.Mend }

// Given says what the caller has named.
type Given struct {
	Folder bool // no search upwards
	Files  bool // the same, and no search in other worktrees
	Claude bool // Claude Code's settings count, too, so the folder itself is the project
}

// Of returns the project of a folder: the nearest folder upwards with a hooks file, or the folder itself.
func Of(folder string, given Given) (p Project, err error) {
	p.began, p.Given = folder, given
	if given.Folder || given.Files {
		p.Project = hookfile.ProjectIn(folder)
		if !given.Files && !p.Found() {
			err = p.Follow(Absolute(folder), Absolute(folder))
		}
	} else {
		p.Project, err = hookfile.FindProject(folder)
	}
	p.HasFile = p.Found()
	p.remark()
	if given.Claude && err == nil {
		p.stay()
	}
	return p, err
}

// remark makes the remarks of the search.
func (p *Project) remark() {
	if p.PassedOver != "" {
		const text = "the hooks file %s was passed over: %s"
		p.Skipped = remarkToUse(filepath.Dir(p.PassedOver), text, p.PassedOver, p.Why)
	}
	if p.Fault != "" {
		p.Skipped = append(p.Skipped, Remark{What: p.Fault, Mend: p.Mend})
	}
}

// stay makes the folder itself the project, as --claude does, because Claude Code's settings are there too.
func (p *Project) stay() {
	if p.Workspace != p.began {
		const text = "the hooks file %s was passed over: with --claude the workspace is %s itself"
		p.Skipped = remarkToUse(p.Workspace, text, cmp.Or(p.File, p.Local), Absolute(p.began))
		p.Project, p.HasFile = hookfile.Project{Workspace: p.began}, false
	}
}

// remarkToUse returns a remark about a hooks file that would count with -C.
func remarkToUse(folder, format string, args ...any) []Remark {
	mend := "to use it give -C " + shellword.Local(folder)
	return []Remark{{What: fmt.Sprintf(format, args...), Mend: mend}}
}

// Texts returns remarks as texts.
func Texts(remarks ...Remark) (texts []string) {
	for _, r := range remarks {
		texts = append(texts, r.String())
	}
	return texts
}

// Warnings returns the warnings for the outcome of every call.
func (p *Project) Warnings() []string {
	if !p.HasFile {
		p.findMisnamed()
	}
	return Texts(slices.Concat(p.Skipped, p.Misnamed)...)
}

// findMisnamed finds misnamed hooks files, in the folder of the project and of its repository.
func (p *Project) findMisnamed() {
	if len(p.Configs) > 0 || p.Misnamed != nil {
		return
	}
	folders := []string{p.Workspace}
	if p.Repository != "" && p.Repository != Absolute(p.Workspace) {
		folders = append(folders, p.Repository)
	}
	for _, folder := range folders {
		paths, names := hookfile.Misnamed(folder)
		for i, path := range paths {
			const text = "the file %s is not read, since a hooks file is called %s"
			mend := "rename it"
			if hookfile.IsOtherFormat(path) {
				mend = "write it as JSON under that name"
			}
			p.Misnamed = append(p.Misnamed, Remark{
				What: fmt.Sprintf(text, Absolute(path), names[i]), Mend: mend})
		}
	}
}

// FindAbove finds misnamed files. If the project has no hooks, FindAbove also suggests a hooks file above, for
// a caller who left out -C or the nearer file.
func (p *Project) FindAbove(hooks int) {
	p.findMisnamed()
	if hooks > 0 || len(p.Configs) > 0 || len(p.Remarks()) > 0 {
		return
	}
	above := hookfile.FileAbove(p.Workspace)
	if above == "" {
		return
	}
	why := "-C is " + Absolute(p.Workspace)
	if p.HasFile {
		why = Absolute(cmp.Or(p.File, p.Local)) + " is nearer, and has no hooks"
	}
	const text = "the hooks file %s lies above and does not count, since %s"
	p.above = remarkToUse(filepath.Dir(above), text, above, why)
}

// Remarks returns the remarks of all kinds, for commands that show where hooks come from.
func (p *Project) Remarks() []Remark { return slices.Concat(p.Skipped, p.Misnamed, p.above) }

// String names the project's hooks file.
func (p *Project) String() string {
	switch {
	case len(p.Configs) > 0:
		return "hooks file " + strings.Join(p.Configs, ", ")
	case !p.HasFile:
		return "no hooks file in " + Absolute(p.Workspace)
	}
	text := "hooks file " + Absolute(p.File)
	if p.File == "" {
		text = "local hooks file " + Absolute(p.Local)
	}
	switch {
	case p.Worktree != "":
		text += " of the main worktree, since the worktree " + Absolute(p.Worktree) + " has none of its own"
	case p.Workspace != p.began:
		text += ", found above " + Absolute(p.began)
	}
	return text
}

// Lines names the hooks files: the project's, and each other file with its level.
func (p *Project) Lines() []string {
	lines := []string{p.String()}
	for _, f := range p.Files {
		if f.Level != hook.ProjectLevel && f.Path != p.Local || f.Path == p.Local && p.File != "" {
			lines = append(lines, fmt.Sprintf("%s hooks file %s", f.Level, Absolute(f.Path)))
		}
	}
	if p.Only {
		lines = append(lines, OnlyNote)
	}
	return lines
}

// OnlyNote says why further files were not read.
const OnlyNote = `"only" of the managed hooks file leaves out all other files`

// ExtraRemarks returns the remarks without those of Warnings.
func (p *Project) ExtraRemarks() []string {
	remarks := p.above
	if p.HasFile {
		remarks = slices.Concat(p.Misnamed, p.above)
	}
	return Texts(remarks...)
}

// Absolute returns a path as an absolute one, or as it is if the current folder is gone.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

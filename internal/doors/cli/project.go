package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// project says where a command's hooks come from, with warnings about the files.
type project struct {
	hookfile.Project
	began      string // start of the search
	given      bool   // a flag named the folder, so no search
	configs    []string
	files      []hookfile.File // files that were read
	only       bool            // the first of them excludes all others
	passedOver []doctor.Remark // skipped hooks files; part of every outcome
	misnamed   []doctor.Remark // files with nearly the name of a hooks file; nil: not searched, or not found
	above      []doctor.Remark // a hooks file above that does not count; only check, explain and -v print it
}

// projectBy returns the project of a command with these flags. isNamed: -C names the folder. hasFiles: the hooks files
// are named, too.
func projectBy(folder string, isNamed, hasFiles, hasClaude bool) (p project, err error) {
	if isNamed || hasFiles {
		p, err = projectIn(folder, hasFiles)
	} else {
		p, err = findProject(folder)
	}
	if hasClaude && err == nil {
		p.stay()
	}
	return p, err
}

// projectIn returns the project of a folder given by -C.
func projectIn(folder string, hasFiles bool) (p project, err error) {
	p.began, p.given = folder, true
	if err := mustBeFolder(folder); err != nil {
		return p, err
	}
	if p.Project = hookfile.ProjectIn(folder); !hasFiles && !p.Found() {
		err = p.Follow(absolute(folder), absolute(folder))
	}
	p.remark()
	return p, err
}

// findProject finds the project without -C: the nearest folder upwards with a hooks file.
func findProject(folder string) (p project, err error) {
	p.began = folder
	if err := mustBeFolder(folder); err != nil {
		return p, err
	}
	p.Project, err = hookfile.FindProject(folder)
	p.remark()
	return p, err
}

// remark makes the remarks of what was found.
func (p *project) remark() {
	if p.PassedOver != "" {
		const text = "the hooks file %s was passed over: %s"
		p.passedOver = remarkToUse(filepath.Dir(p.PassedOver), text, p.PassedOver, p.Why)
	}
	if p.Fault != "" {
		p.passedOver = append(p.passedOver, doctor.Remark{What: p.Fault, Mend: p.Mend})
	}
}

// stay makes the folder itself the project, as --claude does, because Claude Code's settings are there too.
func (p *project) stay() {
	if p.Workspace != p.began {
		const text = "the hooks file %s was passed over: with --claude the workspace is %s itself"
		p.passedOver = remarkToUse(p.Workspace, text, cmp.Or(p.File, p.Local), absolute(p.began))
		p.Project = hookfile.Project{Workspace: p.began}
	}
}

// remarkToUse returns a remark about a hooks file that would count with -C.
func remarkToUse(folder, format string, args ...any) []doctor.Remark {
	mend := "to use it give -C " + shellword.Local(folder)
	return []doctor.Remark{{What: fmt.Sprintf(format, args...), Mend: mend}}
}

// remarkTexts returns remarks as texts.
func remarkTexts(remarks ...doctor.Remark) (texts []string) {
	for _, r := range remarks {
		texts = append(texts, r.String())
	}
	return texts
}

// missing returns the error of --require-hooks.
func (p *project) missing() error {
	where := absolute(p.Workspace)
	if !p.given {
		where += " or above"
	}
	const mend = "run hookrun init, or give -C and the folder of the project"
	return fmt.Errorf("no hooks file in %s; %s", where, cmp.Or(strings.Join(remarkTexts(p.passedOver...), "; "),
		strings.Join(remarkTexts(p.misnamed...), "; "), "--require-hooks needs one; "+mend))
}

// warnings returns the warnings for the outcome of every call.
func (p *project) warnings() []string {
	if !p.Found() {
		p.findMisnamed()
	}
	return remarkTexts(slices.Concat(p.passedOver, p.misnamed)...)
}

// findMisnamed finds misnamed hooks files, in the folder of the project and of its repository.
func (p *project) findMisnamed() {
	if len(p.configs) > 0 || p.misnamed != nil {
		return
	}
	folders := []string{p.Workspace}
	if p.Repository != "" && p.Repository != absolute(p.Workspace) {
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
			p.misnamed = append(p.misnamed, doctor.Remark{
				What: fmt.Sprintf(text, absolute(path), names[i]), Mend: mend})
		}
	}
}

// findAbove finds misnamed files. If the project has no hooks, it also suggests a hooks file above that would count
// without -C or without a nearer file, to explain why no hook runs.
func (p *project) findAbove(hooks int) {
	p.findMisnamed()
	if hooks > 0 || len(p.configs) > 0 || len(p.remarks()) > 0 {
		return
	}
	above := hookfile.FileAbove(p.Workspace)
	if above == "" {
		return
	}
	why := "-C is " + absolute(p.Workspace)
	if p.Found() {
		why = absolute(cmp.Or(p.File, p.Local)) + " is nearer, and has no hooks"
	}
	const text = "the hooks file %s lies above and does not count, since %s"
	p.above = remarkToUse(filepath.Dir(above), text, above, why)
}

// remarks returns the remarks of all kinds, for commands that show where hooks come from.
func (p *project) remarks() []doctor.Remark { return slices.Concat(p.passedOver, p.misnamed, p.above) }

// String names the project's hooks file.
func (p *project) String() string {
	switch {
	case len(p.configs) > 0:
		return "hooks file " + strings.Join(p.configs, ", ")
	case !p.Found():
		return "no hooks file in " + absolute(p.Workspace)
	}
	text := "hooks file " + absolute(p.File)
	if p.File == "" {
		text = "local hooks file " + absolute(p.Local)
	}
	switch {
	case p.Worktree != "":
		text += " of the main worktree, since the worktree " + absolute(p.Worktree) + " has none of its own"
	case p.Workspace != p.began:
		text += ", found above " + absolute(p.began)
	}
	return text
}

// lines names the hooks files: the project's, and each other file with its level.
func (p *project) lines() []string {
	lines := []string{p.String()}
	for _, f := range p.files {
		if f.Level != hook.ProjectLevel && f.Path != p.Local || f.Path == p.Local && p.File != "" {
			lines = append(lines, fmt.Sprintf("%s hooks file %s", f.Level, absolute(f.Path)))
		}
	}
	if p.only {
		lines = append(lines, onlyNote)
	}
	return lines
}

const onlyNote = `"only" of the managed hooks file leaves out all other files`

// writeTo writes the names of the hooks files, for -v.
func (p *project) writeTo(w io.Writer) {
	for _, text := range append(p.lines(), p.extraRemarks()...) {
		fmt.Fprintln(w, "hookrun:", printable.Lines(text))
	}
}

// extraRemarks returns the remarks that no call has as warnings.
func (p *project) extraRemarks() []string {
	remarks := p.above
	if p.Found() {
		remarks = slices.Concat(p.misnamed, p.above)
	}
	return remarkTexts(remarks...)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

package doctor

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/hookrun/hookrun/internal/clients/check"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
)

// WorkspaceOf returns a project's hooks, with the diagnostics of hookrun check. started is the folder in which the
// search began.
func WorkspaceOf(p project.Project, started string, c *check.Checker) (w Workspace, err error) {
	c.Workspace, c.Project, p.Configs = p.Workspace, &p.Project, c.Files
	files, _, err := c.Find()
	if err != nil {
		return w, err
	}
	w.Files = c.Check(files, p.Workspace, &p).Files
	w.Folder, w.Started, w.Found, w.Remarks = project.Absolute(p.Workspace), started, p.String(), p.Remarks()
	switch root := hookfile.Repository(w.Started, ""); {
	case p.Worktree != "":
		w.Started = root
	case root != "": // without a repository, a client sees no link between the two folders
		w.Started = w.Folder
	}
	w.Config, _ = hookfile.Load(c.Options) // check has reported the error
	return w, nil
}

// workspace reports the diagnostics of the hooks files.
func (d *Doctor) workspace() (found []Finding) {
	w, hooks, faults := &d.Workspace, 0, 0
	for _, file := range w.Files {
		for _, e := range file.Errors {
			found = append(found, diagnosed(Error, e))
		}
		for _, e := range file.Warnings {
			found = append(found, diagnosed(Warning, e))
		}
		for _, e := range file.Notes {
			if !e.Gate { // switchedOff reports the others
				found = append(found, diagnosed(Note, e))
			}
		}
		if len(file.Errors) == 0 {
			found = append(found, Finding{Check: "hooks-file", Severity: OK, Where: file.Path,
				What: file.Level.String() + " hooks file, " + file.Tally.String()})
		}
		hooks, faults = hooks+file.Hooks, faults+len(file.Errors)
	}
	found = append(found, d.switchedOff()...)
	severity := Warning
	if hooks == 0 && faults == 0 {
		severity = Error
		found = append(found, Finding{
			Check: "hooks-file", Severity: Error, What: "no hook runs for any call: " + w.Found,
			Mend: "write a hook into " + filepath.Join(w.Folder, hookfile.FileName) + ", or run hookrun init there",
		})
		found = append(found, d.hooksFilesBelow()...)
	} else {
		found = append([]Finding{{Check: "project", Severity: OK, What: w.Found}}, found...)
	}
	for _, remark := range w.Remarks {
		found = append(found, Finding{Check: "hooks-file", Severity: severity, What: remark.What, Mend: remark.Mend})
	}
	return found
}

// hooksFilesBelow reports hooks files in subfolders of a workspace without hooks.
func (d *Doctor) hooksFilesBelow() (found []Finding) {
	const most = 1000 // folders: enough for a hint
	folders, err := os.ReadDir(d.Workspace.Folder)
	if err != nil {
		return nil
	}
	for _, folder := range folders[:min(most, len(folders))] {
		path := filepath.Join(d.Workspace.Folder, folder.Name(), hookfile.FileName)
		if info, err := os.Lstat(path); !folder.IsDir() || err != nil || info.IsDir() {
			continue
		}
		found = append(found, Finding{
			Check: "hooks-file", Severity: Error, Where: path,
			What: "this hooks file does not count: hookrun searches the folder where the client is started, and above",
			Mend: "start the client in " + filepath.Dir(path) + ", or move the file to " + d.Workspace.Folder,
		})
	}
	return found
}

func diagnosed(severity Severity, d hook.Diagnostic) Finding {
	f := Finding{Check: "hook", Severity: severity, Where: d.File, What: d.Text,
		Mend: "fix it there, then run hookrun check"}
	if d.Line > 0 {
		f.Where += ":" + strconv.Itoa(d.Line) + ":" + strconv.Itoa(d.Column)
	}
	return f
}

package pack

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// accessChange finds a change of the files with the users that may log in or act as root, on this machine.
func accessChange(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		if cmd.Elsewhere {
			continue
		}
		words := cmd.changedFiles()
		if cmd.Program == "visudo" && cmd.does(programs.Edits) {
			return Found{Subject: cmd.String()}
		}
		if slices.ContainsFunc(words, func(w Word) bool { return c.isAccess(w, cmd.Folders) }) {
			return Found{Subject: cmd.String()}
		}
	}
	for _, f := range c.Redirect {
		if f.Writes && !f.Elsewhere && c.isAccess(f.Word, f.Folders) {
			return Found{Subject: "> " + f.Word.Text}
		}
	}
	for _, f := range c.Files {
		if f.Writes && c.isAccess(Word{Text: strings.TrimSpace(f.Path), Home: true}, nil) {
			return c.mayDo("write", f.Path)
		}
	}
	return Found{}
}

// changedFiles returns the words for the files that a command writes or adds to, and for folders to which it copies.
func (c *Command) changedFiles() []Word {
	words := c.Row.Values(c.Row.List("saves"), c.Args)
	switch p := c.Row; {
	case p.Name == "tee", p.Is(programs.Edits):
		return append(words, c.operands()...)
	case p.Is(programs.Copies | programs.Links):
		to := c.copyTargets()
		if len(to) > 0 {
			into := to[len(to)-1]
			for _, from := range c.operands() {
				words = append(words, Word{Text: into.Text + "/" + path.Base(from.Text), Home: into.Home,
					Computed: into.Computed})
			}
		}
		return append(words, to...)
	}
	return append(words, c.overwritten()...)
}

// isAccess reports whether a word names a file with the users that may log in or act as root. Files of the workspace
// and of temporary folders do not count.
func (c *Call) isAccess(w Word, folders []Word) bool {
	isNamed := strings.Contains(w.Text, "authorized_keys") || strings.Contains(w.Text, "sudoers") ||
		strings.Contains(w.Text, "doas.conf")
	if !isNamed && !w.Computed && len(folders) == 0 {
		return false
	}
	for _, r := range c.readings(w, nil, 0) {
		at := c.absolute(r.text, folders)
		if at == "" {
			at = "/" + r.text // the shell computes the folder
		}
		at = path.Clean(at)
		folder, name := path.Split(strings.TrimPrefix(at, "/private"))
		isKeys := strings.HasPrefix(name, "authorized_keys") && strings.HasSuffix(folder, "/.ssh/")
		if isKeys || folder == "/etc/sudoers.d/" || at == "/etc/sudoers" || at == "/etc/doas.conf" {
			area := c.areaOf(c.follow(at, true))
			return area != inside && area != temporary
		}
	}
	return false
}

// scheduleLoss finds a deletion of all jobs that a user has scheduled.
func scheduleLoss(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		isEmpty := func(f File) bool { return !f.Writes && f.Path == "/dev/null" }
		if cmd.Program != "crontab" || cmd.Elsewhere {
			continue
		}
		empty := hasWord(cmd.operands(), "/dev/null") || slices.ContainsFunc(cmd.Files, isEmpty)
		if empty || cmd.has("-r") && !cmd.has("-i") {
			return Found{Subject: cmd.String(), Act: "the deletion of all scheduled jobs of a user",
				Instead: "Take out the one line: crontab -l | grep -v JOB | crontab -"}
		}
	}
	return Found{}
}

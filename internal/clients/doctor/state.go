package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/record/lastrun"
)

// state checks the places that hookrun writes to: the state folder, the run log, and the socket of serve.
func (d *Doctor) state() (found []Finding) {
	if d.StateErr != nil {
		found = append(found, Finding{Check: "state", Severity: Warning, What: d.StateErr.Error(),
			Mend: "set HOME or XDG_STATE_HOME"})
	} else {
		for _, check := range []struct{ name, folder, lost string }{
			{"state", d.State, "when a client last ran hookrun is not recorded"},
			{"queue", filepath.Join(d.State, "queue"), "no text reaches an agent by hookrun inject"},
			{"state", filepath.Join(d.State, lastrun.Folder), "when a client last ran hookrun is not recorded"},
		} {
			if err := writable(check.folder); err != nil {
				found = append(found, Finding{
					Check: check.name, Severity: Warning, Where: check.folder,
					What: fmt.Sprintf("cannot be written to (%v): %s", err, check.lost),
					Mend: "make it a folder of your own that nobody else writes to: chown, chmod 700",
				})
				break // the folders inside would report the same
			}
		}
		if len(found) == 0 {
			found = append(found, Finding{Check: "state", Severity: OK, Where: d.State, What: "can be written to"})
		}
	}
	if d.Log != "" {
		found = append(found, d.logFile("", d.Log))
	}
	if d.Socket != "" {
		found = append(found, d.socket())
	}
	return found
}

// logFile checks whether a run log is writable.
func (d *Doctor) logFile(client, path string) Finding {
	f := Finding{Client: client, Check: "log", Severity: OK, Where: path, What: "the run log can be written to"}
	err := func() error {
		path, err := owner.Resolve(path)
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return writableNow(filepath.Dir(path))
		}
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return errors.New("it is no regular file")
		}
		if err := owner.Check(path, info); err != nil {
			return err
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return file.Close()
	}()
	if err != nil {
		f.Severity, f.What = Warning, fmt.Sprintf("the run log cannot be written to: %v", regular.UnwrapPath(err))
		f.Mend = "name a file in a folder of your own, with --log or in HOOKRUN_LOG"
	}
	return f
}

// socket connects to hookrun serve. A loop that cannot reach serve gets no verdict and must not run tools.
func (d *Doctor) socket() Finding {
	f := Finding{Check: "socket", Severity: OK, Where: d.Socket, What: "hookrun serve listens there"}
	err := dial(d.Socket)
	if err == nil {
		return f
	}
	f.Severity, f.What = Error, fmt.Sprintf("nothing listens there: %v", err)
	f.Mend = "hookrun serve --socket " + d.Socket
	if err := writable(filepath.Dir(d.Socket)); err != nil && socketsAreFiles {
		f.What = fmt.Sprintf("the socket's folder cannot be written to: %v", err)
		f.Mend = "name a socket in a folder that only you can write to"
	}
	return f
}

// writable returns the reason why a folder is not writable, or nil. For a missing folder, the nearest existing parent
// counts.
func writable(folder string) error {
	for at := folder; ; at = filepath.Dir(at) {
		switch info, err := os.Stat(at); {
		case errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at):
			continue
		case err != nil:
			return regular.UnwrapPath(err)
		case !info.IsDir():
			return fmt.Errorf("%s is no folder", at)
		case at == folder && !owner.Owned(at, info):
			return errors.New("it belongs to another user")
		case at == folder && owner.WritableByAll(at, info):
			return errors.New("it can be written to by everybody")
		}
		return writableNow(at)
	}
}

// writableNow creates a file in an existing folder, and removes the file.
func writableNow(folder string) error {
	file, err := os.CreateTemp(folder, ".hookrun-doctor-*")
	if err != nil {
		return regular.UnwrapPath(err)
	}
	file.Close()
	return os.Remove(file.Name())
}

// lastTime returns when the client last ran hookrun in the workspace; zero: never.
func (c *checked) lastTime() (last time.Time, err error) {
	for _, workspace := range pathsOf(c.doctor.Workspace.Folder) {
		at, err := lastrun.Time(c.doctor.State, c.Name, workspace)
		if err != nil {
			return time.Time{}, err
		}
		if at.After(last) {
			last = at
		}
	}
	return last, nil
}

func (c *checked) hasRun() bool {
	last, err := c.lastTime()
	return err == nil && !last.IsZero()
}

// Obstacles returns what keeps a client from running its entries, and asks for a person.
func (d *Doctor) Obstacles(name string) []Finding {
	c := d.open(name)
	c.findings = nil
	c.obstacles()
	other := func(f Finding) bool { return f.Check != "client-trust" || f.Severity != Error }
	return slices.DeleteFunc(c.findings, other)
}

// lastRun reports when the client last ran hookrun in the workspace. installed is the last change of the settings file,
// the best guess at the time of the install.
func (c *checked) lastRun(installed time.Time) {
	if c.doctor.StateErr != nil {
		return
	}
	last, err := c.lastTime()
	if err != nil {
		c.add(Finding{Check: "last-run", Severity: Warning, Where: c.doctor.State,
			What: "the time when it last ran hookrun cannot be read: " + regular.UnwrapPath(err).Error(),
			Mend: "chmod 700 the folder, or set HOOKRUN_STATE to one of your own"})
		return
	}
	const text = "let %s run a tool in %s, then run hookrun doctor again"
	mend := fmt.Sprintf(text, c.Files.Client, c.doctor.Workspace.Started)
	switch ago := Ago(c.doctor.Now.Sub(last)); {
	case last.IsZero() && installed.IsZero():
		c.add(Finding{Check: "last-run", Severity: Note, Mend: mend,
			What: "it has never run hookrun in this workspace"})
	case last.IsZero():
		c.add(Finding{Check: "last-run", Severity: Warning, Mend: mend,
			What: "it has never run hookrun in this workspace since the install"})
	case last.Before(installed):
		c.add(Finding{Check: "last-run", Severity: Note, Mend: mend,
			What: "it last ran hookrun " + ago + ", and not since its settings changed"})
	default:
		c.add(Finding{Check: "last-run", Severity: OK, What: "it last ran hookrun " + ago})
	}
}

// pathsOf returns the paths by which a client may know a folder: with and without symbolic links.
func pathsOf(folder string) []string {
	if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
		return []string{folder, real}
	}
	return []string{folder}
}

// Ago returns a duration as "2 days ago".
func Ago(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.size {
			return spelling.Count(int(d/unit.size), unit.name) + " ago"
		}
	}
	return "less than a minute ago"
}

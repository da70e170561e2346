package pack

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// overwritten returns the words for the files that a command overwrites or moves away.
func (c *Command) overwritten() (words []Word) {
	switch p := c.Row; {
	case p.Is(programs.InPlace):
		if slices.ContainsFunc(c.Args, c.isInPlace) {
			words = c.operands()
		}
	case !c.does(programs.Replaces):
	case p.Is(programs.Writes):
		words = c.operands()
	case p.Name == "dd":
		for _, w := range c.Args {
			if to, ok := after(w, "of="); ok {
				words = append(words, to)
			}
		}
	default:
		return c.copyTargets()
	}
	return words
}

// isInPlace reports whether the option w makes sed, perl or ruby change their input files.
func (c *Command) isInPlace(w Word) bool {
	return c.Row.Is(programs.InPlace) && c.Row.Has("-i,--in-place", []Word{w})
}

// copyTargets returns the files that cp, mv, install and ln write, including the files that mv moves away.
func (c *Command) copyTargets() (words []Word) {
	if to := c.intoFolder(); to.Text != "" {
		return []Word{to}
	}
	words = c.operands()
	if !c.Row.Is(programs.Moves) && len(words) > 0 {
		words = words[len(words)-1:]
	}
	return words
}

// intoFolder returns the folder in an option of cp, mv, install or ln, or the zero Word.
func (c *Command) intoFolder() Word {
	if to := c.Row.Values("t,target-directory", c.Args); len(to) > 0 && c.Row.Takes('t') {
		return to[0]
	}
	return Word{}
}

// writes calls see for each path that the call overwrites, until see returns true. It does not follow links.
func (c *Call) writes(see func(at string, doubt string) bool) (found Found) {
	try := func(w Word, by *Command, folders []Word, what func() string) bool {
		for _, r := range c.readings(w, by, 0) {
			at := c.absolute(r.text, folders)
			if at != "" && see(path.Clean(at), r.doubt) {
				found = Found{Subject: what(), Doubt: r.doubt}
				return true
			}
		}
		return false
	}
	for i := range c.Commands {
		cmd := &c.Commands[i]
		for _, w := range cmd.overwritten() {
			if !cmd.Elsewhere && try(w, cmd, cmd.Folders, cmd.String) {
				return found
			}
		}
	}
	for _, f := range c.Redirect {
		text := func() string { return "> " + f.Word.Text }
		if f.Writes && !f.Appends && !f.Elsewhere && try(f.Word, nil, f.Folders, text) {
			return found
		}
	}
	return found
}

func deviceWrite(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		isMaker := strings.HasPrefix(cmd.Program, "mkfs") || strings.HasPrefix(cmd.Program, "newfs_")
		if !isMaker && !cmd.does(programs.Formats) && !cmd.does(programs.Erases) {
			if unknown := cmd.writesToUnknown(c); unknown {
				return Found{Subject: cmd.String(), Doubt: "the shell computes what it writes to"}
			}
			continue
		}
		if cmd.does(programs.Erases) {
			return Found{Subject: cmd.String()}
		}
		for _, w := range cmd.Args {
			for _, r := range c.readings(w, cmd, 0) {
				if at := c.absolute(r.text, cmd.Folders); at != "" && isDevice(path.Clean(at)) {
					return Found{Subject: cmd.String(), Doubt: r.doubt}
				}
			}
		}
	}
	if found := c.windowsDisk(); found.Subject != "" {
		return found
	}
	return c.writes(func(at, _ string) bool { return isDevice(at) })
}

// writesToUnknown reports whether dd writes to a path that the shell computes as a whole.
func (c *Command) writesToUnknown(call *Call) bool {
	unknown := func(w Word) bool { return w.Computed && len(call.readings(w, c, 0)) == 0 }
	return c.Program == "dd" && slices.ContainsFunc(c.overwritten(), unknown)
}

// isDevice reports whether a path is a device that may hold data. The devices listed here hold none.
func isDevice(p string) bool {
	if !below("/dev", p) {
		return false
	}
	name, _, _ := strings.Cut(p[len("/dev/"):], "/")
	return !shellline.InList("null zero full random urandom stdin stdout stderr console ptmx pts fd shm tcp udp log "+
		"kmsg snd dsp input video0 dri fuse net mqueue", name) && !strings.HasPrefix(name, "tty") &&
		!strings.HasPrefix(name, "pty") && !strings.HasPrefix(name, "cu.")
}

// isOfSystem reports whether the system depends on the file.
func isOfSystem(p string) bool {
	p = strings.TrimPrefix(p, "/private")
	if below("/etc", p) {
		folder, _, deeper := strings.Cut(p[len("/etc/"):], "/")
		return !deeper || shellline.InList("ssh pam.d sudoers.d security cron.d cron.daily cron.hourly", folder)
	}
	for _, folder := range [...]string{"/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib",
		"/usr/lib64", "/boot", "/proc", "/sys", "/System", "/Library/LaunchDaemons", "C:/Windows", "/c/Windows"} {
		if below(folder, p) || strings.EqualFold(folder, p) {
			return !below("/proc/self", p) && !below("/proc/sys", p)
		}
	}
	return p == "/etc"
}

func outsideWrite(c *Call) Found {
	for _, f := range c.Files {
		if !f.Writes || f.Path == "" {
			continue
		}
		for _, t := range c.targets(Word{Text: strings.TrimSpace(f.Path), Home: true}, nil, true) {
			elsewhere := f.Reads && (t.area == workspace || !mayBeHere(f.Path, t.path))
			if t.area >= outside && !elsewhere && !c.isNote(t.path) {
				return c.mayDo("write", f.Path)
			}
		}
	}
	return Found{}
}

// mayBeHere reports whether a path outside of the workspace may be a file of this machine, and not a server's own name
// for a thing, such as /api/v1/pods: the path is relative, or the path or its folder exists, or the path is in one of
// the folders that every system has. The folder / says nothing.
func mayBeHere(written, real string) bool {
	exists := func(file string) bool {
		_, err := os.Lstat(filepath.FromSlash(file))
		return err == nil || !errors.Is(err, fs.ErrNotExist) && !permission.IsTooLong(file)
	}
	folder, top := path.Dir(real), real[:1+strings.IndexByte(real[1:]+"/", '/')]
	return !path.IsAbs(strings.TrimSpace(written)) || exists(real) || folder != "/" && exists(folder) ||
		(systemArea(top) == protected || top == "/root") && exists(top)
}

// isNote reports whether the path is in a folder of the home where a client keeps plans and notes.
func (c *Call) isNote(p string) bool {
	for _, folder := range [...]string{"/.claude/plans", "/.claude/projects", "/.claude/todos", "/.gemini/tmp"} {
		if c.Home != "" && below(c.real(filepath.ToSlash(c.Home))+folder, p) {
			return true
		}
	}
	return false
}

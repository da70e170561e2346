package pack

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

var files = Pack{
	Name: "files", Version: 2, Summary: "no deletion of homes, systems, the whole workspace or what lies outside of it",
	Rules: []Rule{
		{
			Name:   "no-wide-delete",
			Blocks: "the deletion or the move of a root, a home, a system folder or the whole workspace",
			Find:   wideDelete,
			Doubt: [][]string{{"rmtree('/')", `rmtree("/")`, "rmsync('/',", `rmsync("/",`, "rm_rf('/')", `rm_rf("/")`,
				"remove_tree('/')", `removeall("/")`, "--no-preserve-root"}},
		},
		{
			Name: "no-outside-delete", Blocks: "the deletion of a folder or a pattern outside of the workspace",
			Find: outsideDelete,
		},
		{
			Name: "no-sweep", Blocks: "a deletion of all files of the workspace that a search finds without a pattern",
			Find: sweep,
		},
		{
			Name: "no-wide-chmod", Blocks: "a recursive change of owners or modes of a root, a home or the system",
			Find: wideChmod,
		},
		{
			Name: "no-device-write", Blocks: "a command that overwrites or formats a device",
			Find: deviceWrite,
		},
		{
			Name: "no-system-write", Blocks: "a command that overwrites or moves a file of the system",
			Find: func(c *Call) Found {
				return c.writes(func(at, doubt string) bool { return doubt == "" && isOfSystem(at) })
			},
		},
		{
			Name: "no-outside-write", Blocks: "a file tool that writes outside of the workspace",
			Find: outsideWrite,
		},
		{
			Name: "no-access-change", Blocks: "a change of who may log in or act as root", Since: 2,
			Find: accessChange,
		},
		{
			Name: "no-fork-bomb", Blocks: "a function that starts itself without end", Since: 2,
			Find: func(c *Call) Found { return Found{Subject: c.multiplies} },
		},
	},
}

// removal is the files that a command deletes or moves away.
type removal struct {
	words        []Word
	recursive    bool // with everything inside; if false, only files
	patterns     bool // only files that match a pattern
	moves        bool
	followsLinks bool // the command follows links
}

// removes returns the files that a command deletes. ok is false if the command deletes nothing.
func (c *Command) removes() (r removal, ok bool) {
	switch p := c.Row; {
	case c.Program == "":
		r.words, r.recursive = c.operands(), true
		return r, c.has("-r,-R,--recursive") && c.has("-f,--force")
	case p.Name == "find":
		return c.findRemoval()
	case p.Is(programs.Finds):
		i := slices.IndexFunc(c.Args, isAction)
		return c.fdRemoval(), i >= 0 && destroys(c.Args[i+1:])
	case p.Is(programs.Windows):
		deep := func(w Word) bool { return shellline.InList("-r -recurse /s", strings.ToLower(w.Text)) }
		isOption := func(w Word) bool { return len(w.Text) == 2 && w.Text[0] == '/' }
		words := slices.DeleteFunc(c.operands(), isOption)
		return removal{words: words, recursive: slices.ContainsFunc(c.Args, deep)}, true
	case p.Is(programs.Deletes), p.Is(programs.Whole):
		operands := c.operands()
		isOther := func(w Word) bool { return mayBeOption(w) && (len(operands) > 1 || w.Text != operands[0].Text) }
		mayBe := p.Asks(programs.Recursive) && slices.ContainsFunc(c.Args, isOther)
		return removal{words: c.andNamed(operands), recursive: p.Is(programs.Whole) || mayBe ||
			c.does(programs.Recursive), moves: p.Name == "rmdir"}, true
	case p.Is(programs.Moves):
		r = removal{words: c.operands(), recursive: true, moves: true}
		if c.intoFolder().Text != "" {
			r.words = c.andNamed(r.words)
		} else if n := len(r.words); n > 0 {
			r.words = append(r.words[:n-1:n-1], exceptLast(r.words[n-1])...)
		}
		return r, true
	case p.Name == "rsync":
		deletes := func(w Word) bool { return strings.HasPrefix(w.Text, "--del") }
		if !slices.ContainsFunc(c.Args, deletes) || c.has("-n,--dry-run") {
			return r, false
		}
		words := c.operands()
		if n := len(words); n > 1 && !strings.Contains(words[n-1].Text, ":") {
			return removal{words: words[n-1:], recursive: true, followsLinks: true}, true
		}
	}
	return r, false
}

// exceptLast returns all but the last of the words that the shell makes of a word with braces, as in x{,.old}.
func exceptLast(w Word) (words []Word) {
	texts := expandBraces(w.Text, nil)
	for _, text := range texts[:len(texts)-1] {
		words = append(words, Word{Text: text, Computed: true, Home: w.Home, Source: w.Source})
	}
	return words
}

// andNamed adds a word for the further arguments that only xargs knows.
func (c *Command) andNamed(words []Word) []Word {
	if c.MoreArgs {
		words = append(slices.Clip(words), Word{Text: "{}", Computed: true})
	}
	return words
}

// mayBeOption reports whether the shell computes the whole word, so the word may be an option.
func mayBeOption(w Word) bool {
	return w.Computed && strings.HasPrefix(w.Text, "$") && !strings.ContainsAny(w.Text, "/.(")
}

// findRemoval returns the files that find deletes.
func (c *Command) findRemoval() (r removal, ok bool) {
	args := c.Args
	for len(args) > 0 && (shellline.InList("-H -L -P", args[0].Text) || strings.HasPrefix(args[0].Text, "-O")) {
		args = args[1:]
	}
	for len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && args[0].Text != "(" && args[0].Text != "!" {
		r.words, args = append(r.words, args[0]), args[1:]
	}
	if len(r.words) == 0 {
		r.words = []Word{{Text: "."}}
	}
	r.recursive, r.followsLinks, r.patterns = true, true, true
	narrow, negated := false, false
	for i, w := range args {
		value := ""
		if i+1 < len(args) {
			value = args[i+1].Text
		}
		switch w.Text {
		case "!", "-not":
			negated = true
			continue
		case "-o", "-or", ",":
			narrow = false
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-lname", "-inum", "-samefile":
			narrow = narrow || !negated && strings.Trim(value, "*./") != ""
		case "-empty", "-xtype":
			narrow = narrow || !negated
		case "-delete":
			ok, r.patterns = true, r.patterns && narrow
		case "-exec", "-execdir", "-ok", "-okdir":
			if destroys(args[i+1:]) {
				ok, r.patterns = true, r.patterns && narrow
			}
		}
		negated = false
	}
	return r, ok
}

// destroys reports whether the command of a find action deletes files.
func destroys(args []Word) bool {
	for i, w := range args {
		switch name := programName(w); {
		case w.Text == ";" || w.Text == "+":
			return false
		case deletes(name):
			return i == 0 || shellline.InList("sudo doas env command busybox nice timeout nohup", args[0].Text)
		case i > 0 && args[i-1].Text == "-c":
			return strings.HasPrefix(w.Text, "rm ") || strings.Contains(w.Text, " rm ")
		}
	}
	return false
}

// foundIn returns a Found for a command and a target.
func (c *Command) foundIn(t target) Found {
	return Found{Subject: c.String() + ", which leads to " + t.path, Doubt: t.doubt}
}

func wideDelete(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		r, ok := cmd.removes()
		if !ok {
			continue
		}
		for _, w := range r.words {
			isGlob := w.Computed && strings.ContainsAny(w.Text, "*?[")
			for _, t := range c.targets(w, cmd, r.followsLinks) {
				whole, finds := r.recursive || isGlob || t.isMany(), cmd.isSearch() || t.isFound()
				switch {
				case finds && c.isTemporaryFolder(t.path), t.area == workspace && c.keepsInWorkspace(cmd):
				case r.moves && t.doubt == ifFolder: // often a folder made by mktemp
				case r.moves && t.doubt == ifEmpty && !isGlob: // a loop over files of a folder
				case cmd.Program == "rmdir" && t.isFound(): // deletes empty folders alone
				case r.moves && t.isFound() && t.list.narrow && t.path != "/" && systemArea(t.path) == outside:
				case t.area == inSystem && !cmd.Elsewhere && cmd.Program != "rmdir" && (whole || isKept(t.path)),
					t.area == protected && whole,
					t.area == workspace && whole && !cmd.Elsewhere && !finds && cmd.Program != "rsync":
					return cmd.foundIn(t)
				}
			}
		}
	}
	return c.windowsDelete()
}

// deletes reports whether a program deletes the files in its operands.
func deletes(program string) bool {
	p, _ := programs.Find(program)
	return p.Is(programs.Deletes)
}

func (c *Command) isFind() bool { return c.Row.Name == "find" }

// isSearch reports whether a command deletes the files that the command itself finds.
func (c *Command) isSearch() bool { return c.Row.Is(programs.Finds) }

// keepsInWorkspace reports whether a command moves files to a workspace folder, or to names computed by the shell.
func (c *Call) keepsInWorkspace(cmd *Command) bool {
	last := cmd.operands()
	if to := cmd.intoFolder(); to.Text != "" {
		last = []Word{to}
	}
	if !cmd.Row.Is(programs.Moves) || len(last) == 0 {
		return false
	}
	last = last[len(last)-1:]
	return last[0].Computed || c.leadTo(inside, last, cmd) || c.leadTo(workspace, last, cmd)
}

// isKept reports whether the loss of a single file in a system folder matters. Locks, sockets, sources of packages, and
// links that switch a part of a server on do not.
func isKept(p string) bool {
	if isOfSystem(p) {
		return true
	}
	for _, folder := range [...]string{"/etc/apt/sources.list.d", "/etc/apt/keyrings", "/etc/yum.repos.d",
		"/usr/share/keyrings", "/run", "/var/run", "/var/lock", "/var/crash", "/dev", "/proc", "/Library/Caches"} {
		if below(folder, p) {
			return false
		}
	}
	folder, name := path.Split(p)
	return !strings.HasSuffix(folder, "-enabled/") && !shellline.InList(".lock .pid .sock .socket", path.Ext(name)) &&
		name != "lock" && !strings.HasPrefix(name, "lock-")
}

func outsideDelete(c *Call) Found {
	if found := scheduleLoss(c); found.Subject != "" {
		return found
	}
	for i := range c.Commands {
		cmd := &c.Commands[i]
		r, ok := cmd.removes()
		if !ok || r.moves || cmd.Elsewhere {
			continue
		}
		for _, w := range r.words {
			for _, t := range c.targets(w, cmd, r.followsLinks) {
				isGlob := w.Computed && strings.ContainsAny(w.Text, "*?[")
				if t.area == outside && (r.recursive || isGlob || t.isMany()) {
					return cmd.foundIn(t)
				}
			}
		}
	}
	return Found{}
}

func sweep(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		r, ok := cmd.removes()
		switch {
		case !ok, cmd.Program == "rmdir":
			continue
		case cmd.isSearch() || cmd.Program == "rsync":
			if !r.patterns && c.leadTo(workspace, r.words, cmd) {
				return Found{Subject: cmd.String()}
			}
			continue
		}
		for _, w := range r.words {
			for _, t := range c.targets(w, cmd, true) {
				if t.isFound() && !t.list.narrow && t.area == workspace && !c.keepsInWorkspace(cmd) {
					return Found{Subject: t.list.by.String() + ", whose list is deleted"}
				}
			}
		}
	}
	return Found{}
}

// leadTo reports whether one of the words leads to an area.
func (c *Call) leadTo(a area, words []Word, cmd *Command) bool {
	return slices.ContainsFunc(words, func(w Word) bool {
		return slices.ContainsFunc(c.targets(w, cmd, true), func(t target) bool { return t.area == a })
	})
}

// isHere reports whether words name only the current folder.
func isHere(words []Word) bool {
	return !slices.ContainsFunc(words, func(w Word) bool { return strings.Trim(w.Text, "./*") != "" })
}

func wideChmod(c *Call) Found {
	for i := range c.Commands {
		cmd := &c.Commands[i]
		switch cmd.Program {
		case "chmod", "chown", "chgrp", "setfacl":
		default:
			continue
		}
		if cmd.Elsewhere || !cmd.has("-R,--recursive") {
			continue
		}
		words := cmd.operands()
		if cmd.Program != "setfacl" && len(words) > 0 {
			words = words[1:]
		}
		words = cmd.andNamed(words)
		for _, w := range words {
			for _, t := range c.targets(w, cmd, true) {
				if t.area == protected && t.doubt == "" || t.area == inSystem {
					return cmd.foundIn(t)
				}
			}
		}
	}
	return c.windowsGrant()
}

package shellline

// Launched is what a launcher, a shell, eval, trap or find runs.
type Launched struct {
	Commands [][]Word // by their words
	Lines    []string // of a shell
	Doubt    string   // why there may be others, "" if there are none
	Stdin    bool     // it reads its commands from stdin
}

// Launch returns what the words of a command run besides the command itself. ok is false if its program is none that
// runs a command in its arguments.
func Launch(argv []Word) (l Launched, ok bool) {
	if len(argv) == 0 {
		return l, false
	}
	name := programName(argv[0].Text)
	switch name {
	case "eval", "trap", "alias", "find":
	default:
		_, known := lookUp(launchers, name)
		_, other := otherLauncher(name)
		if ok = known || other || isPosixShell(name) || isForeignShell(name); !ok {
			return l, false
		}
	}
	found := behind(argv, nil)
	l.Doubt, l.Stdin = found.opaque, found.shell
	if l.Doubt == "" && (found.whole || len(found.hints) > 0) && name != "find" {
		l.Doubt = "what " + name + " runs, which its arguments do not say for sure"
	}
	for _, each := range found.all {
		switch {
		case each.words == nil:
			l.Lines = append(l.Lines, each.line)
		case each.more:
			l.Commands = append(l.Commands, append(each.words[:len(each.words):len(each.words)], Word{Computed: true}))
		default:
			l.Commands = append(l.Commands, each.words)
		}
	}
	return l, true
}

// IsShell reports whether a program reads lines of a shell.
func IsShell(name string) bool { return name == "cmd" || isShell(name) }

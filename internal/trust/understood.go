package trust

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// unclear returns why the files that a command runs are not known, or "" if they are. It checks the words of this
// command only: commands in the arguments are checked separately. Only forms that are known to run no other file are
// clear. If a list here lacks a harmless program or option, hookrun asks for "files" without need.
func (c *commandLine) unclear(argv []word, name string) string {
	first, args, row := argv[0], argv[1:], rowOf(name)
	switch {
	case c.sourced:
		return "a file that the shell reads may change what " + spelling.Quote(first.Text) + " means"
	case first.Computed:
		return written(first) + " is known only when it runs"
	case !isPlainShell(name) && !isInterpreter(name) && c.isOwnScript(first.Text):
		return ""
	}
	switch {
	case name == "." || name == "source":
		c.sourced = true
		return c.fileFault(name, args)
	case name == "zsh" || name == "ksh":
		return c.fileFault(name, args) // a script, since a line of theirs is read in another way
	case isPlainShell(name):
		return c.unclearShell(name, args)
	case isPython(name), shellline.InList("node nodejs perl ruby", name):
		return c.unclearScript(rowOf(name).Name, args)
	case strings.HasSuffix(name, "awk"):
		return c.unclearAwk(name, args)
	case shellline.InList(wrappers, name):
		return unclearWrapper(name, args)
	case name == "[" || name == "test":
		return c.unclearTest(args)
	case name == "git":
		return unclearGit(args)
	case name == "sed":
		return unclearSed(args)
	case len(args) > 0 && name == "hookrun" && args[0].Text == "get":
		return ""
	case name == "printf" || name == "set" || name == "read" || name == "export" || name == "cd":
		return c.unclearBuiltin(name, args)
	case takesAnyFile(name), row.Is(programs.Plain) && shellline.IsBuiltin(name) && name != "which":
		return ""
	case row.Is(programs.Plain):
		return c.unclearReader(name, args)
	}
	found := c.inPath(name)
	isPath := filepath.Base(first.Text) != first.Text
	now, _ := lookAt(c.in(c.folders[0], first.Text))
	if found == "" && !(isPath && now.regular) && !shellline.IsBuiltin(name) && !c.AnyMachine {
		return "" // a program that appears later is a difference
	}
	if found != "" && inside(found, c.Options.Workspace) {
		return ""
	}
	return "hookrun does not know what files " + spelling.Quote(name) + " runs"
}

// isOwnScript reports whether a path leads to a present or missing file of the workspace, or to a script elsewhere.
func (c *commandLine) isOwnScript(text string) bool {
	if !strings.ContainsAny(text, "/"+string(filepath.Separator)) && c.hook.Process().Script == "" {
		return false
	}
	own := false
	for _, dir := range c.folders {
		path := filepath.Clean(c.in(dir, text))
		if w := c.watched[path]; w != nil && w.sum != [32]byte{} && inside(w.real, c.Fingerprint.Workspace) {
			own = true
			continue
		}
		now, there := lookAt(path)
		switch real, err := filepath.EvalSymlinks(path); {
		case !there:
			own = own || inside(path, c.Options.Workspace) || isScript(path)
		case !now.regular || err != nil:
			return false
		case inside(real, c.Fingerprint.Workspace), inside(real, c.Options.Workspace):
			own = true
		default:
			own = own || isScript(real)
		}
	}
	return own
}

// isScript reports whether a file has the ending of a script.
func isScript(path string) bool {
	ending := strings.TrimPrefix(filepath.Ext(path), ".")
	return ending != "" && shellline.InList("sh bash zsh py js cjs mjs ts cts mts rb pl php lua", ending)
}

// fileFault returns why the first word does not name a known file, or "".
func (c *commandLine) fileFault(name string, args []word) string {
	switch {
	case len(args) == 0:
		return name + " has no file"
	case args[0].Computed:
		return written(args[0]) + " is known only when it runs"
	case strings.HasPrefix(args[0].Text, "-"), strings.ContainsAny(args[0].Text, "\n\x00"),
		shellline.IsStdin(args[0].Text), !strings.Contains(args[0].Text, "/") && name == ".":
		return written(args[0]) + " is no path of a file"
	}
	for _, dir := range c.folders {
		path := filepath.Clean(c.in(dir, args[0].Text))
		if now, there := lookAt(path); there && !now.regular {
			return written(args[0]) + " is no file"
		}
	}
	return ""
}

func isPlainShell(name string) bool { return shellline.InList("ash bash dash ksh sh zsh", name) }

// unclearShell checks the arguments of a shell: harmless options, and then a script, or -c and a line.
func (c *commandLine) unclearShell(name string, args []word) string {
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") && !args[0].Computed {
		text := args[0].Text
		switch {
		case text == "--":
			return c.fileFault(name, args[1:])
		case !shellFlags.Get().MatchString(text):
			return "an option of " + name + " that is not known: " + written(args[0])
		case strings.HasSuffix(text, "o"):
			if len(args) < 2 || !shellline.InList("errexit nounset pipefail xtrace noglob", args[1].Text) {
				return "an option of " + name + " that is not known"
			}
			args = args[1:]
		}
		args = args[1:]
		if strings.Contains(text, "c") {
			for len(args) > 1 && (args[0].Text == "--" || shellFlags.Get().MatchString(args[0].Text)) {
				args = args[1:]
			}
			if len(args) == 0 || args[0].Computed {
				return "the line of " + name + " is known only when it runs"
			}
			return ""
		}
	}
	known := c.inputFile || c.input != nil && !c.input.Computed
	switch {
	case len(args) == 0 && known:
		return ""
	case len(args) == 0:
		return name + " reads its commands from its stdin"
	}
	return c.fileFault(name, args)
}

var shellFlags = lazy.Regexp{Text: `^-[aceuvxf]+o?$|^-o$`}

// unclearScript checks the arguments of an interpreter: known options, and then a script. A program text in an argument
// is unclear, because hookrun cannot tell which files it loads.
func (c *commandLine) unclearScript(name string, args []word) string {
	for i, w := range args {
		switch {
		case w.Computed:
			return written(w) + " is known only when " + name + " runs"
		case isPython(name) && w.Text == "-m":
			if i+1 == len(args) || args[i+1].Computed || !c.isOwnModule(args[i+1].Text) {
				return "the module of python -m is none of the workspace"
			}
			return ""
		case w.Text == "-" || shellline.IsStdin(w.Text):
			return name + " reads its program from its stdin"
		case isNode(name) && c.isFolder(w.Text): // package.json and the main file are recorded
			return ""
		case !strings.HasPrefix(w.Text, "-"):
			return c.fileFault(name, args[i:])
		case !shellline.InList(knownOptions, name+"="+w.Text):
			return "what " + name + " runs with " + written(w)
		}
	}
	return name + " reads its program from its stdin"
}

func (c *commandLine) unclearAwk(name string, args []word) string {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.Computed:
			return written(w) + " is known only when " + name + " runs"
		case w.Text == "-F" || w.Text == "-v":
			i++
		case w.Text == "-f" && i+1 < len(args):
			return c.fileFault(name, args[i+1:])
		case strings.HasPrefix(w.Text, "-F"):
		case strings.HasPrefix(w.Text, "-"):
			return "an option of " + name + " that is not known: " + written(w)
		default:
			if found := runsOfAwk.Get().FindString(strings.ReplaceAll(w.Text, "||", "")); found != "" {
				return "the program text of " + name + " has " + found
			}
			return c.unclearReader(name, args[i+1:])
		}
	}
	return name + " has no program text"
}

// runsOfAwk matches each way in which an awk program can run a command or load a file.
var runsOfAwk = lazy.Regexp{Text: `\bsystem\b|\bgetline\b|[@|]`}

// wrappers run the command in their arguments, in the same folder and with the same PATH. followed do so at once.
const (
	wrappers = followed + " builtin eval find trap"
	followed = "command env exec flock ionice nice nohup setsid stdbuf time timeout xargs"
)

// knownOptions are options of wrappers and interpreters that change no file which these run.
const knownOptions = "command=-v command=-V command=-p time=-p nice=-n ionice=-c ionice=-n setsid=-w setsid=--wait " +
	"stdbuf=-oL stdbuf=-o0 stdbuf=-eL stdbuf=-e0 stdbuf=-iL stdbuf=-i0 stdbuf=-o stdbuf=-e stdbuf=-i timeout=-k " +
	"timeout=-s timeout=--preserve-status timeout=--foreground flock=-n flock=-w flock=-x flock=-s flock=-c xargs=-0 " +
	"xargs=-r xargs=-n xargs=-I xargs=-P xargs=-L xargs=-I{} xargs=-n1 xargs=-t python=-B python=-E python=-I " +
	"python=-O python=-P python=-S python=-s python=-q python=-u python=-Bu python=-Iu node=--no-warnings " +
	"node=--no-deprecation node=--enable-source-maps node=--experimental-strip-types node=--trace-warnings"

// unclearWrapper checks the options of a wrapper. The wrapped command is checked separately.
func unclearWrapper(name string, args []word) string {
	if name == "find" {
		runs := slices.ContainsFunc(args, func(w word) bool { return w.Text == "-exec" })
		for i, w := range args {
			if i > 0 && (args[i-1].Text == "-exec" || args[i-1].Text == "-ok") && !takesAnyFile(w.Text) {
				return "find runs " + written(w) + " on files that are known only then"
			}
			if shellline.InList("-execdir -okdir -fprint -fprintf -fls -delete -files0-from", w.Text) ||
				!runs && modeOfFind.Get().MatchString(w.Text) {
				return "find with " + written(w)
			}
		}
		return ""
	}
	for _, w := range args {
		switch {
		case w.Computed:
			if name == "eval" || name == "trap" || name == "env" || name == "xargs" {
				return "what " + name + " runs is known only then"
			}
			return ""
		case name == "xargs" && !strings.HasPrefix(w.Text, "-") && !isAmount(w.Text) && w.Text != "{}":
			if !takesAnyFile(w.Text) {
				return "xargs runs " + written(w) + " on files that are known only then"
			}
			return ""
		case name == "env" && strings.Contains(w.Text, "=") && !strings.HasPrefix(w.Text, "-"):
			continue
		case !strings.HasPrefix(w.Text, "-"):
			if !isAmount(w.Text) { // the 5 of timeout 5, nice -n 5
				return ""
			}
		case !shellline.InList(knownOptions, name+"="+w.Text):
			return "an option of " + name + " that is not known: " + written(w)
		}
	}
	return ""
}

// modeOfFind matches tests of find for what is not recorded of a file. With -exec they choose files for a formatter.
var modeOfFind = lazy.Regexp{Text: `^-(?:perm|executable|readable|writable|newer.*|[acm](?:min|time))$`}

// isAmount reports whether a word is a number, such as 5, 0.5s or 10M.
func isAmount(text string) bool {
	if text != "" && strings.ContainsRune("smhdKMG", rune(text[len(text)-1])) {
		text = text[:len(text)-1]
	}
	return text != "" && strings.Trim(text, "0123456789.") == ""
}

// unclearTest checks a test. A new folder at a missing path is no difference, but changes the result of the test.
func (c *commandLine) unclearTest(args []word) string {
	for i, w := range args {
		isArithmetic := shellline.InList("-v -R -eq -ne -lt -le -gt -ge", w.Text)
		isOfState := shellline.InList("-nt -ot -ef -G -N -O -g -h -k -L -u -w", w.Text) // which is in no record
		isOfState = isOfState && i+1 < len(args) && (!args[i+1].Computed || i > 0 && !args[i-1].Computed)
		if isOfState || isArithmetic && i+1 < len(args) && !isAmount(args[i+1].Text) {
			return "a test with " + written(w)
		}
		if i == 0 || !shellline.InList("-a -b -c -d -e -f -p -r -s -S -x", args[i-1].Text) || w.Computed {
			continue
		}
		c.file(w.Text)
		for _, dir := range c.folders {
			path := c.in(dir, w.Text)
			switch _, there := lookAtLink(path); {
			case there && args[i-1].Text == "-x":
				c.mode(c.hook, path)
			case !there && args[i-1].Text != "-f" && inside(filepath.Clean(path), c.Options.Workspace):
				return "a test that " + written(w) + " is there, as a folder may come to be; write test -f"
			}
		}
	}
	return ""
}

// unclearGit checks a git command: options before the command, and unknown commands, may run programs.
func unclearGit(args []word) string {
	const known = "add blame branch cat-file check-ignore config describe diff diff-index diff-tree fetch grep " +
		"hash-object log ls-files ls-tree merge-base name-rev remote restore rev-list rev-parse show show-ref " +
		"stash status symbolic-ref tag"
	if len(args) == 0 || args[0].Computed || !shellline.InList(known, args[0].Text) {
		return "a command of git that may run hooks or other programs"
	}
	options := []string{"--exec", "--ext-diff", "-O", "--open-files", "--receive-pack", "--upload-pack", "--no-index"}
	for _, w := range args[1:] {
		if slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(w.Text, o) }) {
			return "an option of git that runs a program: " + written(w)
		}
	}
	return ""
}

// unclearSed checks a sed command: only substitutions and prints are known to run no command and read no file.
func unclearSed(args []word) string {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.Computed:
			return "the script of sed is known only when it runs"
		case shellline.InList("-n -E -r -u -z -i -e", w.Text):
			continue
		case strings.HasPrefix(w.Text, "-"):
			return "an option of sed that is not known: " + written(w)
		case !sedScript.Get().MatchString(w.Text):
			return "the script of sed may run commands: " + written(w)
		}
		return ""
	}
	return "sed has no script"
}

var sedScript = lazy.Regexp{Text: `^(?:[0-9,$]*(?:[pdq]|s/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/[gpiI0-9]*|` +
	`s\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\|[gpiI0-9]*|s#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#[gpiI0-9]*)(?:; *|$))+$`}

func (c *commandLine) unclearBuiltin(name string, args []word) string {
	for _, w := range args {
		switch {
		case name == "printf" && strings.HasPrefix(w.Text, "-v"):
			return "printf -v sets a variable"
		case name == "set" && !shellFlags.Get().MatchString(w.Text) &&
			!shellline.InList("-- errexit nounset pipefail xtrace", w.Text):
			return "an option of set that is not known: " + written(w)
		case name == "read" && !shellline.IsName(w.Text) && !shellline.InList("-r -d -n -t -s", w.Text) &&
			!isAmount(w.Text) && w.Text != "":
			return "read with " + written(w)
		case name == "export" && strings.HasPrefix(w.Text, "-"):
			return "an option of export"
		case name == "cd" && (strings.HasPrefix(w.Text, "-") && w.Text != "--" && w.Text != "-P" && w.Text != "-L"):
			return "the folder of cd is not known"
		case name == "cd" && c.loops > 0:
			return "cd in a loop"
		case name == "cd" && !w.Computed && !strings.HasPrefix(w.Text, "-") &&
			!slices.ContainsFunc(c.folders, func(dir string) bool { return isFolder(c.in(dir, w.Text)) }):
			return "the folder " + written(w) + " of cd is not there, and may come to be"
		}
		if name == "printf" {
			return ""
		}
	}
	return ""
}

// unclearReader checks a program that only reads files. A folder is unclear: its files are not recorded.
func (c *commandLine) unclearReader(name string, args []word) string {
	for i, w := range args {
		_, value, _ := strings.Cut(w.Text, "=")
		for _, text := range []string{w.Text, value} {
			if text != "" && text != "." && c.isFolder(text) {
				return name + " is given the folder " + spelling.Quote(text)
			}
		}
		switch {
		case name == "jq" && (strings.HasPrefix(w.Text, "-L") || strings.HasPrefix(w.Text, "--library") ||
			loadsOfJq.Get().MatchString(w.Text) || i > 0 && w.Computed && fileOfJq.Get().MatchString(args[i-1].Text)):
			return "jq loads modules, or a program that is known only when it runs"
		case (shellline.InList("stat which", name) || shellline.InList("ls tree", name) && len(args) > 1) &&
			!w.Computed && c.isFile(w.Text):
			return name + " shows the mode of " + written(w)
		case mayRunLine(rowOf(name), w.Text):
			return "an option of " + name + " that runs a program"
		case name == "curl" && (isShortOption(w.Text) && strings.Contains(w.Text, "K") ||
			strings.HasPrefix(w.Text, "--conf") || strings.HasPrefix(w.Text, "--eng") ||
			strings.Contains(w.Text, "file:")):
			return "curl reads " + written(w)
		case name == "osascript" && w.Text != "-e" && !notification.Get().MatchString(cmp.Or(w.Source, w.Text)):
			return "the script of osascript may run files"
		}
	}
	return ""
}

// mayRunLine reports whether an argument may be an option whose value is a line, such as --compress-program of sort.
func mayRunLine(row programs.Program, text string) bool {
	text, _, _ = strings.Cut(text, "=")
	for option := range strings.SplitSeq(row.List("line"), ",") {
		isLong := len(text) > len("--") && strings.HasPrefix("--"+option, text)
		if option != "" && (isLong || isShortOption(text) && strings.Contains(text, option)) {
			return true
		}
	}
	return false
}

// notification matches the known script of osascript, also as it is written in a line: literals, and no expression.
var notification = lazy.Regexp{Text: `^"?display notification \\?"[^"\\]*\\?"` +
	`(?: (?:with title|subtitle|sound name) \\?"[^"\\]*\\?")*"?$`}

var fileOfJq = lazy.Regexp{Text: `^(?:-[A-Za-z]*f|--from-file)$`}

var loadsOfJq = lazy.Regexp{Text: `\b(?:import|include)\b`}

func isShortOption(text string) bool { return len(text) > 1 && text[0] == '-' && text[1] != '-' }

package pack

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// Word is a word of a command, without its quotes. If Computed, only the shell knows the text after Prefix.
type Word = shellline.Word

// Command is a simple command that a call runs, directly or through wrappers.
type Command struct {
	shellline.Command
	Program string // the name in lower case, without folder and .exe; "": the shell computes the name
	Args    []Word
	Files   []File // of the redirections

	ofLine   int           // the index of the command, or of the one behind which it stands, in its line
	runs     runsInput     // see executes
	facts    programs.Fact // see does
	hasFacts bool
}

// File is a file that a call works on.
type File struct {
	Path     string // as written
	IsPrefix bool   // the shell computes the rest of the path
	Writes   bool
	Reads    bool // of a file tool; an unknown tool may do both

	// Of a redirection:
	Word               Word // the path, including computed parts
	Appends, Elsewhere bool
	Folders            []Word // the folders that the line has changed to before
}

// Call is a tool call as rules see it. Commands and Redirect come from all shell lines.
type Call struct {
	Tools      []string // the names of the tool, such as fs_read and Read
	Commands   []Command
	Redirect   []File   // of shell lines
	Files      []File   // files of a file tool
	MaybePaths []string // texts of an unknown tool, and patterns that choose files
	Unreadable bool     // the command or the path of the call cannot be read
	Shell      bool     // the tool runs shell lines
	Writes     bool     // the tool may write files
	Args       string   // all arguments, as JSON
	Dir        string   // the folder in which the call runs, absolute
	Root       string   // the workspace, absolute
	Home       string   // the user's home; "": unknown
	Worktree   string   // the workspace in the linked worktree of Dir, absolute; "": none

	facts      permission.Facts
	doubts     []doubt
	assigned   []shellline.Assignment
	multiplies string      // a function that starts itself twice at a time, or ""
	lines      []string    // in lower case
	inputs     int         // the number of commands whose output other commands read, in total
	outputs    int         // the number of outputs that were followed, see readers
	guarded    *touched    // the guarded files that the call changes; nil: not computed yet
	expanded   int         // values of variables inserted in words so far
	listings   int         // commands of lists that were read so far
	reads      *[]readCall // variables that commands read; nil: not computed yet

	flows     []lineFlow
	gitCalls  []gitCall           // see gits
	gitRepos  map[string]*gitRepo // by folder
	madeRepos []*gitRepo          // that the line makes
	gitFlows  map[string]*gitFlow // by key of the repository
	// withValues are commands with the values of variables, each with the index of the command with the variables.
	withValues map[int]int
	outer      *Call // the call of the line, if the commands are those that the whole line may hold
}

// doubt is a text that may contain commands in an unknown form. unread: not all of the text was read.
type doubt struct {
	text, why string
	unread    bool

	source    string // the text as written
	isProgram bool   // in another language
	isWhole   bool   // a whole line
	call      *Call  // as in maybe; nil: not computed yet
}

// maybe returns a call with the commands that the text may hold.
func (d *doubt) maybe(c *Call) *Call {
	if d.call == nil {
		d.call = &Call{Tools: c.Tools, Shell: true, Dir: c.Dir, Root: c.Root, Home: c.Home, Worktree: c.Worktree,
			facts: c.facts, lines: []string{d.text}}
		if d.isWhole {
			d.call.outer = c
		}
		find := shellline.Loose
		if d.isProgram {
			find = shellline.LooseProgram
		}
		read := map[string]bool{} // in their place in the line, which says more
		for i := range c.Commands {
			read[c.Commands[i].Text] = true
		}
		for _, command := range find(d.source) {
			if command.Row.Name != "" && !read[command.Text] { // a row, for most are words of another language
				d.call.Commands = append(d.call.Commands, commandOf(command))
			}
			d.call.addAllBehind(command, read)
			for _, file := range command.Files {
				d.call.Redirect = append(d.call.Redirect, fileOf(file))
			}
		}
	}
	return d.call
}

// addCommand adds a command, and the command that may stand behind an unknown word, as in maybe_run git push.
func (c *Call) addCommand(command shellline.Command) {
	c.Commands = append(c.Commands, commandOf(command))
	c.inputs += len(command.PipedFrom) + len(command.Substitutions)
	if command.Row.Name == "parallel" {
		c.addParallel(command)
	}
	const most = 4 // words in front
	for i, w := range command.Words[:min(most, len(command.Words))] {
		row, isKnown := programs.Find(shellline.ProgramName(w.Text))
		switch {
		case w.Computed, isKnown && i == 0, i+1 == len(command.Words), strings.HasPrefix(w.Text, "-") && w.Text != "--",
			isKnown && isSubcommand(w.Text, command.Words[i+1].Text):
			return
		case isKnown:
			c.addBehind(command, i, row)
			return
		}
	}
}

// addAllBehind adds each command that may stand in the words of a command of which the program is not known, but for
// those that were read.
func (c *Call) addAllBehind(command shellline.Command, read map[string]bool) {
	const most = 20 // words in front
	for i, w := range command.Words[:min(most, len(command.Words))] {
		row, isKnown := programs.Find(shellline.ProgramName(w.Text))
		if i > 0 && isKnown && !w.Computed && w.Text != "." && !read[shellline.JoinWords(command.Words[i:])] {
			c.addBehind(command, i, row)
		}
	}
}

// addBehind adds the command behind the first i words of another.
func (c *Call) addBehind(command shellline.Command, i int, row programs.Program) {
	command.Wrapper, command.Words, command.Row = command.Words[0].Text, command.Words[i:], row
	command.Text = shellline.JoinWords(command.Words)
	c.Commands = append(c.Commands, commandOf(command))
}

// NewCall returns the call as rules see it. writes means that a file tool writes.
func NewCall(c permission.Call, writes bool) *Call {
	facts := c.Inspect()
	p := &Call{facts: facts, Tools: append([]string{c.Tool}, c.Aliases...), MaybePaths: facts.MaybePaths,
		Unreadable: facts.Unreadable, Shell: facts.Kind == permission.Shell || len(facts.Lines) > 0, Writes: writes,
		Args: c.Input, Dir: c.Dir, Root: c.Root, Home: c.Home, Worktree: c.Worktree}
	for i, line := range facts.Lines {
		p.addLine(line)
		unread := shellline.OverLimit(line.Opaque.Why)
		if !unread {
			p.addWindows(facts.Texts[i])
		}
		joined := strings.ReplaceAll(facts.Texts[i], " \\\n", " ") // continued lines of a shell
		p.lines = append(p.lines, strings.ToLower(joined))
		if line.Opaque.Why != "" {
			text := facts.Texts[i]
			p.doubts = append(p.doubts, doubt{flat(text), unreadIn(line), unread, text, false, true, nil})
		}
		for _, h := range line.Hints {
			if h.Weak {
				continue
			}
			isProgram := strings.HasPrefix(h.Name, "the program") || h.Name == "a program"
			text := strings.ToLower(h.Text) + "\n"
			if isProgram {
				text = flat(h.Text)
			}
			p.doubts = append(p.doubts, doubt{text, "the words stand in " + h.Name, false, h.Text, isProgram,
				h.Text == facts.Texts[i], nil})
		}
	}
	for _, path := range facts.Files {
		p.Files = append(p.Files, File{Path: path, Writes: writes, Reads: !writes || p.unknown()})
	}
	return p
}

// unreadIn returns why hookrun is in doubt about a line of which a part is not read.
func unreadIn(line *shellline.Unwrapped) string {
	part, by := line.Unread()
	switch {
	case shellline.OverLimit(part):
		return "hookrun cannot read all of the line, because " + part
	case by != "":
		return "only the shell knows what " + by + " runs"
	}
	return "hookrun cannot see through the line, which has " + part
}

// unknown reports whether no table has the tool, so the tool may read and write the files that it is given.
func (c *Call) unknown() bool { return c.facts.Kind == permission.Unknown }

// mayDo returns a Found for a file that the call's tool works on. verb is what the rule is about.
func (c *Call) mayDo(verb, file string) Found {
	if c.unknown() {
		return Found{Subject: file, Doubt: "the tool is unknown, and may " + verb + " the file"}
	}
	return Found{Subject: file}
}

// flat returns a text in lower case, and below a copy without quotes and brackets: a program has the words of a command
// as ["rm", "-rf"].
func flat(text string) string {
	without := strings.NewReplacer("'", "", `"`, "", `\`, "", "[", "", "]", "", ", ", ",").Replace(text)
	return strings.ToLower(text + " \n " + without + "\n")
}

// addLine adds the commands and redirections of a line.
func (c *Call) addLine(line *shellline.Unwrapped) {
	c.Commands = slices.Grow(c.Commands, len(line.Commands))
	if line.Flow != nil {
		c.flows = append(c.flows, lineFlow{line.Flow, len(c.Commands)})
	}
	for i, command := range line.Commands {
		before := len(c.Commands)
		c.addCommand(command)
		for at := before; at < len(c.Commands); at++ {
			c.Commands[at].ofLine = i
		}
	}
	for _, r := range line.Redirections {
		c.Redirect = append(c.Redirect, fileOf(r))
	}
	c.assigned = append(c.assigned, line.Assignments...)
	c.multiplies = cmp.Or(c.multiplies, line.Multiplies)
}

// isSubcommand reports whether a word behind an unknown program is rather a subcommand of that program than a program.
func isSubcommand(word, next string) bool {
	isOption := len(next) > 1 && next[0] == '-' && next[1] != '-'
	return shellline.IsBuiltin(word) || shellline.InList("env install helm", word) ||
		shellline.InList("rm mv cp mount umount test run exec dd format chmod chown", word) && !isOption
}

func commandOf(c shellline.Command) Command {
	command := Command{Command: c}
	if len(c.Words) == 0 {
		return command
	}
	if command.Args = c.Words[1:]; !c.Words[0].Computed {
		command.Program = programName(c.Words[0])
		if command.Program != shellline.ProgramName(c.Words[0].Text) {
			command.Row, _ = programs.Find(command.Program) // upper case
		}
	}
	for _, r := range c.Files {
		command.Files = append(command.Files, fileOf(r))
	}
	return command
}

// programName returns the name of a program in lower case, as rules use it. Windows, macOS and PowerShell ignore case.
func programName(w Word) string { return strings.ToLower(shellline.ProgramName(w.Text)) }

func fileOf(r shellline.Redirection) File {
	f := File{Path: r.File.Text, Writes: r.Writes, Word: r.File, Appends: r.Appends, Elsewhere: r.Elsewhere,
		Folders: r.Folders}
	if r.File.Computed {
		f.Path, f.IsPrefix = r.File.Prefix, true
	}
	return f
}

// after returns the rest of a word after a prefix, such as the value of an option, and whether the word has the prefix.
// Bash expands ~ and $HOME in the rest too: of=~/x.
func after(w Word, prefix string) (value Word, ok bool) {
	if w.Text, ok = strings.CutPrefix(w.Text, prefix); !ok {
		return Word{}, false
	}
	w.Prefix = strings.TrimPrefix(w.Prefix, prefix)
	w.Home = w.Text != "" && strings.Contains("~$", w.Text[:1])
	return w, true
}

// value returns the value of an option, attached or in the next word, or the zero Word if the command lacks the option.
func (c *Command) value(short, long string) Word {
	for i, w := range c.Args {
		if (w.Text == short || w.Text == long) && i+1 < len(c.Args) {
			return c.Args[i+1]
		}
		if value, ok := after(w, long+"="); ok {
			return value
		}
		if value, ok := after(w, short); ok && value.Text != "" {
			return value
		}
	}
	return Word{}
}

// String returns the command for a reason.
func (c *Command) String() string {
	return strings.TrimSuffix(c.Program+" "+shellline.JoinWords(c.Args), " ")
}

// has reports whether the command has one of the arguments in a list, as in the conditions of the table of programs.
func (c *Command) has(list string) bool { return c.Row.Has(list, c.Args) }

// does reports whether one of the facts of the table of programs holds for the command.
func (c *Command) does(f programs.Fact) bool {
	if !c.hasFacts {
		c.facts, c.hasFacts = c.Row.Facts(c.Args)|c.ofScript(), true
	}
	return c.facts&f != 0
}

// operands returns the arguments that are neither options nor values of options.
func (c *Command) operands() []Word { return c.Row.Operands(c.Args) }

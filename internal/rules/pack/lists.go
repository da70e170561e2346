package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// list is the source of the names in a word, if other commands of the line print the names.
type list struct {
	by     *Command // prints the names
	found  bool     // a search or a listing found the names below the path of the target
	narrow bool     // a pattern, a person or another list has chosen the names
	glob   bool     // the shell makes many names of a pattern
}

// bytesOfListing is the length of a text whose reading counts as one command, and wordsOfListing that of a command.
const bytesOfListing, wordsOfListing = 50, 20

// maxListings limits the commands of lists that are read for one call, each as often as a rule asks.
const maxListings = 2000

// tooManyLists is the reading of names after the limit: the last list may be of any folder.
var tooManyLists = reading{text: "/", doubt: "many lists name the files"}

// listed returns the readings of a word with printed names between two texts. known means that one of the commands
// prints names of files.
func (c *Call) listed(from []shellline.Command, before, rest string, depth int) (all []reading, known bool) {
	const deepest = 4 // lists that name what others list
	if len(from) == 0 || depth > deepest {
		return nil, false
	}
	for _, command := range from {
		c.listings += 1 + len(command.Words)/wordsOfListing
	}
	if c.listings > maxListings {
		return []reading{tooManyLists}, true
	}
	var commands []Command
	for _, command := range c.producers(from, 0) {
		commands = append(commands, commandOf(command))
	}
	isChosen := make([]bool, len(commands)+1) // a command from here on chooses names
	inOrder := make([]bool, len(commands)+1)  // the names have an order by age or size
	for i := range commands {
		inOrder[i+1] = inOrder[i] || commands[i].sorts()
	}
	for i := len(commands) - 1; i >= 0; i-- {
		isChosen[i] = isChosen[i+1] || len(commands[i].PipedFrom) > 0 && commands[i].chooses(inOrder[i+1])
	}
	for i := range commands {
		cmd := &commands[i]
		words, made, ok := cmd.lists(c)
		known = known || ok
		made.by, made.narrow = cmd, made.narrow || strings.Trim(rest, `/*"`) != "" || isChosen[i+1]
		for _, w := range words {
			list := made
			list.glob = w.Computed && strings.ContainsAny(w.Text, "*?[")
			switch _, contents := sweptFolder(reading{text: w.Text, globs: true}); {
			case before == "" || !made.found:
			case !strings.HasSuffix(before, "/"): // a part of a name
				w.Text, list.narrow = "*", true
			case contents && !cmd.isFind(): // ls prints names without the folder
				w.Text = "*"
			}
			value := Word{Text: before + w.Text + rest, Computed: true, Home: w.Home && before == "", Source: w.Source}
			for _, r := range c.readings(value, cmd, depth+1) {
				if r.list == nil {
					r.list = &list
				}
				all = append(all, r)
			}
		}
	}
	return all, known
}

// producers returns the commands that run because of the commands of a list, without wrappers such as sudo and xargs.
func (c *Call) producers(from []shellline.Command, depth int) (all []shellline.Command) {
	const deepest = 4
	for _, command := range from {
		name := shellline.ProgramName(command.Words[0].Text)
		isWrapper := command.Row.Is(programs.Runs|programs.ForeignShell) || shellline.IsShellOf(command.Row, name)
		launched, ok := shellline.Launched{}, false
		if isWrapper && command.Row.Name != "find" && depth < deepest {
			launched, ok = shellline.Launch(command.Words)
		}
		if !ok || len(launched.Commands)+len(launched.Lines) == 0 {
			all = append(all, command)
			continue
		}
		for _, words := range launched.Commands {
			inner := command
			inner.Words, inner.MoreArgs = words, command.Row.Is(programs.More)
			inner.Row, _ = programs.Find(shellline.ProgramName(words[0].Text))
			all = append(all, c.producers([]shellline.Command{inner}, depth+1)...)
		}
		for _, line := range launched.Lines {
			if c.listings += len(line) / bytesOfListing; c.listings < maxListings {
				all = append(all, c.producers(shellline.Split(line).Commands, depth+1)...)
			}
		}
	}
	return all
}

// lists returns the names that a command prints: words for the files themselves, or folders with the files.
func (c *Command) lists(call *Call) (words []Word, made list, ok bool) {
	here := []Word{{Text: "."}}
	switch p := c.Row; {
	case c.MoreArgs: // lists the names from xargs
		return nil, made, false
	case c.Program == "echo", c.Program == "printf":
		return printed(c.Args), made, true
	case c.Program == "pwd":
		return here, made, true
	case c.Program == "realpath", c.Program == "readlink":
		return c.operands(), made, true
	case p.Name == "git":
		return c.gitLists(call)
	case p.Name == "find":
		all := *c
		all.Args = append(slices.Clip(c.Args), Word{Text: "-delete"})
		r, _ := all.findRemoval()
		return r.words, list{found: true, narrow: r.patterns || c.runsFound()}, true
	case p.Is(programs.Finds):
		r := c.fdRemoval()
		return r.words, list{found: true, narrow: r.patterns}, true
	case p.Name == "locate":
		return []Word{{Text: "/"}}, list{found: true, narrow: true}, true
	case p.Is(programs.Searches):
		if !c.has("-l,-L,--files-with-matches,--files-without-match,--files") {
			return nil, made, false
		}
		if words = grepOf(c).files; len(words) == 0 {
			words = here
		}
		return words, list{found: true, narrow: true}, true
	case p.Is(programs.Lists):
		return c.folderLists(), list{found: true}, true
	case p.Is(programs.Reads) && len(c.operands()) > 0:
		return nil, made, false
	}
	return nil, made, false
}

// folderLists returns the words for the output of ls and the like: the operands, and patterns for the files of folders.
func (c *Command) folderLists() (words []Word) {
	for _, w := range c.operands() {
		name := w.Text[strings.LastIndexByte(w.Text, '/')+1:]
		isFile := strings.ContainsAny(w.Text, "*?[") || strings.Contains(strings.TrimLeft(name, "."), ".")
		if !isFile && c.Row.Name == "ls" && !c.has("-d,--directory") {
			w.Text, w.Computed = strings.TrimSuffix(w.Text, "/")+"/*", true
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		words = []Word{{Text: "*", Computed: true}}
	}
	return words
}

// gitLists is lists for git.
func (c *Command) gitLists(call *Call) (words []Word, made list, ok bool) {
	g := gitOf(c, "")
	switch {
	case g.sub == "rev-parse" && hasWord(g.args, "--show-toplevel"):
		return []Word{{Text: call.Root}}, made, true
	case g.sub == "ls-tree" && g.has("--name-only,-r"):
		words = g.operands()[min(1, len(g.operands())):]
	case g.sub == "ls-files" && !g.has("-d,--deleted"):
		words = g.operands()
	default:
		return nil, made, false
	}
	if isHere(words) {
		words = []Word{{Text: "."}}
	}
	return words, list{found: true, narrow: g.has("-i,--ignored")}, true
}

// runsFound reports whether find runs a command, which chooses or changes the names.
func (c *Command) runsFound() bool { return hasWord(c.Args, "-exec", "-execdir", "-ok", "-okdir") }

// fdRemoval returns the files that fd finds. Patterns means that a pattern chooses the files.
func (c *Command) fdRemoval() removal {
	r := removal{recursive: true, followsLinks: true, patterns: c.has("-e,--extension,-g,--glob")}
	args := *c
	if i := slices.IndexFunc(c.Args, isAction); i >= 0 {
		args.Args = c.Args[:i]
	}
	operands := args.operands()
	if len(operands) > 0 {
		r.patterns = r.patterns || strings.Trim(operands[0].Text, ".*^$") != ""
		r.words = slices.Clone(operands[1:])
	}
	if r.words = append(r.words, args.Row.Values("search-path,base-directory", args.Args)...); len(r.words) == 0 {
		r.words = []Word{{Text: "."}}
	}
	return r
}

// isAction reports whether a word is the option of fd before a command that runs for each file.
func isAction(w Word) bool { return shellline.InList("-x -X --exec --exec-batch", w.Text) }

// printed returns the words that echo or printf prints, which xargs and the shell split at blanks.
func printed(args []Word) (words []Word) {
	if len(args) == 0 {
		return []Word{{}}
	}
	for _, w := range args {
		text := strings.NewReplacer(`\n`, " ", `\0`, " ", `\t`, " ").Replace(w.Text)
		if !strings.ContainsAny(text, " \n\t") {
			words = append(words, w)
			continue
		}
		for part := range strings.FieldsSeq(text) {
			words = append(words, Word{Text: part, Computed: w.Computed, Source: w.Source,
				Home: strings.HasPrefix(w.Text, part) && w.Home || strings.HasPrefix(part, "$HOME")})
		}
	}
	return words
}

// sorts reports whether a command puts a list of names in an order by age or size, so head and tail choose by that.
func (c *Command) sorts() bool {
	prints := func(w Word) bool { return strings.HasPrefix(w.Text, "%") && strings.ContainsAny(w.Text[:2], "TACs") }
	switch c.Row.Name {
	case "ls":
		return c.has("-t,-S,--sort")
	case "find":
		return slices.ContainsFunc(c.Args, prints)
	}
	return false
}

// chooses reports whether a pattern, a person or another list chooses the names behind a filter. A filter that only
// leaves names out does not choose. sorted: the input has an order by age or size.
func (c *Command) chooses(sorted bool) bool {
	text := "" // of a program
	if operands := c.operands(); len(operands) > 0 {
		text = operands[0].Text
	}
	switch p := c.Row; {
	case p.Is(programs.Chooses):
		return true
	case p.Name == "uniq":
		return c.has("-u,-d,--unique,--repeated")
	case p.Name == "head", p.Name == "tail":
		return sorted
	case p.Is(programs.Searches):
		g := grepOf(c)
		isPattern := func(pattern string) bool { return strings.Trim(pattern, `.*^$/\`) != "" }
		return !c.has("-v,--invert-match") && (g.unknown || slices.ContainsFunc(g.patterns, isPattern))
	case p.Name == "awk":
		if strings.Contains(text, "NR") {
			return sorted
		}
		return !strings.Contains(text, "!") && (strings.ContainsAny(text, "/~") || strings.Contains(text, "=="))
	case p.Name == "sed":
		return c.editsNames()
	}
	return false
}

// editsNames reports whether sed prints only lines that match a pattern, or makes other names of the names.
func (c *Command) editsNames() bool {
	texts := c.Row.Values("e,expression", c.Args)
	if len(texts) == 0 {
		texts = c.operands()[:min(1, len(c.operands()))]
	}
	for _, w := range texts {
		if c.has("-n") && strings.HasPrefix(w.Text, "/") && !strings.Contains(w.Text, "!") {
			return true
		}
		if len(w.Text) < 2 || w.Text[0] != 's' {
			continue
		}
		parts := strings.Split(w.Text[2:], w.Text[1:2])
		isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
		if len(parts) > 1 && strings.ContainsFunc(parts[1], isLetter) {
			return true
		}
	}
	return false
}

// namesFor returns the commands that name the further arguments of a command. If nobody knows, it is any of the line.
func (c *Call) namesFor(by *Command) []shellline.Command {
	switch {
	case len(by.Names) > 0, !by.MoreArgs && by.Wrapper != "xargs":
		return by.Names
	case by.Script != "":
		words := []Word{{Text: "echo"}, {Text: by.Script}}
		return []shellline.Command{{Words: words}}
	}
	var all []shellline.Command
	for i := range c.Commands {
		if c.Commands[i].Wrapper == "" && len(c.Commands[i].Words) > 0 {
			all = append(all, c.Commands[i].Command)
		}
	}
	return all
}

// namesIn returns the commands that name the files in a variable: the line reads their output to the variable, or the
// variable is a parameter of a line behind xargs or find.
func (c *Call) namesIn(name string, by *Command) []shellline.Command {
	if by != nil && len(by.Names) > 0 && (shellline.InList("@ * _ 0 1 2 3 4 5 6 7 8 9", name)) {
		return by.Names
	}
	if c.reads == nil {
		c.reads = &[]readCall{}
		for i := range c.Commands {
			cmd := &c.Commands[i]
			if !shellline.InList("read mapfile readarray", cmd.Program) {
				continue
			}
			for _, w := range slices.Concat(cmd.operands(), cmd.Row.Values("a", cmd.Args)) {
				*c.reads = append(*c.reads, readCall{w.Text, cmd})
			}
		}
	}
	c.listings += len(*c.reads) / 50
	for _, r := range *c.reads {
		if r.name == name {
			return slices.Concat(r.by.PipedFrom, r.by.Substitutions)
		}
	}
	return nil
}

// readCall is a command that reads to a variable.
type readCall struct {
	name string
	by   *Command
}

// substituted returns the readings of a word that begins with a substitution, or has one behind a literal text.
func (c *Call) substituted(w Word, depth int) (all []reading, known bool) {
	at := strings.Index(w.Text, "$()")
	if back := strings.Index(w.Text, "``"); at < 0 || back >= 0 && back < at {
		at = back
	}
	if at < 0 || w.Source == "" || strings.ContainsAny(w.Text[:at], "$`{") {
		return nil, false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(w.Text[at:], "$()"), "``")
	for _, part := range shellline.Parts(w.Source) {
		if part.Kind == shellline.Substitution {
			if c.listings += 1 + len(part.Text)/bytesOfListing; c.listings > maxListings {
				return []reading{tooManyLists}, true
			}
			return c.listed(shellline.Split(part.Text).Commands, w.Text[:at], rest, depth)
		}
	}
	return nil, false
}

// addParallel adds the deletion or the move that parallel runs for each name on stdin, as xargs does.
func (c *Call) addParallel(command shellline.Command) {
	words := command.Words[1:]
	if hasWord(words, ":::", "::::", ":::+", "-a", "--arg-file") {
		return
	}
	changes := func(w Word) bool {
		row, _ := programs.Find(programName(Word{Text: strings.SplitN(w.Text, " ", 2)[0]}))
		return row.Is(programs.Deletes | programs.Moves | programs.Whole)
	}
	i := slices.IndexFunc(words, changes)
	if i < 0 {
		return
	}
	var inside []Word
	for _, w := range words[i:] { // parallel joins the words to a line
		for part := range strings.FieldsSeq(w.Text) {
			inside = append(inside, Word{Text: part, Computed: w.Computed, Home: w.Home, Source: w.Source})
		}
	}
	names := func(w Word) bool { return strings.Contains(w.Text, "{}") }
	command.Names, command.MoreArgs = command.PipedFrom, !slices.ContainsFunc(inside, names)
	command.Words, command.Wrapper = inside, "xargs"
	command.Row, _ = programs.Find(programName(inside[0]))
	c.Commands = append(c.Commands, commandOf(command))
}

package shellline

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/programs"
)

// Line is a parsed shell line. Patterns for shell tools are matched against its commands.
type Line struct {
	Commands []Command // in the order of the text
	// Redirections are the redirections of all commands to and from files.
	Redirections []Redirection
	Unknown      bool // an argument is only an expansion, so only the shell knows its value
	// Alone has the assignments and redirections without a command, in commands without words.
	Alone []Command
	// Blocks are the parts of the line that may run not at all, several times or with a use of their result.
	Blocks []Block
	flow   *Step
	// Multiplies is the name of a function that starts itself twice at a time, or "".
	Multiplies string
	// Unusual names constructs outside of the common part of the shells' language, such as declare and $'…'.
	Unusual    []string
	Unreadable string // why the line cannot be parsed, or ""

	// ClientOpaque says why a client's own rules cannot see through the line, or is "": Claude Code 2.1.329 reads less
	// than package syntax, so everything that recordings do not show Claude Code to see through is opaque.
	ClientOpaque string
	// Opaque is for a project's rules, which also match computed words.
	Opaque Opaque
	Within string // the text of the command with the opaque part, or ""

	// values are the commands that may run because of the values of assignments.
	values launches
}

// Command is one simple command.
type Command struct {
	Text    string // the words without quotes, joined by single spaces
	Words   []Word
	Row     programs.Program // of the table of programs
	Wrapper string           // the wrapper that runs the command, or "" if the line does

	MoreArgs  bool // further arguments follow that are known only at run time
	Elsewhere bool // as in launch
	// Folders are the folders that the shell has changed to before, in order. A folder known only to the shell is
	// computed.
	Folders     []Word
	ProjectOnly bool // only a project's rules see the command
	stdin       stdin
	Script      string // the text on stdin, if the line contains the text

	// The command reads the output of PipedFrom, the earlier commands of the pipe. Substitutions are the commands of
	// the substitutions in its words and redirections. Wrappers around the commands of both are still there.
	PipedFrom     []Command
	Substitutions []Command
	// Names are the commands that print the further arguments, {} in words and the parameters of a nested line: those
	// before xargs in the pipe, or find itself.
	Names    []Command
	Files    []Redirection // of the command and of the compound commands around it
	Env      []Word        // variables for this command alone, as NAME=value
	Captured bool          // the output goes into a word
	Input    *Word         // the text on stdin, in the line or computed; nil: none
	At       int           // the offset in the line

	step       *Step
	parameters [][]Word // the possible parameters of the shell, from $0 on
	filled     bool     // variables in the words have their values
}

// Word is one word of a simple command, without its quotes.
type Word = programs.Word

// unsure reports whether a computed word may be an option, no word or several words.
func unsure(w Word) bool {
	return w.Computed && (w.MaybeMany || w.Prefix == "" || w.Prefix[0] == '-' || w.Prefix[0] == '+')
}

func IsComputed(w Word) bool { return w.Computed }

// parse parses a line as bash does. If a shell may read the line differently from hookrun, why gives the reason.
func parse(src string) (file *syntax.File, why string) {
	switch reason := deceptive(src); {
	case len(src) > MaxLine:
		return nil, tooLong
	case reason != "":
		return nil, reason
	case strings.Count(src, "<<") > maxDocuments: // for each, the parser scans the rest of the line
		return nil, tooManyDocuments
	case len(src) > maxNesting && len(opener.Get().FindAllStringIndex(src, maxNesting+1)) > maxNesting:
		return nil, tooDeep
	}
	defer func() {
		if recover() != nil { // a line that breaks the parser must not end a server or keep a gate from running
			file, why = nil, "the parser failed"
		}
	}()
	parser := parsers.Get().(*syntax.Parser)
	file, err := parser.Parse(strings.NewReader(src), "")
	if err != nil {
		return nil, "a syntax error"
	}
	parsers.Put(parser) // not after an error or a panic, whatever state they leave
	return file, ""
}

// parsers has parsers for further lines, because a parser is larger than the tree of most lines.
var parsers = sync.Pool{New: func() any {
	return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
}}

// Split finds the simple commands of a line.
func Split(src string) (line Line) { return splitIn(&outerLine{text: src}, src) }

// splitIn finds the simple commands of a line that is a part of outer's text or all of it. Package syntax reads the
// line as bash does.
func splitIn(outer *outerLine, src string) (line Line) {
	opaque := func(reason string) Line {
		return Line{ClientOpaque: reason, Opaque: unparsed(reason), Unreadable: reason}
	}
	file, why := parse(src)
	if why != "" {
		return opaque(why)
	}
	defer func() {
		if recover() != nil {
			line = opaque("the parser failed")
		}
	}()
	r := reader{src: src, outer: outer, set: map[string]bool{}, numeric: map[string]bool{}}
	if strings.Contains(src, "\\\n") {
		syntax.Walk(file, r.comment)
	}
	r.list(file.Stmts)
	r.enclose(Sequence, 0)
	r.line.flow = r.steps[0]
	r.habits()
	r.checkArithmetic()
	return r.line
}

// opener matches the constructs that package syntax reads by recursion. Each open construct takes up to 8 KiB of stack,
// and a too large stack ends the program.
var opener = lazy.Regexp{Text: `[([{` + "`" + `!?~]|\b(?:if|while|until|for|case|select|time|coproc)\b`}

// deceptive returns how the look of a line differs from the commands that bash or zsh runs, or "".
func deceptive(src string) string {
	for _, r := range src {
		switch {
		case unicode.IsControl(r) && r != '\t' && r != '\n':
			return "a control character"
		case r > unicode.MaxASCII && unicode.IsSpace(r), r == '\u200b', r == '\ufeff':
			return "a blank of Unicode"
		}
	}
	if strings.Contains(src, "~[") {
		return "~[, which zsh expands"
	}
	return ""
}

// reader walks the tree of a line in the order of the text.
type reader struct {
	src      string
	line     Line
	front    []Word       // words before the next simple command; for a pattern, `time` is an ordinary command
	current  *syntax.Stmt // the statement that is read
	subshell bool
	set      map[string]bool // variables set so far by the line
	inQuotes bool
	// numeric has the variables that the line sets in any way, also for one command alone. The value is true if all
	// values in the line are numbers.
	numeric map[string]bool
	// arithmeticVars are the variables used in arithmetic.
	arithmeticVars []string
	defines        bool // the line defines a function
	printsNumbers  bool // the output of a program is used in arithmetic
	outer          *outerLine
	stdin          stdin  // of the current command
	folders        []Word // as in Command
	words          int    // of all commands so far
	inZshGroup     bool   // zsh reads a word so far as a group
	steps          []*Step

	piped    []Command // the earlier commands of the pipe
	captured bool      // the reader is in a substitution
	written  []int     // indexes of commands that read the output of the current command, as in >(sh)
}

// fail makes the line opaque to all rules. The first reason is kept.
func (r *reader) fail(reason string) {
	r.failClient(reason)
	r.failProject(reason)
}

func (r *reader) failClient(reason string) { r.line.ClientOpaque = cmp.Or(r.line.ClientOpaque, reason) }

func (r *reader) failProject(reason string) {
	before := r.line.Opaque
	r.line.Opaque.add(Opaque{reason, OverLimit(reason)})
	if r.current != nil && r.line.Opaque != before {
		r.line.Within = r.source(r.current)
	}
}

// source returns the text of a node. Unlike the values in the tree, the text contains continued lines.
func (r *reader) source(n syntax.Node) string { return r.src[n.Pos().Offset():n.End().Offset()] }

// comment fails at a comment that ends in a backslash: bash ends the comment there, but package syntax reads on.
func (r *reader) comment(n syntax.Node) bool {
	if c, ok := n.(*syntax.Comment); ok && strings.HasSuffix(c.Text, "\\\n") {
		r.fail("a comment that ends in a backslash")
	}
	return true
}

func (r *reader) list(all []*syntax.Stmt) {
	for _, s := range all {
		r.statement(s)
	}
}

func (r *reader) statement(s *syntax.Stmt) {
	r.current = s
	if len(r.front) > 0 && s.Negated {
		r.front = append(r.front, Word{Text: "!"})
	}
	if s.Negated {
		r.block(Negation, s)
		defer r.enclose(Inverse, len(r.steps))
	}
	if s.Background { // runs in a shell of its own
		r.block(Background, s)
		defer r.enclose(Repeated, len(r.steps))
		defer func(folders []Word) { r.folders = folders }(r.folders)
	}
	switch s.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		r.simple(s)
		return
	case *syntax.TimeClause, *syntax.CoprocClause, *syntax.BinaryCmd:
	default:
		if len(r.front) > 0 {
			r.failClient("time or coproc before a compound command")
			if slices.ContainsFunc(r.front, func(w Word) bool { return w.Text == "coproc" }) {
				r.stdin = fed
			}
			r.front = nil
		}
	}
	// In recordings, the client does not see through a compound command with redirections.
	if len(s.Redirs) > 0 {
		r.failClient("something behind a compound command")
		outside, piped := r.stdin, r.piped
		files, first := len(r.line.Redirections), len(r.line.Commands)
		for _, redirect := range s.Redirs {
			if _, _, from := r.redirect(redirect); from != inherited {
				r.stdin, r.piped = from, r.line.Commands[first:]
			}
		}
		own, inside := slices.Clone(r.line.Redirections[files:]), len(r.line.Commands)
		for i := range own {
			own[i].Around = true
		}
		defer func() {
			r.stdin, r.piped = outside, piped
			for i := inside; i < len(r.line.Commands); i++ {
				c := &r.line.Commands[i]
				c.Files = append(slices.Clip(c.Files), own...)
			}
		}()
	}
	r.compound(s)
}

// compound reads a command that is not simple.
func (r *reader) compound(s *syntax.Stmt) {
	before := len(r.steps)
	switch c := s.Cmd.(type) {
	case *syntax.TimeClause:
		r.block(Group, c)
		r.front = append(r.front, Word{Text: "time"})
		if c.PosixFormat {
			r.front = append(r.front, Word{Text: "-p"})
		}
		r.inFront(c.Stmt)
	case *syntax.CoprocClause:
		r.unusual(otherConstruct)
		r.front = append(r.front, Word{Text: "coproc"})
		if c.Name != nil {
			r.front = append(r.front, r.word(c.Name, argument))
		}
		r.inFront(c.Stmt)
	case *syntax.BinaryCmd:
		r.joined(c)
	case *syntax.TestClause:
		r.test(c)
	case *syntax.Subshell:
		// In recordings, the client does not see through nested subshells.
		if r.subshell {
			r.failClient("nested parentheses")
		}
		r.block(Group, c)
		outside, folders := r.subshell, r.folders
		r.subshell = true
		r.list(c.Stmts)
		r.subshell, r.folders = outside, folders
		r.enclose(Subshell, before)
	case *syntax.IfClause:
		r.block(Choice, c)
		for ; c != nil; c = c.Else {
			for _, s := range c.Cond {
				r.block(Condition, s)
			}
			if len(c.Cond) > 0 { // no else
				r.sequence(c.Cond)
			}
			r.sequence(c.Then)
		}
		r.enclose(Branches, before)
	case *syntax.WhileClause:
		r.block(Loop, c)
		r.list(c.Cond)
		r.list(c.Do)
		r.enclose(Repeated, before)
	case *syntax.ForClause:
		r.loop(c)
		r.enclose(Repeated, before)
	case *syntax.LetClause:
		r.let(s)
	default: // { }, (( )), case, functions
		r.failClient("a command that is not seen through")
		r.projectCompound(c)
	}
}

// inFront reads the command after time or coproc, if any.
func (r *reader) inFront(s *syntax.Stmt) {
	if s == nil {
		s = &syntax.Stmt{}
	}
	r.statement(s)
}

// joined reads commands joined by operators. It loops instead of recursing, because a line may join thousands.
func (r *reader) joined(c *syntax.BinaryCmd) {
	all := []*syntax.BinaryCmd{c}
	for {
		r.join(c)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		all, c = append(all, left), left
	}
	folders := r.folders
	first, before := len(r.line.Commands), len(r.steps)
	r.statement(c.X)
	r.enclose(Sequence, before)
	outside, piped := r.stdin, r.piped
	for _, c := range slices.Backward(all) {
		if r.stdin, r.piped = outside, piped; c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			r.stdin, r.piped = fed, slices.Clip(r.line.Commands[first:])
			r.folders = folders // each part of a pipeline has a shell of its own
		} else {
			folders = r.folders
		}
		r.statement(c.Y)
		r.enclose(Sequence, before+1)
		r.attach(c.Op, before)
	}
	r.stdin, r.piped = outside, piped
}

// simple reads a simple command.
func (r *reader) simple(s *syntax.Stmt) {
	words := r.front
	r.front = nil
	first, files := len(r.line.Commands), len(r.line.Redirections)
	written := r.written
	r.written = nil
	var sets []Word
	var inZsh []Word
	isOnly := false // the client allows only one assignment without a command, and no redirection
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		isOther := r.zshCommand(c.Args)
		if len(words) > 0 {
			words = r.arguments(words, c)
		} else {
			words, sets = r.callWith(c, len(s.Redirs) > 0)
			isOnly = len(c.Args)+len(s.Redirs) == 0 && len(c.Assigns) == 1
		}
		if len(words) > 0 {
			inZsh = r.wordsInZsh(words, isOther, c, s.Redirs)
		}
	case *syntax.DeclClause:
		words = r.declaration(words, c)
	}
	reads := Command{stdin: r.stdin, Env: sets, Captured: r.captured, At: int(s.Pos().Offset())}
	if s.Cmd != nil {
		reads.At = int(s.Cmd.Pos().Offset())
	}
	for _, redirect := range s.Redirs {
		if input, script, from := r.redirect(redirect); from != inherited {
			reads.stdin, reads.Script, reads.Input = from, script, input
		}
	}
	reads.PipedFrom, reads.Substitutions = r.piped, slices.Clip(r.line.Commands[first:])
	reads.Files = slices.Clip(r.line.Redirections[files:])
	if len(words) > 0 {
		reads.Words = words
		for _, i := range r.written {
			c := &r.line.Commands[i]
			c.PipedFrom, c.Substitutions = r.piped, append(slices.Clip(c.Substitutions), reads)
		}
		r.emit(reads)
		if len(inZsh) > 0 {
			reads.Words, reads.ProjectOnly = inZsh, true
			r.emit(reads)
		}
		if len(words) == 1 && words[0].Text == "exec" && reads.stdin != inherited { // for all later commands
			r.stdin = fed
		}
	} else {
		if !isOnly {
			r.failClient("a command is missing")
		}
		if len(r.line.Alone) == MaxCommands {
			r.unusual("more than 10,000 assignments")
		} else {
			r.line.Alone = append(r.line.Alone, reads)
		}
		if c, ok := s.Cmd.(*syntax.CallExpr); ok {
			for _, a := range c.Assigns {
				r.set[a.Name.Value] = true
			}
		}
	}
	r.written = written
}

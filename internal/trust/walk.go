package trust

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// walk adds the files in the commands of a line, in order.
func (c *commandLine) walk(node syntax.Node) {
	var document *syntax.Word // of a here-document
	syntax.Walk(node, func(node syntax.Node) bool {
		if why := unknownSyntax(node); why != "" {
			c.doubt("%s", why)
		}
		switch n := node.(type) {
		case *syntax.Redirect:
			document = n.Hdoc
		case *syntax.Word:
			if n != document && hasBraces(n) {
				c.doubt("it has braces")
			}
		case *syntax.UnaryTest:
			if w, ok := n.X.(*syntax.Word); ok {
				if why := c.unclearTest([]word{{text: n.Op.String()}, c.word(w)}); why != "" {
					c.doubt("%s", why)
				}
			}
		case *syntax.Assign:
			c.assignment(n)
		case *syntax.Stmt:
			c.redirects(n)
		case *syntax.WhileClause:
			c.loops++
			for _, stmt := range append(n.Cond, n.Do...) {
				c.walk(stmt)
			}
			c.loops--
			return false
		case *syntax.ForClause:
			return !c.loop(n)
		case *syntax.DeclClause:
			if slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool { return a.Naked && a.Name == nil }) {
				c.doubt("it has export with a word that is not known")
			}
		case *syntax.CallExpr:
			for _, a := range n.Assigns { // they hold for this command, too
				c.assignment(a)
			}
			c.addCommand(c.wordsOf(n.Args), "")
		}
		return true
	})
}

// unknownSyntax returns why a node is outside of the known part of the shell's language, or "".
func unknownSyntax(node syntax.Node) string {
	switch n := node.(type) {
	case nil, *syntax.File, *syntax.BinaryCmd, *syntax.IfClause, *syntax.Subshell, *syntax.Block, *syntax.TestClause,
		*syntax.ParenTest, *syntax.CaseClause, *syntax.CaseItem, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.Comment,
		*syntax.TimeClause, *syntax.WordIter, *syntax.Lit, *syntax.Word, *syntax.UnaryTest, *syntax.Assign,
		*syntax.Stmt, *syntax.WhileClause, *syntax.ForClause, *syntax.CallExpr:
	case *syntax.SglQuoted:
		if n.Dollar {
			return "it has $'…'"
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			return `it has $"…"`
		}
	case *syntax.Redirect:
		if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
			return "it has a redirection that sets a variable"
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr, syntax.TsNewer,
			syntax.TsOlder, syntax.TsDevIno:
			return "it has [[ with " + n.Op.String()
		}
	case *syntax.ParamExp:
		if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull ||
			n.Exp.Op == syntax.OtherParamOps) || n.Excl || n.Index != nil || n.Slice != nil {
			return "it has an expansion that is not known"
		}
	case *syntax.DeclClause:
		if n.Variant.Value != "export" {
			return "it has " + n.Variant.Value
		}
	default: // functions, arithmetic, arrays
		return "it has a construct of a shell that is not known"
	}
	return ""
}

// hasBraces reports whether a shell may make several words of a word with braces.
func hasBraces(w *syntax.Word) bool {
	var unquoted strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			unquoted.WriteString(lit.Value)
		}
	}
	text := unquoted.String()
	return strings.Contains(text, "{") && (strings.Contains(text, ",") || strings.Contains(text, ".."))
}

// variablesOf marks a variable as unknown unless the line sets it once and in any case, at the start or after other
// commands. For other variables only the shell knows the value.
func (c *commandLine) variablesOf(file *syntax.File) {
	times := assignmentsIn(file)
	for _, stmt := range file.Stmts {
		if name := alwaysSet(stmt); name != "" {
			times[name]--
		}
	}
	for name, n := range times {
		if n != 1 {
			if c.unknown == nil {
				c.unknown = map[string]bool{}
			}
			c.unknown[name] = true
		}
	}
}

// assignmentsIn returns the variables that a line may set, with twice the number of assignments.
func assignmentsIn(file *syntax.File) map[string]int {
	times := map[string]int{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil && !n.Naked {
				times[n.Name.Value] += 2
			}
		case *syntax.CallExpr:
			for i, w := range n.Args { // read, printf -v, getopts
				if text := w.Lit(); i > 0 && syntax.ValidName(text) {
					times[text] += 2
				}
			}
		case *syntax.ForClause:
			if iter, ok := n.Loop.(*syntax.WordIter); ok {
				times[iter.Name.Value] += 2
			}
		}
		return true
	})
	return times
}

// alwaysSet returns the variable that a statement sets in any case, or "".
func alwaysSet(stmt *syntax.Stmt) string {
	cmd := stmt.Cmd
	for { // a && b always runs a
		binary, ok := cmd.(*syntax.BinaryCmd)
		if !ok || binary.Op != syntax.AndStmt {
			break
		}
		cmd = binary.X.Cmd
	}
	switch first := cmd.(type) {
	case *syntax.CallExpr:
		if len(first.Args) == 0 && len(first.Assigns) == 1 && !stmt.Background {
			return first.Assigns[0].Name.Value
		}
	case *syntax.DeclClause:
		if len(first.Args) == 1 && first.Args[0].Name != nil {
			return first.Args[0].Name.Value
		}
	}
	return ""
}

// assignment notes a variable that the line sets. walk visits an assignment before a command twice.
func (c *commandLine) assignment(a *syntax.Assign) {
	if a.Name == nil || a.Naked || c.assigned[a] {
		return
	}
	c.assigned[a] = true
	value := word{}
	if a.Value != nil {
		value = c.word(a.Value)
	}
	if a.Append || a.Array != nil || a.Index != nil {
		value.computed = true
	}
	c.assign(a.Name.Value, value)
}

// redirects notes the stdin of a statement's commands, and adds the files on stdin.
func (c *commandLine) redirects(n *syntax.Stmt) {
	c.input, c.inputFile = nil, false
	for _, r := range n.Redirs {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut:
			w := c.word(r.Word)
			if hasGlob(r.Word) || r.N != nil && r.N.Value != "0" {
				c.doubt("the file %s is known only when it runs", w)
			}
			c.file(w.text)
			c.inputFile = !w.computed
		case syntax.Hdoc, syntax.DashHdoc:
			if r.Hdoc != nil {
				w := c.word(r.Hdoc)
				c.input = &w
			}
		case syntax.WordHdoc:
			w := c.word(r.Word)
			c.input = &w
		}
	}
}

// loop adds the files in the body of a loop, for each word of the loop. done is false if the words are not known.
func (c *commandLine) loop(n *syntax.ForClause) (done bool) {
	const most = 64
	iter, ok := n.Loop.(*syntax.WordIter)
	if !ok || n.Select {
		c.doubt("it has a loop that is not known")
		return false
	}
	for _, item := range iter.Items {
		c.walk(item)
	}
	items := c.wordsOf(iter.Items)
	name := iter.Name.Value
	c.loops++
	defer func() { c.loops-- }()
	body := func(value word) {
		c.set[name] = value
		for _, stmt := range n.Do {
			c.walk(stmt)
		}
	}
	if c.loops > 1 || len(items) == 0 || len(items) > most || slices.ContainsFunc(items, isComputed) {
		for _, item := range items {
			c.file(item.text)
		}
		body(word{computed: true})
		return true
	}
	wasUnknown, value := c.unknown[name], launch.Variable(c.env, name)
	delete(c.unknown, name)
	for _, item := range items {
		outer := c.env
		c.env = append(slices.Clip(c.env), name+"="+item.text)
		body(item)
		c.env = outer
	}
	if wasUnknown {
		c.unknown[name] = true
	}
	c.set[name] = word{text: value, computed: true}
	return true
}

// wordsOf returns the words of a command. Files that match replace a glob.
func (c *commandLine) wordsOf(args []*syntax.Word) (words []word) {
	for _, arg := range args {
		w := c.word(arg)
		if w.computed || !hasGlob(arg) {
			words = append(words, w)
			continue
		}
		if text := w.text; strings.ContainsAny(text, `[\`) || strings.ContainsAny(filepath.Dir(text), "*?") ||
			c.setsGlobs || strings.HasSuffix(text, "/") || slices.ContainsFunc(arg.Parts, hasBackslash) {
			c.doubt("the glob %s is not known", spelling.Quote(text))
		}
		matched := false
		for _, dir := range c.folders {
			found, _ := filepath.Glob(c.in(dir, w.text))
			if c.globbed += len(found); c.globbed > maxListed {
				c.doubt("its globs match more than %d files", maxListed)
				return words
			}
			for _, file := range found {
				if strings.HasPrefix(filepath.Base(file), ".") && !strings.HasPrefix(filepath.Base(w.text), ".") {
					continue
				}
				words, matched = append(words, word{text: file}), true
			}
		}
		if !matched {
			words = append(words, w)
		}
	}
	return words
}

// word returns a word of the line.
func (c *commandLine) word(w *syntax.Word) word {
	text, known := c.value(w)
	if known {
		return word{text: text, computed: c.splits(w)}
	}
	return word{text: text, computed: true, source: source(w)}
}

// source returns a part of a line as it is written there.
func source(node syntax.Node) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, node)
	return b.String()
}

// hasGlob reports whether a word has a pattern for names of files.
func hasGlob(w *syntax.Word) bool {
	if w.Lit() == "[" {
		return false
	}
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return ok && strings.ContainsAny(lit.Value, "*?[")
	})
}

func hasBackslash(part syntax.WordPart) bool {
	lit, ok := part.(*syntax.Lit)
	return ok && strings.Contains(lit.Value, `\`)
}

// splits reports whether an unquoted variable of the word has a blank, at which a shell splits the word, or a pattern.
func (c *commandLine) splits(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		p, ok := part.(*syntax.ParamExp)
		if !ok || p.Param == nil {
			return false
		}
		if _, is := c.set["IFS"]; is {
			return true
		}
		return strings.ContainsAny(launch.Variable(c.env, p.Param.Value), " \t\n*?[")
	})
}

// home expands a ~ at the start of a word.
func (c *commandLine) home(w *syntax.Word, text string, known bool) (string, bool) {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || !strings.HasPrefix(lit.Value, "~") {
		return text, known
	}
	rest := strings.TrimPrefix(text, "~")
	if rest != "" && rest[0] != '/' {
		return text, false
	}
	return launch.Variable(c.env, "HOME") + rest, known
}

// perCall are variables of hookrun that differ from call to call.
var perCall = []string{"HOOKRUN_EVENT", "HOOKRUN_TOOL"}

// expansion returns the value of a variable, or the word after :- if the variable has no value. Variables that depend
// on the call are unknown.
func (c *commandLine) expansion(p *syntax.ParamExp) (text string, known bool) {
	if p.Param == nil || p.Length || p.Excl || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return "", false
	}
	name := p.Param.Value
	if !syntax.ValidName(name) || slices.Contains(perCall, name) || c.varies(name) {
		return "", false
	}
	value := launch.Variable(c.env, name)
	set, inLine := c.set[name]
	isFolder := (name == "PWD" || name == "OLDPWD") && len(c.folders) > 1
	switch {
	case inLine && set.computed, c.unknown[name], isFolder:
		return value, false
	case p.Exp == nil:
		return value, value != "" || inLine
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if value == "" {
			return c.value(p.Exp.Word)
		}
		return value, true
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return value, value != ""
	}
	return value, false
}

// varies reports whether a client sets a variable to a value of the call.
func (c *commandLine) varies(name string) bool {
	call := dialect.NewCall(dialect.Call{Workspace: c.Options.Workspace})
	return slices.Contains(c.hook.Dialect.Hooks.Environment(call), name+"=")
}

// printed returns the output of a command substitution that is known to print the project's or the hook's folder. For
// any other command, printed returns the workspace as a guess.
func (c *commandLine) printed(p *syntax.CmdSubst) (text string, known bool) {
	text = c.Options.Workspace
	if len(p.Stmts) != 1 {
		return text, false
	}
	cmd := p.Stmts[0].Cmd
	for { // a || pwd
		binary, ok := cmd.(*syntax.BinaryCmd)
		if !ok || binary.Op != syntax.OrStmt || !isOneOf(binary.Y.Cmd, "pwd", "echo .", "echo $PWD", `echo "$PWD"`) {
			break
		}
		cmd = binary.X.Cmd
	}
	switch {
	case isOneOf(cmd, "pwd", "pwd -P"):
		return c.folders[0], len(c.folders) == 1
	case isOneOf(cmd, "git rev-parse --show-toplevel"):
		if root := hookfile.Repository(c.folders[0], ""); root != "" && len(c.folders) == 1 {
			return root, true
		}
	}
	return text, false
}

func isOneOf(cmd syntax.Command, texts ...string) bool {
	_, ok := cmd.(*syntax.CallExpr)
	return ok && slices.Contains(texts, strings.TrimSpace(source(cmd)))
}

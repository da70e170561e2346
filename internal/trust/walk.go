package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// walk adds what the commands of a line name, in their order.
func (c *commandLine) walk(node syntax.Node) {
	syntax.Walk(node, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FuncDecl:
			if c.functions == nil {
				c.functions = map[string]bool{}
			}
			c.functions[n.Name.Value] = true
		case *syntax.Assign:
			c.assignment(n)
		case *syntax.Stmt:
			c.redirected(n)
		case *syntax.ForClause:
			return !c.loop(n)
		case *syntax.CallExpr:
			for _, a := range n.Assigns { // they hold for their own command, too
				c.assignment(a)
			}
			c.ran(c.wordsOf(n.Args), "")
		}
		return true
	})
}

// assignment notes a variable that the line sets. Walk comes to it twice if it stands before a command.
func (c *commandLine) assignment(a *syntax.Assign) {
	if a.Name == nil || a.Naked || c.assigned[a] {
		return
	}
	if c.assigned == nil {
		c.assigned = map[*syntax.Assign]bool{}
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

// redirected notes what the commands of a statement read, and adds the file.
func (c *commandLine) redirected(n *syntax.Stmt) {
	c.input, c.inputFile = nil, false
	for _, r := range n.Redirs {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut:
			w := c.word(r.Word)
			c.file(w.text)
			c.inputFile = !w.computed
		case syntax.Hdoc, syntax.DashHdoc:
			w := c.word(r.Hdoc)
			c.input = &w
		case syntax.WordHdoc:
			w := c.word(r.Word)
			c.input = &w
		}
	}
}

// loop adds what the body of a loop names for each of its words. done is false if they are not known.
func (c *commandLine) loop(n *syntax.ForClause) (done bool) {
	const most = 64
	iter, ok := n.Loop.(*syntax.WordIter)
	if !ok {
		return false
	}
	items := c.wordsOf(iter.Items)
	if len(items) == 0 || len(items) > most || slices.ContainsFunc(items, isComputed) {
		c.assign(iter.Name.Value, word{computed: true})
		return false
	}
	for _, item := range items {
		delete(c.set, iter.Name.Value)
		c.assign(iter.Name.Value, item)
		for _, stmt := range n.Do {
			c.walk(stmt)
		}
	}
	delete(c.set, iter.Name.Value)
	c.assign(iter.Name.Value, word{computed: true})
	return true
}

// wordsOf returns the words of a command. A glob stands for the files that it matches.
func (c *commandLine) wordsOf(args []*syntax.Word) (words []word) {
	for _, arg := range args {
		w := c.word(arg)
		if w.computed || !hasGlob(arg) {
			words = append(words, w)
			continue
		}
		matched := false
		for _, dir := range c.folders {
			found, _ := filepath.Glob(c.in(dir, w.text))
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
	var b strings.Builder
	if !known {
		_ = syntax.NewPrinter().Print(&b, w)
	}
	return word{text: text, computed: !known || c.splits(w), source: b.String()}
}

// hasGlob reports whether a word has a pattern that a shell compares with names of files.
func hasGlob(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return ok && strings.ContainsAny(strings.ReplaceAll(lit.Value, `\\`, ""), "*?[") &&
			!strings.ContainsAny(lit.Value, `\`)
	})
}

// splits reports whether an unquoted variable has blanks, at which a shell splits it, or a pattern.
func (c *commandLine) splits(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		p, ok := part.(*syntax.ParamExp)
		if !ok || p.Param == nil {
			return false
		}
		if _, is := c.set["IFS"]; is {
			return true
		}
		return strings.ContainsAny(hookfile.Variable(c.env, p.Param.Value), " \t\n*?[")
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
	return hookfile.Variable(c.env, "HOME") + rest, known
}

// ofCall are variables of hookrun that differ from call to call.
var ofCall = []string{"HOOKRUN_EVENT", "HOOKRUN_TOOL"}

// expansion returns the value of a variable, or of the word behind :- if it has none. Variables that depend on the call
// have no value here.
func (c *commandLine) expansion(p *syntax.ParamExp) (text string, known bool) {
	if p.Param == nil || p.Length || p.Excl || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return "", false
	}
	name := p.Param.Value
	if !isVariable(name) || slices.Contains(ofCall, name) || c.varies(name) {
		return "", false
	}
	value := hookfile.Variable(c.env, name)
	set, inLine := c.set[name]
	switch {
	case inLine && set.computed:
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

// varies reports whether a client gives a variable a value of the call.
func (c *commandLine) varies(name string) bool {
	of := c.hook.Dialect.Environment
	if of == nil {
		return false
	}
	call := dialect.NewCall(protocol.Call{Workspace: c.Options.Workspace})
	return slices.Contains(of(&call.Call), name+"=")
}

// printed returns what a command substitution prints that is known to print the folder of the project, or where the
// hook runs. Of another it returns the workspace as a guess.
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
		if root := repository(c.folders[0]); root != "" && len(c.folders) == 1 {
			return root, true
		}
	}
	return text, false
}

// repository returns the folder at or above another that has a .git, "" if none.
func repository(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

func isOneOf(cmd syntax.Command, texts ...string) bool {
	if _, ok := cmd.(*syntax.CallExpr); !ok {
		return false
	}
	var b strings.Builder
	err := syntax.NewPrinter().Print(&b, cmd)
	return err == nil && slices.Contains(texts, strings.TrimSpace(b.String()))
}

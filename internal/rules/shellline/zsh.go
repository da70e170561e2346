package shellline

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// otherInZsh matches a first word that zsh reads as a group, whose { needs no blank, or as an assignment to a parameter
// that bash does not know: the command is what follows.
var otherInZsh = lazy.Regexp{Text: `^(?:\{|[\pL\pN_]+(?:\[[^\]]*\])?\+?=)`}

// zshCommand fails at such a first word, and reports whether there is one. Behind zsh's reserved word nocorrect and
// repeat N, a command begins again.
func (r *reader) zshCommand(args []*syntax.Word) (isOther bool) {
	for i, w := range args {
		name := r.source(w)
		if otherInZsh.Get().MatchString(name) {
			isOther = true
			r.fail("a first word that zsh reads as { or as an assignment")
		}
		if name != "nocorrect" && name != "repeat" && (i == 0 || r.source(args[i-1]) != "repeat") {
			break
		}
	}
	return isOther
}

// setsEditor reports whether a call of a builtin of zsh only sets what the editor and the completion do, marks
// functions of zsh's own files, or prints.
func setsEditor(name string, args []Word) bool {
	flags := ""
	switch name {
	case "bindkey": // without -s, which binds keys to typed text
		flags = "evaMrRlLpdAN"
	case "zle":
		if len(args) == 0 || !isFlag(args[0]) { // runs a widget
			return false
		}
		flags = "NADlaC"
	case "autoload": // without +X and names of files
		flags = "UzkX"
	case "print":
		flags = "lnrNaceoOium0123456789"
	}
	first := len(args)
	for i, w := range args {
		isPlainText := !w.Code && !strings.ContainsAny(w.Text, " \t\n")
		switch {
		case name == "print" && isGlob(w.Source) && i > 0, name == "print" && i > first:
			if w.Code {
				return false
			}
		case !isPlainText, unsure(w), name != "print" && name != "zstyle" && w.Computed:
			return false
		case isFlag(w) && i < first:
			if w.Text[0] == '+' || strings.Trim(w.Text[1:], flags) != "" {
				return false
			}
		case name == "autoload" && strings.Contains(w.Text, "/"):
			return false
		case name == "zstyle" && w.Text == "command":
			return false
		default:
			first = min(first, i)
		}
	}
	return name != "print" || len(args) > 0
}

// wordsInZsh returns the words of a command as zsh reads them, or nil if zsh reads the same words as bash.
func (r *reader) wordsInZsh(words []Word, isOther bool, c *syntax.CallExpr, redirects []*syntax.Redirect) []Word {
	isClobber := func(d *syntax.Redirect) bool { return r.source(d.Word) == "!" && r.isReadOtherwise(d) }
	changed := slices.ContainsFunc(redirects, isClobber)
	if !isOther && !r.inZshGroup && !changed {
		return nil
	}
	words = slices.Clone(words)
	front := len(words) - len(c.Args)
	for _, d := range slices.Backward(redirects) { // the later words first
		at := slices.IndexFunc(c.Args, func(w *syntax.Word) bool { return w.Pos().Offset() > d.Word.Pos().Offset() })
		if at += front; !isClobber(d) || at < front || at >= len(words) {
			continue
		}
		r.line.Redirections = append(r.line.Redirections, Redirection{Writes: true, File: words[at],
			Appends: d.Op == syntax.AppOut || d.Op == syntax.AppAll, Folders: r.folders})
		words = slices.Delete(words, at, at+1)
	}
	for isOther && len(words) > 0 {
		first := &words[0]
		inside, isGroup := strings.CutPrefix(first.Source, "{")
		if r.inZshGroup = r.inZshGroup || isGroup; isGroup && inside != "" {
			first.Source, first.Text = inside, strings.TrimPrefix(first.Text, "{")
			first.Prefix = strings.TrimPrefix(first.Prefix, "{")
			isOther = otherInZsh.Get().MatchString(inside)
			changed = true
			continue
		}
		isName := first.Text == "time" || first.Text == "nocorrect" || first.Text == "repeat" || isNumber(*first)
		if !isName && !isGroup && !otherInZsh.Get().MatchString(first.Source) {
			break
		}
		words, changed = words[1:], true
	}
	if n := len(words) - 1; n >= 0 && r.inZshGroup && strings.HasSuffix(words[n].Source, "}") {
		last := &words[n]
		last.Source, last.Text = strings.TrimSuffix(last.Source, "}"), strings.TrimSuffix(last.Text, "}")
		for !last.Computed && strings.HasSuffix(last.Text, "}") {
			last.Source, last.Text = strings.TrimSuffix(last.Source, "}"), strings.TrimSuffix(last.Text, "}")
		}
		if changed = true; last.Source == "" {
			words = words[:n]
		}
	}
	if !changed || len(words) == 0 {
		return nil
	}
	return words
}

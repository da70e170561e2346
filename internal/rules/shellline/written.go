package shellline

import (
	"path"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// files are texts that a line writes to files, and the aliases that it gives to git.
type files struct {
	written map[string]string // by the last part of the path
	aliases map[string]string
}

// noteWritten notes the texts that the commands of a line write to files.
func (f *files) noteWritten(c *Command) {
	if c.Words[0].Text == "tee" || c.Words[0].Text == "sudo" && len(c.Words) > 1 && c.Words[1].Text == "tee" {
		for _, w := range c.Words[1:] {
			if text := f.input(*c); !isFlag(w) {
				f.write(w, text)
			}
		}
		return
	}
	for _, file := range c.Files {
		if file.Writes && (file.Number == "" || file.Number == "1") && !file.Around {
			text, _ := f.printedBy(*c)
			f.write(file.File, text)
		}
	}
}

func (f *files) write(file Word, text string) {
	if text == "" || len(text)+len(f.written) > MaxLine {
		return
	}
	if f.written == nil {
		f.written = map[string]string{}
	}
	name := path.Base(file.Text)
	if have := f.written[name]; len(have)+len(text) <= MaxLine {
		f.written[name] = have + text
	}
}

// input returns the text on stdin of a command, if the line has the text.
func (f *files) input(c Command) string {
	switch {
	case c.Script != "":
		return c.Script
	case c.Input != nil && c.Input.Computed:
		return strings.TrimPrefix(c.Input.Source, hereDocumentMark)
	case c.stdin == inFile:
		for _, file := range c.Files {
			if !file.Writes {
				return f.written[path.Base(file.File.Text)]
			}
		}
	case len(c.PipedFrom) > 0:
		text, _ := f.printedBy(c.PipedFrom[len(c.PipedFrom)-1])
		return text
	}
	return ""
}

// printedBy returns what a command prints: a text of its own, its input, or a file that the line has written. Parts
// that the shell computes stay as they are.
func (f *files) printedBy(c Command) (text string, ok bool) {
	c.Words = slices.Clone(c.Words)
	for i, w := range c.Words {
		if w.Computed {
			c.Words[i] = Word{Text: substituted.Get().Replace(w.Text)}
		}
	}
	if text, ok = printed(c); ok {
		return text, true
	}
	if name := c.Words[0].Text; name == "cat" || name == "tee" {
		if operand := len(c.Words) - 1; name == "cat" && operand > 0 && !isFlag(c.Words[operand]) {
			text = f.written[path.Base(c.Words[operand].Text)]
		} else if len(c.PipedFrom) < 8 {
			text = f.input(c)
		}
	}
	return text, text != ""
}

// substituted returns what the commands of the substitutions in a command print.
func (f *files) substituted(c Command) (text string) {
	for _, inside := range c.Substitutions[:min(len(c.Substitutions), 8)] {
		printed, _ := f.printedBy(inside)
		text += printed
	}
	return text
}

// withInput returns the commands with the words that xargs reads, if the line has them.
func (f *files) withInput(c Command, all []launch) []launch {
	if len(all) == 0 || !all[0].more {
		return all
	}
	const most = 100
	if words := strings.Fields(f.input(c)); len(words) > 0 && len(words) <= most {
		more := all[0]
		more.words = slices.Clip(more.words)
		for _, w := range words {
			more.words = append(more.words, Word{Text: w, Source: quoted(w)})
		}
		all = append(all, more)
	}
	return all
}

// scripts returns the texts that a command runs because the line has written them to its files.
func (r *Unwrapped) scripts(c Command, name string) (all []launch) {
	isShell := isPosixShell(name) || name == "source" || name == "."
	if isShell && len(c.Words) > 1 && strings.HasPrefix(c.Words[1].Source, "<(") {
		all = append(all, launch{line: r.substituted(c), by: name})
	}
	if len(r.written) == 0 {
		return all
	}
	run := func(words []Word) {
		text := r.written[path.Base(words[0].Text)]
		first, _, _ := strings.Cut(text, "\n")
		if text != "" && !(strings.HasPrefix(first, "#!") && !strings.Contains(first, "sh")) {
			all = append(all, launch{line: text, by: name, parameters: words})
		}
	}
	switch {
	case isShell:
		for i := range c.Words[1:] {
			run(c.Words[i+1:])
		}
		if c.stdin == inFile {
			all = append(all, launch{line: r.input(c), by: name})
		}
	case strings.Contains(c.Words[0].Text, "/") && !c.Row.Is(programs.Runs|programs.Language):
		run(c.Words)
	}
	return all
}

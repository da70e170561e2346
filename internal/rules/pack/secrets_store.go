package pack

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// storedSecret finds a command that prints a secret of a store, if the output may be shown.
func storedSecret(c *Call) Found {
	s := search{Call: c, dir: c.Dir, files: 5000, expansions: 20, variables: 2000, listings: 20}
	for i := range c.Commands {
		if command := &c.Commands[i]; command.does(programs.Reveals) && !command.printsOther() && s.isTold(i) {
			return Found{Subject: command.String()}
		}
	}
	return Found{}
}

// printsOther reports whether the output has only other fields than the secret.
func (c *Command) printsOther() bool {
	return hasWord(c.Args, "--help", "-h") || slices.ContainsFunc(c.Args, func(w Word) bool {
		hasField := strings.Contains(w.Text, ".metadata") || strings.Contains(w.Text, ".type")
		return hasField && !strings.Contains(w.Text, ".data") && !w.Computed
	})
}

// isTold is isShown for a command whose output may also go into a word: of a command that prints its words, or into a
// variable that the line prints.
func (s *search) isTold(i int) bool {
	c := &s.Commands[i]
	if !s.isShown(i) {
		return false
	}
	readers, _ := s.readers(i)
	for _, r := range readers {
		text := strings.TrimSpace(shellline.JoinWords(r.Args))
		if r.Row.Name == "jq" && (strings.HasSuffix(text, "keys") || strings.HasSuffix(text, "keys[]") ||
			strings.HasSuffix(text, "length")) {
			return false
		}
	}
	if !c.Captured {
		return true
	}
	for j := range s.Commands {
		to := &s.Commands[j]
		isInside := slices.ContainsFunc(to.Substitutions, func(p shellline.Command) bool {
			return p.Text == c.Text || strings.HasSuffix(p.Text, " "+c.Text)
		})
		if isInside && (shellline.InList(says, to.Program) || to.Input != nil && to.showsInput()) && s.isShown(j) {
			return true
		}
		if shellline.InList(says, to.Program) && slices.ContainsFunc(to.Args, s.isCaptured) && s.isShown(j) {
			return true
		}
	}
	return false
}

// isCaptured reports whether a word has the value of a variable that the line sets to the output of a command.
func (s *search) isCaptured(w Word) bool {
	return w.Computed && slices.ContainsFunc(s.assigned, func(v shellline.Assignment) bool {
		output := strings.Contains(v.Value.Text, "$()") || strings.Contains(v.Value.Text, "``")
		return output && (strings.Contains(w.Text, "$"+v.Name) || strings.Contains(w.Text, "${"+v.Name))
	})
}

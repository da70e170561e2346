// Package pack has the ready rules that a hooks file takes by name: "packs": ["git", "secrets"]. A rule is a value:
// what it blocks, why, what to do instead, the function that decides, and examples that it blocks and lets through.
//
//	of, err := pack.Named("git")
//	…
//	call := pack.NewCall(input, true)
//	for _, rule := range of.At(of.Version) {
//		if found := rule.Decide(call); found.What != "" {
//			// block, with rule.Reason(of.ID(rule), found)
//		}
//	}
//
// Guarantees: a rule decides on what a shell would run, after quotes, wrappers and launchers, and not on the text of a
// line. It reads no file but where its comment says so, starts no process, and costs microseconds.
//
// Not guaranteed: that a rule sees what a program does by itself. What it cannot see stands in Blind.
package pack

import (
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/spelling"
)

// Pack is a list of rules with a name.
type Pack struct {
	Name    string
	About   string // in half a line
	Version int    // goes up if a rule blocks more than before
	Rules   []Rule
}

// Rule blocks calls of one kind.
type Rule struct {
	Name    string // within its pack, as in no-force-push
	Blocks  string // what it blocks, as a noun phrase
	Why     string // a sentence
	Instead string // a sentence, to the agent
	Blind   string // what it cannot see; "": nothing worth saying
	Since   int    // the version of the pack that first has it; 0 is 1

	// Find says what of a call the rule is about; the zero Found: nothing.
	Find func(*Call) Found
	// Doubt are words that stand in a line that the rule would block, one of each list, in lower case. If nobody can
	// tell what a line runs and all of them stand in it, the rule blocks it. nil: it never does so.
	Doubt [][]string

	Block, Pass func() []Example
}

// Found is what of a call a rule is about.
type Found struct {
	What  string // the command or the file, for the reason; "": nothing
	Doubt string // why nobody can tell for sure; "": it is sure
}

// Example is a call by which a rule is tried.
type Example struct {
	Tool string // the project's name; "" is shell
	Text string // a shell line, or the path of a file tool
}

// String returns the example as people read it: a shell line, or a tool and its path.
func (e Example) String() string {
	if e.Tool == "" {
		return e.Text
	}
	return e.Tool + " " + e.Text
}

// Lines returns examples of shell lines.
func Lines(lines ...string) (examples []Example) {
	for _, line := range lines {
		examples = append(examples, Example{Text: line})
	}
	return examples
}

// Paths returns examples of a file tool, such as fs_read.
func Paths(tool string, paths ...string) (examples []Example) {
	for _, path := range paths {
		examples = append(examples, Example{tool, path})
	}
	return examples
}

// All are the packs, in the order in which they are shown.
func All() []*Pack { return []*Pack{&git, &secrets, &files, &agents, &remote, &infra} }

// Names returns the names of all packs.
func Names() (names []string) {
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Named returns the pack with a name. The error says which packs there are.
func Named(name string) (*Pack, error) {
	for _, p := range All() {
		if p.Name == name {
			return p, nil
		}
	}
	all := Names()
	const text = "there is no pack %s; there are %s%s"
	return nil, fmt.Errorf(text, spelling.Quote(name), strings.Join(all, ", "), spelling.Suggest(name, all))
}

// Rule returns the rule with a name, nil if the pack has none.
func (p *Pack) Rule(name string) *Rule {
	for i := range p.Rules {
		if p.Rules[i].Name == name {
			return &p.Rules[i]
		}
	}
	return nil
}

// At returns the rules of a version of the pack.
func (p *Pack) At(version int) (rules []*Rule) {
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Since <= version {
			rules = append(rules, r)
		}
	}
	return rules
}

// ID is the name of a rule of the pack, as in git/no-force-push.
func (p *Pack) ID(r *Rule) string { return p.Name + "/" + r.Name }

// Decide returns what of a call the rule is about, out of doubt as well.
func (r *Rule) Decide(c *Call) Found {
	if found := r.Find(c); found.What != "" || len(r.Doubt) == 0 {
		return found
	}
	if c.Unseen && c.Shell {
		return Found{What: r.Blocks, Doubt: "its command cannot be read"}
	}
	for _, d := range c.doubts {
		if standIn(d.text, r.Doubt) {
			return Found{What: r.Blocks, Doubt: d.why}
		}
	}
	return Found{}
}

// Reason is what the agent reads of a call that the rule blocks. id is that of the rule.
func (r *Rule) Reason(id string, found Found) string {
	text := "This is " + r.Blocks
	if found.What != "" && found.What != r.Blocks {
		text += " (" + found.What + ")"
	}
	text += ". " + r.Instead
	if found.Doubt != "" {
		text += " hookrun cannot tell what this call does for sure: " + found.Doubt + "."
	}
	return text + " Rule: " + id
}

// standIn reports whether a word of each list stands in a text.
func standIn(text string, lists [][]string) bool {
	for _, list := range lists {
		stands := false
		for _, word := range list {
			stands = stands || strings.Contains(text, word)
		}
		if !stands {
			return false
		}
	}
	return true
}

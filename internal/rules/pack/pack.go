// Package pack has ready rules that a hooks file takes by name: "packs": ["git", "secrets"]. A rule is a value: the
// blocked calls, the reason, the alternative for the agent, the function that decides, and examples of blocked and
// passed calls.
//
//	of, err := pack.Named("git")
//	…
//	call := pack.NewCall(input, true)
//	for _, rule := range of.At(of.Version) {
//		if found := rule.Decide(call); found.Subject != "" {
//			// block, with rule.Reason(of.ID(rule), found)
//		}
//	}
//
// Guarantees: a rule decides on the commands that a shell would run, inside quotes, wrappers and launchers, and not on
// the text of a line. A rule reads no file unless a comment says so, starts no process, and costs microseconds.
//
// Limits: a rule does not see the internal work of a program. Rule.Limits names further calls that a rule cannot see.
package pack

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Pack is a list of rules with a name.
type Pack struct {
	Name    string
	Summary string // half a line
	Version int    // increases if a rule blocks more than before
	Rules   []Rule
}

// Rule blocks calls of one kind.
type Rule struct {
	Name   string // name within the pack, such as no-force-push
	Blocks string // the blocked calls, as a noun phrase
	Since  int    // the pack version that introduced the rule; 0 is 1
	Asks   bool   // the rule asks a person instead of blocking

	// Find returns the part of a call that the rule blocks, or the zero Found. If hookrun cannot tell what a text of
	// the call runs, Find is asked about the commands that the text may hold.
	Find func(*Call) Found
	// Doubt are lists of words in lower case. A text that hookrun cannot read may do what the rule blocks if the text
	// has a word of each list.
	Doubt [][]string
	// ReadsTexts: Find looks at the texts that hookrun cannot read itself.
	ReadsTexts bool
}

// Found is the part of a call that a rule blocks.
type Found struct {
	Subject string // the command or the file, for the reason; "" if the rule does not block
	Doubt   string // why hookrun is in doubt; "" if certain
	Act     string // what the call does, as a noun phrase, if Rule.Blocks does not say it rightly; or ""
	Instead string // a sentence to the agent that fits the call better than Rule.Instead; or ""
}

// Example is a call to test a rule with.
type Example struct {
	Tool string // the tool's name in projects; "" is shell
	Text string // a shell line, or the path of a file tool
}

// String returns the example as people read it: a shell line, or a tool and its path.
func (e Example) String() string {
	if e.Tool == "" {
		return e.Text
	}
	return e.Tool + " " + e.Text
}

//go:embed rules.txt
var rules string

// Why returns a sentence about the harm of the blocked calls.
func (r *Rule) Why() string { return r.text("why") }

// Instead returns a sentence to the agent.
func (r *Rule) Instead() string { return r.text("instead") }

// Limits returns the calls that the rule cannot see, or "" if they are not worth mentioning.
func (r *Rule) Limits() string { return r.text("limits") }

func (r *Rule) text(key string) string {
	for _, e := range r.examples(key) {
		return strings.ReplaceAll(e.Text, "\n", " ")
	}
	return ""
}

// Block returns examples of calls that the rule blocks or asks about.
func (r *Rule) Block() []Example { return r.examples("!") }

// Wider returns examples of calls that the rule blocks since a version of the pack. Earlier versions of the rule let
// such calls through.
func (r *Rule) Wider(version int) []Example { return r.examples(strconv.Itoa(version) + "!") }

// Pass returns examples of calls that the rule lets through.
func (r *Rule) Pass() []Example { return r.examples("=") }

// examples returns the lines of the rule that begin with a mark. A version may stand before the mark !.
func (r *Rule) examples(mark string) (found []Example) {
	_, section, _ := strings.Cut(rules, "\n# "+r.Name+"\n")
	section, _, _ = strings.Cut(section, "\n\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(section, "\n\t", "\x00"), "\n") {
		if mark == "!" {
			line = strings.TrimLeft(line, "0123456789")
		}
		if call, is := strings.CutPrefix(line, mark); is {
			tool, text, _ := strings.Cut(call, " ")
			found = append(found, Example{tool, strings.ReplaceAll(text, "\x00", "\n")})
		}
	}
	return found
}

// All returns the packs in display order.
func All() []*Pack { return []*Pack{&git, &secrets, &files, &agents, &remote, &infra} }

// Names returns the names of all packs.
func Names() (names []string) {
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// Named returns the pack with a name. The error lists the known packs.
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

// Rule returns the rule with a name, or nil.
func (p *Pack) Rule(name string) *Rule {
	for i := range p.Rules {
		if p.Rules[i].Name == name {
			return &p.Rules[i]
		}
	}
	return nil
}

// At returns the rules in a version of the pack.
func (p *Pack) At(version int) (rules []*Rule) {
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Since <= version {
			rules = append(rules, r)
		}
	}
	return rules
}

// ID returns the full name of a rule of the pack, such as git/no-force-push.
func (p *Pack) ID(r *Rule) string { return p.Name + "/" + r.Name }

// Does returns the verb before Blocks: what the rule does about such calls.
func (r *Rule) Does() string {
	if r.Asks {
		return "asks about"
	}
	return "blocks"
}

// Decide returns the part of a call that the rule blocks, perhaps in doubt. A line that is too long to be read is a
// doubt of each rule.
func (r *Rule) Decide(c *Call) Found {
	found := r.Find(c)
	if found.Subject != "" {
		return found
	}
	if c.Unreadable && c.Shell {
		return Found{Subject: r.Blocks, Doubt: cmp.Or(c.facts.Unread, cannotRead+"its arguments are no object of JSON"),
			Instead: "Give the shell line as a text, or as a list of words, under the key `command`."}
	}
	for i := range c.doubts {
		d := &c.doubts[i]
		if d.unread {
			return Found{Subject: r.Blocks, Doubt: d.why}
		}
		if r.ReadsTexts {
			continue
		}
		if found = r.Find(d.maybe(c)); found.Subject != "" {
			found.Doubt = cmp.Or(found.Doubt, d.why)
			return found
		}
		if len(r.Doubt) > 0 && wordsAppear(d.text, r.Doubt) {
			return Found{Subject: r.Blocks, Doubt: d.why}
		}
	}
	return Found{}
}

// Reason returns the text for the agent if the rule blocks a call. id is the rule's ID.
func (r *Rule) Reason(id string, found Found) string {
	return r.Says(found) + ". " + cmp.Or(found.Instead, r.Instead()) + " Rule: " + id
}

// Says returns what the rule has found, and for a doubt the ground, as a sentence without a point. Secrets are masked.
func (r *Rule) Says(found Found) string {
	text, doubt := "This is ", ""
	switch {
	case strings.HasPrefix(found.Doubt, cannotRead):
		return secret.MaskMessage(found.Doubt)
	case found.Doubt == "":
	case found.Subject == r.Blocks:
		text, doubt = "hookrun cannot tell whether this is ", ": "+secret.MaskMessage(found.Doubt)
	default:
		text, doubt = "This may be ", ": "+secret.MaskMessage(found.Doubt)
	}
	text += cmp.Or(found.Act, r.Blocks)
	if found.Subject != "" && found.Subject != r.Blocks {
		text += " (" + secret.Mask(found.Subject) + ")"
	}
	return text + doubt
}

// cannotRead begins the doubt about a call without a readable command or path.
const cannotRead = "hookrun cannot read "

// wordsAppear reports whether a word of each list appears in a text.
func wordsAppear(text string, lists [][]string) bool {
	return !slices.ContainsFunc(lists, func(list []string) bool {
		return !slices.ContainsFunc(list, func(word string) bool { return strings.Contains(text, word) })
	})
}

package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/rules"
	"github.com/hookrun/hookrun/internal/rules/programs"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// Reading is what the rules have read of a call's shell lines, for a person. Secrets are masked.
type Reading struct {
	Lines []ReadLine `json:"lines,omitempty"`
	// Unread says why the command of the call cannot be read.
	Unread string `json:"unread,omitempty"`
}

// ReadLine is one shell line.
type ReadLine struct {
	Line     string        `json:"line"`
	Commands []ReadCommand `json:"commands"`
	Unread   []string      `json:"unread,omitempty"` // names the parts that are not read
}

// ReadCommand is one command that the line runs, in words of the table of programs.
type ReadCommand struct {
	Command  string   `json:"command"`            // the words, each quoted if necessary
	Computed []string `json:"computed,omitempty"` // the words that only the shell knows
	Behind   string   `json:"behind,omitempty"`   // the program that runs the command
	Does     string   `json:"does"`
	Reads    []string `json:"reads,omitempty"` // files of redirections
	Writes   []string `json:"writes,omitempty"`
}

// read returns how the rules of a project read the shell lines of a call.
func read(c hook.ToolCall) (r Reading) {
	facts := rules.Inspect(c)
	for i, line := range facts.Lines {
		if len(line.Commands)+len(line.Hints) > 0 || line.Opaque.Why != "" {
			r.Lines = append(r.Lines, readLine(facts.Texts[i], line))
		}
	}
	if c.Shell || len(facts.Lines) > 0 {
		r.Unread = secret.MaskMessage(facts.Unread)
	}
	return r
}

func readLine(text string, line *shellline.Unwrapped) ReadLine {
	r := ReadLine{Line: secret.Mask(text), Commands: []ReadCommand{}}
	order := runOrder{seen: make([]bool, len(line.Commands))}
	order.add(line.Flow)
	for i, c := range line.Commands {
		if !order.seen[i] && len(c.Words) > 0 {
			order.all = append(order.all, i)
		}
	}
	for _, i := range order.all {
		r.Commands = append(r.Commands, readCommand(line.Commands[i]))
	}
	if line.Opaque.Why != "" {
		r.Unread = append(r.Unread, secret.MaskMessage(line.Opaque.Why))
	}
	for _, h := range line.Hints {
		if !h.Weak && !slices.Contains(r.Unread, h.Name) {
			r.Unread = append(r.Unread, h.Name)
		}
	}
	return r
}

// runOrder lists the commands of a line, each behind the command that runs it.
type runOrder struct {
	all  []int
	seen []bool
}

func (o *runOrder) add(step *shellline.Step) {
	if step == nil {
		return
	}
	if i := step.Command; step.Kind == shellline.Single && i < len(o.seen) && !o.seen[i] {
		o.all, o.seen[i] = append(o.all, i), true
	}
	for _, part := range step.Parts {
		o.add(part)
	}
}

func readCommand(c shellline.Command) ReadCommand {
	r := ReadCommand{Behind: c.Wrapper}
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		if words[i] = w.Text; w.Computed {
			if strings.ContainsAny(w.Text, " \t\n") {
				words[i] = `"` + w.Text + `"`
			}
			r.Computed = append(r.Computed, secret.Mask(words[i]))
		} else {
			words[i] = quoted(w.Text)
		}
	}
	if c.MoreArgs {
		r.Computed = append(r.Computed, "more words")
	}
	r.Command = secret.Mask(strings.Join(words, " "))
	switch name := shellline.ProgramName(c.Words[0].Text); {
	case c.Words[0].Computed:
		r.Does = "only the shell knows the program"
	case shellline.IsShellOf(c.Row, name):
		r.Does = "runs a command"
	case c.Row.Name != "":
		r.Does = cmp.Or(effectsOf(c.Row.Facts(c.Words[1:])), "known")
	case shellline.IsBuiltin(name):
		r.Does = "known"
	default:
		r.Does = "unknown"
	}
	for _, f := range c.Files {
		if file := secret.Mask(f.File.Text); f.Writes || f.Both {
			r.Writes = append(r.Writes, file)
		} else {
			r.Reads = append(r.Reads, file)
		}
	}
	return r
}

// quoted returns a word as in a line.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`;&|<>(){}*?[]#~!") {
		return word
	}
	return shellword.POSIX(word)
}

// String returns a short table: a row for each command in the order of the line, and behind it what hookrun knows.
func (r Reading) String() string {
	var b strings.Builder
	const width = 44
	for _, line := range r.Lines {
		fmt.Fprintf(&b, "line: %s\n", oneLine(line.Line))
		const most = 100 // rows
		for i, c := range line.Commands {
			if i == most {
				fmt.Fprintf(&b, "  … and %d more\n", len(line.Commands)-most)
				break
			}
			notes := []string{c.Does}
			add := func(text string, words ...string) {
				if len(words) > 0 && words[0] != "" {
					notes = append(notes, text+strings.Join(words, " "))
				}
			}
			add("< ", c.Reads...)
			add("> ", c.Writes...)
			add("behind ", c.Behind)
			add("computed: ", c.Computed...)
			fmt.Fprintf(&b, "  %2d. %-*s  %s\n", i+1, width, oneLine(c.Command), oneLine(strings.Join(notes, "; ")))
		}
		for _, part := range line.Unread {
			fmt.Fprintf(&b, "  not read: %s\n", part)
		}
	}
	if r.Unread != "" {
		fmt.Fprintf(&b, "not read: %s\n", r.Unread)
	}
	return b.String()
}

// oneLine returns a text in one line of a terminal.
func oneLine(text string) string {
	const most = 120
	text = strings.ReplaceAll(text, "\n", "⏎")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// effects are the words for facts, as a person reads them.
var effects = [...]struct {
	facts programs.Fact
	text  string
}{
	{programs.Deletes, "deletes"},
	{programs.Writes | programs.Edits | programs.Makes | programs.Replaces | programs.InPlace | programs.Copies |
		programs.Moves | programs.Links | programs.Filters | programs.Unpacks, "changes"},
	{programs.Reads | programs.Checks | programs.Searches | programs.Script | programs.Edits | programs.Filters |
		programs.Copies, "reads"},
	{programs.Names, "names files"},
	{programs.Finds, "finds files"},
	{programs.MayShow, "may show contents"},
	{programs.MayWrite, "may change files"},
	{programs.Remote | programs.Uploads | programs.API, "uses the network"},
	{programs.Publishes, "publishes"},
	{programs.Formats | programs.Erases, "overwrites a device"},
	{programs.Cluster | programs.Infra | programs.Containers | programs.Cloud, "deletes what is not a file"},
	{programs.Database | programs.Drops, "changes a database"},
	{programs.Runs | programs.ForeignShell | programs.Shell, "runs a command"},
	{programs.Language, "runs a program text or a script"},
	{programs.MayRun, "may run a command"},
}

// effectsOf returns the words for facts: "reads", "changes, deletes".
func effectsOf(facts programs.Fact) string {
	var texts []string
	for i := range effects {
		if facts&effects[i].facts != 0 {
			texts = append(texts, effects[i].text)
		}
	}
	return strings.Join(texts, ", ")
}

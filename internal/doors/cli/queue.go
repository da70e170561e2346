package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

var showQueue = command{
	name:    "queue",
	args:    "[--session ID] [FLAGS]",
	summary: "show what waits in a session's queue, and what became of the rest",
	about: `Prints what waits in a session's queue, in order, and takes nothing out. Without --session it lists
the sessions: how many texts wait, when the queue was last used, and how many texts each agent has read.

--history also prints what became of texts that are gone: delivered, when and with which call;
drained, deferred, expired or popped. Its last line says how many texts each agent has read.
--pop-latest takes back the text that was queued last, and prints it. --clear drops
everything: also texts for every agent, which would wait for agents to come, and the history.`,
	example: "  hookrun queue\n  hookrun queue --session s1\n  hookrun queue --session s1 --history -o json",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var session, output string
		q := defineQueue(flags, &session)
		history := flags.Bool("history", false, "print what became of every text, as far as that goes back")
		pop := flags.Bool("pop-latest", false, "take the text that was queued last back, and print it")
		clear := flags.Bool("clear", false, "drop everything that waits, and the history")
		defineOutput(flags, &output, "text", "json")
		return func(args []string, std Streams) (int, error) {
			list := !flags.Changed("session") && !*history && !*pop && !*clear
			if err := checkDrain(flags, args); err != nil && !(list && err == errNoSession) {
				return 0, err
			}
			if err := oneOf(flags, "history", "pop-latest", "clear"); err != nil {
				return 0, err
			}
			ctx := context.Background()
			switch {
			case list:
				return exitOK, listSessions(ctx, q, output, std)
			case *clear:
				n, failed := q.Clear(ctx, session)
				return exitOK, errors.Join(write(std, fmt.Sprintf("%d dropped\n", n)), failed)
			case *pop:
				claim, failed := q.TakeBackLatest(ctx, session)
				return exitOK, printClaim(ctx, claim, output, std, failed)
			case *history:
				return exitOK, printHistory(ctx, q, session, output, std)
			}
			entries, failed := q.Waiting(ctx, session) // both can be set: the error is about other entries
			show := func() error { return write(std, waitingText(entries)) }
			if output == "json" {
				records, err := q.History(ctx, session)
				if failed == nil { // if set, most likely the same error
					failed = err
				}
				show = func() error { return writeQueue(std, entries, records) }
			}
			return exitOK, errors.Join(show(), failed)
		}
	},
}

// oneOf returns an error if more than one of the flags is given.
func oneOf(flags *pflag.FlagSet, names ...string) error {
	first := ""
	for _, name := range names {
		switch {
		case !flags.Changed(name):
		case first != "":
			return fmt.Errorf("--%s and --%s are two commands; give one of the two", first, name)
		default:
			first = name
		}
	}
	return nil
}

// printHistory prints the history of a session's texts.
func printHistory(ctx context.Context, q *queue.Queue, session, output string, std Streams) error {
	records, failed := q.History(ctx, session) // both can be set: the error is about other entries
	if output == "json" {
		return errors.Join(writeQueue(std, records, records), failed)
	}
	var b strings.Builder
	for _, r := range records {
		to := "every agent"
		if r.Agents != nil {
			to = strings.Join(r.Agents, ", ")
		}
		from := ""
		if r.Source != "" {
			from = " from " + r.Source
		}
		line := fmt.Sprintf("%s to %s%s, %d bytes, %s: %s", r.ID, to, from, r.Bytes, r.Status, firstLine(r.Content))
		b.WriteString(terminal.Visible(line) + "\n")
		for _, e := range r.Events {
			b.WriteString(terminal.Visible("  "+eventText(e)) + "\n")
		}
	}
	if readers := readersText("read by ", readersOf(records)); readers != "" {
		b.WriteString(terminal.Visible(readers) + "\n")
	}
	return errors.Join(write(std, b.String()), failed)
}

func eventText(e queue.Event) string {
	text := e.At.Local().Format(time.DateTime) + " " + string(e.Status)
	if e.Agent != nil {
		text += " to " + agentText(*e.Agent)
	}
	if e.Tool != "" {
		text += " after " + e.Tool
	}
	if e.ToolUseID != "" {
		text += " (" + e.ToolUseID + ")"
	}
	return text
}

// firstLine returns the start of a text, in one line.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return spelling.Brief(strings.TrimRight(first, "\r"), 100)
}

// waitingText returns a line for each entry, with the start of the text.
func waitingText(entries []queue.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		to, about := "every agent", []string{}
		if e.Agents != nil {
			to = strings.Join(e.Agents, ", ")
		}
		if e.Source != "" {
			about = append(about, "from "+e.Source)
		}
		if e.Matcher != "" {
			about = append(about, "after "+e.Matcher)
		}
		if !e.Expires.IsZero() {
			about = append(about, "until "+e.Expires.Local().Format(time.DateTime))
		}
		about = append(about, e.Strategy, fmt.Sprintf("%d bytes", len(e.Content)))
		line := fmt.Sprintf("%s to %s (%s): %s", e.ID, to, strings.Join(about, ", "), firstLine(e.Content))
		b.WriteString(terminal.Visible(line) + "\n")
	}
	return b.String()
}

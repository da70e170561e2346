package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/queue"
)

var showQueue = command{
	name:    "queue",
	args:    "--session ID [FLAGS]",
	summary: "show what waits in a session's queue",
	about: "Prints what waits in a session's queue, in its order, and takes nothing out. --clear drops all of it, also texts for every\n" +
		"agent, which else wait for agents that are still to come.",
	example: "  hookrun queue --session s1",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var session, output string
		q := defineQueue(flags, &session)
		clear := flags.Bool("clear", false, "drop everything that waits")
		flags.StringVarP(&output, "output", "o", "text", "output `FORM`: text, json")
		return func(args []string, std Streams) (int, error) {
			if err := checkDrain(flags, args, output); err != nil {
				return 0, err
			}
			if *clear {
				n, failed := q.Clear(session)
				return exitOK, errors.Join(write(std, fmt.Sprintf("%d dropped\n", n)), failed)
			}
			entries, failed := q.Waiting(session) // both: the error is about other entries
			show := func() error { return write(std, waitingText(entries)) }
			if output == "json" {
				show = func() error { return printEntries(std, output, entries) }
			}
			return exitOK, errors.Join(show(), failed)
		}
	},
}

// waitingText is a line for each entry, and the beginning of its text.
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
		first, _, _ := strings.Cut(strings.TrimSpace(e.Content), "\n")
		first = strings.TrimRight(first, "\r")
		b.WriteString(visible(fmt.Sprintf("%s to %s (%s): %s", e.ID, to, strings.Join(about, ", "), spelling.Brief(first, 100))) + "\n")
	}
	return b.String()
}

// visible shows what steers a terminal as a mark: else an entry could write lines of its own, and hide others.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return utf8.RuneError
		}
		return r
	}, text)
}

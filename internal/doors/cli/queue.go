package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/texts/listing"
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
				sessions, failed := listing.Sessions(ctx, q) // the error is about other sessions, so both count
				all := struct {
					Version  int               `json:"version"`
					Sessions []listing.Session `json:"sessions"`
				}{1, sessions}
				return exitOK, errors.Join(writeAs(std, output, all, func() string {
					return listing.SessionsText(sessions)
				}), failed)
			case *clear:
				n, failed := q.Clear(ctx, session)
				return exitOK, errors.Join(write(std, fmt.Sprintf("%d dropped\n", n)), failed)
			case *pop:
				claim, failed := q.TakeBackLatest(ctx, session)
				return exitOK, printClaim(ctx, claim, output, std, failed)
			}
			if *history {
				records, failed := q.History(ctx, session) // both can be set: the error is about other entries
				text := func() string { return listing.History(records) }
				return exitOK, errors.Join(writeAs(std, output, ofSession(records, records), text), failed)
			}
			entries, failed := q.Waiting(ctx, session) // here, too
			if output != "json" {
				return exitOK, errors.Join(write(std, listing.Waiting(entries)), failed)
			}
			records, err := q.History(ctx, session)
			if failed == nil { // if set, most likely the same error
				failed = err
			}
			return exitOK, errors.Join(writeJSON(std, ofSession(entries, records)), failed)
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

// ofSession returns the entries or records of a session for JSON, with the agents that have read them.
func ofSession[T any](entries []T, records []queue.Record) any {
	return struct {
		Version int              `json:"version"`
		Entries []T              `json:"entries"`
		Readers []listing.Reader `json:"readers,omitempty"`
	}{1, append([]T{}, entries...), listing.Readers(records)}
}

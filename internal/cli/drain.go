package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/massgenipc"
	"github.com/hookrun/hookrun/queue"
	"github.com/hookrun/hookrun/runner"
)

var drain = command{
	name:    "drain",
	args:    "--session ID [--agent ID] [FLAGS]",
	summary: "take out what was never delivered, at the end of a turn",
	about: "Prints what waits in a session's queue and takes it out, whatever tool it is for: for the end of a turn, or for agents\n" +
		"without hooks. With --agent it is what this agent has not been given. Without, it is what nobody has been given; a text\n" +
		"for every agent that one of them has read stays for the others.",
	example: "  hookrun drain --session s1 --agent builder",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var session, agent, output string
		q := defineQueue(flags, &session)
		flags.StringVar(&agent, "agent", "", "`ID` of the agent that asks (default none: what nobody was given)")
		flags.StringVarP(&output, "output", "o", "text", "output `FORM`: text, json")
		ipc := defineIPC(flags)
		return func(args []string, std Streams) (int, error) {
			if err := checkDrain(flags, args, output); err != nil {
				return 0, err
			}
			if *ipc != "" {
				return exitOK, drainIPC(std, *ipc)
			}
			take := func() (*queue.Claim, error) { return q.Drain(session, agent) }
			if agent == "" {
				take = func() (*queue.Claim, error) { return q.DrainAll(session) }
			}
			claim, failed := take() // a claim and an error: that is about other entries
			defer claim.Release()
			var entries, expired []queue.Entry
			if claim != nil {
				entries, expired = claim.Entries, claim.Expired
			}
			if err := printEntries(std, output, entries); err != nil {
				return 0, errors.Join(err, failed)
			}
			if err := claim.Done(); err != nil {
				return 0, errors.Join(err, failed)
			}
			for _, e := range expired {
				fmt.Fprintln(std.Err, "hookrun: warning:", runner.Expired(e))
			}
			return exitOK, failed
		}
	},
}

// drainIPC takes the text that no reader of MassGen's took, and clears its folder for the next turn.
func drainIPC(std Streams, dir string) error {
	text, found, err := massgenipc.Unconsumed(dir)
	if err != nil {
		return err
	}
	if found {
		text += "\n"
	}
	return errors.Join(write(std, text), massgenipc.Clear(dir))
}

func checkDrain(flags *pflag.FlagSet, args []string, output string) error {
	if err := noArgs(args); err != nil {
		return err
	}
	if err := noEmpty(flags); err != nil {
		return err
	}
	if output != "text" && output != "json" {
		return fmt.Errorf("--output %q is not one of text, json", output)
	}
	return nil
}

// printEntries prints texts joined by a blank line, or all that is known of them.
func printEntries(std Streams, output string, entries []queue.Entry) error {
	if output == "json" {
		return writeJSON(std, struct {
			Version int           `json:"version"`
			Entries []queue.Entry `json:"entries"`
		}{1, append([]queue.Entry{}, entries...)})
	}
	var texts []string
	for _, e := range entries {
		texts = append(texts, e.Content)
	}
	if len(texts) == 0 {
		return nil
	}
	return write(std, strings.Join(texts, "\n\n")+"\n")
}

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
		if runes := []rune(first); len(runes) > 100 {
			first = string(runes[:100]) + "…"
		}
		b.WriteString(visible(fmt.Sprintf("%s to %s (%s): %s", e.ID, to, strings.Join(slices.Clip(about), ", "), first)) + "\n")
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

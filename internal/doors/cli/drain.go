package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/texts/ipc"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/internal/texts/queued"
)

var drain = command{
	name:    "drain",
	args:    "--session ID [--agent ID] [FLAGS]",
	summary: "take out what was never delivered, at the end of a turn",
	about: `Prints what waits in a session's queue and takes it out, whatever tool it is for. Use it at the end of
a turn, or for agents without hooks.

With --agent it takes what this agent was not given yet. Without --agent it takes what no agent was
given; a text for every agent is kept for the others if one of them has read it.`,
	example: "  hookrun drain --session s1 --agent builder",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var session, agent, output string
		q := defineQueue(flags, &session)
		flags.StringVar(&agent, "agent", "", "`ID` of the agent that gets them (default none: what nobody was given)")
		defineOutput(flags, &output, "text", "json")
		var suppress bool
		const usage = "you hand the texts on by other means: the history has them as deferred, not as drained"
		flags.BoolVar(&suppress, "suppress", false, usage)
		var folder string
		defineIPC(flags, &folder)
		return func(args []string, std Streams) (int, error) {
			if err := checkDrain(flags, args); err != nil {
				return 0, err
			}
			if folder != "" {
				return exitOK, drainIPC(std, folder)
			}
			ctx := context.Background()
			take := func() (*queue.Claim, error) { return q.Drain(ctx, session, agent) }
			if agent == "" {
				take = func() (*queue.Claim, error) { return q.DrainAll(ctx, session) }
			}
			claim, failed := take() // both can be set: the error is about other entries
			if claim != nil {
				claim.Deferred = suppress
			}
			return exitOK, printClaim(ctx, claim, output, std, failed)
		}
	},
}

// printClaim prints the entries of a claim, and ends the claim. failed is about other entries.
func printClaim(ctx context.Context, claim *queue.Claim, output string, std Streams, failed error) error {
	defer claim.Release(ctx)
	var entries, expired []queue.Entry
	if claim != nil {
		entries, expired = claim.Entries, claim.Expired
	}
	texts := func() string {
		var b strings.Builder
		for i, e := range entries {
			b.WriteString(e.Content + "\n")
			if i < len(entries)-1 {
				b.WriteString("\n")
			}
		}
		return b.String()
	}
	if err := writeAs(std, output, ofSession(entries, nil), texts); err != nil {
		return errors.Join(err, failed)
	}
	if err := claim.Done(ctx); err != nil {
		return errors.Join(err, failed)
	}
	for _, e := range expired {
		fmt.Fprintln(std.Err, "hookrun: warning:", queued.Expired(e))
	}
	return failed
}

// drainIPC takes the text that no reader of MassGen took, and clears the folder for the next turn.
func drainIPC(std Streams, dir string) error {
	text, found, err := ipc.Unconsumed(dir)
	if err != nil {
		return err
	}
	if found {
		text += "\n"
	}
	return errors.Join(write(std, text), ipc.Clear(dir))
}

func checkDrain(flags *pflag.FlagSet, args []string) error {
	if err := noArgs(args); err != nil {
		return err
	}
	if err := checkOutput(flags); err != nil {
		return err
	}
	return noEmpty(flags)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/glob/lint"
	"github.com/hookrun/hookrun/internal/texts/ipc"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

var inject = command{
	name:    "inject",
	args:    "--session ID [--agent ID]… [FLAGS] TEXT|@FILE|-",
	summary: "put a text into a session's queue, for an agent to read after its next tool call",
	about: `Puts one text into the queue of a session. post-tool, serve and mcp give it to the agent with the next
result of a tool. Each agent gets it once: those that --agent names, or every agent of the session.

It prints the entry's id. By then the entry is on disk, and neither a crash nor a loss of power loses
it. Give a text that starts with - after --, or on stdin.`,
	example: "  hookrun inject --session s1 --source human 'Use the staging database.'\n" +
		"  ./report.sh | hookrun inject --session s1 --agent builder --matcher 'shell|fs_*' --ttl 10m -",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var e queue.Entry
		q := defineQueue(flags, &e.Session)
		const (
			agent    = "`ID` of an agent that gets it, repeatable (default every agent of the session)"
			strategy = "where it goes: {WORDS}, after the result or in a message of its own"
			matcher  = "`GLOBS` with | between them: the tools after which it is given (default every tool)"
		)
		flags.Var((*list)(&e.Agents), "agent", agent)
		defineWord(flags, &e.Strategy, "strategy", "tool_result", strategy,
			dialect.ToolResult, dialect.UserMessage)
		flags.StringVar(&e.Matcher, "matcher", "", matcher)
		ttl := flags.String("ttl", "", "`DURATION` after which nobody gets it any more, as 30s or 30 (default never)")
		flags.StringVar(&e.Source, "source", "", "`NAME` of the sender")
		var folder string
		defineIPC(flags, &folder)
		return func(args []string, std Streams) (int, error) {
			if err := noEmpty(flags, "matcher", "ttl"); err != nil {
				return 0, err
			}
			if len(args) != 1 {
				return 0, errors.New("give one text: TEXT, @FILE, or - for stdin")
			}
			if *ttl != "" {
				d, err := hookfile.ParseTimeout(*ttl)
				if err != nil {
					return 0, fmt.Errorf("--ttl %w", err)
				}
				e.Expires = time.Now().Add(d)
			}
			odd, err := lint.Check(e.Matcher, clients.All().KnownTools())
			if err != nil {
				return 0, fmt.Errorf("--matcher: %w", err)
			}
			for _, f := range odd {
				if f.Kind != lint.Unknown {
					fmt.Fprintln(std.Err, "hookrun: warning: --matcher:", f.Text)
				}
			}
			if e.Content, err = value("the text", args[0], &stdinReader{Streams: std}); err != nil {
				return 0, err
			}
			if folder != "" {
				warnings, err := writeIPC(folder, e)
				for _, w := range warnings {
					fmt.Fprintln(std.Err, "hookrun: warning:", w)
				}
				return exitOK, err
			}
			put, err := q.Put(context.Background(), e)
			if err != nil {
				return 0, err
			}
			return exitOK, write(std, put.ID+"\n")
		}
	},
}

// writeIPC writes a text for MassGen's readers.
func writeIPC(dir string, e queue.Entry) (warnings []string, err error) {
	if strings.TrimSpace(e.Content) == "" {
		return nil, errors.New("the text is blank")
	}
	ttl := ipc.DefaultTTL
	if !e.Expires.IsZero() {
		ttl = time.Until(e.Expires)
	}
	w := ipc.Writer{Dir: dir, Memory: ipcMemory()}
	return w.Write(e.Content, e.Matcher, ttl)
}

// ipcMemory returns the memory for the numbers of MassGen's folders, beside the queues.
func ipcMemory() ipc.Memory {
	dir, err := queue.DefaultDir()
	if err != nil { // without the folder, no memory
		return ipc.Memory{}
	}
	return ipc.Memory{Dir: dir}
}

// defineQueue adds the flags that select a queue.
func defineQueue(flags *pflag.FlagSet, session *string) *queue.Queue {
	q := &queue.Queue{}
	flags.StringVar(session, "session", "", "`ID` of the conversation; post-tool has it as --session-id")
	defineState(flags, &q.Dir)
	return q
}

func defineState(flags *pflag.FlagSet, dir *string) {
	const usage = "`DIR` with the queues (default $HOOKRUN_STATE, else the user's folder for state)"
	flags.StringVar(dir, "state", "", usage)
}

// noEmpty returns an error for an empty flag, mostly an unset variable of the caller. An entry without a session or
// agent would reach every agent.
//
// MassGen's folder has no sessions, so only the flags in withIPC are allowed with it.
func noEmpty(flags *pflag.FlagSet, withIPC ...string) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		l, isList := f.Value.(*list)
		if err == nil && (f.Value.String() == "" || isList && slices.Contains(*l, "")) {
			err = fmt.Errorf("--%s is empty; leave it out for the default", f.Name)
		}
	})
	if own := flags.Lookup("massgen-ipc"); err == nil && own != nil && own.Changed {
		flags.Visit(func(f *pflag.Flag) {
			if err == nil && f.Name != own.Name && !slices.Contains(withIPC, f.Name) {
				err = fmt.Errorf("--%s means nothing with --massgen-ipc; give one of the two", f.Name)
			}
		})
		return err
	}
	if session := flags.Lookup("session"); err == nil && strings.TrimSpace(session.Value.String()) == "" {
		err = errNoSession
	}
	return err
}

var errNoSession = errors.New("--session is missing; give the ID of the conversation, " +
	"as post-tool has it in --session-id")

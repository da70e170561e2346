// Command hookrun-nats takes texts for an agent from a NATS server, and puts them into the queue of this machine. The
// agent gets them with the results of its tools, as from hookrun inject.
//
//	hookrun-nats --agent planner --server tls://nats.example.com --creds planner.creds
//
// Guarantees:
//
//  1. A text is acknowledged when it is in the queue and on disk. The texts of an agent are queued in the order of the
//     server, each of them once, even if the server and the bridge are killed.
//  2. A message with the Nats-Msg-Id of one of the agent's last 10,000 texts is not queued again.
//  3. An invalid message is taken off the server and reported, and no part of the message is queued.
//  4. The end of each text is reported once, or twice after a kill, if the history of the queue has it.
//
// Not guaranteed: that the sender of a text may give the model orders. The permissions of the server decide who can
// publish on the subject of an agent.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "hookrun-nats:", err)
		os.Exit(1)
	}
}

const usage = `Takes texts for an agent from NATS JetStream and puts them into hookrun's queue on this machine.

  hookrun-nats --agent NAME [flags]

It consumes hookrun.queue.NAME and reports what became of each text on hookrun.delivered.NAME. It runs until SIGTERM.
$NATS_URL names the server, and may contain a user, a password or a token.

`

// options are the flags.
type options struct {
	agent, session, state string
	everyAgent            bool

	server, creds, ca, cert, key string
	plain                        bool
}

// validName matches the names of agents that can be part of a subject and of a consumer's name.
var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (o *options) parse(args []string, stdout io.Writer) error {
	flags := pflag.NewFlagSet("hookrun-nats", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {
		fmt.Fprint(stdout, usage, flags.FlagUsages())
	}
	flags.StringVar(&o.agent, "agent", "", "the agent: the last word of its subjects, and its --agent-id in the queue")
	flags.StringVar(&o.session, "session", "", "the session of texts without the header Hookrun-Session")
	flags.BoolVar(&o.everyAgent, "every-agent", false, "give the texts to every agent of the session, with any name")
	flags.StringVar(&o.state, "state", "", "the folder of hookrun's state (default as of hookrun)")
	flags.StringVar(&o.server, "server", "", "URLs of the server, separated by commas (default $NATS_URL)")
	flags.StringVar(&o.creds, "creds", "", "a file with the credentials of a user")
	flags.StringVar(&o.ca, "ca", "", "a file with the certificates that vouch for the server; it makes TLS a must")
	flags.StringVar(&o.cert, "cert", "", "a file with this client's certificate")
	flags.StringVar(&o.key, "key", "", "a file with the key of that certificate")
	flags.BoolVar(&o.plain, "plain", false, "allow a server on another machine without TLS")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("there is no argument %q: all is said by flags", flags.Arg(0))
	case o.agent == "":
		return errors.New("--agent is missing: name the agent whose texts to take")
	case !validName.MatchString(o.agent):
		return fmt.Errorf("--agent %q is not made of 1 to 64 letters, digits, _ and -: rename the agent", o.agent)
	case (o.cert == "") != (o.key == ""):
		return errors.New("--cert and --key go together: give both")
	}
	return nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	if err := o.parse(args, stdout); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil
		}
		return err
	}
	if o.state == "" {
		dir, err := queue.DefaultDir()
		if err != nil {
			return err
		}
		o.state = dir
	}
	journal, err := openJournal(ctx, o.state, o.agent)
	if err != nil {
		return err
	}
	defer journal.close()
	b := &bridge{options: o, journal: journal, stderr: stderr}
	if b.conn, err = b.connect(os.Getenv("NATS_URL")); err != nil {
		return err
	}
	defer b.conn.Close()
	return b.run(ctx)
}

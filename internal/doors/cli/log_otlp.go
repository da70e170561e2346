package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/net/otlp"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// fromEnvironment is the value of --otlp without an address.
const fromEnvironment = "$OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"

// otlpFlags are the flags of log that send the log to a collector.
type otlpFlags struct {
	flags      *pflag.FlagSet
	address    string
	args, once bool
}

func (o *otlpFlags) define(flags *pflag.FlagSet) {
	o.flags = flags
	flags.StringVar(&o.address, "otlp", "", "send each call to a collector at `URL`, and follow the log")
	flags.Lookup("otlp").NoOptDefVal = fromEnvironment
	flags.BoolVar(&o.args, "otlp-args", false, "send arguments, results and prompts, too")
	flags.BoolVar(&o.once, "once", false, "with --otlp: stop at the end of the log")
}

// takeAddress moves the address from the arguments to --otlp. The flag's value is optional, so the word behind the flag
// is an argument.
func (o *otlpFlags) takeAddress(args []string) []string {
	isAddress := func(arg string) bool {
		return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
	}
	if at := slices.IndexFunc(args, isAddress); at >= 0 && o.address == fromEnvironment {
		o.address = args[at]
		return slices.Delete(slices.Clone(args), at, at+1)
	}
	return args
}

// check returns an error for flags that exclude each other.
func (o *otlpFlags) check() error {
	if !o.flags.Changed("otlp") {
		if o.args || o.once {
			return errors.New("--otlp-args and --once are for a log that is sent; they need --otlp")
		}
		return nil
	}
	for _, name := range []string{"since", "session", "events", "would-block", "html", "output"} {
		if o.flags.Changed(name) {
			return fmt.Errorf("--otlp sends the whole log; leave out --%s", name)
		}
	}
	if o.address == "" {
		return errors.New("--otlp is empty; give it the whole address, as http://localhost:4318/v1/logs")
	}
	if o.once && o.flags.Changed("follow") {
		return errors.New("--once and --follow exclude each other; leave out one")
	}
	return nil
}

// send sends the log until a signal ends it. A request that is under way is finished first, so that it is not repeated.
func (o *otlpFlags) send(log string, std Streams) error {
	address := o.address
	if address == fromEnvironment {
		address = ""
	}
	settings, err := otlp.Read(address, installed(), os.Getenv)
	if err != nil {
		return err
	}
	folder, err := queue.DefaultDir()
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(os.Interrupt, syscall.SIGTERM)
	defer stop()
	total, err := otlp.Send(ctx, settings, otlp.Options{Log: log, Folder: folder, Args: o.args, Once: o.once,
		Say: func(text string) { fmt.Fprintln(std.Err, "hookrun log:", printable.Lines(text)) }})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file; calls write one if they are given --log %s", log, log)
	}
	if err != nil && total == (otlp.Total{}) {
		return err
	}
	return errors.Join(err, write(std, total.String()+"\n"))
}

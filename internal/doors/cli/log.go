package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/record/page"
	"github.com/hookrun/hookrun/internal/record/stats"
)

var showLog = command{
	name:    "log",
	args:    "[FILE] [FLAGS]",
	takes:   files,
	summary: "show the run log: which hooks ran, what they decided, how long they took",
	masks:   true,
	about: `Reads the run log FILE (default $HOOKRUN_LOG, else the one of --log default) and what was rotated
out of it, FILE.1 to FILE.3. It shows for each hook how often it matched, blocked, injected and failed,
and how long it took; hooks of the workspace that never fired; hooks that come near their timeout; and
the last calls that were blocked.

--events prints tool_call, tool_result and status events instead, each as a line of JSON: each call
that continued and each result once in a turn of its session, by their --tool-use-id. With --follow it
prints all events that the log has, and then each as it comes.

--would-block prints the calls that went on although a hook in the mode observe would have blocked
them, and its reason.

--otlp sends each call to an OpenTelemetry collector, as a log record in OTLP/HTTP JSON: from where the
last run ended, or else from the start of the log. Nothing is appended to URL. Without URL, the
variables OTEL_EXPORTER_OTLP_… say where; they also say the headers, the certificates and the rest.`,
	example: "  hookrun log run.log --since 2h\n  hookrun log run.log --follow\n  hookrun log --would-block\n" +
		"  hookrun log run.log --otlp http://localhost:4318/v1/logs",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var l logFlags
		l.files.defineFiles(flags)
		const since = "only calls since then: a `DURATION|TIME` as 2h, 7d, 2026-11-20 or RFC 3339"
		flags.StringVar(&l.since, "since", "", since)
		flags.StringVar(&l.filter.Session, "session", "", "only calls of this conversation, by its `ID`")
		const follow = "print the last 10 calls, and then each as it comes, until interrupted"
		flags.BoolVar(&l.follow, "follow", false, follow)
		flags.BoolVar(&l.events, "events", false, "print events as lines of JSON")
		const would = "print only calls that an observing hook would have blocked"
		flags.BoolVar(&l.filter.Would, "would-block", false, would)
		flags.StringVar(&l.html, "html", "", "write a page for a browser to `FILE`")
		l.otlp.define(flags)
		defineOutput(flags, &l.output, "text", "json")
		return func(args []string, std Streams) (int, error) {
			if err := errors.Join(l.finish(l.otlp.takeAddress(args)), l.otlp.check()); err != nil {
				return 0, err
			}
			if l.otlp.address != "" {
				return exitOK, l.otlp.send(l.path, std)
			}
			log, err := stats.Open(l.path)
			if errors.Is(err, fs.ErrNotExist) {
				return 0, fmt.Errorf("%s: no such file; calls write one if they are given --log %s", l.path, l.path)
			}
			if err != nil {
				return 0, err
			}
			defer log.Close()
			return exitOK, l.show(log, std)
		}
	},
}

// logFlags are the flags of log.
type logFlags struct {
	files  hooksFlags
	path   string
	since  string
	filter stats.Filter
	follow bool
	events bool
	html   string
	output string
	otlp   otlpFlags
}

// finish completes the flags, and returns an error for flags that exclude each other.
func (l *logFlags) finish(args []string) (err error) {
	changed := l.files.flags.Changed
	switch {
	case len(args) > 1:
		return fmt.Errorf("unexpected argument %q; give one FILE", args[1])
	case len(args) == 1 && args[0] == "":
		return errors.New("FILE is empty; leave it out for $HOOKRUN_LOG")
	case len(args) == 1:
		l.path = args[0]
	default:
		if l.path = os.Getenv(logVariable); l.path == "" {
			l.path = defaultLog
		}
	}
	named := l.path != defaultLog
	if l.path, err = logPath(l.path); err != nil {
		return err
	}
	if _, err := os.Lstat(l.path); !named && errors.Is(err, fs.ErrNotExist) {
		const text = "no FILE, $%s is not set, and there is no %s; name the log, as in hookrun log run.log, or keep " +
			"one by hookrun install CLIENT --log default"
		return fmt.Errorf(text, logVariable, l.path)
	}
	if err := noneEmpty(l.files.flags, "session", "html"); err != nil {
		return err
	}
	if err := checkOutput(l.files.flags); err != nil {
		return err
	}
	switch {
	case l.filter.Would && (l.html != "" || l.events):
		return errors.New("--would-block prints calls; leave out --html and --events")
	case l.html != "" && (l.follow || l.events || changed("output")):
		return errors.New("--html writes the whole page and nothing else; leave out --follow, --events and --output")
	case changed("since"):
		if l.filter.Since, err = since(l.since, time.Now()); err != nil {
			return err
		}
	}
	if err := l.files.notEmpty(); err != nil {
		return err
	}
	return l.files.resolveWorkspace()
}

// since returns the time given by a duration or a time.
func since(words string, now time.Time) (time.Time, error) {
	days, rest, found := strings.Cut(words, "d")
	n, err := strconv.ParseUint(days, 10, 16)
	if !found || err != nil {
		n, rest = 0, words
	}
	if d, err := time.ParseDuration(cmp.Or(rest, "0")); err == nil && d >= 0 && words != "" {
		return now.AddDate(0, 0, -int(n)).Add(-d), nil
	}
	for _, form := range []string{
		time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05",
	} {
		if t, err := time.ParseInLocation(form, words, now.Location()); err == nil {
			return t, nil
		}
	}
	const text = "--since %q is neither a duration, as 2h or 7d, nor a time, as 2026-11-20 or 2026-11-20T14:43:17Z"
	return time.Time{}, fmt.Errorf(text, words)
}

// show prints the log in the selected form.
func (l *logFlags) show(log *stats.Log, std Streams) error {
	if l.follow || l.events || l.filter.Would {
		return l.lines(log, std)
	}
	s, err := log.Summary(l.filter)
	if err != nil {
		return err
	}
	if cfg, err := l.files.read(); err != nil { // the log can be shown without hooks files
		printError(std.Err, "log", err)
		const text = "the hooks files cannot be read, so hooks that never fired are not shown"
		fmt.Fprintln(std.Err, "hookrun log: warning:", text)
	} else {
		s.Expect(cfg)
	}
	if l.html != "" {
		return l.page(log, s, std)
	}
	return writeAs(std, l.output, s, func() string { return s.Text(terminal.Paint(isColoured(std.Out))) })
}

// lines prints calls or events one by one.
func (l *logFlags) lines(log *stats.Log, std Streams) error {
	printed := func(line []byte) error {
		c, ok := stats.ParseCall(line)
		if !ok || !l.filter.Admits(&c) {
			return nil
		}
		if l.output == "json" {
			return write(std, printable.JSON(string(line))+"\n")
		}
		text := c.Text(terminal.Paint(isColoured(std.Out)))
		for _, h := range c.Hooks {
			if l.filter.Would && h.WouldHold() {
				text += "      " + terminal.Ellipsize("hook "+spelling.Quote(h.Name)+" would "+h.Would, 112) + "\n"
			}
		}
		return write(std, text)
	}
	last := 10
	if l.events {
		last = -1 // all: new events can belong to turns that have begun
		events := stats.NewEvents(l.filter)
		printed = func(line []byte) error {
			text, err := events.Of(line)
			if err != nil {
				return err
			}
			return write(std, printable.JSON(string(text)))
		}
	}
	if !l.follow {
		return log.Lines(printed)
	}
	ctx, stop := untilSignal(os.Interrupt)
	defer stop()
	return log.Follow(ctx, l.filter, last, printed)
}

// page writes the page for a browser.
func (l *logFlags) page(log *stats.Log, s *stats.Summary, std Streams) error {
	summary, err := json.Marshal(s)
	if err != nil {
		return err
	}
	calls, err := log.Tail(l.filter, page.MaxCalls)
	if err != nil {
		return err
	}
	if err := page.WriteFile(l.html, page.Page{Summary: summary, Calls: calls}); err != nil {
		return fmt.Errorf("--html %s: %w", l.html, regular.UnwrapPath(err))
	}
	return write(std, l.html+"\n")
}

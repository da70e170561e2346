package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/record/fleet"
)

var showFleet = command{
	name:    "fleet",
	args:    "DIR|FILE|- [FLAGS]",
	takes:   files,
	summary: "fold the heartbeats of many machines into a table",
	masks:   true,
	about: `Reads the heartbeats in run logs of many machines: all files in DIR at any depth, FILE, or stdin (-).
The logs may be whole, or have nothing but heartbeats. The table has a line for each user of each
machine, with its last heartbeat, and why somebody should look at it: it is silent, has other hooks
than most, lacks a client, or its hooks do not run.

Hooks are compared by the managed hooks file if a machine has one, else by the project's hooks: then
give --project, since each project has its own.`,
	exits: []exitCode{{exitOK, "all is well"}, {exitFailed, failed}, {exitBlock, "somebody should look at something"}},
	example: "  hookrun fleet /srv/hookrun-logs --clients claude,codex\n" +
		"  cat */run.log | hookrun fleet - --silent 3 -o json",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		o := fleet.Options{Now: time.Now()}
		silent := flags.Int("silent", 7, "look at machines without a heartbeat for `DAYS`")
		const hash = "look at machines whose hooks have not this `HASH`, of hookrun status (default the hash of most)"
		flags.StringVar(&o.Hash, "hash", "", hash)
		flags.StringSliceVar(&o.Clients, "clients", nil, "`CLIENTS` that each machine must have, as claude,codex")
		const project = "only heartbeats from folders of this `NAME`, a glob"
		flags.StringVar(&o.Project, "project", "", project)
		var output string
		defineOutput(flags, &output, "text", "json")
		return func(args []string, std Streams) (int, error) {
			if err := checkFleet(flags, args, *silent, &o); err != nil {
				return 0, err
			}
			f := fleet.New(o)
			files, err := readFleet(f, args[0], std)
			if err != nil {
				return 0, err
			}
			t := f.Table()
			exit := exitOK
			if !t.OK {
				exit = exitBlock
			}
			return exit, writeAs(std, output, t, func() string { return fleetText(t, files) })
		}
	},
}

func checkFleet(flags *pflag.FlagSet, args []string, silent int, o *fleet.Options) error {
	const days = 36500
	switch {
	case len(args) != 1:
		return errors.New("give one DIR or FILE with run logs, or - for stdin")
	case silent < 1 || silent > days:
		return fmt.Errorf("--silent %d must be a number of days from 1 to %d", silent, days)
	case flags.Changed("hash") && !regexp.MustCompile("^[0-9a-f]{8,64}$").MatchString(o.Hash):
		return fmt.Errorf("--hash %q is no hash; give that of hookrun status, or 8 characters of it", o.Hash)
	case flags.Changed("clients") && len(o.Clients) == 0:
		return errors.New("--clients is empty; leave it out, or name clients as claude,codex")
	case flags.Changed("project") && o.Project == "":
		return errors.New("--project is empty; leave it out for all projects")
	}
	if _, err := path.Match(o.Project, ""); err != nil {
		return fmt.Errorf("--project %q is no glob", o.Project)
	}
	o.Silent = time.Duration(silent) * 24 * time.Hour
	return checkOutput(flags)
}

// readFleet reads all logs at a place, and returns how many files they are.
func readFleet(f *fleet.Fold, place string, std Streams) (files int, err error) {
	if place == "-" {
		return 0, f.Read(&stdinReader{Streams: std})
	}
	paths, unread, err := fleet.Find(place)
	if err != nil {
		return 0, err
	}
	for _, err := range unread {
		f.Problem(spelling.Brief(err.Error(), 300))
	}
	for _, path := range paths {
		file, err := os.Open(path)
		if err == nil {
			err = f.Read(file)
			file.Close()
		}
		if err != nil {
			f.Problem(fmt.Sprintf("%s: %v", path, regular.UnwrapPath(err)))
		}
	}
	return len(paths), nil
}

// fleetText returns the table as text. Lines of machines to look at begin with an exclamation mark.
func fleetText(t *fleet.Table, files int) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, " \tmachine\tuser\tclients\thooks\ttrust\tlast seen\tlook at")
	look := 0
	for i := range t.Machines {
		m := &t.Machines[i]
		mark := " "
		if len(m.Look) > 0 {
			mark = "!"
			look++
		}
		fmt.Fprint(table, mark)
		for _, cell := range []string{m.Host, m.User, strings.Join(m.Clients, ","), m.Hash[:min(len(m.Hash), 12)],
			m.Status, m.Seen.Format("2006-01-02 15:04"), strings.Join(m.Look, "; ")} {
			if cell = printable.Escape(cell); cell == "" {
				cell = "-"
			}
			fmt.Fprintf(table, "\t%s", cell)
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	fmt.Fprintf(&b, "%s, %d to look at", spelling.Count(len(t.Machines), "machine"), look)
	if files > 0 {
		fmt.Fprintf(&b, ", from %s in %s", spelling.Count(t.Heartbeats, "heartbeat"), spelling.Count(files, "file"))
	}
	b.WriteString("\n")
	for _, more := range []struct {
		n    int
		what string
	}{
		{t.Unreadable, "cannot be read"}, {t.Future, "left out: the clock of the machine is ahead"},
		{t.LeftOut, "left out: there are more machines than the table has room for"},
	} {
		if more.n > 0 {
			fmt.Fprintf(&b, "! %s %s\n", spelling.Count(more.n, "heartbeat"), more.what)
		}
	}
	if t.Missed > 0 {
		fmt.Fprintf(&b, "! %s of run logs missing: the log could not be written\n", spelling.Count(t.Missed, "line"))
	}
	for _, p := range t.Problems {
		fmt.Fprintf(&b, "! %s\n", printable.Escape(p))
	}
	return b.String()
}

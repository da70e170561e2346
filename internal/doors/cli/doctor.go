package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/check"
	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

var examine = command{
	name:    "doctor",
	args:    "[CLIENT…] [FLAGS]",
	takes:   install.Names,
	summary: "show whether the clients here run hookrun, and what keeps a hook from blocking",
	masks:   true,
	about: `Looks at the project's hooks and at each client of hookrun install that is here: its version, its
settings and switches, the entry that runs hookrun, its timeout, and when the client last ran it. It
runs each entry as the client would, for a tool that hookrun always blocks, and checks that the answer
is that block. No hook runs, and without --fix no file is changed, but for the time and the result of
that call, which hookrun status shows.

Every finding that is not ok has a line that fixes it. With CLIENT it checks these
clients alone.

With --managed it looks at the settings for all users of this machine, and tries each client in a new
home folder, in whose settings hooks are switched off: the test call must be blocked there, too.

--fix asks at the terminal for each command that a finding advises, runs it, and checks again; --yes
runs them without a question, and so connects every client that is here: name those that you mean.
hookrun allow always asks itself.`,
	exits:   []exitCode{{exitOK, "no finding is an error"}, {exitFailed, "a finding is an error"}},
	example: "  hookrun doctor\n  hookrun doctor --fix\n  hookrun doctor claude -C ~/project -o json",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		const where = "`DIR` where the client is started (default .)"
		workspace := flags.StringP("workspace", "C", "", where)
		const config = "look at the hooks of `FILE` instead of the project's file; repeatable"
		configs := flags.StringArrayP("config", "c", nil, config)
		var output string
		defineOutput(flags, &output, "text", "json")
		d := &doctor.Doctor{Getenv: os.Getenv, Look: exec.LookPath, Now: time.Now()}
		defineState(flags, &d.State)
		flags.StringVar(&d.Log, "log", "", "the run log `FILE` of your agent loop (default $"+logVariable+")")
		flags.StringVar(&d.Socket, "socket", "", "the socket `PATH` at which hookrun serve should listen")
		fix := flags.Bool("fix", false, "run the commands that the findings advise, after a question for each")
		const managedUsage = "look at the settings for all users of this machine, see hookrun install --managed"
		managed := flags.Bool("managed", false, managedUsage)
		yes := flags.Bool("yes", false, "with --fix: without a question, but for hookrun allow")
		return func(clients []string, std Streams) (int, error) {
			if *yes && !*fix {
				return 0, errors.New("--yes is for --fix; give both, or neither")
			}
			if *managed && *fix {
				return 0, errors.New("--fix is for your own settings; leave --fix out, and follow the advice as " +
					"administrator")
			}
			if err := checkOutput(flags); err != nil {
				return 0, err
			}
			if err := noneEmpty(flags, "workspace", "state", "log", "socket"); err != nil {
				return 0, err
			}
			for _, name := range clients {
				if names := install.Names(); !slices.Contains(names, name) {
					near := spelling.Suggest(name, names)
					return 0, fmt.Errorf("unknown client %q; give some of %s%s", name, strings.Join(names, ", "), near)
				}
			}
			if len(clients) > 0 {
				d.Clients = clients
			}
			processes := &process.Supervisor{Subreaper: true}
			defer processes.Close()
			until := interruption{exit: exitFailed}
			until.watch()
			defer until.done()
			ctx := until.context()
			d.Start = starter(ctx, processes)
			examine := func() (*doctor.Report, error) {
				if err := complete(d, *workspace, *configs); err != nil {
					return nil, err
				}
				report := d.Examine
				if *managed {
					report = d.ExamineManaged
				}
				seen := report()
				err := context.Cause(ctx) // a killed program says nothing about a client
				if err == nil {
					d.RecordCanaries(seen)
				}
				return seen, err
			}
			report, err := examine()
			if err == nil && *fix {
				f := &fixer{yes: *yes, out: std.Out, std: std, again: examine}
				if output == "json" {
					f.out = std.Err
				}
				report, err = f.fix(report)
			}
			if err != nil {
				return 0, err
			}
			exit := exitOK
			if !report.OK {
				exit = exitFailed
			}
			return exit, writeAs(std, output, report, func() string { return reportText(report) })
		}
	},
}

// complete fills in doctor's inputs: this machine and the project.
func complete(d *doctor.Doctor, workspace string, configs []string) (err error) {
	d.Home, _ = os.UserHomeDir()
	if d.Binary, err = install.OwnPath(); err != nil {
		return err
	}
	if d.State == "" {
		d.State, d.StateErr = queue.DefaultDir()
	}
	if d.Log == "" {
		d.Log = os.Getenv(logVariable)
	}
	if d.Log, err = logPath(d.Log); err != nil {
		return err
	}
	d.Workspace, err = doctorWorkspace(workspace, configs)
	return err
}

// doctorWorkspace returns the project's hooks with the diagnostics of check. A client starts hookrun in the client's
// own start folder, without -C.
func doctorWorkspace(folder string, configs []string) (w doctor.Workspace, err error) {
	folder = project.Absolute(cmp.Or(folder, "."))
	p, err := projectBy(folder, project.Given{})
	if err != nil {
		return w, err
	}
	c := check.Checker{Options: hookfile.Options{Parts: parts.All(), Files: configs}, Trust: outsideTrust}
	if w, err = doctor.WorkspaceOf(p, folder, &c); err == nil && w.Config != nil {
		w.Trust = doctorTrust(w.Folder)
	}
	return w, err
}

// doctorTrust returns whether a person has allowed the hooks, as in status.
func doctorTrust(workspace string) doctor.Trust {
	s, err := newTrustState(workspace)
	if err != nil {
		return doctor.Trust{Problem: err.Error()}
	}
	return s.Trust()
}

// starter returns a function that runs programs in their own session, with a deadline, until ctx ends.
func starter(
	ctx context.Context, processes *process.Supervisor,
) func(process.Program, process.Input, time.Duration) process.Result {
	return func(program process.Program, stdin process.Input, limit time.Duration) process.Result {
		p, err := processes.Start(program, stdin, time.Now().Add(limit), nil)
		if err != nil {
			return process.Result{Err: err}
		}
		result, _ := p.Wait(ctx)
		return result
	}
}

// reportText returns the findings, grouped by client.
func reportText(r *doctor.Report) string {
	var b strings.Builder
	shown := ""
	fmt.Fprintf(&b, "%s\n", printable.Escape(r.Workspace))
	for _, f := range r.Findings {
		if f.Client != shown {
			client, _ := clients.All().Named(f.Client)
			fmt.Fprintf(&b, "\n%s\n", client.Files.Client)
			shown = f.Client
		}
		fmt.Fprintf(&b, "  %-8s %s\n", f.Severity, printable.Escape(f.String()))
		if f.Mend != "" {
			fmt.Fprintf(&b, "           -> %s\n", printable.Escape(f.Mend))
		}
	}
	return b.String()
}

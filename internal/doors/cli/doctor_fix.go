package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
)

// fixer runs the commands that doctor advises.
type fixer struct {
	yes     bool // without a question
	out     io.Writer
	std     Streams
	again   func() (*doctor.Report, error)
	offered map[string]bool // commands that ran or were refused
}

// fix runs the commands advised by the findings, with a question for each, and returns doctor's new report. Allowing
// hooks comes last, because an install can make that necessary.
func (f *fixer) fix(report *doctor.Report) (*doctor.Report, error) {
	f.offered = map[string]bool{}
	for _, allowToo := range []bool{false, true} {
		ran, err := f.round(report, allowToo)
		if err != nil {
			return nil, err
		}
		if !ran {
			continue
		}
		if report, err = f.again(); err != nil {
			return nil, err
		}
	}
	if len(f.offered) == 0 {
		fmt.Fprintf(f.out, "no finding advises a command\n\n")
	}
	return report, nil
}

// round runs the commands that were not offered yet, and reports whether any ran.
func (f *fixer) round(report *doctor.Report, allowToo bool) (ran bool, err error) {
	for _, fix := range report.Fixes() {
		if f.offered[fix.String()] || fix.Command[1] == allow.name && !allowToo {
			continue
		}
		f.offered[fix.String()] = true
		shown := f.describe(&fix)
		if _, err := io.WriteString(f.out, shown); err != nil {
			return ran, fmt.Errorf("writing to stdout: %w", err)
		}
		sure, why, err := f.confirm(&fix, shown)
		switch {
		case err != nil:
			return ran, err
		case !sure:
			fmt.Fprintf(f.out, "  not run%s\n\n", why)
			continue
		}
		ran = true
		f.run(&fix)
		fmt.Fprintln(f.out)
	}
	return ran, nil
}

// confirm reports whether a person wants the command to run; why explains a refusal without a question.
func (f *fixer) confirm(fix *doctor.Fix, shown string) (sure bool, why string, err error) {
	isAllow, canAsk := fix.Command[1] == allow.name, terminal.IsThere()
	switch {
	case isAllow && !canAsk:
		return false, ": a person must look at the hooks, and run it at a terminal", nil
	case isAllow || f.yes: // allow has its own question
		return true, "", nil
	case !canAsk:
		return false, ": there is no terminal to ask at; --yes runs it", nil
	}
	answer, err := terminal.Ask(shown, "Run it? [y/N/all] ")
	f.yes = answer == "a" || answer == "all"
	return f.yes || answer == "y" || answer == "yes", "", err
}

// run runs a command like the command line. The command prints its own errors; the next report shows remaining faults.
func (f *fixer) run(fix *doctor.Fix) {
	std := Streams{In: strings.NewReader(""), Out: f.out, Err: f.std.Err}
	for _, c := range []*command{&installClient, &uninstallClient, &allow} {
		if c.name == fix.Command[1] {
			c.run(fix.Command[2:], std)
		}
	}
}

// describe returns the command and the findings that it mends.
func (f *fixer) describe(fix *doctor.Fix) string {
	var b strings.Builder
	fmt.Fprintln(&b, printable.Escape(fix.String()))
	for _, finding := range fix.Findings {
		fmt.Fprintf(&b, "  fixes: %s\n", printable.Escape(finding.String()))
	}
	return b.String()
}

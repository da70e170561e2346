// Conformance runs a program once for each recorded case of a client, and prints the differences from the client.
// README.md has the form of the cases.
//
//	go run ./conformance --client NAME [FLAGS] -- COMMAND [ARGUMENT…]
package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookrun/hookrun/conformance/kit"
)

//go:embed */client.json */*.jsonl
var recorded embed.FS

const usage = `Usage: go run ./conformance --client NAME [FLAGS] -- COMMAND [ARGUMENT…]

Runs COMMAND once for each recorded case of a client, with the hook input on stdin, in a folder with the case's files
and its hooks file where the client has that. {hooks} in an argument is the path of the hooks file. COMMAND runs the
hooks, and answers as one hook of that client would: by exit code, stdout and stderr.

Exit code 0: nothing differs; 1: something does; 2: nothing could be compared.

Flags:
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	client, dir, only string
	topics, events    string
	form, fields      string
	notes             string
	departures        bool
	slower            time.Duration
	atOnce            int
	rules             kit.Rules
	verbose, list     bool
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.client, "client", "", "`NAME` of the folder with the cases: "+strings.Join(names(), ", "))
	flags.StringVar(&o.dir, "cases", "", "take the cases of `DIR` instead of those built in")
	flags.StringVar(&o.only, "only", "*", "only cases whose id matches `GLOB`")
	flags.StringVar(&o.topics, "topic", "", "only the cases of these files: `NAMES` with commas, without .jsonl")
	flags.StringVar(&o.events, "event", "", "only cases at these events: `NAMES` with commas")
	flags.StringVar(&o.form, "form", string(kit.Answer),
		"how COMMAND answers: client, or outcome for hookrun's own JSON, of which all is compared")
	flags.StringVar(&o.fields, "fields", "", "compare only these `FIELDS`, with commas, such as decision,ran")
	flags.StringVar(&o.notes, "notes", "", "`REGEXP` of COMMAND's own notes to the user, which are not compared")
	flags.BoolVar(&o.departures, "departures", false, "also cases in which hookrun departs from the client on purpose")
	flags.DurationVar(&o.slower, "slower", 0, "`TIME` that COMMAND may take beyond the bounds of the cases")
	flags.IntVar(&o.atOnce, "j", 4, "`N` cases at a time")
	flags.BoolVar(&o.verbose, "v", false, "also print each case that passed, and the output of the others")
	flags.BoolVar(&o.list, "list", false, "print the ids of the cases, and run nothing")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	failed, err := o.run(flags.Args(), stdout)
	if err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 2
	}
	return min(failed, 1)
}

func names() []string {
	found, _ := kit.Names(recorded) // the files are built in
	return found
}

// run returns how many cases failed.
func (o *options) run(command []string, stdout io.Writer) (failed int, err error) {
	var cases fs.FS = recorded
	if o.dir != "" {
		cases = os.DirFS(o.dir)
	}
	if o.client == "" {
		return 0, errors.New("name a client: --client NAME, one of " + strings.Join(names(), ", "))
	}
	client, lines, err := kit.ReadClient(cases, o.client)
	if err != nil {
		return 0, err
	}
	lines, err = o.chosen(lines)
	if err != nil {
		return 0, err
	}
	if o.list {
		for _, line := range lines {
			fmt.Fprintln(stdout, line.ID)
		}
		return 0, nil
	}
	if err := o.setRules(); err != nil {
		return 0, err
	}
	if kit.Unsupported != "" {
		return 0, errors.New(kit.Unsupported)
	}
	if len(command) == 0 {
		return 0, errors.New("name the program to run: … -- COMMAND [ARGUMENT…]")
	}
	if command[0], err = exec.LookPath(command[0]); err == nil {
		command[0], err = filepath.Abs(command[0]) // it runs in other folders
	}
	if err != nil {
		return 0, err
	}
	written := ""
	if client.Written != "" {
		written = ", written " + client.Written
	}
	fmt.Fprintf(stdout, "%s %s%s: %d cases\n", client.Title, client.Version, written, len(lines))
	return o.runAll(client, lines, command, stdout)
}

func (o *options) setRules() (err error) {
	if o.form != string(kit.Answer) && o.form != string(kit.Outcome) {
		return fmt.Errorf("--form is client or outcome, not %q", o.form)
	}
	o.rules = kit.Rules{Form: kit.Form(o.form), Slower: o.slower}
	if o.fields != "" {
		o.rules.Fields = strings.Split(o.fields, ",")
	}
	if o.notes != "" {
		if o.rules.Notes, err = regexp.Compile(o.notes); err != nil {
			return fmt.Errorf("--notes: %w", err)
		}
	}
	return nil
}

// chosen are the cases that the flags name.
func (o *options) chosen(lines []kit.Line) (found []kit.Line, err error) {
	for _, line := range lines {
		is, err := path.Match(o.only, line.ID)
		if err != nil {
			return nil, fmt.Errorf("--only %q: %w", o.only, err)
		}
		if is && isOneOf(line.Topic, o.topics) {
			found = append(found, line)
		}
	}
	if found == nil {
		return nil, errors.New("no case matches --only and --topic; --list prints the ids")
	}
	return found, nil
}

// isOneOf reports whether a list with commas has a name, or is empty.
func isOneOf(name, list string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}

// result is what came of a case.
type result struct {
	leftOut string // why the case was not compared
	err     error
	text    string // to print
	failed  bool
	again   bool // to be tried again, since a busy machine alone may be the reason
}

func (o *options) runAll(client *kit.Client, lines []kit.Line, command []string, stdout io.Writer) (int, error) {
	results := make([]chan result, len(lines)) // to be printed in the order of the cases
	slots := make(chan struct{}, max(o.atOnce, 1))
	var working sync.WaitGroup
	defer working.Wait()
	for i := range results {
		results[i] = make(chan result, 1)
	}
	stop := make(chan struct{})
	defer close(stop)
	working.Add(1)
	go func() {
		defer working.Done()
		for i, line := range lines {
			select {
			case slots <- struct{}{}:
			case <-stop:
				return
			}
			working.Add(1)
			go func() {
				defer working.Done()
				results[i] <- o.try(client, line, command)
				<-slots
			}()
		}
	}()
	passed, failed, leftOut := 0, 0, map[string]int{}
	for _, done := range results {
		r := <-done
		if r.err != nil {
			return 0, r.err
		}
		switch fmt.Fprint(stdout, r.text); {
		case r.leftOut != "":
			leftOut[r.leftOut]++
		case r.failed:
			failed++
		default:
			passed++
		}
	}
	skipped := 0
	for _, n := range leftOut {
		skipped += n
	}
	fmt.Fprintf(stdout, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	whys := make([]string, 0, len(leftOut))
	for why, n := range leftOut {
		whys = append(whys, fmt.Sprintf("skipped %d: %s\n", n, why))
	}
	slices.Sort(whys)
	fmt.Fprint(stdout, strings.Join(whys, ""))
	if passed+failed == 0 {
		return 0, errors.New("no case was compared")
	}
	return failed, nil
}

// try runs the program on one case, again if the machine may have been too busy.
func (o *options) try(client *kit.Client, line kit.Line, command []string) result {
	r := o.tryOnce(client, line, command)
	for try := 1; try < kit.Tries && r.again; try++ {
		r = o.tryOnce(client, line, command)
	}
	return r
}

func (o *options) tryOnce(client *kit.Client, line kit.Line, command []string) result {
	trial, err := kit.New(line.Text, client)
	if err != nil {
		return result{err: fmt.Errorf("%s: %w", line.ID, err)}
	}
	defer trial.Close()
	switch {
	case !isOneOf(trial.Event, o.events):
		return result{leftOut: "at another event"}
	case trial.Departs != "" && !o.departures && o.form == string(kit.Answer):
		return result{leftOut: "hookrun departs from the client on purpose (--departures)"}
	case trial.Missing() != "":
		return result{leftOut: "needs " + trial.Missing()}
	}
	args := make([]string, len(command)-1)
	for i, arg := range command[1:] {
		args[i] = strings.ReplaceAll(arg, "{hooks}", trial.HooksFile)
	}
	trial.Run(trial.Workspace, trial.Environment(nil), kit.Limit+o.slower, command[0], args...)
	if trial.Err != nil {
		return result{err: trial.Err}
	}
	wrong := trial.Judge(o.rules)
	var text strings.Builder
	for _, d := range wrong {
		fmt.Fprintf(&text, "%s/%s: %s\n", line.Topic, line.ID, d)
	}
	if o.verbose && len(wrong) == 0 {
		fmt.Fprintf(&text, "%s/%s: passed in %d ms\n", line.Topic, line.ID, trial.Took.Milliseconds())
	}
	if o.verbose && len(wrong) > 0 {
		fmt.Fprintf(&text, "    note: %s\n    exit %d\n    stdout %s\n    stderr %s\n", trial.Note, trial.Code,
			kit.Shortened(trial.Stdout), kit.Shortened(trial.Stderr))
	}
	return result{text: text.String(), failed: len(wrong) > 0, again: kit.MayBeBusy(wrong)}
}

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookrun/hookrun/internal/cases"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/printable/terminal"
	"github.com/hookrun/hookrun/internal/spelling"
)

// testJob is a test to run, and its result.
type testJob struct {
	*suite
	test   *cases.Test
	result *cases.Result // nil: the test did not run
	err    error         // why the test could not run
}

// jobs returns the tests selected by --run, in the order of the files.
func (t *testRun) jobs(suites []suite) (jobs []testJob) {
	for i := range suites {
		s := &suites[i]
		for k := range s.Tests {
			if test := &s.Tests[k]; t.only == nil || t.only.MatchString(test.Name) {
				jobs = append(jobs, testJob{suite: s, test: test})
			}
		}
	}
	return jobs
}

// runJobs runs tests in parallel, and prints the results in the order of the files, each as soon as the test and all
// earlier tests have ended. Each test has its own runner with new hook processes, so no hook process sees two tests.
func (t *testRun) runJobs(jobs []testJob, o engine.Options, std Streams) (*testReport, error) {
	env, err := hookEnviron()
	if err != nil {
		return nil, err
	}
	until := interruption{exit: exitFailed}
	until.watch()
	defer until.done()
	ctx, cancel := context.WithCancel(until.context())
	workers := testWorkers{testRun: t, jobs: jobs, o: o, env: env, over: make(chan int, len(jobs))}
	defer workers.all.Wait()
	defer cancel() // if the results cannot be printed
	for range t.parallel {
		workers.all.Go(func() { workers.work(ctx) })
	}
	report := testReport{testRun: t, std: std, progress: newProgress(std.Err), several: len(jobs) > 0 &&
		jobs[0].suite != jobs[len(jobs)-1].suite}
	defer report.progress.clear()
	done := make([]bool, len(jobs))
	for next := 0; next < len(jobs); {
		report.progress.show(workers.progress())
		done[<-workers.over] = true
		for ; next < len(jobs) && done[next]; next++ {
			if ctx.Err() != nil {
				workers.all.Wait()
				n := spelling.Count(int(workers.ran.Load()), "test")
				return nil, fmt.Errorf("%w; the hooks were killed, %s had run", context.Cause(ctx), n)
			}
			if err := report.add(&jobs[next]); err != nil {
				return nil, err
			}
		}
	}
	return &report, nil
}

// testWorkers are goroutines that run tests.
type testWorkers struct {
	*testRun
	jobs []testJob
	o    engine.Options
	env  []string

	all                sync.WaitGroup
	taken, ran, failed atomic.Int32
	over               chan int // indexes of jobs that ended or were skipped
}

// work runs one job after the other until no job is left.
func (w *testWorkers) work(ctx context.Context) {
	for i := w.taken.Add(1) - 1; int(i) < len(w.jobs); i = w.taken.Add(1) - 1 {
		if j := &w.jobs[i]; ctx.Err() == nil && (!w.failFast || w.failed.Load() == 0) {
			if w.runJob(ctx, j, w.o, w.env); j.result != nil {
				w.ran.Add(1)
			}
			if j.result == nil || !j.result.OK {
				w.failed.Add(1)
			}
		}
		w.over <- int(i)
	}
}

// progress says how many tests have run and failed so far.
func (w *testWorkers) progress() string {
	return fmt.Sprintf("%d of %s, %d failed", w.ran.Load(), spelling.Count(len(w.jobs), "test"), w.failed.Load())
}

// runJob runs a test. The job gets no result if ctx ended.
func (t *testRun) runJob(ctx context.Context, j *testJob, o engine.Options, env []string) {
	o.Env = append(slices.Clip(env), j.test.Env...)
	r, err := newRunner(j.config, o)
	if err != nil {
		j.err = err
		return
	}
	fired, err := r.Fire(ctx, j.test.Call)
	if ctx.Err() == nil {
		result := j.test.Check(fired.WithLint(), err)
		j.result = &result
	}
}

// testReport prints the results of tests.
type testReport struct {
	*testRun
	std      Streams
	progress *progress
	several  bool // the tests are in several files

	results  []cases.Result
	notRun   int
	last     *suite
	failures []string // texts as printed
	since    int      // lines printed since the first failure
}

// add prints the result of the next test.
func (r *testReport) add(j *testJob) error {
	if j.err != nil {
		return j.err
	}
	if j.result == nil {
		r.notRun++
		return nil
	}
	r.results = append(r.results, *j.result)
	if r.output != "text" {
		return nil
	}
	text := r.shown(j.test, j.result, j.hint, isColoured(r.std.Out))
	if !j.result.OK {
		r.failures = append(r.failures, text)
	}
	if r.several && r.last != j.suite {
		text = terminal.Visible(j.Path) + "\n" + text
	}
	if len(r.failures) > 0 {
		r.since += strings.Count(text, "\n")
	}
	r.last = j.suite
	r.progress.clear()
	return write(r.std, text)
}

// screen is the number of lines of a small terminal, without the lines of the summary.
const screen = 20

// summary returns the text after the tests. It repeats the failures, unless all of them are still on the screen or were
// printed last.
func (r *testReport) summary(seconds float64) string {
	var b strings.Builder
	printed := strings.Join(r.failures, "")
	if r.since > max(screen, strings.Count(printed, "\n")) {
		b.WriteString("\nfailed:\n" + printed + "\n")
	}
	n, failed := len(r.results), len(r.failures)
	fmt.Fprintf(&b, "%s, %d ok, %d failed", spelling.Count(n, "test"), n-failed, failed)
	if r.notRun > 0 {
		fmt.Fprintf(&b, ", %d not run", r.notRun)
	}
	fmt.Fprintf(&b, " in %.1f s\n", seconds)
	return b.String()
}

// progress is a line on a terminal that is overwritten again and again.
type progress struct {
	w     io.Writer // nil: no terminal
	shown int       // bytes
}

// newProgress returns a progress for stderr, which shows no line if stderr is not a terminal.
func newProgress(stderr io.Writer) *progress {
	if d, ok := stderr.(descriptor); !ok || d != descriptor(os.Stderr.Fd()) || !terminal.TakesEscapes(os.Stderr) {
		stderr = nil
	}
	return &progress{w: stderr}
}

// show replaces the line by another line, in ASCII.
func (p *progress) show(line string) {
	if p.w != nil {
		p.clear()
		fmt.Fprint(p.w, line)
		p.shown = len(line)
	}
}

// clear empties the line and moves the cursor to its start. Blanks also work on terminals without escapes.
func (p *progress) clear() {
	if p.w != nil && p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}

// shown returns a line for a test. If the test failed, the problems and details for the diagnosis follow.
func (t *testRun) shown(test *cases.Test, r *cases.Result, hint string, colour bool) string {
	var b strings.Builder
	verdict, tint := "ok  ", terminal.Green
	switch {
	case t.replay != "" && r.OK && !t.verbose:
		return ""
	case t.replay != "" && !r.OK:
		verdict, tint = "DIFF", terminal.Yellow
	case !r.OK:
		verdict, tint = "FAIL", terminal.Red
	}
	name := terminal.Visible(r.Name)
	fmt.Fprintf(&b, "%s %s (%s)\n", terminal.Paint(colour).As(tint, verdict), name, took(r.Duration))
	if !r.OK {
		fmt.Fprintf(&b, "     %s:%d\n", terminal.Visible(r.File), r.Line)
	}
	for _, p := range r.Problems {
		if t.replay != "" {
			p = changed(p)
		}
		fmt.Fprintf(&b, "     %s\n", terminal.Visible(p))
	}
	if r.Outcome == nil || r.OK && !t.verbose {
		return b.String()
	}
	for _, h := range r.Outcome.Hooks {
		name, source := printable.Escape(h.Name), printable.Escape(h.Source)
		fmt.Fprintf(&b, "     hook '%s' (%s) %s%s (%s)\n", name, source, h.Status, failureCause(&h), took(h.Duration))
		for line := range strings.Lines(spelling.Brief(h.Stderr, 4<<10)) {
			fmt.Fprintf(&b, "       stderr: %s\n", terminal.Visible(strings.TrimRight(line, "\r\n")))
		}
	}
	if len(r.Outcome.Hooks) == 0 {
		const text = "     no hook is for this call; why: hookrun explain %s%s\n"
		fmt.Fprintf(&b, text, terminal.Visible(explainArgs(&test.Call)), terminal.Visible(hint))
	}
	return b.String()
}

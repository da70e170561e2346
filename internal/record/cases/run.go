package cases

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Suite is a file of tests, and the hooks under test.
type Suite struct {
	*File
	Config *hookfile.Config
	Hint   string // flags for hookrun explain to see the same hooks
}

// Run runs tests, and shows their results.
type Run struct {
	Options  engine.Options
	Only     *regexp.Regexp // pattern for names of tests; nil: all
	Parallel int            // number of tests that run at once
	FailFast bool           // begin no test after the first that failed
	Replay   bool           // the tests are calls of a run log
	Verbose  bool
	Paint    terminal.Paint
	Print    func(text string) error // prints the result of a test; nil: results are not shown one by one
	Progress io.Writer               // a terminal; nil: progress is not shown

	Results  []Result
	NotRun   int
	jobs     []job
	progress progress
	last     *Suite
	failures []string // texts as printed
	since    int      // lines printed since the first failure

	taken, ran, failed atomic.Int32
	over               chan int // indexes of jobs that ended or were skipped
}

// job is a test to run, and its result.
type job struct {
	*Suite
	test   *Test
	result *Result // nil: the test did not run
	err    error   // why the test could not run
}

// Add adds the selected tests of suites, in the order of the files, and returns how many tests there are.
func (r *Run) Add(suites []Suite) int {
	for i := range suites {
		s := &suites[i]
		for k := range s.Tests {
			if test := &s.Tests[k]; r.Only == nil || r.Only.MatchString(test.Name) {
				r.jobs = append(r.jobs, job{Suite: s, test: test})
			}
		}
	}
	return len(r.jobs)
}

// All runs the tests in parallel, and prints the results in the order of the files, each as soon as the test and all
// earlier tests have ended. Each test has its own runner with new hook processes, so no hook process sees two tests.
func (r *Run) All(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel() // if the results cannot be printed
	r.over, r.progress.w = make(chan int, len(r.jobs)), r.Progress
	for range r.Parallel {
		all.Go(func() { r.work(ctx) })
	}
	defer r.progress.clear()
	done := make([]bool, len(r.jobs))
	for next := 0; next < len(r.jobs); {
		r.progress.show(r.counts())
		done[<-r.over] = true
		for ; next < len(r.jobs) && done[next]; next++ {
			if ctx.Err() != nil {
				all.Wait()
				n := spelling.Count(int(r.ran.Load()), "test")
				return fmt.Errorf("%w; the hooks were killed, %s had run", context.Cause(ctx), n)
			}
			if err := r.add(&r.jobs[next]); err != nil {
				return err
			}
		}
	}
	return nil
}

// work runs one job after the other until no job is left.
func (r *Run) work(ctx context.Context) {
	for i := r.taken.Add(1) - 1; int(i) < len(r.jobs); i = r.taken.Add(1) - 1 {
		if j := &r.jobs[i]; ctx.Err() == nil && (!r.FailFast || r.failed.Load() == 0) {
			if r.run(ctx, j); j.result != nil {
				r.ran.Add(1)
			}
			if j.result == nil || !j.result.OK {
				r.failed.Add(1)
			}
		}
		r.over <- int(i)
	}
}

// counts says how many tests have run and failed so far.
func (r *Run) counts() string {
	return fmt.Sprintf("%d of %s, %d failed", r.ran.Load(), spelling.Count(len(r.jobs), "test"), r.failed.Load())
}

// run runs a test. The job gets no result if ctx ended.
func (r *Run) run(ctx context.Context, j *job) {
	o := r.Options
	o.Env = append(slices.Clip(o.Env), j.test.Env...)
	hooks, err := engine.New(j.Config, o)
	if err != nil {
		j.err = err
		return
	}
	fired, err := hooks.Fire(ctx, j.test.Call)
	if ctx.Err() == nil {
		result := j.test.Check(fired.WithLint(), err)
		j.result = &result
	}
}

// add prints the result of the next test.
func (r *Run) add(j *job) error {
	if j.err != nil {
		return j.err
	}
	if j.result == nil {
		r.NotRun++
		return nil
	}
	r.Results = append(r.Results, *j.result)
	if r.Print == nil {
		return nil
	}
	text := r.text(j)
	if !j.result.OK {
		r.failures = append(r.failures, text)
	}
	if r.last != j.Suite && r.jobs[0].Suite != r.jobs[len(r.jobs)-1].Suite { // several files
		text = terminal.Visible(j.Path) + "\n" + text
	}
	if len(r.failures) > 0 {
		r.since += strings.Count(text, "\n")
	}
	r.last = j.Suite
	r.progress.clear()
	return r.Print(text)
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

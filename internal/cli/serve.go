package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/delivery"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

var serve = command{
	name:    "serve",
	args:    "[--socket PATH] [FLAGS]",
	summary: "stay up and answer calls: JSON-RPC, one message per line",
	about: "Reads the hooks files once and answers requests in JSON-RPC 2.0, one to a line, on stdin and stdout or on a unix\n" +
		"socket: pre-execute, pre-tool and post-tool with the names of those commands' flags for params, fire with a client's\n" +
		"hook input for params. The result is the outcome, as --output json prints it. Calls run at the same time, and are\n" +
		"answered when they are ready. An error is no verdict: do not run the tool.\n" +
		"Also: ping, check, reload (reads the files anew), shutdown, and the notification $/cancel with the id of a call.\n" +
		"At the end of the input every hook that still runs is killed.",
	example: `  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | hookrun serve`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callFlags
		socket := flags.String("socket", "", "listen on the unix socket `PATH`, in a folder that only you can write to, instead of stdin")
		f.defineFiles(flags)
		f.definePolicy(flags)
		f.defineState(flags)
		f.record.define(flags)
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			if flags.Changed("socket") && *socket == "" {
				return 0, errors.New("--socket is empty; leave it out for stdin and stdout")
			}
			s, err := newServer(&f, std.Err)
			if err != nil {
				return 0, err
			}
			if *socket != "" {
				return s.listen(*socket)
			}
			return s.serve(std.In, std.Out)
		}
	},
}

const (
	// maxCalls is how many calls of one connection run at once, and maxWaiting how many more may wait for their turn.
	maxCalls   = 256
	maxWaiting = 4096
	// maxBytes is how long the requests of all connections may be together that run or wait for their turn. Reading waits
	// over that: two of the longest, or a dozen of the results that are long in practice, are more than a machine should
	// keep for hooks.
	maxBytes = 2 * maxValue
	// afterEnd is how long calls go on at the end of the input: `echo … | hookrun serve` ends right behind its last call.
	afterEnd = time.Second
	// lastWords is how long answers may take to be written once the server ends: a client may have stopped to read.
	lastWords = time.Second
)

// Codes of errors that are about hooks. JSON-RPC leaves this range to its users.
const (
	codeNoVerdict jsonrpc.Code = -32001 // the hooks could not be asked, or the call was interrupted: do not run the tool
	codeConfig    jsonrpc.Code = -32002 // the hooks files have errors
)

// server answers the requests of all connections.
type server struct {
	flags  *callFlags
	runner *runner.Runner
	until  interruption
	stderr io.Writer

	mu       sync.Mutex // held while the files are read anew
	snapshot *hookfile.Snapshot

	bytes    *jsonrpc.Bytes // of requests in flight
	shutdown chan struct{}  // closed when a client asked for the end
	once     sync.Once
}

func newServer(f *callFlags, stderr io.Writer) (*server, error) {
	if err := f.notEmpty(); err != nil {
		return nil, err
	}
	if err := f.knownDialect(); err != nil {
		return nil, err
	}
	if err := f.resolveWorkspace(); err != nil {
		return nil, err
	}
	if err := f.record.open(); err != nil {
		return nil, err
	}
	s := &server{flags: f, stderr: stderr, until: interruption{exit: exitFailed}, bytes: jsonrpc.NewBytes(maxBytes), shutdown: make(chan struct{})}
	s.until.watch()
	cfg, o, err := f.load()
	if err != nil {
		return nil, err
	}
	if err := descend(); err != nil {
		return nil, err
	}
	o.Env = os.Environ() // it does not change any more
	s.snapshot = hookfile.NewSnapshot(cfg)
	s.runner, err = newRunner(cfg, o)
	return s, err
}

// serve answers on one pair of streams until the input ends, a client or a signal says so.
func (s *server) serve(in io.Reader, out io.Writer) (exit int, err error) {
	ctx, gone := context.WithCancelCause(s.until.context())
	defer gone(nil)
	ownSession()
	conn := s.connection(in, out)
	ended := make(chan error, 1)
	go func() { ended <- conn.Run(ctx) }() // reading stdin cannot be interrupted: at a signal we leave it behind
	select {
	case err = <-ended:
	case <-s.shutdown:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return s.end(err, conn)
}

// end kills what runs and lets the connections write what there is to say of it.
func (s *server) end(err error, conns ...*jsonrpc.Conn) (int, error) {
	s.runner.Close()
	until := time.Now().Add(lastWords)
	for _, c := range conns {
		c.Wait(time.Until(until))
	}
	s.until.over()
	return exitOK, err
}

func (s *server) connection(in io.Reader, out io.Writer) *jsonrpc.Conn {
	return jsonrpc.NewConn(in, out, s.answer, jsonrpc.Limits{
		Line: maxValue, Calls: maxCalls, Waiting: maxWaiting, Bytes: s.bytes,
		AfterEnd: afterEnd, LastWords: lastWords,
	})
}

var methods = []string{"pre-execute", "pre-tool", "post-tool", "fire", "check", "ping", "reload", "shutdown", "$/cancel"}

// answer is the jsonrpc.Answer of all connections. A call whose verdict nobody hears is not made: what waits for its session would
// be lost with it.
func (s *server) answer(method, params string, silent bool) (result jsonrpc.Result, later laterResult, err error) {
	switch method {
	case "pre-execute", "pre-tool", "post-tool", "fire":
		if !silent {
			return s.call(method, params)
		}
	case "ping":
		result.JSON, err = json.Marshal(map[string]string{"version": installed()})
	case "check":
		later = beside(s.check)
	case "reload":
		later = beside(s.reload)
	case "shutdown":
		s.runner.Close()
		result = jsonrpc.Result{JSON: []byte("null"), Written: func(bool) { s.once.Do(func() { close(s.shutdown) }) }}
	default:
		err = jsonrpc.Errorf(jsonrpc.MethodNotFound, "unknown method %q%s", method, spelling.Suggest(method, methods))
	}
	return result, later, err
}

// laterResult is what takes time of an answer.
type laterResult = func(context.Context) (jsonrpc.Result, error)

func beside(do func() ([]byte, error)) laterResult {
	return func(context.Context) (result jsonrpc.Result, err error) {
		result.JSON, err = do()
		return result, err
	}
}

// call reads the params of a call and makes it: at once where no hook has to be run for it.
func (s *server) call(method, params string) (result jsonrpc.Result, later laterResult, err error) {
	r, warnings, err := s.readCall(method, params)
	if err != nil {
		return result, nil, err
	}
	began := time.Now()
	plan, err := s.runner.Plan(r.call, runner.WithTimeout(r.timeout), runner.WithFailurePolicy(r.onFailure))
	if err != nil {
		s.warn(s.flags.record.write(began, &r.call, nil, err))
		return result, nil, jsonrpc.Errorf(codeNoVerdict, "%v", err)
	}
	if plan.NeedsNoProcess() && !delivery.Possible(&r.call) && s.flags.record.log == nil {
		if outcome, err := plan.Fire(context.Background()); err == nil {
			result.JSON, err = s.result(began, &r, outcome, warnings)
			return result, nil, err
		}
	}
	return result, func(ctx context.Context) (jsonrpc.Result, error) { return s.fire(ctx, plan, r, warnings) }, nil
}

func (s *server) readCall(method, params string) (r request, warnings []string, err error) {
	if method != "fire" {
		r, err = readParams(protocol.Event(method), s.flags.call.Workspace, params)
		return r, nil, err
	}
	if r.call, warnings, err = all.ParseInput(cmp.Or(params, "{}")); err == nil {
		r.call.Workspace = s.flags.call.Workspace
		err = r.takeOutput()
	}
	if err != nil {
		err = jsonrpc.Errorf(jsonrpc.InvalidParams, "%v", err)
	}
	return r, warnings, err
}

// fire asks the hooks. warnings are of reading the call.
func (s *server) fire(ctx context.Context, plan *runner.Plan, r request, warnings []string) (result jsonrpc.Result, err error) {
	began := time.Now()
	verdict := false
	defer func() {
		if !verdict {
			s.warn(s.flags.record.write(began, &r.call, nil, err))
		}
	}()
	outcome, err := plan.Fire(ctx)
	if err != nil {
		return result, jsonrpc.Errorf(codeNoVerdict, "%v", err)
	}
	if claim := delivery.Claim(s.flags.queue, &r.call, &outcome); claim != nil {
		if ctx.Err() != nil { // nobody reads what was given up
			settle(claim, false, s.complain)
			return result, jsonrpc.Errorf(codeNoVerdict, "%v", context.Cause(ctx))
		}
		result.Written = func(written bool) { settle(claim, written, s.complain) }
	}
	verdict = true
	result.JSON, err = s.result(began, &r, outcome, warnings)
	return result, err
}

// complain says what no answer can say any more.
func (s *server) complain(err error) { fmt.Fprintln(s.stderr, "hookrun serve:", err) }

func (s *server) warn(warnings []string) {
	for _, w := range warnings {
		s.complain(errors.New(w))
	}
}

// result renders an outcome, with the warnings that only the server has, and puts it on record.
func (s *server) result(began time.Time, r *request, o protocol.Outcome, warnings []string) ([]byte, error) {
	o.Warnings = slices.Concat(s.flags.warnings, warnings, o.Warnings, s.changed(), s.elsewhere(&r.call))
	o.Warnings = append(o.Warnings, s.flags.record.write(began, &r.call, &o, nil)...)
	if r.client != nil {
		return clientResult(r.client, o)
	}
	return o.JSON()
}

// changed warns of hooks files that are not what was read any more.
func (s *server) changed() (warnings []string) {
	s.mu.Lock()
	snapshot := s.snapshot
	s.mu.Unlock()
	for _, text := range snapshot.Changed() {
		warnings = append(warnings, text+" since the hooks were read; they are still those of then, until reload")
	}
	return warnings
}

// elsewhere warns of a call from another folder whose project has a hooks file of its own: the server read another.
func (s *server) elsewhere(c *protocol.Call) []string {
	if len(s.flags.configs) > 0 {
		return nil
	}
	s.mu.Lock()
	own := s.flags.project.File
	s.mu.Unlock()
	for _, dir := range []string{c.Workspace, c.Dir} {
		if dir == "" || dir == s.flags.call.Workspace || !filepath.IsAbs(dir) {
			continue
		}
		p, err := hookfile.FindProject(dir)
		if err != nil || p.File == "" || own != "" && sameFile(p.File, own) {
			continue // what cannot be looked for is nobody's to read
		}
		const text = "the hooks are those of %s; %s has a hooks file of its own that this server did not read; start a server there"
		return []string{fmt.Sprintf(text, s.flags.call.Workspace, absolute(p.Workspace))}
	}
	return nil
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// reload reads the files anew. If something is wrong with them, all stays as it is.
func (s *server) reload() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flags.project.File != "" { // somebody may have taken it away on purpose
		s.flags.project.File = ownFile(s.flags.workspace)
	}
	cfg, err := s.flags.read()
	var problems hookfile.Diagnostics
	switch {
	case errors.As(err, &problems):
		data, failed := json.Marshal(problems)
		if failed != nil {
			return nil, failed
		}
		return nil, &jsonrpc.Error{Code: codeConfig, Message: "nothing was reloaded: " + strings.ReplaceAll(problems.Error(), "\n", "; "), Data: data}
	case err != nil:
		return nil, jsonrpc.Errorf(codeConfig, "nothing was reloaded: %v", err)
	}
	s.runner.Reload(hookfile.Public(cfg).(*projecthooks.Config))
	s.snapshot = hookfile.NewSnapshot(cfg)
	report := struct {
		Files    []string              `json:"files"`
		Hooks    int                   `json:"hooks"`
		Warnings []hookfile.Diagnostic `json:"warnings"`
	}{cfg.Files, len(cfg.Hooks), cfg.Warned()}
	if report.Files == nil {
		report.Files = []string{}
	}
	if report.Warnings == nil {
		report.Warnings = []hookfile.Diagnostic{}
	}
	return json.Marshal(report)
}

// check looks at the files as they are on disk now, as the command does.
func (s *server) check() ([]byte, error) {
	c := checker{as: s.flags.dialect, claude: s.flags.claude}
	files := s.flags.configs
	if len(files) == 0 {
		files = nonEmpty(ownFile(s.flags.workspace))
	}
	files, err := c.withClaude(files, s.flags.workspace)
	if err != nil {
		return nil, jsonrpc.Errorf(codeConfig, "%v", err)
	}
	report := checkReport{Version: 1, OK: true, Files: []checkedFile{}}
	report.add(c.as, files, s.flags.workspace)
	p := s.flags.project
	report.lookAbove(&p)
	return json.Marshal(report)
}

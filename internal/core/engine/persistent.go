package engine

import (
	"context"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/crash"
)

// Keeper gives lines to processes of persistent hooks that stay between the calls of OneShot runners.
type Keeper interface {
	// Ask is Pool.Ask for a kept process, with the line for a call of this number, which no other call of the process
	// has. If begun is false, no process has got the line and none will get it, so the caller runs the hook in the rest
	// of the limit. The limit includes the wait for a process.
	Ask(ctx context.Context, k *Kept, line func(number int64) process.Input, limit time.Duration,
		check func(*process.Reply) (problem string)) (reply process.Reply, begun bool)
}

// Kept describes the processes of a hook that stay between calls. If any part differs, they are other processes.
type Kept struct {
	Hook      string // the name
	Workspace string // absolute
	Program   process.Program
	Workers   int           // the most processes
	Keep      time.Duration // for which they stay without a call
	Files     string        // the state of the files that the command runs; see TrustFiles
	// Changed reports whether one of these files has changed since. Nobody knows what a process has read that answered
	// meanwhile, so no other call gets that process. nil: none changes.
	Changed func() bool
}

// line returns the input line of a persistent hook and the id of the call in that line. If the client's own input has
// an id, line uses that id, because many readers refuse an object with a duplicate key.
func (h *hookRun) line(number int64) (input process.Input, id string) {
	if id = gjson.Get(h.call.ClientInput, "id").Raw; id != "" {
		return process.Input(h.payload), id
	}
	id = strconv.FormatInt(number, 10)
	return process.Input(h.payload.WithID(id)), id
}

// runPersistent gives the call to a persistent process of the hook.
func (r *Runner) runPersistent(ctx context.Context, pool *process.Pool, h *hookRun) dialect.HookResult {
	return h.askPersistent(func(id *string, check func(*process.Reply) string) process.Reply {
		var line process.Input
		line, *id = h.line(r.lastID.Add(1))
		return pool.Ask(ctx, h.call.Workspace, line, h.limit, check)
	})
}

// runKept gives the call to a process that stays between calls. If begun is false, the hook must be run otherwise, in
// the rest of its limit.
func (f *firing) runKept(ctx context.Context, h *hookRun) (result dialect.HookResult, begun bool) {
	by, is := h.Handler.(*hook.Process)
	if !is || by.Workers == 0 || by.Keep == 0 || f.runner.options.Keeper == nil || !f.runner.options.OneShot {
		return result, false
	}
	begin := time.Now()
	kept, err := f.kept(h.Hook)
	if err != nil { // the other way to run the hook tells why
		return result, false
	}
	result = h.askPersistent(func(id *string, check func(*process.Reply) string) (reply process.Reply) {
		line := func(number int64) (input process.Input) {
			input, *id = h.line(number)
			return input
		}
		reply, begun = f.runner.options.Keeper.Ask(ctx, kept, line, h.limit, check)
		return reply
	})
	if !begun {
		h.waited = time.Since(begin)
	}
	return result, begun
}

// kept describes the processes of a hook that may stay. It returns an error if nobody knows what the hook would run.
func (f *firing) kept(h *hook.Hook) (*Kept, error) {
	call := dialect.NewCall(dialect.Call{Workspace: f.call.Workspace}) // without further fields of the call
	program, err := f.runner.program(h, call)
	if err != nil {
		return nil, err
	}
	k := &Kept{Hook: h.Name, Workspace: f.call.Workspace, Program: program, Workers: h.Process().Workers,
		Keep: h.Process().Keep}
	return k, f.addFiles(k, h)
}

// addFiles adds the state of the files that a hook's command runs.
func (f *firing) addFiles(k *Kept, h *hook.Hook) error {
	c := f.trustCall()
	c.Hooks = []hook.Hook{*h}
	if f.runner.options.CheckTrust == nil {
		return errNoTrustCheck
	}
	c.Required, c.Pin = false, false
	files, _, err := f.runner.options.CheckTrust(f.loaded.config, c)
	if err != nil {
		return err
	}
	k.Changed = func() bool { return files.ChangedBeforeRun(&c.Hooks[0]) != "" }
	k.Files, err = files.State(&c.Hooks[0])
	return err
}

// askPersistent gives the call to a persistent process by the function ask, which sets the id of the call.
func (h *hookRun) askPersistent(
	ask func(id *string, check func(*process.Reply) string) process.Reply,
) (result dialect.HookResult) {
	begin, hasLine, id := time.Now(), false, ""
	var crashed error
	reply := ask(&id, func(reply *process.Reply) (problem string) {
		result, hasLine = resultOf(&reply.Result, h.limit), true
		result.CallID = id
		if crashed = readLine(&result); crashed != nil {
			return crashed.Error()
		}
		return result.ProtocolError
	})
	if crashed != nil { // the process has finished the call
		panic(crashed)
	}
	if !hasLine {
		result = resultOf(&reply.Result, h.limit)
	}
	result.Err = startError(result.Err)
	result.ProtocolError, result.NoLine, result.Warm = reply.Problem, reply.NoAnswer, reply.Warm
	result.Duration = time.Since(begin)
	return result
}

// readLine reads the line of a persistent process. An error is a panic in hookrun.
func readLine(result *dialect.HookResult) (err error) {
	defer crash.Catch(&err)
	nearmiss.ReadLine(result)
	return nil
}

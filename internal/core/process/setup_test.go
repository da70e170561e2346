//go:build linux

package process_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
)

// bench is a supervisor, a folder for its processes, and the proof that nothing is left of them.
type bench struct {
	*processtest.Bench
	*process.Supervisor
}

// newBench returns a bench whose supervisor is for one shot, as in a command.
func newBench(t *testing.T) *bench {
	b := &bench{processtest.New(t), &process.Supervisor{OneShot: true}}
	t.Cleanup(func() { b.Supervisor.Close() }) // which a test may have replaced
	return b
}

// script is a shell script as a program.
func (b *bench) script(text string) process.Program {
	return b.program("/bin/sh", "-c", text)
}

func (b *bench) program(path string, args ...string) process.Program {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, process.RunVariable+"=") })
	return process.Program{Path: path, Args: append([]string{path}, args...), Dir: b.Dir, Env: append(env, b.Mark)}
}

var line = process.Input{[]byte("line\n")}

// never is a deadline that no test reaches.
func never() time.Time { return time.Now().Add(time.Hour) }

func (b *bench) start(program process.Program, input process.Input, deadline time.Time) *process.Process {
	b.Helper()
	p, err := b.Start(program, input, deadline, nil)
	require.NoError(b, err)
	return p
}

// run runs a script to its end.
func (b *bench) run(script string) process.Result {
	b.Helper()
	return b.wait(b.start(b.script(script), line, never()))
}

func (b *bench) wait(p *process.Process) process.Result {
	b.Helper()
	result, ended := p.Wait(context.Background())
	require.True(b, ended)
	require.NoError(b, result.Err)
	return result
}

// during calls then with what a process wrote to "ready" while it runs.
func (b *bench) during(ctx context.Context, p *process.Process, then func(words []string)) (result process.Result) {
	b.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, _ = p.Wait(ctx)
	}()
	then(b.Ready())
	<-done
	return result
}

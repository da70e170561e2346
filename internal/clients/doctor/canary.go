package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

const (
	versionLimit = 20 * time.Second // Gemini CLI takes four on a busy machine
	canaryLimit  = 30 * time.Second
)

// version runs the client with --version, outside the workspace because a client can run files from there.
func (c *checked) version(program string) {
	if c.doctor.Start == nil {
		return
	}
	got := c.doctor.Start(process.Program{Path: program, Args: []string{c.Program, "--version"},
		Dir: string(filepath.Separator), Env: os.Environ()}, nil, versionLimit)
	version := regexp.MustCompile(`\d+\.\d+(?:[\w.+-]*\w)?`).FindString(textOf(got.Stdout))
	c.release = version
	switch {
	case got.Err != nil || got.TimedOut || version == "":
		why := fmt.Sprintf("exit %d", got.ExitCode)
		if got.TimedOut {
			why = "no answer in " + versionLimit.String()
		} else if got.Err != nil {
			why = got.Err.Error()
		}
		c.add(Finding{Check: "version", Severity: Warning, Where: program,
			What: "it does not print its version: " + why, Mend: "run " + program + " --version, and install it anew"})
	case slices.Contains(c.Versions, version):
		c.add(Finding{Check: "version", Severity: OK, Where: program, What: version + ", which hookrun knows"})
	default:
		what := version + ", which nobody has tried with this hookrun"
		if len(c.Versions) > 0 {
			what += ": hookrun knows " + strings.Join(c.Versions, ", ")
		}
		c.add(Finding{Check: "version", Severity: Note, Where: program, What: what,
			Mend: "see that a hook blocks a call in it; look for a newer hookrun"})
	}
}

// program checks the program of an entry, and reports whether it can be started.
func (c *checked) program(e install.InstalledEntry) bool {
	path, args, known := install.Program(e.Command)
	if !known {
		return true
	}
	where := e.Path + ":" + strconv.Itoa(e.Line)
	_, err := exec.LookPath(path)
	if err != nil {
		what, mend := "the program of the entry, "+path+", cannot be started", c.reinstall(e)
		switch _, statErr := os.Stat(path); {
		case filepath.Base(path) == path:
			what, mend = "the program of the entry, "+path+", is not in PATH", c.notInPath(e)
		case statErr != nil:
			what = "the program of the entry is gone: " + path
		case errors.Is(err, fs.ErrPermission):
			what = "the program of the entry is not executable: " + path
		}
		c.add(Finding{Check: "program", Severity: Error, Where: where, What: what}, mend)
		return false
	}
	if c.doctor.Binary != "" && !regular.Same(path, c.doctor.Binary) {
		c.add(Finding{Check: "program", Severity: Note, Where: where,
			What: "the entry runs another hookrun than this one: " + path}, c.otherProgram(e))
	}
	for i, word := range args {
		value, joined := strings.CutPrefix(word, "--log=")
		if word == "--log" && i+1 < len(args) {
			value, joined = args[i+1], true
		}
		if joined {
			c.findings = append(c.findings, c.doctor.logFile(c.Name, value))
		}
	}
	return true
}

// canary runs the command of an entry in the client's shell, for a call that hookrun always blocks. The output must be
// this block in the client's own form.
func (c *checked) canary(e install.InstalledEntry) {
	if c.doctor.Start == nil {
		return
	}
	call := dialect.NewCall(dialect.Call{
		Event: protocol.Event(e.Event), Tool: canary.Tool, Args: "{}",
		SessionID: "hookrun-doctor", ToolUseID: "hookrun-doctor",
		Workspace: c.doctor.Workspace.Started, Dir: c.doctor.Workspace.Started,
	})
	_ = call.Resolve(clients.All()) // an entry may be at an event that nobody knows
	f := Finding{Check: "canary", Severity: Error, Where: e.Path + ":" + strconv.Itoa(e.Line)}
	mend := []mending{c.otherAnswer(e)}
	payload, _, err := c.dialect.Hooks.Encode(call)
	if err != nil {
		f.What = "the test call cannot be written: " + err.Error()
		c.add(f, mend...)
		return
	}
	limit := min(cmp.Or(e.Timeout, canaryLimit), canaryLimit)
	var got process.Result
	program, err := c.start(e.Command)
	if err == nil {
		got = c.doctor.Start(program, process.Input(payload), limit)
		err = got.Err
	}
	result := dialect.HookResult{
		Err: err, TimedOut: got.TimedOut, Limit: limit, ExitCode: got.ExitCode, Signal: got.Signal,
		Stdout: engine.CaptureOf(got.Stdout), Stderr: engine.CaptureOf(got.Stderr), Shell: true,
	}
	verdict := c.dialect.Hooks.Decode(call, "hookrun", &result)
	answer := strings.Join(strings.Fields(cmp.Or(verdict.Reason, result.Stderr.Text(), result.Stdout.Text())), " ")
	answer = spelling.Brief(answer, 300)
	switch {
	case err != nil:
		f.What = "the entry cannot be started: " + err.Error()
	case got.TimedOut:
		f.What = fmt.Sprintf("the entry gave no answer in %s", limit)
	case verdict.Decision != protocol.Block:
		const text = "the entry does not block the test call (exit %d): %s"
		f.What = fmt.Sprintf(text, got.ExitCode, cmp.Or(answer, "no output"))
	case !canary.Blocked(verdict.Reason):
		f.What = "the entry blocks every call with an error: " + answer
		if c.doctor.Workspace.Config == nil {
			mend = []mending{{text: "fix the hooks file, see hookrun check"}}
		}
	default:
		mend = nil
		f.Severity, f.What = OK, "the entry blocks the test call, as "+c.Files.Client+" would run it"
	}
	c.add(f, mend...)
}

// start returns the process that the client starts for an entry.
func (c *checked) start(command string) (p process.Program, err error) {
	p.Dir = c.doctor.Workspace.Started
	variable := c.dialect.ProjectVariable
	p.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return variable != "" && strings.HasPrefix(v, variable+"=") || strings.HasPrefix(v, "PWD=")
	})
	p.Env = append(p.Env, "PWD="+p.Dir)
	if variable != "" {
		p.Env = append(p.Env, variable+"="+p.Dir)
	}
	own := c.OwnFiles()
	isPlugin := own != nil && !own[0].Executable // a plugin starts hookrun itself
	if path, args, known := install.Program(command); known && isPlugin {
		p.Path, p.Args = path, append([]string{path}, args...)
		return p, nil
	}
	return p, c.setShell(&p, command)
}

func textOf(o process.Output) string {
	c := engine.CaptureOf(o)
	return c.Text()
}

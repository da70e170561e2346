package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// callFlags are the flags that describe a call.
type callFlags struct {
	call     dialect.Call
	args     string
	result   string
	warnings []string // from reading the call, and from finding the project
}

// defineTool adds the flags of a tool call.
func (f *callFlags) defineTool(flags *pflag.FlagSet) {
	flags.StringVar(&f.call.Tool, "tool", "", "`NAME` of the tool")
	flags.StringVar(&f.args, "args", "", "its arguments as `JSON|@FILE|-`; - is stdin (default {})")
}

// defineResult adds the flags of a tool's result.
func (f *callFlags) defineResult(flags *pflag.FlagSet) {
	flags.StringVar(&f.result, "result", "", "its result as `TEXT|@FILE|-`; - is stdin")
	flags.BoolVar(&f.call.Failed, "failed", false, "the tool failed, and the result is the text of the error")
	flags.BoolVar(&f.call.Blocked, "blocked", false, "the tool did not run, and the result is the reason")
}

// defineCall adds the flags that a call of every event has.
func (f *callFlags) defineCall(flags *pflag.FlagSet) {
	flags.StringVar(&f.call.SessionID, "session-id", "", "`ID` of the conversation")
	flags.StringVar(&f.call.Prompt, "prompt", "", "the user's message, as `TEXT|@FILE|-`; - is stdin")
	flags.StringVar(&f.call.TranscriptPath, "transcript-path", "", "`FILE` with the conversation")
	flags.StringVar(&f.call.ToolUseID, "tool-use-id", "", "the model's `ID` of the tool call")
	flags.StringVar(&f.call.AgentID, "agent-id", "", "`ID` of the agent")
	flags.StringVar(&f.call.OrchestratorID, "orchestrator-id", "", "`ID` of what runs the agent, for MassGen's hooks")
}

// readValues reads the values of flags that name a file or stdin.
func (f *callFlags) readValues(stdin io.Reader) (err error) {
	if err := f.oneStdin(); err != nil {
		return err
	}
	if f.call.Prompt, err = value("--prompt", f.call.Prompt, stdin); err != nil {
		return err
	}
	if f.call.Args, err = value("--args", f.args, stdin); err != nil {
		return err
	}
	if f.args == "-" && f.call.Args == "" {
		return errors.New("--args -: stdin is empty; write the arguments of the tool call to it")
	}
	f.call.Result, err = value("--result", f.result, stdin)
	return err
}

// oneStdin returns an error if two flags want stdin.
func (f *callFlags) oneStdin() error {
	var wanting []string
	for _, flag := range []struct{ name, value string }{
		{"--args", f.args}, {"--result", f.result}, {"--prompt", f.call.Prompt},
	} {
		if flag.value == "-" {
			wanting = append(wanting, flag.name+" -")
		}
	}
	if len(wanting) < 2 {
		return nil
	}
	return fmt.Errorf("%s and %s both want stdin; give one of them as @FILE", wanting[0], wanting[1])
}

// inputAlone returns an error for flags whose values are in the hook input.
func inputAlone(flags *pflag.FlagSet) error {
	for _, name := range []string{
		"session-id", "prompt", "transcript-path", "tool-use-id", "agent-id", "orchestrator-id",
		"tool", "args", "result", "failed", "blocked",
	} {
		if flag := flags.Lookup(name); flag != nil && flag.Changed {
			return fmt.Errorf("--%s: the hook input has this; leave the flag out", name)
		}
	}
	return nil
}

// maxValue is the maximum size of --args and --result.
const maxValue = 64 << 20

// value returns the value of a flag: the text, the contents of a file after @, or stdin for -.
func value(flag, text string, stdin io.Reader) (string, error) {
	size := 0
	switch path, isFile := strings.CutPrefix(text, "@"); {
	case isFile:
		file, err := os.Open(path)
		if err != nil {
			const mend = "for a text that starts with @ use - and stdin"
			return "", fmt.Errorf("%s %s: %w; %s", flag, text, regular.UnwrapPath(err), mend)
		}
		defer file.Close()
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			err = errors.New("is a directory")
		}
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", flag, text, regular.UnwrapPath(err))
		}
		size, stdin = int(min(info.Size(), maxValue))+1, file
	case text != "-":
		return text, nil
	}
	all, err := readAll(stdin, maxValue, size, flag == "--args" || flag == "--input")
	switch {
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", flag, text, regular.UnwrapPath(err))
	case len(all) > maxValue:
		return "", fmt.Errorf("%s %s: larger than 64 MiB", flag, text)
	}
	return all, nil
}

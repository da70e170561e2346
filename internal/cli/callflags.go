package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/client"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/gate/form"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/massgen/ipc"
	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/protocol"
)

// callFlags are the flags of every command that runs hooks for a call, or explains which hooks would run.
type callFlags struct {
	call      dialect.Call
	workspace string
	configs   []string
	claude    bool
	noUser    bool
	required  bool // a missing hooks file is an error
	timeout   string
	onFailure string
	trust     string
	pin       bool
	dialect   string
	output    string
	client    *client.Client // see reader
	verbose   bool
	debug     bool
	inputs    *debugInputs // with --debug
	wrap      bool
	args      string
	result    string
	notes     string
	warnings  []string // from reading the call, and from finding the project
	project   project
	queue     *queue.Queue
	ipc       *string // nil: the command has no such flag
	record    runLog
	config    *hookfile.Config // of the call; nil: not read yet, or with a fault
	flags     *pflag.FlagSet

	beforeAllow, entry string // of fire
	managed            bool
}

// define adds the flags of all events.
func (f *callFlags) define(flags *pflag.FlagSet, outputs ...string) {
	f.defineFiles(flags)
	flags.StringVar(&f.call.SessionID, "session-id", "", "`ID` of the conversation")
	flags.StringVar(&f.call.Prompt, "prompt", "", "the user's message, as `TEXT|@FILE|-`; - is stdin")
	flags.StringVar(&f.call.TranscriptPath, "transcript-path", "", "`FILE` with the conversation")
	flags.StringVar(&f.call.ToolUseID, "tool-use-id", "", "the model's `ID` of the tool call")
	flags.StringVar(&f.call.AgentID, "agent-id", "", "`ID` of the agent")
	flags.StringVar(&f.call.OrchestratorID, "orchestrator-id", "", "`ID` of what runs the agent, for MassGen's hooks")
	f.definePolicy(flags)
	f.defineTrust(flags)
	f.defineState(flags)
	defineOutput(flags, &f.output, outputs...)
	const verbose = "show on stderr what each hook did; if the call is blocked, after the reason"
	flags.BoolVarP(&f.verbose, "verbose", "v", false, verbose)
}

// defineFiring adds the flags of the commands that run hooks for one call.
func (f *callFlags) defineFiring(flags *pflag.FlagSet) {
	f.defineRequired(flags)
	f.record.define(flags)
	flags.BoolVar(&f.debug, "debug", false, "as -v, and what each hook got on stdin, which may have secrets in it")
}

// defineRequired adds the flag of commands that answer calls.
func (f *callFlags) defineRequired(flags *pflag.FlagSet) {
	flags.BoolVar(&f.required, "require-hooks", false, "fail if there is no hooks file at all, of whatever level")
}

const workspaceUsage = "`DIR` of the project; hooks run in it (default the nearest folder upwards with a hooks file)"

const noUserUsage = "leave out your own hooks, of $XDG_CONFIG_HOME/hookrun/hooks.json"

// defineFiles adds the flags that select hooks files.
func (f *callFlags) defineFiles(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVarP(&f.workspace, "workspace", "C", ".", workspaceUsage)
	flags.Lookup("workspace").DefValue = ""
	const config = "hooks `FILE` instead of the project's, repeatable (default WORKSPACE/" + hookfile.FileName + ")"
	flags.StringArrayVarP(&f.configs, "config", "c", nil, config)
	const claude = "also load what Claude Code would: the user's, project's and local settings"
	flags.BoolVar(&f.claude, "claude", false, claude)
	flags.BoolVar(&f.noUser, "no-user", false, noUserUsage)
}

// definePolicy adds the flags that control how hooks run.
func (f *callFlags) definePolicy(flags *pflag.FlagSet) {
	flags.StringVar(&f.timeout, "timeout", "", "`DURATION` for every hook, as 5s or 5 (default each hook's own)")
	const onFailure = "{WORDS}, for hooks without an on_failure of their own"
	defineWord(flags, &f.onFailure, "on-failure", "", onFailure, "block", "continue")
	names := dialectNames()
	const dialect = "`NAME` of the rules that all hooks must have: %s (default by the file)"
	flags.StringVar(&f.dialect, "dialect", "", fmt.Sprintf(dialect, strings.Join(names, ", ")))
	setValues(flags, "dialect", names...)
}

// trustVariable is the variable with the default of --trust.
const trustVariable = "HOOKRUN_TRUST"

// defineTrust adds the flags for trust and for the pin.
func (f *callFlags) defineTrust(flags *pflag.FlagSet) {
	const trust = "{WORDS}: required runs a project's hooks only as hookrun allow has them (default $" +
		trustVariable + ", else off)"
	defineWord(flags, &f.trust, "trust", "", trust, trustWords()...)
	flags.BoolVar(&f.pin, "pin", false, "block calls if the hooks are no longer those of the session's first call")
}

// defineState adds the flag for the folder of the queues.
func (f *callFlags) defineState(flags *pflag.FlagSet) {
	f.queue = &queue.Queue{}
	defineState(flags, &f.queue.Dir)
}

// defineIPC adds the flag for the folder in which MassGen leaves a text.
func defineIPC(flags *pflag.FlagSet) *string {
	const usage = "`DIR` in which MassGen leaves a text for the next result, as " + ipc.FileName
	return flags.String("massgen-ipc", "", usage)
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

// defineMessages adds the flag for output forms with messages.
func (f *callFlags) defineMessages(flags *pflag.FlagSet) {
	forms := texts(form.AllNotes())
	usage := "`FORM` that keeps texts from the result, in messages: " + strings.Join(forms, ", ")
	flags.StringVar(&f.notes, "notes", string(form.Separate), usage)
	setValues(flags, "notes", forms...)
}

// messageForms returns the output forms with messages.
func messageForms() []string { return texts(form.APIs()) }

func texts[T ~string](words []T) (all []string) {
	for _, w := range words {
		all = append(all, string(w))
	}
	return all
}

// hasMessages reports whether the output has messages.
func (f *callFlags) hasMessages() bool {
	return slices.Contains(messageForms(), f.output)
}

// reader returns the client that reads the output, or nil.
func (f *callFlags) reader() *client.Client {
	switch {
	case f.output == "text", f.output == "json":
		return nil
	case f.client == nil || f.client.Name != f.output:
		f.client, _ = registry.All().ClientNamed(f.output)
	}
	return f.client
}

// messages returns an error if the flags do not allow messages, before a hook runs.
func (f *callFlags) messages() error {
	if f.flags.Lookup("notes") == nil {
		return nil
	}
	if err := checkWord(f.flags, "notes"); err != nil {
		return err
	}
	switch {
	case f.flags.Changed("notes") && !f.hasMessages():
		return fmt.Errorf("--notes is for messages; it needs --output %s", strings.Join(messageForms(), "|"))
	case f.hasMessages() && f.call.ToolUseID == "":
		const text = "--tool-use-id is missing; --output %s needs the id that the model gave the tool call"
		return fmt.Errorf(text, f.output)
	}
	return nil
}

// finish completes the call from the flags.
func (f *callFlags) finish(event protocol.Event, stdin io.Reader) (err error) {
	f.call.Event = event
	f.verbose = f.verbose || f.debug
	if !registry.All().IsAboutTool(event) {
		f.call.Tool = ""
	}
	if err := f.valid(); err != nil {
		return err
	}
	if err := checkOutput(f.flags); err != nil {
		return err
	}
	if err := f.messages(); err != nil {
		return err
	}
	if client := f.reader(); client != nil && f.call.Client == nil {
		f.call.Client = client.Dialect
	}
	if registry.All().IsAboutTool(event) && f.call.Tool == "" && f.call.ClientInput == "" {
		return fmt.Errorf("--tool is missing; give the name of the tool, as in --tool shell")
	}
	if f.call.Failed && f.call.Blocked {
		return errors.New("--failed and --blocked exclude each other: a tool that failed has run; leave one out")
	}
	if err := f.resolveWorkspace(); err != nil {
		return err
	}
	if f.call.ClientInput != "" {
		return nil // the input has the values of all these flags
	}
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

// valid returns an error for flags with a value that no command accepts.
func (f *callFlags) valid() error {
	if err := f.notEmpty(); err != nil {
		return err
	}
	if f.dialect == "" {
		return nil
	}
	return checkWord(f.flags, "dialect")
}

// notEmpty returns an error for an empty flag: most likely the caller's variable is unset.
func (f *callFlags) notEmpty() error {
	for _, name := range []string{"workspace", "timeout", "on-failure", "dialect", "state", "massgen-ipc", "trust"} {
		if flag := f.flags.Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty; leave it out for the default", name)
		}
	}
	if slices.Contains(f.configs, "") {
		return errors.New("--config is empty; leave it out for the default")
	}
	return nil
}

// resolveWorkspace finds the project; the project's folder is the workspace. With --config, the workspace is the
// current folder or the client's, because a named file does not tell the project.
func (f *callFlags) resolveWorkspace() (err error) {
	named := f.flags.Changed("workspace")
	if f.project, err = projectBy(f.workspace, named, len(f.configs) > 0, f.claude); err != nil {
		return err
	}
	f.project.configs = f.configs
	f.workspace = f.project.Workspace
	f.warnings = append(f.warnings, f.project.warnings()...)
	if f.call.Workspace, err = filepath.Abs(f.workspace); err != nil {
		return fmt.Errorf("--workspace %s: %w", f.workspace, err)
	}
	return nil
}

func dialectNames() (names []string) {
	for _, d := range registry.All().Dialects() {
		if d == tenex.Dialect || !d.HasProjectRules() { // a protocol has no files
			names = append(names, d.Name)
		}
	}
	return names
}

// mustBeFolder returns an error if the workspace is not a folder.
func mustBeFolder(workspace string) error {
	if _, err := filepath.Abs(workspace); errors.Is(err, fs.ErrNotExist) {
		return errors.New("the folder you are in was deleted; give -C and the folder of the project")
	}
	info, err := os.Stat(workspace)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return fmt.Errorf("--workspace %s: %w; give the folder of the project", workspace, regular.UnwrapPath(err))
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

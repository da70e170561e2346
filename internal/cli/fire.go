package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

var fire = command{
	name:    "fire",
	args:    "[FLAGS] < HOOK-INPUT",
	summary: "ask the hooks about any event, with a client's own hook input on stdin",
	answers: true,
	client:  true,
	about: "Reads the hook input of a client, Claude Code, Codex or Gemini CLI, from stdin, asks the hooks that match its event, and prints\n" +
		"that client's hook output. So it is a hook command of its own: as the one hook in a client's settings it runs a project's\n" +
		".tenex-hooks.json. The workspace is where the client says that its project is, in $CLAUDE_PROJECT_DIR or\n" +
		"$GEMINI_PROJECT_DIR, or the current directory, or the nearest folder above it, in the same git repository, that has a\n" +
		".tenex-hooks.json. Errors exit with 2, unless --output is text or json: a client would take\n" +
		"any other code for a pass.",
	example: `  {"type": "command", "command": "hookrun fire"}     in .claude/settings.json, under "PreToolUse"` + "\n" +
		`  hookrun fire --claude --output json < input.json   what Claude Code's own hooks say about a call`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callFlags
		f.define(flags, append(clientForms(), "json", "text")...)
		f.output = "" // the form of the client whose input it will be
		form := flags.Lookup("output")
		form.DefValue, form.Usage = "", form.Usage+" (default that of the client whose input it is)"
		f.record.define(flags)
		f.ipc = defineIPC(flags)
		return func(args []string, std Streams) (int, error) {
			if err := noArgs(args); err != nil {
				return 0, err
			}
			return f.fireRead(func() (protocol.Event, error) { return f.input(std.In) }, std)
		}
	},
}

// input reads the call that stdin describes.
func (f *callFlags) input(stdin io.Reader) (event protocol.Event, err error) {
	if err := f.inputAlone(); err != nil {
		return "", err
	}
	var doc strings.Builder
	n, err := io.Copy(&doc, io.LimitReader(stdin, maxValue+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the hook input from stdin: %w", bare(err))
	case n > maxValue:
		return "", errors.New("the hook input on stdin is larger than 64 MiB")
	case strings.TrimSpace(doc.String()) == "":
		return "", errors.New("stdin is empty; give it the JSON that a client gives its hooks")
	}
	if event, err = f.readInput(doc.String()); err != nil {
		return "", err
	}
	if !f.flags.Changed("output") {
		f.output = f.call.Client().Name
	}
	return event, nil
}

// readInput takes the call from a client's hook input, which says all that the flags of a call do. The workspace is where the
// client has its project, unless a flag says another.
func (f *callFlags) readInput(doc string) (event protocol.Event, err error) {
	if err := f.inputAlone(); err != nil {
		return "", err
	}
	if f.call, f.warnings, err = protocol.ParseInput(doc); err != nil {
		return "", err
	}
	if f.flags.Changed("workspace") {
		return f.call.Event, nil
	}
	// A client that runs in another one's shell inherits that one's variable, which says nothing of its own project.
	variable := f.call.Client().Project
	if project := os.Getenv(variable); variable != "" && project != "" {
		if info, err := os.Stat(project); err != nil || !info.IsDir() {
			return "", fmt.Errorf("%s is %s, which is no folder; set it to the project's, or give --workspace", variable, project)
		}
		f.workspace = project
	}
	if len(f.configs) == 0 && !f.claude {
		f.workspace = nearestProject(f.workspace)
	}
	return f.call.Event, nil
}

// nearestProject is the nearest folder with a hooks file, from dir upwards through its repository: Codex starts hooks where its session
// is, and all clients can be started below the project's folder. What lies outside of the repository is somebody else's.
func nearestProject(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(at, name))
		return err == nil
	}
	for nearest := ""; ; at = filepath.Dir(at) {
		if nearest == "" && has(projecthooks.FileName) {
			nearest = at
		}
		if has(".git") {
			return cmp.Or(nearest, dir)
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// inputAlone refuses flags that say what a hook input says.
func (f *callFlags) inputAlone() error {
	for _, name := range []string{"session-id", "prompt", "transcript-path", "tool-use-id", "agent-id", "orchestrator-id", "tool", "args", "result", "failed"} {
		if flag := f.flags.Lookup(name); flag != nil && flag.Changed {
			return fmt.Errorf("--%s: the hook input says this; leave the flag out", name)
		}
	}
	return nil
}

//go:build unix

package launch_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/launch"
)

// TestFormFillsCommands: Gemini CLI writes the values of its variables into the text of a command, wherever they stand,
// and the shell sees no variable. A value that needs quotes reaches the command as one word, in whatever quotes it
// stands.
func TestFormFillsCommands(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash")
	}
	plain, hostile := "/work/a-b.c", `/a b/$(touch ran)'"\#`
	for line, wants := range map[string][2]string{
		`printf %s $GEMINI_CWD`:           {plain, hostile},
		`printf %s $GEMINI_PROJECT_DIR/x`: {plain + "/x", hostile + "/x"},
		`printf %s '$GEMINI_CWD'`:         {plain, hostile},
		`printf %s "$GEMINI_CWD/x"`:       {plain + "/x", hostile + "/x"},
		`printf %s '<$GEMINI_CWD>'"<$GEMINI_CWD>"$'<$GEMINI_CWD>'`: {"<" + plain + "><" + plain + "><" + plain + ">",
			"<" + hostile + "><" + hostile + "><" + hostile + ">"},
		`printf %s \$GEMINI_CWD`:   {plain, hostile},
		`printf %s $GEMINI_CWDx`:   {plain + "x", hostile + "x"},
		`printf %s "$GEMINI_CWDx"`: {plain + "x", hostile + "x"},
		// the braced form is the shell's
		`printf %s '${GEMINI_CWD}'"${GEMINI_CWD}"`:          {"${GEMINI_CWD}" + plain, "${GEMINI_CWD}" + hostile},
		`printf %s $GEMINI_SESSION_ID "$GEMINI_SESSION_ID"`: {"s1s1", "s1s1"},
		// nobody knows it
		`printf %s '$GEMINI_PLANS_DIR'`:                          {"$GEMINI_PLANS_DIR", "$GEMINI_PLANS_DIR"},
		`printf %s '$OTHER$' # don't look at $GEMINI_CWD`:        {"$OTHER$", "$OTHER$"},
		"# don't\nprintf %s $CLAUDE_PROJECT_DIR a#'$GEMINI_CWD'": {plain + "a#" + plain, hostile + "a#" + hostile},
		`printf %s 'it''s' \' $GEMINI_CWD`:                       {"its'" + plain, "its'" + hostile},
	} {
		for i, folder := range []string{plain, hostile} {
			command, err := json.Marshal(line)
			require.NoError(t, err)
			doc := hooksOf("BeforeTool", `"command":`+string(command))
			cfg, err := parts.All().Parse(".gemini/settings.json", []byte(doc))
			require.NoError(t, err)
			env := append(os.Environ(), "GEMINI_PROJECT_DIR="+folder, "GEMINI_CWD="+folder,
				"CLAUDE_PROJECT_DIR="+folder, "GEMINI_SESSION_ID=s1")
			dir := t.TempDir()
			path, argv, err := launch.Program(&cfg.Hooks[0], dir, env)
			require.NoError(t, err)
			cmd := exec.Cmd{Path: path, Args: argv, Dir: dir, Env: env}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %q: %s", line, argv, out)
			require.Equal(t, wants[i], string(out), "%s: %q", line, argv)
			require.NoFileExists(t, filepath.Join(dir, "ran"))
		}
	}
}

// TestFormCallsTheShell: messages of a shell begin with the name that it was called by.
func TestFormCallsTheShell(t *testing.T) {
	argv := func(file, event string) []string {
		cfg, err := parts.All().Parse(file, []byte(hooksOf(event, `"command":"echo '$GEMINI_CWD'"`)))
		require.NoError(t, err)
		_, argv, err := launch.Program(&cfg.Hooks[0], t.TempDir(), append(os.Environ(), "GEMINI_CWD=/w"))
		require.NoError(t, err)
		return argv
	}
	require.Equal(t, []string{"/bin/sh", "-c", "echo '$GEMINI_CWD'"}, argv(".claude/settings.json", "PreToolUse"))
	require.Equal(t, []string{"sh", "-c", "echo '$GEMINI_CWD'"}, argv(".codex/hooks.json", "PreToolUse"))
	require.Equal(t, []string{"bash", "-c", "echo '/w'"}, argv(".gemini/settings.json", "BeforeTool"))
	cfg, err := parts.All().Parse(".tenex-hooks.json",
		[]byte(`{"hooks":[{"name":"a","command":"a","events":["pre-tool"]}]}`))
	require.NoError(t, err)
	_, own, err := launch.Program(&cfg.Hooks[0], t.TempDir(), os.Environ())
	require.NoError(t, err)
	require.Equal(t, []string{"sh", "-c", "a"}, own)
}

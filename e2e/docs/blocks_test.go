//go:build linux

package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/docs"
	"github.com/hookrun/hookrun/e2e/binary"
)

// blocks are lines that end in a blocked call, by the section of the page about problems that explains it, and the hook
// or rule that blocks. The lines run in a project with .tenex-hooks.json.
var blocks = []struct{ section, hook, lines string }{
	{"A rule:", "git/no-force-push", `echo '{"packs": ["git"]}' >.tenex-hooks.json
		hookrun pre-tool --tool shell --args '{"command":"git push --force"}'`},
	{"A hook's own words", "h", hooks(`"block": "not here"`) + "hookrun pre-tool --tool shell"},
	{"A hook's own words", "h", hooks(`"command": "echo 'x could not run: Rule.' >&2; exit 2"`) +
		"hookrun pre-tool --tool shell"},
	{"A hook's own words", "h", hooks(`"command": "exit 2"`) + "hookrun pre-tool --tool shell"},
	{"The program of a hook", "h", hooks(`"command": ["./none.sh"]`) + "hookrun pre-tool --tool shell"},
	{"An answer:", "h", hooks(`"command": "echo '{\"decision\": \"deny\"}'"`) + "hookrun pre-tool --tool shell"},
	{"A hook failed:", "h", hooks(`"command": "sleep 9", "timeout": "50ms", "on_failure": "block"`) +
		"hookrun pre-tool --tool shell"},
	{"A hook failed:", "h", hooks(`"command": "kill -9 $$"`) + "hookrun pre-tool --tool shell"},
	{"A hook failed:", "h", hooks(`"command": "exit 3", "on_failure": {"exit": "block"}`) +
		"hookrun post-tool --tool shell --result x"},
	{"The program of a hook", "h", hooks(`"url": "http://127.0.0.1:1/", "on_failure": "block"`) +
		"hookrun pre-tool --tool shell"},
	{"After a change:", "", hooks(`"command": ["sh", "a.sh"]`) + `touch a.sh; hookrun allow --yes; echo exit >a.sh
		hookrun pre-tool --tool shell --trust required`},
	{"Not allowed yet:", "", hooks(`"command": "true"`) + `echo '{"hook_event_name": "PreToolUse", "session_id": "s",
		"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "."}' |
		hookrun fire --output claude --trust required --before-allow block`},
	{"Another place:", "", hooks(`"command": "true"`) + `hookrun allow --yes; rm .tenex-hooks.json; mkdir sub
		cd sub; hookrun pre-tool --tool shell --trust required`},
	{"In a session:", "", hooks(`"command": "true"`) + `hookrun pre-tool --tool shell --pin --session-id s
		` + hooks(`"command": "false"`) + `hookrun pre-tool --tool shell --pin --session-id s`},
	{"The record:", "", hooks(`"command": "true"`) + `export XDG_STATE_HOME="$HOME/s"
		hookrun allow --yes; chmod 777 "$HOME/s/hookrun"; hookrun pre-tool --tool shell --trust required`},
	{"A kind of hook:", "prompt hook of line 1", `mkdir .claude; cat >.claude/settings.json <<'END'
{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}}
END
		hookrun pre-tool --tool Bash --claude --on-failure block`},
	{"A changed call:", "h", hooks(`"command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\",`+
		` \"updatedInput\": {}}}'"`) + "hookrun pre-tool --tool shell"},
	{"An end from outside:", "", hooks(`"command": "kill $PPID; sleep 9"`) + "hookrun pre-tool --tool shell"},
	{"No file:", "", "hookrun pre-tool --tool shell --require-hooks"},
	{"An error of the hooks file", "", `echo '{"hook": []}' >.tenex-hooks.json; hookrun pre-tool --tool shell`},
}

// hooks returns the line that writes a hooks file with one hook for the calls of tools.
func hooks(keys string) string {
	return `cat >.tenex-hooks.json <<'END'
{"hooks": [{"name": "h", "events": ["pre-tool", "post-tool"], ` + keys + "}]}\nEND\n"
}

// TestEveryBlockIsExplained: hookrun explain --last shows the file, the hook, the reason and the way out of a block of
// each kind, and the section of the page about it. Each cause of a block is among them.
func TestEveryBlockIsExplained(t *testing.T) {
	explained, causes := map[string]bool{}, map[string]bool{}
	for _, b := range blocks {
		u := binary.NewUser(t)
		const last = "\nhookrun explain --last -o json >$HOME/last.json; hookrun explain --last >$HOME/last.txt"
		got := binary.Run(t, u.Project, "", u.Env, "sh", "-c", b.lines+last)
		require.Zero(t, got.Code, "%s\n%s", b.lines, got.Stderr)
		text, err := os.ReadFile(filepath.Join(u.Home, "last.json"))
		require.NoError(t, err)
		var r struct {
			File, Hook, Reason, Fix, Cause string
			Page                           docs.Section
		}
		require.NoError(t, json.Unmarshal(text, &r))
		require.NotEmpty(t, r.Reason, "%s\n%s%s", b.lines, got.Stdout, got.Stderr)
		require.Contains(t, got.Stderr+got.Stdout, strings.Split(r.Reason, "\n")[0], b.lines)
		require.True(t, strings.HasPrefix(r.Page.Title, b.section), "%s\n%s", b.lines, text)
		require.Equal(t, b.hook, r.Hook, b.lines)
		if b.hook != "" {
			require.Regexp(t, "^"+u.Project+`/\.(tenex-hooks|claude/settings)\.json:1$`, r.File, b.lines)
		}
		require.NotEmpty(t, r.Fix, b.lines)
		screen, err := os.ReadFile(filepath.Join(u.Home, "last.txt"))
		require.NoError(t, err)
		for _, part := range []string{r.File, r.Reason, r.Fix, r.Page.Page, r.Page.Text} {
			first, _, _ := strings.Cut(part, "\n")
			require.Contains(t, string(screen), first, b.lines)
		}
		explained[r.Page.Title], causes[r.Cause] = true, true
	}
	for _, cause := range strings.Fields(
		"policy exit signal timeout unstarted output rewrite unsupported untrusted changed") {
		require.True(t, causes[cause], "no line ends in a block with the cause %s", cause)
	}
	require.Greater(t, len(explained), 14)
}

// TestTroubleshootingQuotes: the words in the title of each section are words of a message of hookrun, and the section
// has a fix and leads to itself.
func TestTroubleshootingQuotes(t *testing.T) {
	root := binary.Repository(t)
	var messages strings.Builder
	read := func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			text, failed := os.ReadFile(path)
			messages.Write(text)
			return failed
		}
		return err
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "internal"), read))
	joined := regexp.MustCompile(`" \+\s+"`).ReplaceAllString(messages.String(), "")
	page, err := os.ReadFile(filepath.Join(root, "docs", "start", "troubleshooting.md"))
	require.NoError(t, err)
	titles := regexp.MustCompile(`(?m)^## (.*".*)$`).FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(titles), 14)
	known := anchors(string(page))
	for _, title := range titles {
		for _, phrase := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(title[1], -1) {
			words := strings.Split(phrase[1], "…")
			for _, w := range words {
				w = strings.TrimSpace(strings.ReplaceAll(w, ".tenex-hooks.json", ""))
				require.Contains(t, joined, w, title[1])
			}
			s, found := docs.SectionOf("hookrun pre-tool: " + strings.Join(words, "x"))
			require.True(t, found, phrase[1])
			require.Equal(t, title[1], s.Title, phrase[1])
			require.NotEmpty(t, s.Fix, s.Title)
			require.NotContains(t, s.Text, "```", s.Title)
			_, anchor, _ := strings.Cut(s.Page, "#")
			require.True(t, known[anchor], s.Page)
		}
	}
	_, found := docs.SectionOf("words of nobody")
	require.False(t, found)
}

package hook_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// keyUses are dangerous values by the letter of the use of their key: with a command in front of a %, a value beside
// that command. The last three name a file.
var keyUses = []struct {
	letter, use string
	values      []string
}{
	{"L", "a line", []string{`"git push --force"`, `"cd x && sudo git push --force"`}},
	{"l", "a list of words", []string{`["git","push","--force"]`, `["bash","-lc","git push --force"]`}},
	{"m", "several lines", []string{`["ls","git push --force"]`}},
	{"o", "a command in an object", []string{`{"command":"git","args":["push","--force"]}`,
		`[{"input":{"command":"git push --force"}}]`}},
	{"w", "words", []string{`git%["push","--force"]`, `git%"push --force"`, `bash%["-c","git push --force"]`}},
	{"e", "variables", []string{`ls%{"BASH_FUNC_ls%%":"() { git push --force; }"}`,
		`git push $X%[{"name":"X","value":"--force"}]`, `git log%["GIT_PAGER=git push --force"]`}},
	{"s", "a program for the line", []string{`push --force%"git"`}},
	{"t", "text for a process", []string{`%"git push --force\n"`}},
	{"p", "a file", []string{`"secrets/a"`, `"./src/../secrets/a"`, `["secrets/a"]`, `"secrets/a:3"`}},
	{"g", "files by a glob", []string{`"secrets/*"`, `["s*/a"]`}},
}

// withKey adds a key to the beginning of an object, instead of an equal one.
func withKey(begun, key, value string) string {
	for _, equal := range []string{`"command":"ls",`, `"path":"ok",`} {
		if strings.HasPrefix(equal, `"`+key+`"`) {
			begun = strings.ReplaceAll(begun, equal, "")
		}
	}
	return begun + `"` + key + `":` + value + `}`
}

// TestEveryKeyOfEveryTool holds rules against dangerous values under each key of the tools of clients, of the Agent
// Client Protocol and of servers of MCP. A line of testdata/tool-keys.txt has a client or server, a tool, and each key
// with the letters of the uses that a rule holds there. A key that takes neither a command nor a file has none.
func TestEveryKeyOfEveryTool(t *testing.T) {
	data, err := os.ReadFile("testdata/tool-keys.txt")
	require.NoError(t, err)
	shell := rules(t, `"if":"shell(git push --force*)"`)
	var narrowed []string
	for _, tool := range []string{"fs_read", "fs_write", "fs_edit", "fs_grep", "fs_glob", "fs_list"} {
		narrowed = append(narrowed, `"if":"`+tool+`(secrets/**)"`)
	}
	files := rules(t, narrowed...)
	held := func(cfg *hookfile.Config, tool, args string) bool {
		names, _ := runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: tool, Args: args, Workspace: "/ws"})
		return len(names) > 0
	}
	keys := 0
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		tool := fields[1]
		base, isShell := `{"path":"ok",`, held(shell, tool, `{}`)
		if isShell {
			base = `{"command":"ls",`
		}
		honest := "{"
		for i, field := range fields[2:] {
			key, _, _ := strings.Cut(field, "=")
			got := key + "="
			for _, u := range keyUses {
				all := true
				for _, value := range u.values {
					before, ofKey, isBeside := strings.Cut(value, "%")
					switch {
					case strings.Contains("pg", u.letter):
						from := base
						if u.letter == "g" && !isShell &&
							(strings.Contains(key, "attern") || strings.Contains(key, "glob")) {
							from = "{"
						}
						all = all && held(files, tool, withKey(from, key, value))
					case u.letter == "t":
						all = all && !isShell && held(shell, tool, `{"pid":1,"`+key+`":`+ofKey+`}`)
					case isBeside && strings.Contains("wes", u.letter):
						all = all && key != "command" &&
							held(shell, tool, `{"command":"`+before+`","`+key+`":`+ofKey+`}`)
					default:
						all = all && held(shell, tool, withKey(strings.TrimSuffix(base, `"path":"ok",`), key, value))
					}
				}
				if all {
					got += u.letter
				}
			}
			keys, honest = keys+1, honest+`"`+key+`":"docs/a",`
			fields[2+i] = got
		}
		honest = strings.TrimSuffix(honest, ",") + "}"
		require.False(t, held(shell, tool, honest), "%s %s", tool, honest)
		if tool != "search_codebase" { // has no path, and searches in secrets too
			require.False(t, held(files, tool, honest), "%s %s", tool, honest)
		}
		require.Equal(t, strings.TrimSpace(line), strings.Join(fields, " "))
	}
	require.Greater(t, keys, 550)
}

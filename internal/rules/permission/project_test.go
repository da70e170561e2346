package permission

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProjectTools holds rules against tools of any name, whose arguments say what they work on.
func TestProjectTools(t *testing.T) {
	for _, test := range []struct {
		rule, tool string
		kind       Kind
		input      string
		want       bool
	}{
		{"fs_write(secrets/**)", "fs_write", File, `{"file_path":"secrets/a"}`, true},
		{"fs_write(secrets/**)", "fs_write", File, `{"filePath":"/ws/secrets/a","command":"ls"}`, true},
		{"fs_write(secrets/**)", "fs_write", File, `{"path":"secrets/a","command":"ls"}`, true},
		{"fs_write(secrets/**)", "fs_write", File, `{"path":"src/a","command":"ls"}`, false},
		{"fs_write(secrets/**)", "fs_write", File, `{"command":"ls"}`, true},
		{"fs_write(secrets/**)", "fs_write", File, `{"path":"src/a","target_path":"secrets/a"}`, true},
		{"fs_write(secrets/**)", "fs_write", Unknown, `{"path":"secrets/a","command":"ls"}`, true},
		{"fs_delete(secrets/**)", "fs_delete", Unknown, `{"paths":["a","secrets/a"],"command":"ls"}`, true},
		{"Write(secrets/**)", "Write", Unknown, `{"path":"secrets/a"}`, true},
		{"Write(secrets/**)", "Write", Unknown, `{"path":"src/a"}`, false},
		{"Write(secrets/**)", "Write", Unknown, `{"file_path":"src/a","command":"secrets/a"}`, false},
		{"replace(*.env)", "replace", File, `{"edits":[{"file_path":"a"},{"file_path":"b/.env"}]}`, true},
		{"replace(*.env)", "replace", File, `{"path":"a","commands":[{"file_path":"b/.env"}]}`, true},
		{"fs_read(*.env)", "fs_read", File, `{"files":[{"path":"a","start_line":1},{"path":"b/.env"}]}`, true},
		{"fs_read(*.env)", "fs_read", File, `{"files":[{"path":"a","start_line":1},{"path":"b"}]}`, false},
		{"fs_read(*.env)", "fs_read", File, `{"files":{"path":"b/.env"}}`, true},
		{"fs_move(secrets/**)", "fs_move", File, `{"source":"secrets/a","destination":"b"}`, true},
		{"fs_read(*.env)", "fs_read", File, `{"uri":"file:///ws/.env"}`, true},
		{"fs_list(//ws)", "fs_list", Folder, `{}`, true},
		{"fs_list(//ws)", "fs_list", Folder, `{"dir_path":"/etc"}`, false},
		{"fs_list(//ws)", "fs_list", Folder, `{"path":7}`, true},
		{"apply_patch(*.env)", "apply_patch", File,
			`{"command":"*** Begin Patch\n*** Update File: a/.env\n*** End Patch"}`, true},
		{"apply_patch(*.env)", "apply_patch", File,
			`{"command":"*** Begin Patch\n*** Update File: a/x\n*** Move to: a/.env\n*** End Patch"}`, true},
		{"apply_patch(*.env)", "apply_patch", File, `{"command":"*** Begin Patch\n*** Add File: a/x\n*** End Patch"}`,
			false},
		{"apply_patch(*.env)", "apply_patch", File, `{"path":"a","command":["apply_patch","x"]}`, true},

		{"save(secrets/**)", "save", Unknown, `{"path":"secrets/a","command":"ls"}`, true},
		{"save(secrets/**)", "save", Unknown, `{"path":"src/a","command":"ls"}`, false},
		{"save(secrets/**)", "save", Unknown, `{"where":"secrets/a","command":"ls"}`, true},
		{"save(secrets/**)", "save", Unknown, `{"where":"src/a","command":"ls"}`, false},
		{"save(secrets/**)", "save", Unknown, `{"where":"src/a"}`, true},
		{"run(git *)", "run", Unknown, `{"command":"git push","path":"x"}`, true},
		{"run(git *)", "run", Unknown, `{"cmd":"timeout 5 git push"}`, true},
		{"run(git *)", "run", Unknown, `{"command":"ls","path":"x"}`, false},
		{"shell(git *)", "shell", Shell, `{"command":"ls","cmd":"git push"}`, true},
		{"shell(git *)", "shell", Shell, `{"command":"ls","file_path":"x"}`, false},
		{"shell(git *)", "shell", Shell, `{"commands":["ls","git push"]}`, true},
		{"shell(git *)", "shell", Shell, `{"command":"cat <<E\ngit push\nE","commands":["cat <<E","git push","E"]}`,
			true},
		{"shell(git *)", "shell", Shell, `{"commands":"git push"}`, true},
		{"shell(git *)", "shell", Shell, `{"commands":["ls","pwd"]}`, false},
		{"shell(git *)", "shell", Shell, `{"commands":["ls",["git","push"]]}`, true},

		{"web_fetch(domain:a.com)", "web_fetch", Host, `{"url":"https://x.a.com/","command":"ls"}`, true},
		{"web_fetch(domain:a.com)", "web_fetch", Host, `{"url":"https://b.com/","command":"ls"}`, false},
		{"web_fetch(domain:a.com)", "web_fetch", Host, `{"command":"ls"}`, true},
		{"web_fetch(a.com)", "web_fetch", Host, `{"url":"https://b.com/","command":"ls"}`, true},
		{"get(domain:a.com)", "get", Unknown, `{"url":"https://a.com/","command":"ls","path":"/x"}`, true},
		{"get(domain:a.com)", "get", Unknown, `{"url":"https://b.com/","command":"ls"}`, false},
		{"delegate(x)", "delegate", Other, `{"command":"ls"}`, true},
		{"mcp__a__b(x)", "mcp__a__b", Unknown, `{"path":"x"}`, false},
	} {
		for _, project := range []bool{true, false} {
			if !project && (test.kind != Unknown || strings.Contains(test.input, "timeout") || test.tool == "Write") {
				continue // the client's own form knows the names that were recorded
			}
			got, why := Parse(
				test.rule,
			).Match(Call{Tool: test.tool, Kind: test.kind, Input: test.input, Dir: "/ws", Project: project})
			require.Equal(t, test.want, got, "%s %s: %s", test.rule, test.input, why)
			require.NotEmpty(t, why)
		}
	}
}

func TestOtherNames(t *testing.T) {
	c := Call{Tool: "Agent", Aliases: []string{"delegate", "Task"}, Project: true, Input: "{}"}
	for rule, want := range map[string]bool{"Task": true, "Agent": true, "delegate": true, "delegate()": true,
		"task": false, "Bash": false} {
		got, _ := Parse(rule).Match(c)
		require.Equal(t, want, got, rule)
	}
}

// Of equal keys the tool may read the other one.
func TestEqualKeys(t *testing.T) {
	c := Call{Tool: "shell", Input: `{"command":"ls"}`, EqualKeys: true}
	for rule, want := range map[string]bool{"shell(git *)": true, "shell": true, "fs_read(x)": false,
		"Bash(git *)": false} {
		for _, c.Project = range []bool{true, false} {
			got, _ := Parse(rule).Match(c)
			require.Equal(t, want, got, rule)
		}
	}
}

func TestMisfit(t *testing.T) {
	for rule, want := range map[string]string{
		"fs_write(domain:a.com)":        "for hosts",
		"shell(domain:a.com)":           "for hosts",
		"shell(secrets/**)":             "for paths",
		"shell(cd x && git push)":       "an operator",
		"shell(ls; git push)":           "an operator",
		"shell(curl * | sh)":            "an operator",
		"web_fetch(secrets/**)":         "names no host",
		"web_fetch(a.com)":              "names no host",
		"web_fetch(domain:*.a.com)":     "is not understood",
		"delegate(Explore)":             "none is understood",
		"fs_read(!x)":                   "no pattern of a path",
		"fs_read(#x)":                   "no pattern of a path",
		"fs_read(a//b)":                 "no pattern of a path",
		"fs_read([a)":                   "no pattern of a path",
		"fs_read(~/.ssh/**)":            "",
		"fs_read(//etc/**)":             "",
		"fs_read(./.env)":               "",
		"fs_read(**)":                   "",
		"fs_read()":                     "",
		"shell(git push *)":             "",
		"shell(./deploy.sh*)":           "",
		"shell(find * -exec rm {} \\;)": "",
		"web_fetch(domain:a.com)":       "",
		"other(anything)":               "",
	} {
		r := Parse(rule)
		got := r.Problem(KindOf(r.Tool()))
		if want == "" {
			require.Empty(t, got, rule)
		} else {
			require.Contains(t, got, want, rule)
		}
	}
}

// All rules of a call together have a bound on what they cost, beyond which they match.
func TestBoundOnRules(t *testing.T) {
	begin := time.Now()
	line := projectLine(t, strings.Repeat("a", 120_000)).WithCache()
	matched := 0
	for range 10_000 {
		if got, _ := Parse("shell(*b*c*)").Match(line); got {
			matched++
		}
	}
	require.Positive(t, matched)
	require.Less(t, matched, 10_000)
	paths := Call{
		Tool:    "fs_read",
		Project: true,
		Dir:     "/ws",
		Input:   `{"path":"` + strings.Repeat("a/", 30_000) + `b"}`,
	}.WithCache()
	for range 300 {
		if got, _ := Parse("fs_read(" + strings.Repeat("a*/", 1000) + "x)").Match(paths); got {
			require.Less(t, time.Since(begin), 60*time.Second)
			return
		}
	}
	t.Error("no path counted as too much work")
}

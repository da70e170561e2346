package hook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// loopRuns reports whether any hook of a file runs at a loop's call.
func loopRuns(cfg *hookfile.Config, tool, args string) bool {
	c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: tool, Args: args, Workspace: "/w"})
	cfg.NameTool(c)
	m := hook.NewMatchContext(c)
	for i := range cfg.Hooks {
		if m.Runs(&cfg.Hooks[i]) {
			return true
		}
	}
	return false
}

// TestKnownNamesOfLoops: a loop's tool with a client's name meets each rule that a tool of an unknown name meets, but
// that a tool which reads a file does not change the file, and the reverse.
func TestKnownNamesOfLoops(t *testing.T) {
	rules := []string{`"if":"shell(git push --force*)"`, `"matcher":"shell"`, `"if":"Bash(git push --force*)"`,
		`"if":"fs_write(**/*.lock)"`, `"if":"fs_read(**/*.lock)"`, `"if":"fs_edit(**/*.lock)"`,
		`"if":"Write(**/*.lock)"`, `"matcher":"fs_*"`, `"matcher":"Edit|Write"`}
	arguments := []string{`{"command":"git push --force"}`, `{"cmd":"git push --force","path":"a.lock"}`,
		`{"script":"git push --force"}`, `{"file_path":"a.lock","content":"x"}`, `{"path":"a.lock"}`,
		`{"path":"a.lock","old_str":"a","new_str":"b"}`,
		`{"command":"git push --force","path":"a.lock","content":"x"}`,
		`{"input":"*** Begin Patch\n*** Delete File: a.lock\n*** End Patch"}`, `{"uri":"file:///w/a.lock"}`,
		`{"command":"create","path":"a.lock","file_text":"x"}`, `["git push --force"]`, `{`,
		`{"args":{"path":"a.lock"}}`}
	names := append(clients.All().ClientTools(),
		"BASH", "functions.bash", "execute_bash", "run_in_terminal", "create_file")
	for _, rule := range rules {
		cfg := parse(t, rule)
		for _, args := range arguments {
			unknown := loopRuns(cfg, "my_tool", args)
			for _, name := range names {
				if unknown && !clients.All().IsProjectName(name) && !isOtherUse(name, rule, args) {
					assert.True(t, loopRuns(cfg, name, args), "%s %s %s", rule, name, args)
				}
			}
		}
	}
}

// isOtherUse reports whether the arguments fit the name and say that the rule is for another use of files.
func isOtherUse(name, rule, args string) bool {
	c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: name})
	clients.All().NameTool(c, nil)
	kinds := c.Kinds
	is := func(prefix string) bool {
		return slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(kind, prefix) })
	}
	switch writes := is("fs_write") || is("fs_edit"); {
	case dialect.EditorTool(&dialect.Call{Tool: name, Args: args}) != "":
		return strings.Contains(rule, "shell") || strings.Contains(rule, "fs_read")
	case !is("fs_"), strings.Contains(args, "push"):
		return false
	case writes:
		return strings.Contains(rule, "fs_read")
	case strings.Contains(args, "content"), strings.Contains(args, "new_str"), strings.Contains(args, "file_text"):
		return false
	}
	return !strings.Contains(rule, "fs_read") || !is("fs_read")
}

func parse(t *testing.T, rule string) *hookfile.Config {
	const file = `{"hooks":[{"name":"r","block":"no","events":["pre-tool"],%s}]}`
	cfg, err := parts.All().Parse("f", fmt.Appendf(nil, file, rule))
	require.NoError(t, err)
	return cfg
}

package clients

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/set"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// notForShell says of a tool that takes a text like one for a shell why no shell reads it.
var notForShell = map[string]string{
	"claude Workflow script":  "JavaScript that starts agents, whose tools have hooks of their own",
	"codex exec":              "JavaScript that calls tools, which have hooks of their own; this one has none",
	"opencode task command":   "the slash command that the task comes from; nobody runs it again",
	"cline apply_patch input": "a patch", "codex apply_patch": "a patch", "copilot apply_patch": "a patch",
	"droid ApplyPatch input": "a patch",
}

// notDelegate says of a tool for agents why a gate for agents is not for it.
var notDelegate = map[string]string{
	"claude ListAgents": "it lists them", "codex collaborationlist_agents": "it lists them",
	"copilot list_agents": "it lists them", "qwen list_agents": "it lists them",
	"cline team_attach_outcome_fragment": "a report", "cline team_create_outcome": "a report",
	"cline team_finalize_outcome": "a report", "cline team_list_outcomes": "a report",
	"cline team_review_outcome_fragment": "a report", "cline team_mission_log": "a report",
	"cline team_status": "it lists them", "cline team_list_runs": "it lists them",
	"cline team_read_mailbox": "it reads what they wrote", "cline team_await_runs": "it waits",
	"cline team_cancel_run": "it ends them", "cline team_cleanup": "it ends them",
	"cline team_shutdown_teammate": "it ends them", "cline team_task": "a list of what is to be done",
}

var (
	shellKey   = regexp.MustCompile(`^(command|commands|cmd|script|code|chars|stdin|keys|input)$`)
	shellWords = regexp.MustCompile(`(?i)\b(shell|bash) (command|script)s?\b.*\b(run|execute|line)|` +
		`command to execute$|to stdin\b`)
	agentsWords = regexp.MustCompile(`(?i)agent|spawn|team_|delegate|^task$|send_?message|followup_task`)
)

// TestToolsOfClients holds the tables of tools against what the real clients offer their models: the project's "shell"
// is each tool that takes a line for a shell or keys for one, and "delegate" each tool that starts agents or gives them
// something to do.
func TestToolsOfClients(t *testing.T) {
	files, err := filepath.Glob("../../conformance/tools/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 9)
	shell, delegate := maps.Clone(notForShell), maps.Clone(notDelegate)
	for _, path := range files {
		client := strings.TrimSuffix(filepath.Base(path), ".json")
		var file struct {
			Tools []struct {
				Name  string
				Input struct {
					Type       any
					Properties map[string]struct {
						Type        any
						Description string
					}
				}
			}
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &file))
		shells := 0
		for _, tool := range file.Tools {
			who, names := client+" "+tool.Name, namesIn(t, client, tool.Name)
			check := func(is bool, name, what string, reasons, left map[string]string) {
				switch {
				case !is:
				case slices.Contains(names, name):
					require.NotContains(t, reasons, what)
				default:
					require.Contains(t, reasons, what, "%q should be %q, or a row says why not", names, name)
					delete(left, what)
				}
			}
			check(tool.Input.Type == "string", "shell", who, notForShell, shell)
			check(agentsWords.MatchString(tool.Name), "delegate", who, notDelegate, delegate)
			for key, property := range tool.Input.Properties {
				isText := property.Type == "string" || property.Type == "array"
				is := isText && (shellKey.MatchString(key) || shellWords.MatchString(property.Description))
				check(is, "shell", who+" "+key, notForShell, shell)
			}
			if slices.Contains(names, "shell") {
				shells++
			}
		}
		require.Positive(t, shells, client)
	}
	require.Empty(t, shell, "rows for no tool")
	require.Empty(t, delegate, "rows for no tool")

	for client, tools := range map[string]string{ // not offered to every model, or not on Linux
		"claude": "PowerShell", "codex": "shell_command local_shell",
		"copilot": "write_bash write_powershell powershell",
	} {
		for tool := range strings.FieldsSeq(tools) {
			require.Contains(t, namesIn(t, client, tool), "shell", tool)
		}
	}
}

// namesIn are the project's names for a tool of a client.
func namesIn(t *testing.T, client, tool string) []string {
	d, known := All().ClientNamed(client)
	require.True(t, known, client)
	c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: tool})
	All().NameTool(c, nil)
	names, _, _ := set.NamesOfTool(d, c)
	c.SetToolNames(names, nil, nil)
	return c.ProjectTools()
}

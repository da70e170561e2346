//go:build linux

package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/conformance/record/clients"
	hookclients "github.com/hookrun/hookrun/internal/clients"
)

// TestClientTools compares the tools that the real clients offer their models with those of conformance/tools.
// -update writes them.
func TestClientTools(t *testing.T) {
	for _, c := range realClients {
		t.Run(c.name, func(t *testing.T) {
			if alone(t, pathOf(t, c.name)) {
				return
			}
			var title string
			var models []string
			var tools []clients.Tool
			for _, m := range append([]otherModel{{name: c.model}}, c.others...) {
				r := newClientRun(t, c.with(m))
				title = r.title()
				r.turn()
				require.Contains(t, r.requests, 0, r.output)
				model := gjson.Get(r.requests[0], "model").String()
				if model == "" {
					model = m.name
				}
				models = append(models, model)
				for _, tool := range clients.Offered(r.requests[0]) {
					at := slices.IndexFunc(tools, func(t clients.Tool) bool { return t.Name == tool.Name })
					if at < 0 {
						at = len(tools)
						tools = append(tools, tool)
					}
					tools[at].Models = append(tools[at].Models, model)
				}
			}
			for i := range tools {
				if len(tools[i].Models) == len(models) {
					tools[i].Models = nil
				}
			}
			slices.SortFunc(tools, func(a, b clients.Tool) int { return strings.Compare(a.Name, b.Name) })
			got := encodeTools(t, clients.ToolFile{Client: title, Tools: tools})
			path := filepath.Join("../../conformance/tools", c.name+".json")
			if *update {
				require.NoError(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "-update writes it")
		})
	}
}

// nameless are the tools that a client offers any of its models, and that have no name of the project's.
var nameless = map[string]string{
	"claude":  "ListAgents, ReportFindings",
	"codex":   "clockcurr_time, clocksleep, collaborationlist_agents, exec",
	"copilot": "fetch_copilot_cli_documentation, list_agents, session_store_sql, sql",
	"cline": "team_attach_outcome_fragment, team_await_runs, team_cancel_run, team_cleanup, team_create_outcome, " +
		"team_finalize_outcome, team_list_outcomes, team_list_runs, team_mission_log, team_read_mailbox, " +
		"team_review_outcome_fragment, team_shutdown_teammate, team_status, team_task",
	"qwen": "list_agents, record_artifact, report_findings, tool_call",
}

// TestNamelessTools: a new tool of a client gets a name, or a place in the list. TestClientTools compares the files
// with the clients.
func TestNamelessTools(t *testing.T) {
	for _, c := range realClients {
		text, err := os.ReadFile(filepath.Join("../../conformance/tools", c.name+".json"))
		require.NoError(t, err)
		var names []string
		for _, tool := range gjson.GetBytes(text, "tools.#.name").Array() {
			if len(hookclients.All().ToolNames(tool.String())) == 0 {
				names = append(names, tool.String())
			}
		}
		slices.Sort(names)
		require.Equal(t, nameless[c.name], strings.Join(names, ", "), c.name)
	}
}

// encodeTools writes a line for each tool.
func encodeTools(t *testing.T, file clients.ToolFile) []byte {
	var out bytes.Buffer
	out.WriteString("{\"client\": \"" + file.Client + "\", \"tools\": [")
	for i, tool := range file.Tools {
		if i > 0 {
			out.Truncate(out.Len() - 1) // the encoder's line break
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(tool))
	}
	out.WriteString("]}\n")
	return out.Bytes()
}

package hookfile_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// knownKeys ends the message about a key that is like none of an entry.
var knownKeys = "; known are " + strings.Join(hookfile.SchemaKeys["$defs.hook.properties"], ", ")

// entries have every key that an entry can have.
var entries = []string{
	`{"name": "a", "command": "true", "events": ["pre-tool"], "matcher": "shell", "if": "shell(ls)",
	  "when": [{"path": "args.command", "exists": true}], "timeout": 5, "on_failure": "block", "env": {"A": "b"},
	  "inherit_env": false, "persistent": true, "workers": 2, "keep": "1h", "files": ["a/**"], "mode": "observe",
	  "observe_until": "2027-01-31", "approvable": true, "enabled": false}`,
	`{"name": "a", "url": "https://h/x", "events": ["pre-tool"], "headers": {"X": "$A"}, "allowed_env_vars": ["A"],
	  "ca_file": "a", "client_cert": "b", "client_key": "c", "proxy": "http://p"}`,
	`{"name": "a", "block": "no", "events": ["pre-tool"]}`,
	`{"name": "a", "inject": "yes", "events": ["pre-tool"]}`,
	`{"name": "a", "command": "true", "events": ["PostToolUse"], "dialect": "claude", "async": true}`,
	`{"name": "a", "command": "true", "events": ["preToolUse"], "dialect": "copilot", "cwd": "sub"}`,
}

// TestRowsOfFields: the parser and the schema take every key of an entry, and check --parse or explain shows it.
func TestRowsOfFields(t *testing.T) {
	keys := map[string]bool{}
	for _, entry := range entries {
		doc := `{"hooks": [` + entry + `]}`
		require.True(t, requireAgreement(t, doc))
		cfg, err := parts.All().Parse("f", []byte(doc))
		require.NoError(t, err)
		h := &cfg.Hooks[0]
		call := &hookfile.View{Hook: h, Call: &hookfile.AtCall{Folder: h.Folder}}
		shown := map[string]bool{}
		for _, v := range slices.Concat(hookfile.Loaded(h), call.Identity(), call.Handler(), call.Run()) {
			shown[v.Key] = true
		}
		for key := range gjson.Parse(entry).Map() {
			keys[key] = true
			if key == "enabled" {
				key = "disabled"
			}
			require.True(t, shown[key], "%s of %s", key, entry)
		}
		require.False(t, requireAgreement(t, strings.Replace(doc, `"events"`, `"colour": 1, "events"`, 1)))
	}
	require.ElementsMatch(t, hookfile.SchemaKeys["$defs.hook.properties"], slices.Collect(maps.Keys(keys)))
}

// TestRowsOfFieldsInDocs: the tables of keys name each of them, and no other.
func TestRowsOfFieldsInDocs(t *testing.T) {
	keys := map[string]bool{}
	for page, section := range map[string]string{"reference/hooks-file": "Keys of a hook",
		"scale/http": "A hook with a URL"} {
		text, err := os.ReadFile("../../../docs/" + page + ".md")
		require.NoError(t, err)
		_, table, ok := strings.Cut(string(text), "\n## "+section+"\n")
		require.True(t, ok, page)
		table, _, _ = strings.Cut(table, "\n## ")
		for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(table, -1) {
			for key := range strings.SplitSeq(row[1], ", ") {
				keys[strings.Trim(key, "`")] = true
			}
		}
	}
	require.ElementsMatch(t, hookfile.SchemaKeys["$defs.hook.properties"], slices.Collect(maps.Keys(keys)))
}

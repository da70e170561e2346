package permission_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/rules/permission"
	"github.com/hookrun/hookrun/protocol"
)

// What the keys of the clients' tools are for, each decided once.
const (
	files   = "file_path filePath files[].path notebook_path path findings[].file workspacePath uri"
	folders = "path paths dir_path directory_path folder"
	globs   = "patterns pattern glob glob_pattern include include_pattern"
	patches = "input patchText"
	// These name no path, or only paths that are left out.
	noPaths = `content file_text old_string new_string old_str new_str old_text new_text oldString newString
		new_source instruction edits[].old_string edits[].new_string queries exclude excludePatterns
		exclude_pattern ignore ignorePatterns output_mode type cell_id cell_type edit_mode image_quality
		pages mode prompt reason description summary title query findings[].summary questions[].question
		question questions[].options[].description options[].description questions[].title`
	// What these hold is a path if the rule matches it.
	mayBePaths = `action agentId args assignee blockerKind channel completionCriterion cron cursor dependsOn direction
		evidence
		findings[].baseline findings[].category findings[].confidence findings[].direction
		findings[].failureScenario findings[].failure_scenario findings[].id findings[].outcome
		findings[].outcomeNote findings[].severity findings[].shortSummary findings[].short_summary
		findings[].source findings[].verdict fragmentId id kind level managedId mcp_name mimeType name new_name
		nextAction
		objective options options[].label outcomeId path_prefix q questions[].header questions[].id
		questions[].options questions[].options[].label replacement requiredSections runId scope section server
		server_name sessionMode shellId shell_id skill source sourceRunId status storage strategic_intent symbol
		taskId task_id unit url`
)

// clientTool is a tool of a client with the keys of its input that may have a text.
type clientTool struct {
	client, name string
	kind         permission.Kind
	also         []string
	keys         []string // nested ones as a.b, those in lists as a[].b
}

// notOffered are tools that clients have and did not offer when they were recorded, or clients that were not.
var notOffered = map[string]map[string]string{
	"claude": {"Glob": "pattern path", "Grep": "pattern path glob type output_mode", "LS": "path ignore",
		"MultiEdit": "file_path edits[].old_string edits[].new_string", "NotebookRead": "notebook_path cell_id"},
	"codex":    {"read_file": "file_path mode", "list_dir": "dir_path", "grep_files": "pattern include path"},
	"gemini":   {"read_many_files": "include exclude", "search_file_content": "pattern dir_path include"},
	"qwen":     {"list_directory": "path ignore"},
	"opencode": {"list": "path ignore", "patch": "patchText"},
	"cursor":   {"Read": "path", "Write": "path content", "Grep": "pattern path glob output_mode type"},
}

func clientTools(t *testing.T) (tools []clientTool) {
	add := func(client, name string, keys []string) {
		d, _ := clients.All().Named(client)
		c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: name, Client: d, ClientInput: "{}"})
		clients.All().NameTool(c, nil)
		names := slices.Concat(c.ProjectTools(), clients.All().ToolNames(name))
		tool := clientTool{client, name, permission.Unknown, names, keys}
		for _, name := range names {
			if kind := permission.KindOf(name); kind != permission.Unknown {
				tool.kind = kind
				break
			}
		}
		tools = append(tools, tool)
	}
	files, err := filepath.Glob("../../../conformance/tools/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 9)
	for _, path := range files {
		var file struct {
			Tools []struct {
				Name  string
				Input schema
			}
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &file))
		for _, tool := range file.Tools {
			add(strings.TrimSuffix(filepath.Base(path), ".json"), tool.Name, tool.Input.keys(""))
		}
	}
	for client, named := range notOffered {
		for name, keys := range named {
			add(client, name, strings.Fields(keys))
		}
	}
	return tools
}

// schema is a JSON schema.
type schema struct {
	Type         any
	Properties   map[string]schema
	Items        *schema
	AnyOf, OneOf []schema
}

// keys are those of an object under which there may be a text.
func (s schema) keys(prefix string) (keys []string) {
	for key, property := range s.Properties {
		keys = append(keys, property.at(prefix+key)...)
	}
	sort.Strings(keys)
	return slices.Compact(keys)
}

func (s schema) at(key string) (keys []string) {
	switch s.Type {
	case "string":
		return []string{key}
	case "boolean", "number", "integer":
		return nil
	}
	keys = append(keys, s.keys(key+".")...)
	if s.Items != nil {
		if s.Items.Type == "string" {
			keys = append(keys, key)
		}
		keys = append(keys, s.Items.keys(key+"[].")...)
	}
	for _, one := range slices.Concat(s.AnyOf, s.OneOf) {
		keys = append(keys, one.at(key)...)
	}
	if types, ok := s.Type.([]any); ok && slices.Contains(types, any("string")) {
		keys = append(keys, key)
	}
	return keys
}

// with returns an input whose only argument is under a key.
func with(key string, value any) map[string]any {
	name, rest, nested := strings.Cut(key, ".")
	if nested {
		value = with(rest, value)
	}
	if list, isList := strings.CutSuffix(name, "[]"); isList {
		return map[string]any{list: []any{value}}
	}
	return map[string]any{name: value}
}

// TestKeysOfClients holds rules against each key of each tool for files that a client has. A key without a decision
// fails.
func TestKeysOfClients(t *testing.T) {
	is := func(keys, key string) bool { return slices.Contains(strings.Fields(keys), key) }
	unused := map[string]bool{}
	for _, key := range strings.Fields(files + " " + folders + " " + globs + " " + patches + " " + noPaths + " " +
		mayBePaths) {
		unused[key] = true
	}
	tried := 0
	for _, tool := range clientTools(t) {
		if tool.kind != permission.File && tool.kind != permission.Folder && tool.kind != permission.Unknown {
			continue
		}
		ruleFor := tool.name
		if tool.kind != permission.Unknown {
			ruleFor = tool.also[0]
		}
		for _, key := range tool.keys {
			what := tool.client + " " + tool.name + " " + key
			delete(unused, key)
			match := func(rule string, value any, want bool) {
				t.Helper()
				tried++
				input := with(key, value)
				if is(noPaths, key) || is(mayBePaths, key) || is(globs, key) {
					if _, there := input["path"]; !there { // the tool works on something else
						input["path"] = "src"
					}
				}
				args, err := json.Marshal(input)
				require.NoError(t, err)
				call := permission.Call{Tool: tool.name, Aliases: tool.also, Kind: tool.kind, Input: string(args),
					Dir: "/ws", Root: "/ws", Home: "/h", Project: true}
				got, why := permission.Parse(ruleFor + "(" + rule + ")").Match(call)
				require.Equal(t, want, got, "%s: %s on %s: %s", what, rule, args, why)
			}
			isFolder, isGlob := tool.kind == permission.Folder && is(folders, key), is(globs, key)
			isSearch := key == "pattern" && slices.Contains(tool.also, "fs_grep")
			switch {
			case is(patches, key):
				match("**/*.lock", "*** Begin Patch\n*** Add File: yarn.lock\n*** End Patch", true)
				match("**/*.lock", "*** Begin Patch\n*** Add File: a.go\n*** End Patch", false)
			case isSearch, is(noPaths, key):
				match("secrets/**", "secrets/key", false)
				match("**/secrets/**", "secrets/**", tool.kind == permission.Folder) // as src may have some
				match("/secrets", "secrets", false)
			case isGlob:
				for _, glob := range []string{"../secrets/**", "/ws/secrets/*", "../s*/key", "../{secrets,x}/key",
					"/**"} {
					match("secrets/**", glob, true)
				}
				match("src/*.lock", "*", true)
				match("src/*.lock", "*.lock", true)
				match("src/*.lock", "*.{lock,go}", true)
				match("src/*.lock", "*.{ts,go}", false)
				match("secrets/**", "*.ts", tool.kind != permission.Folder)
				match("secrets/**", "**/key", tool.kind != permission.Folder)
			case isFolder:
				for _, folder := range []string{"secrets", "secrets/", "./secrets", ".", "/ws", "/", "src/..",
					"secrets/deep"} {
					match("secrets/**", folder, true)
				}
				match("secrets/**", "src", false)
				match("secrets/deep/*.key", "secrets", true)
				match("**/*.lock", "src", true)
				match("*.env", "/elsewhere", true)
				match("~/.ssh/**", "/h", true)
				match("~/.ssh/**", "/ws", false)
				match("//etc/**", "/etc", true)
			case is(files, key), is(mayBePaths, key):
				for _, file := range []string{"secrets/key", "/ws/secrets/key", "src/../secrets/key", "secrets"} {
					match("secrets/**", file, true)
				}
				match("**/*.lock", "a/yarn.lock", true)
				match("secrets/**", "src/key", false)
				match("**/*.lock", "a/yarn.go", false)
			default:
				t.Error(what + " has no decision")
			}
		}
	}
	require.Empty(t, unused, "keys that no tool has")
	t.Log(tried, "calls")
}

package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// TestPacksOfUnknownTools has calls as MCP servers and loops with tools of their own make them, and the rules of all
// packs that hold each call. The file may be read and written; a server's own path is no file of this machine.
func TestPacksOfUnknownTools(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, file := range []string{".env", "a.txt", "src/main.go"} {
		file = filepath.Join(root, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("A=1\n"), 0o600))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(home, "other"), 0o755))
	require.NoError(t, os.Symlink(".env", filepath.Join(root, "link.txt")))
	cfg, err := parts.All().Parse("f", []byte(`{"packs": ["git", "secrets", "files", "agents", "remote", "infra"],
		"tools": {"mcp__own__put": "fs_write", "mcp__own__get": "web_fetch"}}`))
	require.NoError(t, err)
	const reads, writes = "secrets/no-reading-of-secrets", "files/no-outside-write"
	for _, test := range []struct{ tool, args, rules string }{
		// Reads of a file with secrets, under the keys of the servers.
		{"mcp__filesystem__read_file", `{"path":".env"}`, reads},
		{"mcp__filesystem__read_text_file", `{"path":"ROOT/.env","head":3}`, reads},
		{"mcp__filesystem__read_media_file", `{"path":"certs/server.key"}`, reads},
		{"mcp__filesystem__read_multiple_files", `{"paths":["a.txt",".env"]}`, reads},
		{"mcp__filesystem__move_file", `{"source":".env","destination":"a.md"}`, reads},
		{"mcp__filesystem__edit_file", `{"path":".env","edits":[{"oldText":"a","newText":"b"}]}`, reads},
		{"mcp__filesystem__write_file", `{"path":".env","content":"A=1"}`, reads},
		{"mcp__serena__read_file", `{"relative_path":".env","start_line":0}`, reads},
		{"mcp__serena__find_symbol", `{"name_path":"f","relative_path":"./.env"}`, reads},
		{"mcp__desktop_commander__read_file", `{"path":"src/../.env","offset":0}`, reads},
		{"mcp__desktop_commander__read_multiple_files", `{"paths":["ROOT/.env"]}`, reads},
		{"mcp__jetbrains__get_file_text_by_path", `{"pathInProject":".env"}`, reads},
		{"mcp__cursor__open", `{"filePath":".env"}`, reads},
		{"mcp__editor__view", `{"file":".env.local"}`, reads},
		{"mcp__editor__view", `{"file_path":"link.txt"}`, reads},
		{"mcp__editor__view", `{"absolute_path":"ROOT/.env"}`, reads},
		{"mcp__editor__view", `{"file-path":" .env"}`, reads},
		{"mcp__editor__view", `{"files":[{"path":".env","lines":[1,2]}]}`, reads},
		{"mcp__editor__view", `{"paths":"[\"a.txt\", \".env\"]"}`, reads},
		{"mcp__editor__view", `{"files":" [{\"path\":\".env\"}]"}`, reads},
		{"mcp__editor__view", `{"path":"app/[id]","paths":"[1]"}`, ""},
		{"mcp__editor__view", `{"options":{"input":{"document":".env"}}}`, reads},
		{"mcp__editor__view", `{"directory":"ROOT","document":".env"}`, reads},
		{"mcp__editor__view", `{"path":"a.txt","compare_with":".env"}`, reads},
		{"mcp__markitdown__convert_to_markdown", `{"uri":"file://ROOT/.env"}`, reads},
		{"mcp__playwright__browser_navigate", `{"url":"file://ROOT/.env"}`, reads},
		{"mcp__playwright__browser_navigate", `{"url":"FILE:///home/x/%2eenv"}`, reads},
		{"mcp__playwright__browser_navigate", `{"url":"view-source:file://ROOT/.env"}`, reads},
		{"mcp__playwright__browser_file_upload", `{"paths":["ROOT/.env"]}`, reads},
		{"mcp__slack__upload_file", `{"channel":"C1","file":".env"}`, reads},
		{"mcp__github__get_file_contents", `{"owner":"o","repo":"r","path":".env"}`, reads},
		{"mcp__git__git_add", `{"repo_path":"ROOT","files":[".env"]}`, reads},
		{"mcp__x__fetch", `{"path":"https://x/../../.env"}`, reads}, // node's path.resolve leaves the address
		{"open_file", `{"path":".env"}`, reads},
		{"view_document", `{"path":"~/.ssh/id_rsa"}`, reads + " " + writes},
		{"mcp__filesystem__read_file", `{"path":"/proc/self/environ"}`, "secrets/no-environment-dump " + writes},
		{"mcp__filesystem__read_file", `{"path":"~/.aws/credentials"}`, reads + " " + writes},

		// Paths outside of the workspace, which the tool may write.
		{"mcp__filesystem__write_file", `{"path":"/etc/passwd","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"/etc/new.d/x","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"/home/other/x","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"HOME/other/x","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"HOME/new/deep/x","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"~/x","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"UP/etc/x","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"/api/../etc/passwd","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"//etc/passwd","content":"x"}`, writes},
		{"mcp__filesystem__write_file", `{"path":"/","content":"x"}`, writes},
		{"mcp__filesystem__create_directory", `{"path":"/opt/new/deep"}`, writes},
		{"mcp__filesystem__move_file", `{"source":"a.txt","destination":"/usr/lib/x"}`, writes},
		{"mcp__filesystem__write_file", `{"uri":"file:///etc/passwd","content":"x"}`, writes},

		// Paths of a server's own, and addresses.
		{"mcp__k8s__get", `{"path":"/api/v1/pods"}`, ""},
		{"mcp__k8s__get", `{"path":"/apis/apps/v1/namespaces/default/deployments"}`, ""},
		{"mcp__openapi__call", `{"path":"/v1/users","method":"GET"}`, ""},
		{"mcp__openapi__call", `{"path":"/users/42","method":"DELETE"}`, ""},
		{"mcp__openapi__call", `{"path":"/v1/NAME"}`, ""},
		{"mcp__notion__create_page", `{"title":"t","path":"/docs/a"}`, ""},
		{"mcp__notion__create_page", `{"title":"t","path":"/docs"}`, ""},
		{"mcp__confluence__get", `{"folder":"/spaces/DEV/pages"}`, ""},
		{"mcp__s3__list", `{"uri":"s3://bucket/a","path":"/bucket/a"}`, ""},
		{"mcp__figma__get", `{"file":"AbC123","path":"/frames/1"}`, ""},
		{"mcp__gitlab__request", `{"path":"/api/v4/projects/1/repository/files","target":"/api/v4"}`, ""},
		{"mcp__playwright__browser_navigate", `{"url":"https://x.io/.env"}`, ""},
		{"mcp__fetch__fetch", `{"url":"http://localhost:3000/.env","max_length":5}`, ""},
		{"mcp__fetch__fetch", `{"uri":"https://github.com/o/r/blob/main/.claude/settings.json"}`, ""},
		{"mcp__postgres__connect", `{"source":"postgres://u@host/db.key"}`, ""},

		// Other calls of daily work.
		{"mcp__filesystem__read_file", `{"path":"a.txt"}`, ""},
		{"mcp__filesystem__write_file", `{"path":"ROOT/src/new/x.go","content":"package x"}`, ""},
		{"mcp__filesystem__write_file", `{"path":"/tmp/x","content":"cat .env"}`, ""},
		{"mcp__filesystem__list_directory", `{"path":"."}`, ""},
		{"mcp__filesystem__directory_tree", `{"path":"ROOT"}`, ""},
		{"mcp__filesystem__search_files", `{"path":"ROOT","pattern":"**/*.go","excludePatterns":[".env"]}`, ""},
		{"mcp__filesystem__list_allowed_directories", `{}`, ""},
		{"mcp__serena__replace_symbol_body", `{"name_path":"f","relative_path":"src/main.go","body":"x"}`, ""},
		{"mcp__serena__search_for_pattern", `{"substring_pattern":"\\.env","relative_path":"src"}`, ""},
		{"mcp__git__git_status", `{"repo_path":"ROOT"}`, ""},
		{"mcp__git__git_commit", `{"repo_path":"ROOT","message":"load .env at start"}`, ""},
		{"mcp__github__create_issue", `{"owner":"o","repo":"r","title":"t","body":"see .env"}`, ""},
		{"mcp__github__create_or_update_file", `{"path":"docs/a.md","content":"x","branch":"b"}`, ""},
		{"mcp__github__list_commits", `{"owner":"o","repo":"r","sha":"main"}`, ""},
		{"mcp__memory__create_entities", `{"entities":[{"name":"a","entityType":"file"}]}`, ""},
		{"mcp__sqlite__read_query", `{"query":"select path from files where path = '/etc/passwd'"}`, ""},
		{"mcp__slack__post_message", `{"channel_id":"C1","text":"the .env is missing"}`, ""},
		{"mcp__playwright__browser_click", `{"element":"Save","ref":"e12"}`, ""},
		{"mcp__playwright__browser_take_screenshot", `{"filename":"page.png"}`, ""},
		{"mcp__context7__get-library-docs", `{"context7CompatibleLibraryID":"/vercel/next.js","topic":"env"}`, ""},
		{"mcp__sequential__think", `{"thought":"read .env?","nextThoughtNeeded":true}`, ""},

		// Names that the hooks file gives to tools, and tools that hookrun knows.
		{"mcp__own__put", `{"path":".env","content":"A=1"}`, ""},
		{"mcp__own__put", `{"path":"/api/v1/pods","content":"x"}`, writes},
		{"mcp__own__get", `{"path":"/etc/.env"}`, ""},
		{"Read", `{"file_path":"/api/v1/pods"}`, ""},
		{"Write", `{"file_path":"/api/v1/pods","content":"x"}`, writes},
		{"Write", `{"file_path":".env","content":"A=1"}`, ""},
		{"read_file", `{"path":".env"}`, reads},
	} {
		args := strings.NewReplacer("ROOT", filepath.ToSlash(root), "HOME", filepath.ToSlash(home),
			"UP", strings.Repeat("../", 30)+".", "NAME", strings.Repeat("n", 300)).Replace(test.args)
		c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: test.tool, Args: args, Workspace: root})
		cfg.NameTool(c)
		m := hook.NewMatchContext(c)
		var rules []string
		for i := range cfg.Hooks {
			if m.Runs(&cfg.Hooks[i]) {
				rules = append(rules, cfg.Hooks[i].Name)
			}
		}
		assert.Equal(t, test.rules, strings.Join(rules, " "), "%s %s", test.tool, args)
	}
}

// TestRulesForFilesMeetUnknownTools: an if for a file tool is for each unknown tool that is given a file.
func TestRulesForFilesMeetUnknownTools(t *testing.T) {
	for _, test := range []struct {
		rule, tool, args string
		want             bool
	}{
		{"fs_read(.env)", "mcp__filesystem__read_file", `{"path":".env"}`, true},
		{"fs_read(.env)", "mcp__filesystem__read_file", `{"paths":["a","x/../.env"]}`, true},
		{"fs_read(.env)", "open_file", `{"relative_path":"./.env"}`, true},
		{"Read(.env)", "open_file", `{"filePath":".env"}`, true},
		{"read_file(.env)", "open_file", `{"filePath":".env"}`, true},
		{"fs_write(src/**)", "mcp__serena__insert", `{"relative_path":"src/a.go"}`, true},
		{"fs_edit(src/**)", "mcp__serena__insert", `{"relative_path":"docs/a.md"}`, false},
		{"fs_read(.env)", "mcp__x__get", `{"path":"https://x.io/.env"}`, false},
		{"fs_read(.env)", "mcp__x__get", `{"path":"file:///w/.env"}`, true},
		{"fs_read(.env)", "mcp__x__get", `{"url":"file:///w/.env"}`, true},
		{"fs_read(.env)", "mcp__x__get", `{"url":"file://localhost/w/%2eenv"}`, true},
		{"fs_read(.env)", "mcp__x__get", `{"files":"[\"a\",\".env\"]"}`, true},
		{"fs_read(.env)", "mcp__slack__post", `{"text":".env"}`, false},
		{"fs_read(.env)", "mcp__x__list", `{"path":"."}`, false},
		{"fs_read(.env)", "Write", `{"file_path":".env"}`, false},
		{"fs_read(.env)", "web_fetch", `{"path":".env"}`, false},
		{"fs_read", "mcp__x__get", `{"path":".env"}`, false},
		{"shell(cat *)", "mcp__x__get", `{"path":"cat .env"}`, false},
		{"mcp__y__get(.env)", "mcp__x__get", `{"path":".env"}`, false},
	} {
		cfg, err := parts.All().Parse("f", fmt.Appendf(nil,
			`{"hooks":[{"name":"r","block":"no","events":["pre-tool"],"if":%q}]}`, test.rule))
		require.NoError(t, err)
		c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: test.tool, Args: test.args, Workspace: "/w"})
		cfg.NameTool(c)
		assert.Equal(t, test.want, hook.NewMatchContext(c).Runs(&cfg.Hooks[0]), "%s %s %s", test.rule, test.tool,
			test.args)
	}
}

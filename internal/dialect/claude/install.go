package claude

import (
	"cmp"
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
)

var install = &dialect.Installation{
	Events:  []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"},
	OrBlock: " || exit 2",
	SwitchedOff: func(doc string) []string {
		if gjson.Get(doc, "disableAllHooks").Type == gjson.True {
			return []string{`"disableAllHooks" is true, so Claude Code runs no hook`}
		}
		return nil
	},
	Servers: servers,
}

// servers are in .mcp.json of the project and of the folders above it, and in the user's .claude.json, for all projects
// or for one. The settings switch those of .mcp.json off.
func servers(w dialect.Where, read func(path string) string) (files []dialect.ServerFile) {
	var disabled []string
	for _, place := range []dialect.Place{settings.Project(w.Workspace), settings.User(w.Home, w.Getenv)} {
		for _, base := range append([]string{settings.Base}, settings.Others...) {
			doc := read(filepath.Join(filepath.Dir(place.Path), base))
			disabled = append(disabled, dialect.Texts(gjson.Get(doc, "disabledMcpjsonServers"))...)
		}
	}
	ofProject := func(dir string) {
		read := func(doc string) []dialect.Server {
			return dialect.ServersOf(gjson.Get(doc, "mcpServers"), disabled)
		}
		files = append(files, dialect.ServerFile{Path: filepath.Join(dir, ".mcp.json"), Read: read})
	}
	workspace, err := real(w.Workspace)
	if err != nil {
		workspace = w.Workspace
	}
	ofProject(w.Workspace)
	for dir := workspace; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		ofProject(dir)
	}
	folder := cmp.Or(w.Getenv(folderVariable), w.Home)
	if folder == "" {
		return files
	}
	ofUser := func(doc string) []dialect.Server {
		all := dialect.ServersOf(gjson.Get(doc, "mcpServers"), nil)
		gjson.Get(doc, "projects").ForEach(func(key, project gjson.Result) bool {
			place, err := real(key.String())
			if w.Everybody || key.String() == workspace || err == nil && place == workspace {
				all = append(all, dialect.ServersOf(project.Get("mcpServers"), nil)...)
			}
			return true
		})
		return all
	}
	return append(files, dialect.ServerFile{Path: filepath.Join(folder, ".claude.json"), Read: ofUser})
}

// real is the path of a folder without symbolic links.
func real(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

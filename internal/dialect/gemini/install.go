package gemini

import (
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
)

var install = &dialect.Installation{
	Events:  []string{"BeforeAgent", "BeforeTool", "AfterTool"},
	OrBlock: dialect.OrBlockAndSay,
	Asks: "Gemini CLI runs a project's hooks only in a folder that its user has trusted, " +
		"and with --skip-trust not even there",
	Comments: true,
	Named:    true,
	SwitchedOff: func(doc string) []string {
		config := gjson.Get(doc, "hooksConfig")
		switch {
		case config.Get("enabled").Type == gjson.False:
			return []string{`"hooksConfig" has "enabled": false, so Gemini CLI runs no hook`}
		case slices.Contains(dialect.Texts(config.Get("disabled")), "hookrun"):
			return []string{`"hooksConfig" has "hookrun" among its "disabled", so Gemini CLI does not run it`}
		}
		return nil
	},
	Servers: servers,
}

// servers are in the settings, the project's and the user's.
func servers(w dialect.Where, _ func(path string) string) (files []dialect.ServerFile) {
	for _, place := range []dialect.Place{settings.Project(w.Workspace), settings.User(w.Home, w.Getenv)} {
		files = append(files, dialect.ServerFile{Path: place.Path, Read: func(doc string) []dialect.Server {
			return dialect.ServersOf(gjson.Get(doc, "mcpServers"), dialect.Texts(gjson.Get(doc, "mcp.excluded")))
		}})
	}
	return files
}

package gemini

import (
	"cmp"
	"path/filepath"
	"runtime"
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
	ReadSwitches: func(doc string) (found []dialect.Switch) {
		config := gjson.Get(doc, "hooksConfig")
		if v := config.Get("enabled"); v.IsBool() {
			found = append(found, dialect.Switch{
				Name: "hooksConfig.enabled", Off: !v.Bool(),
				Why:  `"hooksConfig" has "enabled": false, so Gemini CLI runs no hook`,
				Mend: `take "enabled" out of "hooksConfig" in that file`,
			})
		}
		if slices.Contains(dialect.Texts(config.Get("disabled")), "hookrun") { // the lists of all files add up
			found = append(found, dialect.Switch{
				Name: "hooksConfig.disabled", Off: true,
				Why:  `"hooksConfig" has "hookrun" among its "disabled", so Gemini CLI does not run it`,
				Mend: "gemini hooks enable hookrun",
			})
		}
		return found
	},
	Obstacles: obstacles,
	Machine:   machine,
	Beside:    func(w dialect.Where) []string { return []string{trustFile(w)} },
	Servers:   servers,
	Program:   "gemini",
	Versions:  []string{"0.61.0"},
	Variables: []string{"GEMINI_CLI"},
}

// machine are the settings of all users: defaults, and what overrides the user's own.
func machine(getenv func(string) string) (weakest, strongest []string) {
	folder := "/etc/gemini-cli"
	switch runtime.GOOS {
	case "darwin":
		folder = "/Library/Application Support/GeminiCli"
	case "windows":
		folder = `C:\ProgramData\gemini-cli`
	}
	path := cmp.Or(getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), filepath.Join(folder, "settings.json"))
	defaults := filepath.Join(filepath.Dir(path), "system-defaults.json")
	return []string{cmp.Or(getenv("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"), defaults)}, []string{path}
}

// trustFile says which folders the user has trusted.
func trustFile(w dialect.Where) string {
	user := settings.User(w.Home, w.Getenv)
	return cmp.Or(w.Getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH"),
		filepath.Join(filepath.Dir(user.Path), "trustedFolders.json"))
}

// obstacles is the trust in the folder: without it Gemini CLI runs no hook of its settings.
func obstacles(in *dialect.Installed) []dialect.Obstacle {
	trusts := "export GEMINI_CLI_TRUST_WORKSPACE=true, or start gemini there and trust the folder"
	switch value := in.Getenv("GEMINI_CLI_TRUST_WORKSPACE"); {
	case in.Getenv("GEMINI_RESTRICTED_MODE") == "true":
		return []dialect.Obstacle{{Text: "$GEMINI_RESTRICTED_MODE is true, so Gemini CLI runs no hook",
			Mend: "unset GEMINI_RESTRICTED_MODE", Known: true}}
	case value == "false":
		return []dialect.Obstacle{{Text: "$GEMINI_CLI_TRUST_WORKSPACE is false, so Gemini CLI runs no hook",
			Mend: "unset GEMINI_CLI_TRUST_WORKSPACE", Known: true}}
	case value == "true":
		return nil
	}
	file, asks := trustFile(in.Where), true
	trusted := ""
	for _, f := range in.Files {
		if v := gjson.Get(f.Text, "security.folderTrust.enabled"); v.IsBool() {
			asks = v.Bool()
		}
		if f.Path == file {
			trusted = dialect.FolderTrust(f.Text, in.Workspace)
		}
	}
	switch {
	case !asks || trusted == "TRUST_FOLDER" || trusted == "TRUST_PARENT":
		return nil
	case trusted == "DO_NOT_TRUST":
		return []dialect.Obstacle{{Path: file, Text: "the folder is not trusted, so Gemini CLI runs none of its hooks",
			Mend: trusts, Known: true}}
	}
	// Whether an editor says that it is trusted cannot be seen from here.
	return []dialect.Obstacle{{Path: file, Text: "nobody has trusted the folder: gemini --skip-trust runs its tools " +
		"and not the project's hooks, and without a terminal gemini does not start", Mend: trusts}}
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

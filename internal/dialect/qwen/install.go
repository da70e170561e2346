package qwen

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
)

// installed are the events at which hookrun has something to say.
var installed = []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"}

var install = &dialect.Installation{
	Events: installed,
	// As JSON that is all of stderr it holds up a result as well, and no other hook's allow undoes it.
	OrBlock: ` || { echo '{"decision":"deny","reason":"hookrun gave no answer","continue":false}' >&2; exit 2; }`,
	Asks: "with folder trust switched on, Qwen Code runs a project's hooks only in a folder that its user has " +
		"trusted, and with --bare or --safe-mode none",
	Comments: true,
	ReadSwitches: func(doc string) []dialect.Switch {
		v := gjson.Get(doc, settings.Off)
		if !v.Exists() {
			return nil
		}
		off := v.Type == gjson.True || v.Type == gjson.String && v.Str != "" || v.Num != 0
		return []dialect.Switch{{
			Name: settings.Off, Off: off,
			Why:  fmt.Sprintf(`"disableAllHooks" is %s, so Qwen Code runs no hook`, v.Raw),
			Mend: `take "disableAllHooks" out of that file`,
		}}
	},
	Obstacles: obstacles,
	Machine:   machine,
	Beside:    func(w dialect.Where) []string { return []string{trustFile(w)} },
	Servers: func(w dialect.Where, _ func(string) string) (files []dialect.ServerFile) {
		for _, place := range []dialect.Place{settings.Project(w.Workspace), settings.User(w.Home, w.Getenv)} {
			files = append(files, dialect.ServerFile{Path: place.Path, Read: func(doc string) []dialect.Server {
				return dialect.ServersOf(gjson.Get(doc, "mcpServers"), dialect.Texts(gjson.Get(doc, "mcp.excluded")))
			}})
		}
		return files
	},
	Program:   "qwen",
	Versions:  []string{"0.24.4"},
	Variables: []string{"QWEN_CODE"},
}

// machine are the settings of all users: defaults, and what overrides the user's own.
func machine(getenv func(string) string) (weakest, strongest []string) {
	folder := "/etc/qwen-code"
	switch runtime.GOOS {
	case "darwin":
		folder = "/Library/Application Support/QwenCode"
	case "windows":
		folder = `C:\ProgramData\qwen-code`
	}
	path := cmp.Or(getenv("QWEN_CODE_SYSTEM_SETTINGS_PATH"), filepath.Join(folder, "settings.json"))
	defaults := filepath.Join(filepath.Dir(path), "system-defaults.json")
	return []string{cmp.Or(getenv("QWEN_CODE_SYSTEM_DEFAULTS_PATH"), defaults)}, []string{path}
}

// trustFile says which folders the user has trusted.
func trustFile(w dialect.Where) string {
	user := settings.User(w.Home, w.Getenv)
	return cmp.Or(w.Getenv("QWEN_CODE_TRUSTED_FOLDERS_PATH"),
		filepath.Join(filepath.Dir(user.Path), "trustedFolders.json"))
}

// obstacles are a matcher that keeps every hook of its event from running, and the trust in the folder, which is off
// unless a setting says otherwise.
func obstacles(in *dialect.Installed) (found []dialect.Obstacle) {
	asks, trusted, trust := false, "", trustFile(in.Where)
	for _, f := range in.Files {
		if v := gjson.Get(f.Text, "security.folderTrust.enabled"); v.IsBool() {
			asks = v.Bool()
		}
		if f.Path == trust {
			trusted = dialect.FolderTrust(f.Text, in.Workspace)
			continue
		}
		for _, event := range installed {
			gjson.Get(f.Text, "hooks."+event).ForEach(func(_, group gjson.Result) bool {
				if m := group.Get("matcher"); m.Type != gjson.Null && m.Type != gjson.String {
					found = append(found, dialect.Obstacle{Path: f.Path, Known: true,
						Text: fmt.Sprintf("the matcher %s of %s is no string, so Qwen Code runs no hook of that "+
							"event", m.Raw,
							event),
						Mend: "write it as a string"})
				}
				return true
			})
		}
	}
	if asks && trusted != "TRUST_FOLDER" && trusted != "TRUST_PARENT" {
		found = append(found, dialect.Obstacle{Path: trust, Known: true,
			Text: "the folder is not trusted, so Qwen Code runs none of its hooks",
			Mend: "start qwen there and trust the folder"})
	}
	return found
}

package qwen

import (
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
)

// installed are the events at which hookrun has something to say.
var installed = []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"}

var install = &dialect.Installation{
	Events: installed,
	// Exit 2 holds up no result, and at exit 2 stdout is not read. No other hook's allow undoes "continue": false.
	NoAnswer: dialect.NoAnswer{JSON: `{"decision":"deny","reason":"` + dialect.SilentReason + `","continue":false}`},
	// Without "shell" the environment decides which one it is.
	OnWindows: dialect.CommandForm{Shell: dialect.PowerShell, Extra: `"shell":"powershell"`},
	Asks: "with folder trust switched on, Qwen Code runs a project's hooks only in a folder that its user has " +
		"trusted, and with --bare or --safe-mode none",
	Comments: true,
	ReadSwitches: func(doc string) []dialect.Switch {
		v := gjson.Get(doc, offSwitch)
		if !v.Exists() {
			return nil
		}
		off := v.Type == gjson.True || v.Type == gjson.String && v.Str != "" || v.Num != 0
		return []dialect.Switch{{
			Name: offSwitch, Off: off,
			Why:  fmt.Sprintf(`"disableAllHooks" is %s, so Qwen Code runs no hook`, v.Raw),
			Mend: `take "disableAllHooks" out of that file`,
		}}
	},
	Obstacles: obstacles,
	Machine:   func(getenv func(string) string) (weakest, strongest []string) { return family.Machine(getenv) },
	Beside:    func(w dialect.Where) []string { return family.Beside(w) },
	Servers: func(w dialect.Where, read func(string) string) []dialect.ServerFile {
		return family.Servers(w, read)
	},
	Program:   "qwen",
	Versions:  []string{"0.24.4"},
	Variables: []string{"QWEN_CODE"},
}

var family = &dialect.GenAI{
	Variables: "QWEN_CODE", Folder: "qwen-code", MacFolder: "QwenCode", Files: files,
}

// obstacles are a matcher that keeps every hook of its event from running, and the trust in the folder, which is off
// unless a setting says otherwise.
func obstacles(in *dialect.Installed) (found []dialect.Obstacle) {
	for _, f := range in.Files {
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
	if file, wanted, trusted, _ := family.Trust(in, false); wanted && !trusted {
		found = append(found, dialect.Obstacle{Path: file, Known: true,
			Text: "the folder is not trusted, so Qwen Code runs none of its hooks",
			Mend: "start qwen there and trust the folder"})
	}
	return found
}

package gemini

import (
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

var install = &dialect.Installation{
	Events:       []string{"BeforeAgent", "BeforeTool", "AfterTool"},
	WindowsShell: dialect.PowerShell,
	JSON:         dialect.WithComments,
	Note:         "with --skip-trust Gemini CLI runs no hook of a project",
	HooklessActions: []dialect.HooklessAction{
		{What: "runs the commands in a custom command without a hook", Event: protocol.PreTool,
			Tools: []string{"shell"}},
	},
	Program:   "gemini",
	Versions:  []string{"0.61.0"},
	Variables: []string{"GEMINI_CLI"},
	Installer: installer{&family},
}

// installer implements dialect.Installer, with the parts that Gemini CLI and its forks share.
type installer struct{ *dialect.GenAI }

// EntryMembers adds a name, because the client's hooks have names.
func (installer) EntryMembers(dialect.Shell) (commandKey, more string) {
	return dialect.CommandKey, `"name":"hookrun"`
}

func (installer) Switches(doc string) []dialect.Switch {
	found := dialect.OffIfFalse(doc, "hooksConfig.enabled",
		`"hooksConfig" has "enabled": false, so Gemini CLI runs no hook`,
		`take "enabled" out of "hooksConfig" in that file`)
	if slices.Contains(dialect.Texts(gjson.Get(doc, "hooksConfig.disabled")), "hookrun") { // all lists add up
		found = append(found, dialect.Switch{
			Name: "hooksConfig.disabled", Off: true,
			What: `"hooksConfig" has "hookrun" among its "disabled", so Gemini CLI does not run it`,
			Mend: "gemini hooks enable hookrun",
		})
	}
	return found
}

var family = dialect.GenAI{
	Variables: "GEMINI_CLI", Folder: "gemini-cli", MacFolder: "GeminiCli", Files: files,
}

// Obstacles returns missing trust in the folder: without trust Gemini CLI runs no hook of its settings.
func (installer) Obstacles(in *dialect.Installed) []dialect.Obstacle {
	trusts := "export GEMINI_CLI_TRUST_WORKSPACE=true, or start gemini there and trust the folder"
	switch value := in.Getenv("GEMINI_CLI_TRUST_WORKSPACE"); {
	case in.Getenv("GEMINI_RESTRICTED_MODE") == "true":
		return []dialect.Obstacle{{What: "$GEMINI_RESTRICTED_MODE is true, so Gemini CLI runs no hook",
			Mend: "unset GEMINI_RESTRICTED_MODE", Known: true}}
	case value == "false":
		return []dialect.Obstacle{{What: "$GEMINI_CLI_TRUST_WORKSPACE is false, so Gemini CLI runs no hook",
			Mend: "unset GEMINI_CLI_TRUST_WORKSPACE", Known: true}}
	case value == "true", in.HasEntry(files.User(in.Home, in.Getenv)): // the user's hooks run everywhere
		return nil
	}
	file, wanted, trusted, refused := family.Trust(in, true)
	switch {
	case !wanted || trusted:
		return nil
	case refused:
		return []dialect.Obstacle{{Path: file, What: "the folder is not trusted, so Gemini CLI runs none of its hooks",
			Mend: trusts, Known: true}}
	}
	// An editor may also report the folder as trusted, which hookrun cannot see.
	return []dialect.Obstacle{{Path: file, Person: true, Mend: trusts, What: "nobody has trusted the folder: gemini " +
		"--skip-trust runs its tools and not the project's hooks, and without a terminal gemini does not start"}}
}

package hookimport

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// knows reports whether the client has this key for command hooks.
func (g *handler) knows(key string) bool { return g.entry.From.Knows(key) }

// carriedCommand lists the keys of a command hook that the entry keeps.
var carriedCommand = []string{
	"type", "command", "args", "shell", "if", "timeout", "onFailure", "failClosed", "async", "cwd", "name", "env",
	"matcher",
}

// notCarried returns the keys of a handler that the import drops, with the reasons.
func notCarried() map[string]string {
	return map[string]string{
		"statusMessage":          "it is shown to the user of the client while the hook runs",
		"description":            "it is for people",
		"once":                   "a hook runs at each call here, not only at the first of a session",
		"asyncRewake":            "here no hook wakes the model",
		"rewakeMessage":          "here no hook wakes the model",
		"rewakeSummary":          "here no hook wakes the model",
		"holdsTools":             "here a tool waits for each of its hooks",
		"loop_limit":             "it is about the end of a turn",
		"cloud":                  "there is no cloud here",
		"commandWindows":         "an entry has one command for all systems",
		"additionalContextLimit": "here a context may be as long as it likes",
	}
}

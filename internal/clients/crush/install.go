package crush

import (
	"path/filepath"
	"runtime"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events: []string{string(before)},
	JSON:   client.WithoutMark,
	Note: "Crush has hooks before a tool alone: pre-execute and post-tool hooks of a project do not run in it. A " +
		"question before a tool is a block, and the model is told what is for the user",
	HooklessActions: []client.HooklessAction{
		{What: "runs no hook at the prompt", Event: protocol.PreExecute},
		{What: "runs no hook after a tool", Event: protocol.PostTool},
		{What: "runs no hook for the calls of a subagent", Event: protocol.PreTool,
			Tools: []string{"fs_read", "fs_glob", "fs_grep", "fs_list", "web_fetch", "web_search"}},
	},
	Program: "crush", Page: "crush.md#what-no-hook-sees",
	Versions:  []string{"0.90.0"},
	Variables: []string{"CRUSH_EVENT"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "$CRUSH", "" }

// EntryMembers adds a name, because the client's hooks have names.
func (installer) EntryMembers(client.Shell) (commandKey, more string) {
	return client.CommandKey, `"name":"hookrun"`
}

// EmptiedVariables returns the variables with the input. With a variable over 128 KB the system starts no program, and
// the client goes on without the hook.
func (installer) EmptiedVariables() []string {
	return []string{inputVariable + "COMMAND", inputVariable + "FILE_PATH"}
}

func (installer) Servers(w client.Where, _ func(path string) string) (all []client.ServerFile) {
	for _, path := range []string{files.Project(w.Workspace).Path, filepath.Join(w.Workspace, ".crush.json"),
		files.User(w.Home, w.Getenv).Path} {
		all = append(all, client.ServerFile{Path: path, Read: servers})
	}
	return all
}

// Obstacles reports that Windows has no sh for the entry, and that a variable moves the user's file.
func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	const variable = "CRUSH_GLOBAL_CONFIG"
	folder, user := in.Getenv(variable), files.User(in.Home, in.Getenv).Path
	elsewhere := folder != "" && filepath.Join(folder, files.Base) != user
	for _, e := range in.Entries {
		switch {
		case runtime.GOOS == "windows":
			found = append(found, client.Obstacle{Path: e.Path, Known: true,
				What: "on Windows Crush finds no /bin/sh, so it does not run the entry, and every call runs",
				Mend: "start Crush in WSL"})
		case elsewhere && e.Path == user:
			found = append(found, client.Obstacle{Path: user, Known: true,
				What: "Crush reads " + filepath.Join(folder, files.Base) + " and not this file, since " + variable +
					" is set", Mend: "move its hooks there, or unset the variable"})
		}
	}
	return found
}

func servers(doc string) []client.Server {
	var off []string
	all := gjson.Get(doc, "mcp")
	for key, v := range all.ForEach {
		if v.Get("disabled").Bool() {
			off = append(off, key.String())
		}
	}
	return client.ServersOf(all, off)
}

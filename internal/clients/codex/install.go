package codex

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/toml"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

var install = &client.Installation{
	Events:       []string{"UserPromptSubmit", "PreToolUse", "PostToolUse"},
	WindowsShell: client.PowerShell,
	JSON:         client.WithoutMark,
	Note:         "Codex asks its user to trust the hook again when the entry changes",
	HooklessActions: []client.HooklessAction{
		{What: "runs write_stdin without a hook", Event: protocol.PreTool, Tools: []string{"shell"}},
		{What: "shows what a command that runs on has printed so far without a hook",
			Event: protocol.PostTool, Tools: []string{"shell"}},
	},
	Program: "codex", Page: "codex.md#what-no-hook-sees",
	Versions:  []string{"0.171.0"},
	Variables: []string{"CODEX_SANDBOX", "CODEX_THREAD_ID"},
	Installer: installer{},
}

type installer struct{ client.BaseInstaller }

func (installer) Agent() (signs, ides string) { return "$CODEX_CI", "" }

// Switches reads the switch from config.toml, under an old and a new name. JSON files are skipped: they are no TOML.
func (installer) Switches(doc string) (found []client.Switch) {
	top, err := toml.Parse(doc)
	if err != nil || top.Get("features") == nil {
		return nil
	}
	for _, key := range []string{"hooks", "codex_hooks"} {
		if v := top.Get("features").Get(key); v != nil && v.Kind == toml.Bool {
			found = append(found, client.Switch{
				Name: "features." + key, Off: v.Text == "false",
				What: fmt.Sprintf("features.%s is false, so Codex runs no hook", key),
				Mend: fmt.Sprintf("take %s out of [features] in that file", key),
			})
		}
	}
	return found
}

func (installer) TrustAnew() string { return "have Codex trust the entry anew" }

func (installer) Servers(w client.Where, _ func(path string) string) []client.ServerFile {
	return client.ServerFiles(files, w, configFile, servers)
}

func servers(doc string) (all []client.Server) {
	top, err := toml.Parse(doc)
	if err != nil || top.Get("mcp_servers") == nil {
		return nil
	}
	for _, m := range top.Get("mcp_servers").Members {
		s := client.Server{Name: m.Key, At: m.Offset}
		if v := m.Value.Get("command"); v != nil && v.Kind == toml.String {
			s.Line = append(s.Line, v.Text)
		}
		if v := m.Value.Get("args"); v != nil {
			for _, a := range v.Items {
				s.Line = append(s.Line, a.Text)
			}
		}
		v := m.Value.Get("enabled")
		s.Off = v != nil && v.Text == "false"
		all = append(all, s)
	}
	return all
}

const policyFile = "requirements.toml"

// OtherFiles returns the settings of all users, and the administrator's policy.
func (installer) OtherFiles(client.Where) (weakest, strongest, _ []string) {
	folder := managedFolder(runtime.GOOS)
	return []string{filepath.Join(folder, configFile)}, []string{filepath.Join(folder, policyFile)}, nil
}

// Obstacles returns the administrator's policy, and missing trust in the project or in a hook, which is recorded in the
// user's config.toml.
func (installer) Obstacles(in *client.Installed) (found []client.Obstacle) {
	user := filepath.Join(filepath.Dir(files.User(in.Home, in.Getenv).Path), configFile)
	config := &toml.Value{Kind: toml.Table}
	for _, file := range in.Files {
		top, err := toml.Parse(file.Text)
		if err != nil {
			continue
		}
		if file.Path == user {
			config = top
		}
		isPolicy := filepath.Base(file.Path) == policyFile && !in.Managed
		if isPolicy && isTrue(top.Get("allow_managed_hooks_only")) {
			found = append(found, client.Obstacle{
				Path: file.Path, What: "allow_managed_hooks_only is true: Codex runs the administrator's hooks alone",
				Mend: "ask the administrator to have hookrun in that file", Known: true,
			})
		}
	}
	if projectTrust(config, in.Workspace) != "trusted" && in.HasEntry(files.Project(in.Workspace)) {
		return append(found, client.Obstacle{
			Path: user, What: "Codex does not trust the project, so it reads none of its hooks, without a word",
			Mend:  "start codex in " + in.Workspace + ", trust the folder, type /hooks, and trust the hooks",
			Known: true,
		})
	}
	const without = ": Codex runs each call without it, and without a word"
	state := get(get(config, "hooks"), "state")
	untrusted := map[string][]string{} // by file, the events without trust
	for _, e := range in.Entries {
		if get(get(state, key(e)), "trusted_hash") == nil && !isFalse(get(get(state, key(e)), "enabled")) {
			untrusted[e.Path] = append(untrusted[e.Path], e.Event)
		}
	}
	for _, e := range in.Entries {
		o := client.Obstacle{Path: e.Path, Mend: "start codex, type /hooks, and trust the hook", Known: true}
		kept, hash := get(state, key(e)), hashOf(e)
		switch trusted := get(kept, "trusted_hash"); {
		case isFalse(get(kept, "enabled")):
			o.What = "the hook at " + e.Event + " is switched off in Codex's /hooks"
			o.Mend = "start codex, type /hooks, and switch the hook on"
		case trusted == nil:
			if untrusted[e.Path] == nil { // one obstacle lists all events of the file
				continue
			}
			o.What = "nobody has trusted the hook at " + strings.Join(untrusted[e.Path], ", ") + without
			untrusted[e.Path] = nil
		case hash != "" && trusted.Text != hash:
			o.What = "the hook at " + e.Event + " has changed since it was trusted" + without
		default:
			continue
		}
		found = append(found, o)
	}
	return found
}

func managedFolder(system string) string {
	return dialect.OnSystem(system, "/etc/codex/", "/etc/codex/", `C:\ProgramData\OpenAI\Codex\`)
}

// Managed describes the administrator's requirements. Hooks there need no trust, and the client runs them only if they
// have a folder.
func (installer) Managed(system string) client.Managed {
	folder, key := managedFolder(system), "managed_dir"
	if system == "windows" {
		key = "windows_managed_dir"
	}
	dir := string(strictjson.AppendString(nil, folder[:len(folder)-1]))
	const off = "features.hooks = false\nfeatures.codex_hooks = false\n"
	return client.Managed{
		Path: folder + policyFile,
		Pins: []client.Pin{{Key: "features.hooks", Value: "true"}, {Key: "hooks." + key, Value: dir}},
		Only: []client.Pin{{Key: "allow_managed_hooks_only", Value: "true"}},
		Trial: client.Trial{
			Args: []string{"exec", "--skip-git-repo-check", "--disable", "hooks"},
			Home: map[string]string{".codex/config.toml": off + `
model = "scripted"
model_provider = "loopback"
model_providers.loopback = {name = "loopback", base_url = "$URL/v1", wire_api = "responses", request_max_retries = 0}
check_for_update_on_startup = false
analytics.enabled = false
features.plugins = false
`},
			There: map[string]string{".codex/config.toml": off},
		},
	}
}

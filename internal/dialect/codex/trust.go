package codex

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/toml"
)

const policyFile = "requirements.toml"

// Elsewhere are the settings of all users, and the administrator's policy.
func (installer) Elsewhere(dialect.Where) (weakest, strongest, _ []string) {
	folder := dialect.MachineFolder("/etc/codex", "/etc/codex", `C:\ProgramData\OpenAI\Codex`)
	return []string{filepath.Join(folder, configFile)}, []string{filepath.Join(folder, policyFile)}, nil
}

// Obstacles are the policy, and the trust in the project and in each hook, which are in the user's config.toml.
func (installer) Obstacles(in *dialect.Installed) (found []dialect.Obstacle) {
	user := filepath.Join(filepath.Dir(files.User(in.Home, in.Getenv).Path), configFile)
	project := filepath.Dir(files.Project(in.Workspace).Path)
	config := &toml.Value{Kind: toml.Table}
	for _, file := range in.Files {
		top, err := toml.Parse(file.Text)
		if err != nil {
			continue
		}
		if file.Path == user {
			config = top
		}
		if v := top.Get("allow_managed_hooks_only"); filepath.Base(file.Path) == policyFile && isTrue(v) {
			found = append(found, dialect.Obstacle{
				Path: file.Path, What: "allow_managed_hooks_only is true: Codex runs the administrator's hooks alone",
				Mend: "ask the administrator to have hookrun in that file", Known: true,
			})
		}
	}
	if trust := projectTrust(config, in.Workspace); trust != "trusted" {
		for _, e := range in.Entries {
			if filepath.Dir(e.Path) == project {
				return append(found, dialect.Obstacle{
					Path: user, What: "Codex does not trust the project, so it reads none of its hooks, without a word",
					Mend: "start codex in " + in.Workspace + " and trust the folder", Known: true,
				})
			}
		}
	}
	const without = ": Codex runs each call without it, and without a word"
	state := get(get(config, "hooks"), "state")
	untrusted := map[string][]string{} // by file, its events that nobody has trusted
	for _, e := range in.Entries {
		if get(get(state, key(e)), "trusted_hash") == nil && !isFalse(get(get(state, key(e)), "enabled")) {
			untrusted[e.Path] = append(untrusted[e.Path], e.Event)
		}
	}
	for _, e := range in.Entries {
		o := dialect.Obstacle{Path: e.Path, Mend: "start codex, type /hooks, and trust the hook", Known: true}
		kept, hash := get(state, key(e)), hashOf(e)
		switch trusted := get(kept, "trusted_hash"); {
		case isFalse(get(kept, "enabled")):
			o.What = "the hook at " + e.Event + " is switched off in Codex's /hooks"
			o.Mend = "start codex, type /hooks, and switch the hook on"
		case trusted == nil:
			if untrusted[e.Path] == nil { // one obstacle has all events of the file
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

// projectTrust is what the user's file says of the folder, or of the ones above in its repository.
func projectTrust(config *toml.Value, workspace string) string {
	projects := get(config, "projects")
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	for dir := workspace; ; dir = filepath.Dir(dir) {
		if level := get(get(projects, dir), "trust_level"); level != nil {
			return level.Text
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// key is how Codex names a hook in its state.
func key(e dialect.EntryText) string {
	path := e.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return strings.Join([]string{path, snake(e.Event), strconv.Itoa(e.Group), strconv.Itoa(e.Handler)}, ":")
}

// hashOf is what Codex trusts a hook by: the SHA-256 of its event, matcher and handler, with what is not written set to
// its default. It is "" for a handler with fields that were not recorded.
func hashOf(e dialect.EntryText) string {
	handler := map[string]json.RawMessage{"async": json.RawMessage("false"), "timeout": json.RawMessage("600")}
	known := true
	gjson.Parse(e.Text).ForEach(func(key, value gjson.Result) bool {
		switch key.String() {
		case "type", "command", "timeout", "async":
			if value.Type != gjson.Null {
				handler[key.String()] = json.RawMessage(value.Raw)
			}
		default:
			known = false
		}
		return known
	})
	if !known {
		return ""
	}
	if string(handler["timeout"]) == "0" {
		handler["timeout"] = json.RawMessage("1")
	}
	whole := map[string]any{"event_name": snake(e.Event), "hooks": []any{handler}}
	if e.Matcher != "" && e.Matcher != "null" {
		whole["matcher"] = json.RawMessage(e.Matcher)
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text) // keys in their order
	encoder.SetEscapeHTML(false)
	if encoder.Encode(normal(whole)) != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.TrimSuffix(text.String(), "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// normal writes every text in one way: a file may have escaped what Codex does not.
func normal(v any) (same any) {
	text, err := json.Marshal(v)
	if err != nil || json.Unmarshal(text, &same) != nil {
		return v
	}
	return same
}

// snake is an event as Codex's state has it: pre_tool_use.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// get is Get for a value that may be missing.
func get(v *toml.Value, key string) *toml.Value {
	if v == nil {
		return nil
	}
	return v.Get(key)
}

func isTrue(v *toml.Value) bool { return v != nil && v.Kind == toml.Bool && v.Text == "true" }

func isFalse(v *toml.Value) bool { return v != nil && v.Kind == toml.Bool && v.Text == "false" }

// Shell is the shell of the user's account, which Codex runs commands with, whatever $SHELL says.
func (installer) Shell() string {
	accounts, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return os.Getenv("SHELL")
	}
	for line := range strings.Lines(string(accounts)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(os.Getuid()) {
			return fields[6]
		}
	}
	return os.Getenv("SHELL") // accounts of macOS, or of a directory
}

package codex

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/toml"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// projectTrust returns the trust level in the user's file for the folder, or for a folder above in its repository.
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

// key returns the key of a hook in Codex's state.
func key(e client.EntryText) string {
	path := e.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return strings.Join([]string{path, snake(e.Event), strconv.Itoa(e.Group), strconv.Itoa(e.Handler)}, ":")
}

// hashOf returns the hash by which Codex trusts a hook: the SHA-256 of event, matcher and handler, with the defaults of
// missing fields. For a handler with fields that were not recorded, it is "".
func hashOf(e client.EntryText) string {
	handler := map[string]json.RawMessage{"async": json.RawMessage("false"), "timeout": json.RawMessage("600")}
	for key, value := range gjson.Parse(e.Text).ForEach {
		switch key.String() {
		case "type", "command", "timeout", "async":
			if value.Type != gjson.Null {
				handler[key.String()] = json.RawMessage(value.Raw)
			}
		default:
			return ""
		}
	}
	if string(handler["timeout"]) == "0" {
		handler["timeout"] = json.RawMessage("1")
	}
	whole := map[string]any{"event_name": snake(e.Event), "hooks": []any{handler}}
	if e.Matcher != "" && e.Matcher != "null" {
		whole["matcher"] = json.RawMessage(e.Matcher)
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text) // sorts keys
	encoder.SetEscapeHTML(false)
	if encoder.Encode(normal(whole)) != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.TrimSuffix(text.String(), "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// normal encodes all texts in the same way: a file may escape characters that Codex does not.
func normal(v any) (same any) {
	text, err := json.Marshal(v)
	if err != nil || json.Unmarshal(text, &same) != nil {
		return v
	}
	return same
}

// snake returns an event's name in Codex's state, such as pre_tool_use.
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

// get is v.Get, but v may be nil.
func get(v *toml.Value, key string) *toml.Value {
	if v == nil {
		return nil
	}
	return v.Get(key)
}

func isTrue(v *toml.Value) bool { return v != nil && v.Kind == toml.Bool && v.Text == "true" }

func isFalse(v *toml.Value) bool { return v != nil && v.Kind == toml.Bool && v.Text == "false" }

// Shell returns the shell of the user's account. Codex runs commands with this shell, whatever $SHELL says.
func (installer) Shell() string {
	_, shell := state.Account()
	return cmp.Or(shell, os.Getenv("SHELL")) // accounts of macOS, or of a directory service
}

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

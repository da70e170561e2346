package settings

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Handler is one hook while its Entry is being filled. The methods read the fields that clients share.
type Handler struct {
	*Group
	dialect.Entry
	Type    string
	Members Members
	Who     string // begins messages about the hook

	faultsBefore int // number of faults before this hook
	dropped      bool
}

// Drop drops the hook.
func (h *Handler) Drop() { h.dropped = true }

// Kept reports whether the hook is without faults and not dropped so far.
func (h *Handler) Kept() bool { return !h.dropped && len(h.Problems) == h.faultsBefore }

// Common reads the name and the variables.
func (h *Handler) Common() {
	h.Env = append(h.Env, h.variables(h.Members["env"], h.Who, h.Drops)...)
	if name, ok := h.Members["name"]; ok {
		h.Name = h.Dialect.Files.Expanded(name.String())
	}
}

// Time reads a timeout, which must be more than 0.
func (h *Handler) Time(key string) (d time.Duration) {
	v, ok := h.Members[key]
	if !ok {
		return 0
	}
	unit := unitOf(h.Dialect.Files.Timeout)
	switch d = h.Dialect.Files.Timeout.Read(v.Float()); {
	case d <= 0:
		h.Problem(v.Index, "%s%q must be more than 0, not %s%s", h.Who, key, spelling.Brief(v.Raw, 80), h.Drops)
	case d > time.Hour:
		h.Doubt(v, "%s%q is in %s, and %s of them are more than an hour; were these %s?", h.Who, key, unit.name,
			spelling.Brief(v.Raw, 80), unit.smaller)
	case d > dialect.LongTimeout && unit.name == "seconds":
		h.Doubt(v, "%s%q is in seconds, and %s of them are more than ten minutes; were these milliseconds?", h.Who, key,
			spelling.Brief(v.Raw, 80))
	}
	return d
}

// Doubt warns that a number may be meant in another unit.
func (h *Handler) Doubt(v gjson.Result, format string, args ...any) {
	h.Warn(v.Index, format, args...).Unit = true
}

// Whole reports whether a timeout is a whole number. Any other number is an error.
func (h *Handler) Whole(key string) bool {
	v := h.Members[key]
	if _, err := strconv.ParseUint(v.Raw, 10, 64); err == nil {
		return true
	}
	h.Problem(v.Index, "%s%q must be a whole number of %s, not %s%s", h.Who, key, unitOf(h.Dialect.Files.Timeout).name,
		spelling.Brief(v.Raw, 80), h.Drops)
	return false
}

type unitNames struct{ name, smaller string }

// unitOf returns the unit of a timeout and the next smaller unit.
func unitOf(t dialect.Timeout) unitNames {
	switch t.Write(time.Minute) {
	case 1:
		return unitNames{"minutes", "seconds"}
	case int64(time.Minute / time.Second):
		return unitNames{"seconds", "milliseconds"}
	}
	return unitNames{"milliseconds", "microseconds"}
}

// SetOnFailure sets the decision for every failure of the hook, from the client's own setting.
func (h *Handler) SetOnFailure(decision protocol.Decision) {
	h.OnFailure = dialect.FailurePolicy{}
	for _, c := range h.dialect.Causes() {
		h.OnFailure[c] = decision
	}
	if decision == protocol.Block && !h.Project {
		h.OnFailure[dialect.PolicyOfClient] = decision
	}
}

// Line reads a command line.
func (h *Handler) Line(key string, v gjson.Result) (text string, ok bool) {
	h.Runs = h.At(v.Index)
	text, ok = h.value(v, h.Who, strconv.Quote(key), "").ForProcess()
	return h.Dialect.Files.Expanded(text), ok
}

// Runnable reports an error for an empty command, and warns of a blank command.
func (h *Handler) Runnable(text string, v gjson.Result) bool {
	if text == "" {
		const text = "%shas an empty command, which fails whenever it runs; write a command, or take the hook out"
		h.Problem(v.Index, text, h.Who)
		return false
	}
	h.WarnOfBlank(text, v)
	return true
}

// WarnOfBlank warns of a blank command, which does nothing.
func (h *Handler) WarnOfBlank(text string, v gjson.Result) {
	if strings.TrimSpace(text) == "" {
		h.WarnOfGate(v.Index, "%sthe command is blank: it does nothing, and lets everything pass", h.Who)
	}
}

// ReadCommand reads "command".
func (h *Handler) ReadCommand() {
	v, ok := h.Members["command"]
	if !ok {
		return
	}
	if text, ok := h.Line("command", v); ok && h.Runnable(text, v) {
		h.Command = h.Dialect.Files.Completed(dialect.Command{Shell: text})
	}
}

// ReadCommandOrSkip is ReadCommand for a client that skips a hook with an empty command.
func (h *Handler) ReadCommandOrSkip() {
	v, ok := h.Members["command"]
	if !ok {
		return
	}
	text, ok := h.Line("command", v)
	if ok && text == "" {
		h.WarnOfGate(v.Index, "%sthe command is empty, so %s skips the hook", h.Who, h.client())
		h.note(dialect.EmptyCommand, h.From.Path, h.From.JSON.Index, "")
	}
	if !ok || text == "" {
		h.Drop()
		return
	}
	h.WarnOfBlank(text, v)
	h.Command = h.Dialect.Files.Completed(dialect.Command{Shell: text})
}

// Args returns the strings of a list.
func (h *Handler) Args(list gjson.Result) (args []string) {
	for _, a := range list.ForEach {
		arg, _ := h.value(a, h.Who, `"args"`, "").ForProcess()
		args = append(args, arg)
	}
	return args
}

// ReadHTTP reads "url", "headers" and "allowedEnvVars".
func (h *Handler) ReadHTTP() {
	where, ok := h.Members["url"]
	if !ok {
		return
	}
	h.Runs = h.At(where.Index)
	h.HTTP = &endpoint.Endpoint{URL: where.String(), AllowedEnvVars: list(h.Members["allowedEnvVars"])}
	for key, value := range h.Members["headers"].ForEach {
		if value.Type != gjson.String {
			h.WrongType(h.Who+"the header "+spelling.Quote(key.String()), "a string", value, h.Drops)
		}
		h.HTTP.Headers = append(h.HTTP.Headers, endpoint.Header{Name: key.String(), Value: value.String()})
	}
	if err := h.HTTP.Check(); err != nil { // the error does not repeat the URL, which may contain a password
		h.Problem(where.Index, "%sno request can be sent: %v", h.Who, err)
	}
}

// CannotRun marks the hook's type as unsupported, because the type needs a model or a client.
func (h *Handler) CannotRun() { h.Unsupported = h.Type }

// SetDedupKey sets the key by which equal hooks are found: texts, and the fields with these keys. An empty field equals
// a missing field, except for a list: a command without arguments is for a shell, but not with an empty list.
func (h *Handler) SetDedupKey(texts []string, keys ...string) {
	equal := append([]string{h.Type}, texts...)
	for _, key := range keys {
		if v := h.Members[key]; v.IsArray() {
			equal = append(equal, dialect.DedupKey(list(v)...))
		} else {
			equal = append(equal, h.Dialect.Files.Expanded(v.String()))
		}
	}
	h.DedupKey = dialect.DedupKey(equal...)
}

// PluginFolder returns the folder of the plugin that owns a hooks file, or "" if the file's name is not hooks.json. A
// plugin has hooks/hooks.json.
func PluginFolder(path string) string {
	path, err := filepath.Abs(path)
	if err != nil || filepath.Base(path) != "hooks.json" {
		return ""
	}
	folder := filepath.Dir(path)
	if filepath.Base(folder) == "hooks" {
		return filepath.Dir(folder)
	}
	return folder
}

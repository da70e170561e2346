package hookfile

import (
	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// field describes one key of an entry, and the value of a hook for the key.
type field struct {
	key    string
	schema string // members of the JSON Schema; "": no entry has the key, only a loaded hook
	about  string // description in the schema
	kind   kind   // the entries that can have the key

	read func(*reader, *hook.Hook) // nil: no entry has the key, or parser.hook reads the key first

	group   group
	value   func(*View) any // an empty value is not shown; nil: no value
	explain string          // format of the line in explain; onlyJSON; "": only check --parse shows the value
}

// kind says which entries can have a key.
type kind uint8

const (
	every     kind = iota
	handler        // every entry has exactly one of these
	processes      // entries with a program or a request, not rules
	programs
	requests
	clients // entries with "dialect"
)

// group is a topic. check --parse shows the values in the order of the groups.
type group uint8

const (
	identity group = iota
	runs           // a program, a request or a rule
	calls          // conditions on the call
	folder         // folder of the process
	limits         // deadline, failures, environment
	lifetime       // beyond one call
	agents         // agents of the hook
)

// onlyJSON: explain shows the value in JSON, without a line in the text.
const onlyJSON = "-"

// fields has a row for each key. Keys are read, and named in messages, in this order. The linker lays out the table:
// functions in the table must not be closures.
var fields = [...]field{
	{key: "name", group: identity, explain: onlyJSON, read: (*reader).name,
		about: "Stands in reasons and reports.", schema: `"$ref": "#/$defs/text"`,
		value: func(v *View) any { return v.Hook.Name }},
	{key: "source", group: identity, explain: onlyJSON, value: func(v *View) any { return v.Hook.Source() }},
	{key: "level", group: identity, explain: onlyJSON, value: func(v *View) any { return v.Hook.Level.String() }},
	{key: "disabled", group: identity, value: func(v *View) any { return v.Hook.Disabled }}, // the reason

	{key: "command", kind: handler, group: runs, read: (*reader).command, value: (*View).command,
		about: "An array is spawned directly, without a shell. A string is run by sh -c. The hook gets JSON on " +
			"stdin and runs in the workspace.",
		schema: `"oneOf": [
			{"type": "array", "minItems": 1, "prefixItems": [{"type": "string", "pattern": "^[^\\x00]+$"}],
			 "items": {"type": "string", "pattern": "^[^\\x00]*$"}},
			{"$ref": "#/$defs/text"}]`},
	{key: "url", kind: handler, group: runs, explain: onlyJSON, read: (*reader).url,
		about: "Instead of a command: the hook input is posted there, and the body of a 2xx answer is read like a " +
			"command's output. An empty one says nothing.",
		schema: `"type": "string", "pattern": "^[hH][tT][tT][pP][sS]?://[^\\x00-\\x20\\x7f]+$"`,
		value:  func(v *View) any { return shownURL(v.endpoint().URL) }},
	{key: "block", kind: handler, group: runs, read: (*reader).block,
		about: "Instead of a command: the call is blocked, and this is the reason.", schema: `"$ref": "#/$defs/text"`,
		value: func(v *View) any { return v.verdict().Reason }},
	{key: "inject", kind: handler, group: runs, read: (*reader).inject,
		about: "Instead of a command: the model reads this.", schema: `"$ref": "#/$defs/text"`,
		value: func(v *View) any { return v.verdict().Context }},
	{key: "unsupported", group: runs, value: func(v *View) any { return v.Hook.Unsupported() }}, // the type of handler

	{key: "events", group: calls, read: (*reader).events,
		about: "The events at which the hook runs: TENEX's names, or Claude Code's for the same. With dialect also " +
			"those of that client.",
		schema: `"type": "array", "minItems": 1, "items": {"type": "string"}`,
		value:  func(v *View) any { return v.Hook.Events }},
	{key: "matcher", group: calls, read: (*reader).matcher, value: (*View).matcher,
		about: "Globs with | between them, for the whole name of a tool: * ? [abc] [!abc]. No regular expression: " +
			`^ $ ( ) and \ are errors. Without it the hook runs for every tool. With dialect it is what a matcher ` +
			"is in that client.",
		schema: `"type": "string", "pattern": "^[^\\x00]*$"`},
	{key: "if", group: calls, read: (*reader).rule,
		about: "A permission rule of Claude Code, as shell(git push *): the hook runs where it matches the call, or " +
			"where nobody can tell.",
		schema: `"type": "string", "pattern": "^[^()*|, \\t\\n\\x00]+(\\([^\\x00]*\\))?$"`,
		value:  func(v *View) any { return v.Hook.IfText() }},
	{key: "when", group: calls, read: (*reader).conditions, value: (*View).conditions,
		about:  "Conditions on the hook input. The hook runs if all are met.",
		schema: `"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/condition"}`},

	{key: "timeout", kind: processes, group: limits, read: (*reader).timeout, value: (*View).timeout,
		about: `A duration such as "5s", or a number of seconds up to 3600. Default 30s.`, explain: "timeout: %s",
		schema: `"oneOf": [
			{"type": "number", "minimum": 1e-9, "maximum": 3600},
			{"type": "string", "pattern": "^\\+?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$",
			 "not": {"pattern": "^[^1-9]*$"}}]`},
	{key: "on_failure", kind: processes, group: limits, read: (*reader).onFailure, value: (*View).onFailure,
		about: "What it means if the hook gives no answer. Before a tool a timeout of a command continues and all " +
			"else blocks; elsewhere everything continues. With dialect it is what that client does.",
		schema: `"oneOf": [{"$ref": "#/$defs/action"}, {"$ref": "#/$defs/policy"}]`, explain: "on failure: %s"},
	{key: "env", kind: programs, group: limits, read: (*reader).env,
		about: "Variables for the hook, besides the caller's.",
		schema: `"type": "object", "propertyNames": {"pattern": "^[^=\\x00]+$", "not": {"pattern": "^HOOKRUN(_|$)"}},
			"additionalProperties": {"type": "string", "pattern": "^[^\\x00]*$"}`,
		value: func(v *View) any { return v.Hook.Environment() }},
	{key: "inherit_env", kind: programs, group: limits, value: (*View).inherited, schema: `"$ref": "#/$defs/inherited"`,
		read: func(r *reader, h *hook.Hook) { h.Inherit = r.inherit() }},
	{key: "persistent", kind: programs, group: lifetime, explain: onlyJSON,
		about:  "The process stays for later calls: one line of JSON in, one line of JSON out for each call.",
		schema: `"type": "boolean"`, read: func(r *reader, _ *hook.Hook) { r.boolean() },
		value: func(v *View) any { return v.Hook.Process().Workers > 0 }},
	{key: "workers", kind: programs, group: lifetime, value: func(v *View) any { return v.Hook.Process().Workers },
		about:   "How many processes of a persistent hook there may be, for as many calls at once. Default 1.",
		schema:  `"type": "integer", "minimum": 1, "maximum": 64`,
		read:    func(r *reader, _ *hook.Hook) { r.number(maxWorkers) },
		explain: "workers: %s"},
	{key: "keep", kind: programs, group: lifetime, read: (*reader).keep, value: (*View).keep,
		about: "How long the processes of a persistent hook stay without a call, between the calls of a client: a " +
			`duration such as "1h", or a number of seconds. Default 10m; "0s": each such call starts a process.`,
		schema: `"oneOf": [{"type": "number", "minimum": 0, "maximum": 3600},
			{"type": "string", "pattern": "^\\+?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$"}]`,
		explain: onlyJSON},

	{key: "headers", kind: requests, group: runs, read: (*reader).headers, value: (*View).headers,
		about:   "Headers of the request. $NAME and ${NAME} in a value stand for a variable of allowed_env_vars.",
		explain: "headers: %s", schema: `"type": "object",
			"propertyNames": {"pattern": "^[!#$%&'*+.^_\u0060|~0-9A-Za-z-]+$", "not": {"pattern":
				"^([cC][oO][nN][tT][eE][nN][tT]-[lL][eE][nN][gG][tT][hH]|` +
			`[tT][rR][aA][nN][sS][fF][eE][rR]-[eE][nN][cC][oO][dD][iI][nN][gG]|` +
			`[cC][oO][nN][nN][eE][cC][tT][iI][oO][nN])$"}},
			"additionalProperties": {"type": "string", "pattern": "^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$"}`},
	{key: "allowed_env_vars", kind: requests, group: runs, read: (*reader).variables, explain: "variables: %s",
		about:  "The variables that headers may name.",
		schema: `"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}`,
		value:  func(v *View) any { return v.endpoint().AllowedEnvVars }},
	{key: "ca_file", kind: requests, group: runs, explain: "ca file: %s", schema: `"$ref": "#/$defs/text"`,
		about: "Certificates (PEM) that may sign the server's, in the place of the system's. Relative to the folder " +
			"of this file.",
		read:  func(r *reader, h *hook.Hook) { h.Request().CAFile, h.Request().FilesAt[0] = r.path(), r.Place() },
		value: func(v *View) any { return v.endpoint().CAFile }},
	{key: "client_cert", kind: requests, group: runs, explain: "client cert: %s", schema: `"$ref": "#/$defs/text"`,
		about: "The certificate (PEM) that the server is shown.",
		read:  func(r *reader, h *hook.Hook) { h.Request().ClientCert, h.Request().FilesAt[1] = r.path(), r.Place() },
		value: func(v *View) any { return v.endpoint().ClientCert }},
	{key: "client_key", kind: requests, group: runs, about: "The key (PEM) of client_cert.",
		schema: `"$ref": "#/$defs/text"`, read: func(r *reader, h *hook.Hook) { h.Request().ClientKey = r.path() },
		value: func(v *View) any { return v.endpoint().ClientKey }},
	{key: "proxy", kind: requests, group: runs, explain: "proxy: %s",
		about: "The URL of a proxy. The environment's are never used.",
		schema: `"type": "string",
			"pattern": "^([hH][tT][tT][pP][sS]?|[sS][oO][cC][kK][sS]5[hH]?)://[^\\x00-\\x20\\x7f]+$"`,
		read:  func(r *reader, h *hook.Hook) { h.Request().Proxy = r.address(endpoint.CheckProxy) },
		value: func(v *View) any { return shownURL(v.endpoint().Proxy) }},

	{key: "mode", group: identity, schema: `"enum": ["block", "observe"]`, explain: onlyJSON,
		about: "observe: the hook runs, and the log and a message have what it would have done; the call goes on. " +
			"Default block, or the file's mode.",
		read: func(r *reader, h *hook.Hook) { h.Observe = r.observes() }, value: (*View).mode},
	{key: "observe_until", group: identity, explain: onlyJSON, read: (*reader).observeUntil,
		about: "The last day (UTC) on which the hook only observes, as 2027-01-31: from the next day on it blocks. " +
			"Default the file's.",
		schema: `"$ref": "#/$defs/day"`, value: func(v *View) any { return v.Hook.LastObserved() }},
	{key: "approvable", group: identity, schema: `"type": "boolean"`, explain: onlyJSON,
		about: "A person can let a call pass once that the hook blocks, with hookrun approve.",
		read:  func(r *reader, h *hook.Hook) { h.Approvable = r.boolean() },
		value: func(v *View) any { return v.Hook.Approvable }},
	{key: "enabled", about: "false: the hook never runs.", schema: `"type": "boolean"`, read: (*reader).enabled},
	{key: "dialect", group: identity, explain: onlyJSON, schema: `"enum": ["DIALECTS"]`,
		about: "The client whose rules the hook keeps: its stdin, answers, exit codes, failures, matcher and if. " +
			"Order and merging are those of this file.",
		value: func(v *View) any { return v.Hook.Dialect.Name }},
	{key: "async", kind: clients, group: lifetime, schema: `"type": "boolean"`,
		about: "With dialect, in a client that has such hooks: it is started and not waited for.",
		read:  func(r *reader, h *hook.Hook) { h.Async = r.boolean() },
		value: func(v *View) any { return v.Hook.Async }},
	{key: "sequential", group: lifetime, value: func(v *View) any { return v.Hook.Sequential }},
	{key: "max_stop_blocks", group: lifetime, explain: "max blocks: %s in a row at the end of a turn",
		value: func(v *View) any { return v.Hook.StopBlocks() }},
	{key: "cwd", kind: clients, group: folder, explain: "cwd: %s", schema: `"type": "string", "pattern": "^[^\\x00]*$"`,
		about: "With dialect, in a client that has such hooks: the folder in which the command runs, from the " +
			"workspace.",
		read:  func(r *reader, h *hook.Hook) { h.Folder, _ = r.ForProcess() },
		value: (*View).folder},
	{key: "files", kind: programs, group: limits, read: (*reader).files,
		about: "Globs of the files that the command runs and does not name, seen from the workspace. hookrun allow " +
			"records their names and contents.",
		schema: `"type": "array", "items": {"type": "string", "pattern": "^[^/\\x00\\\\][^\\x00\\\\]*$",
			"not": {"pattern": "^.:|(^|/)\\.\\.(/|$)|[^/]\\*\\*|\\*\\*[^/]"}}`,
		value: func(v *View) any { return v.Hook.Files }},
	{key: "agent", group: agents, value: func(v *View) any { return v.Hook.Agent }},
	{key: "not_agents", group: agents, value: func(v *View) any { return v.Hook.NotAgents }},
}

// entryKeys returns the keys that an entry can have.
func entryKeys() (keys []string) {
	for i := range fields {
		if fields[i].schema != "" {
			keys = append(keys, fields[i].key)
		}
	}
	return keys
}

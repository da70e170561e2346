package crush

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// The client's words for a block and a halt without a reason, and the exit code that ends the turn.
const (
	defaultReason     = "blocked by hook"
	defaultHaltReason = "turn halted by hook"
	haltCode          = 49
)

// maxDepth is the depth of JSON that Go reads.
const maxDepth = 10_000

// ownAnswer is the part of an answer that Outrank and Merge need.
type ownAnswer struct {
	reason string // as written in the answer
	patch  []byte // the changed keys of the tool's input, or nil
}

// Decode reads the answer of a hook. Guards may read the command from a variable only. If a variable cannot hold the
// input, the hook counts as not started, which blocks.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	who := dialect.MessagePrefix(dialect.ClaudeEvent(c), hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	if dialect.ClaudeEvent(c) != before {
		return dialect.OK()
	}
	v := decode(c, who, r)
	for _, set := range inputVariables(c) {
		name, value, _ := strings.Cut(set, "=")
		if v.Decision == protocol.Continue && (len(set) > dialect.MaxVariable() || strings.ContainsRune(value, 0)) {
			const text = "%s could not see all of the call: it does not fit into $%s"
			return dialect.Unstarted(fmt.Sprintf(text, who, name))
		}
	}
	return v
}

// decode reads the exit code, and stdout at exit 0 only.
func decode(c *dialect.Call, who string, r *dialect.HookResult) dialect.Verdict {
	v := dialect.OK()
	stderr := strings.TrimSpace(r.Stderr.All())
	switch {
	case r.Signal == "" && r.ExitCode == 2:
		refuse(&v, cmp.Or(stderr, defaultReason), false)
		return v
	case r.Signal == "" && r.ExitCode == haltCode:
		refuse(&v, cmp.Or(stderr, defaultHaltReason), true)
		return v
	case r.NotRunByShell():
		return dialect.Unstarted(fmt.Sprintf("%s could not run: %s", who, cmp.Or(r.Fault, stderr, "the shell says so")))
	}
	if cause, problem := r.Ended(who); problem != "" {
		return dialect.Failed(cause, problem)
	}
	text := strings.TrimSpace(r.Stdout.All())
	object := gjson.Parse(text)
	if client.CheckJSON(text, maxDepth) != nil || !object.IsObject() || r.Stdout.LeftOut() > 0 {
		if strings.HasPrefix(text, "{") {
			return dialect.Unreadable(who, "it begins with { and is no JSON, or has something behind it; "+
				nearmiss.PrintAlone(text))
		}
		v.Doubt = nearmiss.MisspelledBlockInText(who, r.Stdout.All())
		return v
	}
	a := readAnswer(object)
	v.Context = a.context
	switch {
	case a.word == "deny" || a.halts:
		refuse(&v, a.reason, a.halts)
		return v
	case a.word == "allow":
		v.Approve("")
	}
	v.NoteDoubt(who, clientName, a.doubt(object))
	if a.patch.Exists() {
		change(&v, c, who, a.patch)
	}
	return client.DoubtEqualKeys(who, object, v)
}

// refuse blocks the call, and ends the turn if halts is true.
func refuse(v *dialect.Verdict, reason string, halts bool) {
	v.Decide(protocol.Block, cmp.Or(reason, defaultReason))
	v.Own = ownAnswer{reason: reason}
	if halts {
		v.Stop, v.StopReason = true, cmp.Or(reason, defaultHaltReason)
	}
}

// change merges the changed keys into the input. The client takes a key with special characters for a path into the
// input. The hook may have meant another change, so such a key blocks the call.
func change(v *dialect.Verdict, c *dialect.Call, who string, patch gjson.Result) {
	if key, isPath := pathIn(patch); isPath {
		v.Decide(protocol.Block, fmt.Sprintf("%s changed the key %s of the tool's input, and %s takes it for a path",
			who, spelling.Quote(key), clientName))
		v.Cause, v.Approved = protocol.CauseRewrite, false
		return
	}
	keys := client.Rewritten(patch)
	if input, _, err := c.Input(); err == nil {
		v.UpdatedInput, v.Own = dialect.MergedJSON(input, keys), ownAnswer{patch: keys}
	}
}

// pathIn returns a key of an object that the client would take for a path, if there is one.
func pathIn(object gjson.Result) (key string, is bool) {
	for k := range object.ForEach {
		key = strictjson.Text(k.Raw)
		if key == "" || strings.ContainsFunc(key, func(r rune) bool {
			return r < 0x80 && r != '_' && r != '-' && r != '$' && r != ' ' && (r < '0' || r > '9') &&
				(r|0x20 < 'a' || r|0x20 > 'z')
		}) {
			return key, true
		}
	}
	return "", false
}

package opencode

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// answerKeys are the keys of an answer. The plugin rejects all others.
var answerKeys = []dialect.Field{"decision string", "reason string", "args object", "output string", "context string",
	"stop string", "systemMessage string"}

// Decode reads the result of a process as the plugin reads the result of hookrun.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	who := dialect.MessagePrefix(eventNamed(c), hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	if cause, problem := r.Ended(who); problem != "" {
		v := dialect.Failed(cause, problem)
		v.Reason = cmp.Or(strings.TrimSpace(r.Stderr.Text()), problem)
		return v
	}
	v, err := readAnswer(r.Stdout.All())
	if err != nil {
		return dialect.Unreadable(who, err.Error())
	}
	return v
}

func readAnswer(text string) (v dialect.Verdict, err error) {
	const form = `print {"decision": "continue"} or {"decision": "block", "reason": "…"}`
	if faults := strictjson.Check(text, strictjson.MaxDepth); len(faults) > 0 {
		return v, fmt.Errorf("%s; %s", faults[0].Text, form)
	}
	object := gjson.Parse(text)
	if !object.IsObject() {
		return v, errors.New("it is no JSON object; " + form)
	}
	fields := dialect.LastOf(object)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value := fields[key]
		at := slices.IndexFunc(answerKeys, func(f dialect.Field) bool { return f.Key() == key })
		if at < 0 {
			return v, fmt.Errorf("it has %q, which is no key of an answer; %s", key, form)
		}
		if err := client.CheckType(answerKeys[at], value, ""); err != nil {
			return v, err
		}
	}
	v = dialect.OK()
	switch decision := dialect.StringOf(fields["decision"]); decision {
	case "continue":
	case "block":
		v.Decide(protocol.Block, dialect.StringOf(fields["reason"]))
	default:
		return v, fmt.Errorf("decision %q does not exist; %s", decision, form)
	}
	if _, stops := fields["stop"]; stops {
		v.Stop, v.StopReason = true, dialect.StringOf(fields["stop"])
	}
	if args, there := fields["args"]; there {
		v.UpdatedInput = client.Rewritten(args)
	}
	if result, there := fields["output"]; there {
		v.UpdatedOutput = strictjson.Quote(strictjson.Text(result.Raw))
	}
	v.Context, v.SystemMessage = dialect.StringOf(fields["context"]), dialect.StringOf(fields["systemMessage"])
	return v, nil
}

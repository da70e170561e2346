package acs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Decode reads a Guardian's answer.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	who := dialect.MessagePrefix(c.Common(), hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	if cause, problem := r.Ended(who); problem != "" {
		return dialect.Failed(cause, problem)
	}
	if r.HTTP != nil && r.HTTP.Failure == protocol.CauseUnstarted {
		return dialect.Unstarted(who + " could not run: " + r.HTTP.Why)
	}
	if r.HTTP != nil && r.HTTP.Failure != "" {
		return dialect.Failed(r.HTTP.Failure, who+" got no answer: "+r.HTTP.Why)
	}
	if r.Stdout.LeftOut() > 0 {
		return dialect.Unreadable(who, dialect.KeptStdout)
	}
	result, err := resultOf(r.Stdout.All(), gjson.ParseBytes(r.Sent.Bytes()))
	if err != nil {
		return dialect.Unreadable(who, err.Error())
	}
	v, err := decide(c, hook, result)
	if err != nil {
		return dialect.Unreadable(who, err.Error())
	}
	return v
}

// resultOf returns the result in an answer to a request.
func resultOf(text string, request gjson.Result) (result gjson.Result, err error) {
	if faults := strictjson.Check(text, strictjson.MaxDepth); len(faults) > 0 {
		return result, errors.New(faults[0].Text)
	}
	answer := gjson.Parse(text)
	failed := answer.Get("error")
	result = answer.Get("result")
	switch {
	case !answer.IsObject() || dialect.StringOf(answer.Get("jsonrpc")) != "2.0":
		return result, errors.New(`it is no answer of JSON-RPC, {"jsonrpc": "2.0", "id": …, "result": …}`)
	case failed.Type != gjson.Null: // also beside a result
		return result, fmt.Errorf("the guardian returned the error %s: %s", failed.Get("code").Raw,
			strings.TrimSpace(failed.Get("message").String()))
	case !same(answer.Get("id"), request.Get("id")):
		return result, errors.New("its id is not that of the request")
	case !result.IsObject() || dialect.StringOf(result.Get("type")) != "final":
		return result, errors.New(`it has no result of the type "final"`)
	case !same(result.Get("request_id"), request.Get("params.request_id")):
		return result, errors.New("its request_id is not that of the request")
	case !strings.HasPrefix(dialect.StringOf(result.Get("acs_version")), "0."):
		return result, fmt.Errorf("its acs_version is not 0.y.z, as %s", Version)
	}
	return result, nil
}

func same(a, b gjson.Result) bool {
	return a.Type == gjson.String && b.Type == gjson.String && strictjson.Text(a.Raw) == strictjson.Text(b.Raw)
}

// decide returns the verdict of a result. ASK and DEFER exist before a tool alone; at other events they block. A block
// after the tool keeps the result from the model.
func decide(c *dialect.Call, hook string, result gjson.Result) (v dialect.Verdict, err error) {
	v = dialect.OK()
	defer func() {
		if v.Decision != protocol.Continue && c.Common() == protocol.PostTool {
			v.UpdatedOutput = dialect.InPlaceOfResult(nil)
		}
	}()
	word, reason := dialect.StringOf(result.Get("decision")), dialect.StringOf(result.Get("reasoning"))
	changes := result.Get("modifications")
	hold := protocol.Block
	switch strings.ToLower(word) {
	case "allow":
		if changes.Type != gjson.Null {
			return v, errors.New("it allows the call, and has modifications")
		}
		return v, nil
	case "deny":
	case "ask":
		hold = protocol.Ask
	case "defer":
		hold = protocol.Defer
	case "modify":
		cannot, err := modify(c, changes, &v)
		if cannot != "" {
			v.Decide(protocol.Block, fmt.Sprintf("the guardian of project hook '%s' changed the call, and %s, so the "+
				"call is blocked", hook, cannot))
		}
		return v, err
	default:
		return v, fmt.Errorf("the decision %s does not exist; known are allow, deny, modify, ask, defer",
			cmp.Or(result.Get("decision").Raw, `""`))
	}
	if c.Common() != protocol.PreTool {
		hold = protocol.Block
	}
	v.Decide(hold, cmp.Or(reason, "the guardian of project hook '"+hook+"' decided: "+strings.ToLower(word)))
	return v, nil
}

// modify puts the changes of a MODIFY into v. cannot says which change hookrun cannot make: to go on with the original
// would be to drop the guardian's decision.
func modify(c *dialect.Call, changes gjson.Result, v *dialect.Verdict) (cannot string, err error) {
	content, redactions, args := changes.Get("modified_content"), changes.Get("redactions"),
		changes.Get("parameter_overrides")
	event := c.Common()
	switch {
	case !changes.IsObject() || !content.Exists() && !redactions.Exists() && !args.Exists():
		return "", errors.New("it modifies the call, and has no modifications")
	case content.Exists() && (redactions.Exists() || args.Exists()):
		return "", errors.New("it has modified_content beside other modifications")
	case redactions.Exists():
		return "hookrun makes no redactions", nil
	case content.Exists() && content.Type != gjson.String, args.Exists() && !args.IsObject():
		return "", errors.New("its modifications have a wrong type")
	case args.Exists() && event != protocol.PreTool:
		return "parameter_overrides mean nothing at " + string(event), nil
	case args.Exists():
		input, _, err := c.Input()
		if err != nil {
			return err.Error(), nil
		}
		if v.UpdatedInput = dialect.MergedJSON(input, []byte(args.Raw)); v.UpdatedInput == nil {
			return "the arguments are no object", nil
		}
	case event == protocol.PreTool:
		return "modified_content is no object of arguments", nil
	case event == protocol.PreExecute:
		v.UpdatedInput = dialect.JSONObject("prompt", []byte(content.Raw))
	default:
		v.UpdatedOutput = []byte(content.Raw)
	}
	return "", nil
}

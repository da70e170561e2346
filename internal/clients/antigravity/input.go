package antigravity

import (
	"cmp"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// readInput reads a call from the client's own input. After a tool the input has no result, only the error of a failed
// tool.
func readInput(c *dialect.Call, _ gjson.Result) {
	doc := gjson.Parse(c.ClientInput)
	c.SessionID = doc.Get("conversationId").String()
	c.TranscriptPath = doc.Get("transcriptPath").String()
	c.Dir = doc.Get("workspacePaths.0").String()
	call := doc.Get("toolCall")
	c.Tool = call.Get("name").String()
	c.Args = argsOf(c.Tool, call.Get("args"))
	if c.Event == after {
		c.Result = doc.Get("error").String()
		c.Failed = c.Result != ""
	}
}

// Encode passes on the client's own input. Without one, or after a hook changed the call, it builds the input from the
// fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventNamed(c)
	own := inputEvent(c.ClientInput) == event
	call := gjson.Get(c.ClientInput, "toolCall")
	if own && (!c.IsAboutTool() || c.Args == argsOf(c.Tool, call.Get("args"))) {
		return dialect.Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	}
	var o dialect.Object
	var warnings []string
	if c.IsAboutTool() {
		input, more, err := c.Input()
		if err != nil {
			return nil, nil, err
		}
		warnings = more
		o.Raw("toolCall", dialect.JSONObject("name", strictjson.Quote(c.Tool),
			"args", clientArgs(c.Tool, gjson.ParseBytes(input))))
	}
	if own { // a hook has changed the call
		for key, value := range gjson.Parse(c.ClientInput).ForEach {
			if name := key.String(); name != "toolCall" {
				o.Raw(name, []byte(value.Raw))
			}
		}
		return o.End(c), warnings, nil
	}
	switch event {
	case before:
		o.Raw("stepIdx", []byte("0"))
	case after:
		o.Raw("stepIdx", []byte("0"))
		failure := ""
		if c.Failed {
			failure = cmp.Or(c.Result, "failed")
		}
		o.Text("error", failure)
	case preInvocation, postInvocation:
		o.Raw("invocationNum", []byte("0"))
		o.Raw("initialNumSteps", []byte("0"))
	case stop:
		o.Raw("executionNum", []byte("1"))
		o.Text("terminationReason", "model_stop")
		o.Text("error", "")
		o.Raw("fullyIdle", []byte("true"))
	}
	o.Text("conversationId", c.SessionID)
	o.Raw("workspacePaths", []byte("["+string(strictjson.Quote(cmp.Or(c.Dir, c.Workspace)))+"]"))
	o.Text("transcriptPath", c.TranscriptPath)
	o.Text("artifactDirectoryPath", "")
	return o.End(c), warnings, nil
}

package cases

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// afterTool is the reason to leave out calls after a tool: the hooks may work on files that have changed since.
const afterTool = "after a tool"

// Replay returns tests for the calls before a tool and before a prompt. A test expects the same decision, end of the
// turn, rewrites and texts for the model, but compares no reasons, causes and messages.
func (r *Recording) Replay() (tests []Test) {
	for i := range r.calls {
		l := &r.calls[i]
		if clients.All().Common(l.Outcome.Event) == protocol.PostTool {
			r.LeftOut[afterTool]++
			continue
		}
		text, err := l.test(l.name(), r.workspace)
		if err != nil {
			r.LeftOut[unrepeatable]++
			continue
		}
		f, err := Parse(l.file, []byte(`{"tests":[`+text+`]}`), r.workspace)
		if err != nil {
			r.LeftOut[unrepeatable]++
			continue
		}
		t := f.Tests[0]
		t.Line = l.line
		for _, words := range []string{"reason", "cause", "stop_reason", "message"} {
			delete(t.Expect, words)
		}
		tests = append(tests, t)
	}
	return tests
}

// move turns a call of another workspace into a call of this workspace.
func (l *logged) move(workspace string) {
	path := string(strictjson.AppendString(nil, workspace))
	moved := func(text string) string {
		return strings.ReplaceAll(insertMark(text, l.Workspace), WorkspaceMark, path[1:len(path)-1])
	}
	o := *l.Outcome
	l.Args, l.Prompt = []byte(moved(string(l.Args))), moved(l.Prompt)
	o.UpdatedInput, o.UpdatedOutput = []byte(moved(string(o.UpdatedInput))), []byte(moved(string(o.UpdatedOutput)))
	o.Texts = slices.Clone(o.Texts)
	for i := range o.Texts {
		o.Texts[i].Content = moved(o.Texts[i].Content)
	}
	l.Outcome, l.Workspace = &o, workspace
}

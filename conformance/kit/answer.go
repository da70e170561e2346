package kit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/protocol"
)

// answer reads the program's output as the client reads the output of a hook, and returns the outcome of this hook. An
// exit code that the client takes for a failure has the client's meaning. If the client cannot read the JSON, or if the
// program was killed, answer returns an error.
func (r *Trial) answer() (map[string]any, error) {
	client, ok := clients.All().ClientNamed(r.client.Name)
	if !ok {
		return nil, fmt.Errorf("hookrun does not read answers for %s", r.client.Name)
	}
	call, _, err := clients.All().ParseInput(r.Stdin)
	if err != nil {
		return nil, err
	}
	call.Workspace = r.Workspace
	d := client.Of(call.Event)
	verdict := d.Hooks.Decode(&call, "the program", &dialect.HookResult{
		ExitCode: r.Code, Stdout: captured(r.Stdout), Stderr: captured(r.Stderr)})
	if verdict.Cause == protocol.CauseOutput && verdict.Problem != "" || r.Code < 0 {
		return nil, errors.New(cmp.Or(verdict.Problem, "the program was killed"))
	}
	verdict = d.ApplyFailurePolicy(&call, verdict)
	text, err := form.JSON(dialect.Merge(&call, []dialect.HookVerdict{{Dialect: d, Verdict: verdict}}))
	if err != nil {
		return nil, err
	}
	var outcome map[string]any
	return outcome, json.Unmarshal(text, &outcome)
}

func captured(text string) dialect.Capture {
	return dialect.Capture{Head: []byte(text), Total: int64(len(text))}
}

// judgeAnswer compares the texts. An answer has one text for the model and one text for the user. Each joins the texts
// of all hooks, in their order. The text for the user may have more: clients, too, tell the user of hooks that failed.
func (r *Trial) judgeAnswer(d *differences, outcome map[string]any) {
	want := r.Expect
	if !want.any("inject") {
		got := d.theirs(outcome["inject"])
		d.check("inject", joins(strings.Join(got, "\n"), want.Inject), want.Inject, got)
	}
	if !want.any("system_messages") {
		got := d.theirs(outcome["system_messages"])
		wanted, isList := orEmpty(want.SystemMessages).([]any)
		ok := !isList || len(wanted) == 0 || joins(strings.Join(got, "\n"), wanted)
		d.check("system_messages", ok, want.SystemMessages, got)
	}
}

// theirs returns the texts of the hooks: a list of an outcome without the program's own notes.
func (d *differences) theirs(of any) (texts []string) {
	list, _ := of.([]any)
	for _, entry := range list {
		text, isText := entry.(string)
		if fields, ok := entry.(map[string]any); ok {
			text, isText = fields["content"].(string)
		}
		if d.Notes != nil {
			text = strings.TrimSpace(d.Notes.ReplaceAllString(text, ""))
		}
		if isText && text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// joins reports whether a text has all parts, in their order. Without parts the text must be empty.
func joins(text string, parts []any) bool {
	if len(parts) == 0 {
		return strings.TrimSpace(text) == ""
	}
	for _, part := range parts {
		long, isLong := part.(map[string]any)
		if isLong { // the whole text, or the name of a file with the whole text
			if full, _ := long["truncated"].(string); keptInFull(map[string]any{"content": text}, full) {
				continue
			}
			part = long["truncated"]
		}
		wanted, ok := part.(string)
		_, rest, found := strings.Cut(text, strings.TrimSpace(wanted))
		if !ok || !found {
			return false
		}
		text = rest
	}
	return true
}

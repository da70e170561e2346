package hookfile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

// conditions reads "when".
func (r *reader) conditions(h *hook.Hook) {
	n := 0
	for v := range r.Elements(`an array of conditions, as [{"path": "args.command", "matches": "…"}]`, "") {
		n++
		if v.Name = fmt.Sprintf("condition %d of \"when\"", n); v.Is("object") {
			v.Who += v.Name + ": "
			h.When = append(h.When, condition(v))
		}
	}
	if n == 0 && r.IsArray() {
		r.Problem("\"when\" has no conditions; leave it out for every call")
	}
}

var (
	tests         = []string{"matches", "equals", "exists"}
	conditionKeys = []string{"path", "matches", "equals", "exists"}
)

func condition(v document.Value) (c hook.Condition) {
	f := v.Fields(conditionKeys...)
	var there []string
	for _, key := range tests {
		if _, ok := f[key]; ok {
			there = append(there, key)
		}
	}
	if len(there) != 1 {
		v.Problem("give one of \"matches\", \"equals\" and \"exists\", not %d", len(there))
	}
	path, ok := f["path"]
	if !ok {
		v.Problem("has no \"path\", as args.command")
	} else if s, ok := path.ForProcess(); ok {
		var err error
		if c, err = hook.ConditionAt(s); err != nil {
			path.Problem("the path %s %v", quote(s), err)
		}
	}
	if v, ok := f["matches"]; ok {
		if s, ok := v.ForProcess(); ok {
			p, err := regexp.Compile(s)
			if err != nil {
				v.Problem("\"matches\" %s is no regular expression (RE2): %s", quote(s), spelling.Expression(err))
			}
			c.Matches(p)
			if strings.ContainsRune(s, '\b') {
				v.Warn("%s", `"matches" has a backspace, which is what \b means in JSON; write \\b for the edge of `+
					`a word`)
			}
		}
	}
	if v, ok := f["equals"]; ok {
		c.Equals(v.Result)
	}
	if v, ok := f["exists"]; ok {
		v.Is("boolean")
		c.Exists(v.Type == gjson.True)
	}
	if len(there) == 1 {
		c.Text = brief(path.String()) + " " + there[0] + " " + brief(f[there[0]].Raw)
	}
	return c
}

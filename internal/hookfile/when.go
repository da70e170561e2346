package hookfile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/spelling"
)

// conditions reads "when".
func (r *reader) conditions(h *hook.Hook) {
	if !r.value.IsArray() {
		r.wrongType(r.who+`"when"`, "an array of conditions, as [{\"path\": \"args.command\", \"matches\": \"…\"}]",
			r.value)
		return
	}
	n := 0
	r.value.ForEach(func(_, v gjson.Result) bool {
		n++
		who := fmt.Sprintf("%scondition %d of \"when\"", r.who, n)
		if !v.IsObject() {
			r.wrongType(who, "an object", v)
			return true
		}
		h.When = append(h.When, (&reader{r.parser, who + ": ", "", v}).condition())
		return true
	})
	if n == 0 {
		r.problem(r.value.Index, "%s\"when\" has no conditions; leave it out for every call", r.who)
	}
}

var (
	tests         = []string{"matches", "equals", "exists"}
	conditionKeys = []string{"path", "matches", "equals", "exists"}
)

func (r *reader) condition() (c hook.Condition) {
	f := r.fields(r.value, conditionKeys)
	var there []string
	for _, key := range tests {
		if _, ok := f[key]; ok {
			there = append(there, key)
		}
	}
	if len(there) != 1 {
		r.problem(r.value.Index, "%sgive one of \"matches\", \"equals\" and \"exists\", not %d", r.who, len(there))
	}
	path, ok := f["path"]
	if !ok {
		r.problem(r.value.Index, "%shas no \"path\", as args.command", r.who)
	} else if s, ok := r.text(path, `"path"`); ok {
		var err error
		if c, err = hook.ConditionAt(s); err != nil {
			r.problem(path.Index, "%sthe path %s %v", r.who, quote(s), err)
		}
	}
	if v, ok := f["matches"]; ok {
		if s, ok := r.text(v, `"matches"`); ok {
			p, err := regexp.Compile(s)
			if err != nil {
				r.problem(v.Index, "%s\"matches\" %s is no regular expression (RE2): %s", r.who, quote(s),
					spelling.Expression(err))
			}
			c.Matches(p)
			if strings.ContainsRune(s, '\b') {
				r.config.Warnings = append(r.config.Warnings,
					r.at(v.Index,
						r.who+`"matches" has a backspace, which is what \b means in JSON; write \\b for the edge of `+
							`a word`))
			}
		}
	}
	if v, ok := f["equals"]; ok {
		c.Equals(v)
	}
	if v, ok := f["exists"]; ok {
		if v.Type != gjson.True && v.Type != gjson.False {
			r.wrongType(r.who+`"exists"`, "true or false", v)
		}
		c.Exists(v.Type == gjson.True)
	}
	if len(there) == 1 {
		c.Text = brief(path.String()) + " " + there[0] + " " + brief(f[there[0]].Raw)
	}
	return c
}

package hookfile

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
)

// Inherited selects the caller's variables that a hook gets. The zero value is those that programs need to run at all,
// and hookrun's own.
type Inherited struct {
	Names []string // of others; one that ends in * stands for all that begin like it
}

// needed are variables that hold no secrets, and that most programs need.
var needed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TERM", "TMPDIR", "TZ", "HOOKRUN", "HOOKRUN_*",
}

// Admits reports whether a hook gets a variable, given as NAME=VALUE. A nil Inherited admits all.
func (i *Inherited) Admits(variable string) bool {
	if i == nil {
		return true
	}
	name := variable // Windows has hidden variables that start with =
	if at := strings.Index(variable[min(1, len(variable)):], "="); at >= 0 {
		name = variable[:at+1]
	}
	meant := func(pattern string) bool {
		if prefix, isPrefix := strings.CutSuffix(pattern, "*"); isPrefix {
			return len(name) >= len(prefix) && sameVariable(name[:len(prefix)], prefix)
		}
		return sameVariable(name, pattern)
	}
	return slices.ContainsFunc(needed, meant) || slices.ContainsFunc(neededHere, meant) ||
		slices.ContainsFunc(i.Names, meant)
}

// inherit reads whether a hook gets the caller's environment.
func (r reader) inherit() *Inherited {
	const want = "true, false, or a list of names of variables"
	switch {
	case r.value.Type == gjson.True:
		return nil
	case r.value.Type == gjson.False:
		return &Inherited{}
	case !r.value.IsArray():
		r.wrongType(r.who+`"inherit_env"`, want, r.value)
		return nil
	}
	i := &Inherited{}
	r.value.ForEach(func(_, v gjson.Result) bool {
		name, ok := r.text(v, `a name in "inherit_env"`)
		switch fault := dialect.InheritedFault(name); {
		case !ok:
		case fault != "":
			r.problem(v.Index, "%s\"inherit_env\"%s", r.who, fault)
		default:
			i.Names = append(i.Names, name)
		}
		return true
	})
	return i
}

package hookfile

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
)

// inherit reads "inherit_env". nil means that the hook gets the caller's whole environment.
func (r *reader) inherit() *hook.Inherited {
	const want = "true, false, or a list of names of variables"
	switch {
	case r.value.Type == gjson.True:
		return nil
	case r.value.Type == gjson.False:
		return &hook.Inherited{}
	case !r.value.IsArray():
		r.wrongType(r.who+`"inherit_env"`, want, r.value)
		return nil
	}
	i := &hook.Inherited{}
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

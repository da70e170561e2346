package hookfile

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// inherit reads "inherit_env". nil means that the hook gets the caller's whole environment.
func (r *reader) inherit() *hook.Inherited {
	const want = "true, false, or a list of names of variables"
	switch {
	case r.Type == gjson.True:
		return nil
	case r.Type == gjson.False:
		return &hook.Inherited{}
	}
	i := &hook.Inherited{}
	for name, v := range r.Texts(want, `a name in "inherit_env"`) {
		if fault := dialect.InheritedFault(name); fault != "" {
			v.Problem("\"inherit_env\"%s", fault)
		}
		i.Names = append(i.Names, name)
	}
	return i
}

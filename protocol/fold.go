package protocol

import "github.com/hookrun/hookrun/internal/strictjson"

// Fold appends the texts of hooks to a tool's result, as TENEX does: a blank line stands between them. A result that is
// no string becomes its compact JSON.
//
// Call it after the post-tool hooks have run, with the texts of the pre-tool hooks first. Folded earlier, those texts
// would reach the post-tool hooks as a part of the result. Runner.AroundTool does all of this.
func Fold(result any, texts ...string) (string, error) {
	s, ok := result.(string)
	if !ok {
		b, err := strictjson.Marshal(result)
		if err != nil {
			return "", err
		}
		s = string(b)
	}
	for _, t := range texts {
		if s != "" {
			s += "\n\n"
		}
		s += t
	}
	return s, nil
}

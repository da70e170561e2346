package protocol

import (
	"strings"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Fold appends the texts of hooks to a tool's result, as TENEX does: a result that is no string becomes its compact
// JSON, and a blank line stands before each text unless nothing does. Texts of pre-tool come before those of post-tool,
// and only after the post-tool hooks have run: folded earlier, those would judge what the tool never said.
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

// WrapPreExecute puts each text of pre-execute into the tag under which TENEX shows it, joined by a blank line. It
// belongs at the end of the user's message: in the system prompt it would spoil the model's prompt cache.
func WrapPreExecute(texts ...string) string {
	wrapped := make([]string, len(texts))
	for i, t := range texts {
		wrapped[i] = "<system-reminder type=\"pre-execute-hook\">\n" + t + "\n</system-reminder>"
	}
	return strings.Join(wrapped, "\n\n")
}

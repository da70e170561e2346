package hook

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// reserved are characters with a meaning in gjson's paths. parsePath rejects them instead of reading them literally.
const reserved = "*?|#@!{}[]()"

// maxNames is the maximum depth of a path, because each name reads the JSON below it again.
const maxNames = 64

func isField(name string) bool {
	return name == dialect.CommandField || slices.Contains(dialect.ValueNames(), name) ||
		slices.Contains(dialect.ClientValueNames(), name)
}

// parsePath splits a path into a field and steps.
func parsePath(path string) (field string, rest []step, err error) {
	for n := 0; ; n++ {
		s, behind, more, err := parseStep(path)
		if err != nil {
			return "", nil, err
		}
		if n > 0 {
			rest = append(rest, s)
		} else if field = s.key; !isField(field) || s.each || !strings.HasPrefix(path, field) {
			return "", nil, fmt.Errorf("starts with no field of the hook input%s",
				cmp.Or(spelling.Suggest(field, dialect.ClientValueNames()), spelling.Hint(field, dialect.ValueNames())))
		}
		if !more {
			break
		}
		path = behind
	}
	if len(rest) > maxNames {
		return "", nil, fmt.Errorf("goes more than %d names deep", maxNames)
	}
	if len(rest) > 0 && !dialect.IsJSON(field) {
		return "", nil, fmt.Errorf("goes into %s, which is a text", spelling.Quote(field))
	}
	return field, rest, nil
}

// parseStep parses a path up to the next point. more reports whether a point followed.
func parseStep(path string) (s step, rest string, more bool, err error) {
	if path == "#" || strings.HasPrefix(path, "#.") {
		return step{each: true}, strings.TrimPrefix(path[1:], "."), len(path) > 1, nil
	}
	var key strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '.':
			rest, more = path[i+1:], true
		case c == '\\' && i+1 == len(path):
			return s, "", false, errors.New(`ends with a \, which nothing follows`)
		case c == '\\':
			i++
			key.WriteByte(path[i])
		case strings.IndexByte(reserved, c) >= 0:
			return s, "", false, fmt.Errorf(`has a %c in a name; write .#. to go through a list, and \%[1]c for the `+
				`character itself`, c)
		default:
			key.WriteByte(c)
		}
		if more {
			break
		}
	}
	if key.Len() == 0 {
		return s, "", false, errors.New("has an empty name; write names joined by points, as args.command")
	}
	return step{key: key.String()}, rest, more, nil
}

package hook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/spelling"
)

// Observing describes the hooks that only observe, with a message for each position.
func Observing(hooks []Hook) (found []Diagnostic) {
	for rest := hooks; len(rest) > 0; {
		first := &rest[0]
		end := slices.IndexFunc(rest, func(h Hook) bool { return h.Source() != first.Source() })
		if end < 0 {
			end = len(rest)
		}
		var names []string
		for i := range rest[:end] {
			if h := &rest[i]; h.Observe && h.Active() {
				names = append(names, spelling.Quote(h.Name))
			}
		}
		rest = rest[end:]
		const most = 3
		more := ""
		if n := len(names) - most; n > 0 {
			names, more = names[:most], fmt.Sprintf(" and %d more", n)
		}
		switch {
		case len(names) == 1:
			found = append(found, first.Diagnostic("hook "+names[0]+" only observes: it runs, and blocks nothing"))
		case len(names) > 1:
			text := "hooks " + strings.Join(names, ", ") + more + " only observe: they run, and block nothing"
			found = append(found, first.Diagnostic(text))
		}
	}
	return found
}

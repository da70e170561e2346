package engine

import (
	"fmt"
	"strings"
)

// AsyncResults are the messages of async hooks that wait.
func AsyncResults(r *Runner) string {
	r.asyncResults.mu.Lock()
	defer r.asyncResults.mu.Unlock()
	var all []string
	for _, kept := range r.asyncResults.kept {
		all = append(all, fmt.Sprintf("%q", kept.verdict.SystemMessage))
	}
	return strings.Join(all, " ")
}

package stats

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// A line of --follow says what the call was about, and names whole hooks.
func TestCallText(t *testing.T) {
	at := time.Date(2026, 11, 21, 14, 0, 0, 0, time.Local)
	hook := func(name string, status string, ms int) Report {
		return Report{Name: name, Status: status, Duration: time.Duration(ms) * time.Millisecond}
	}
	many := []Report{hook("sh", dialect.StatusBlocked, 144)}
	for range 8 {
		many = append(many, hook("a-longer-name", dialect.StatusSkipped, 0))
	}
	long := strings.Repeat("long ", 100)
	for name, c := range map[string]struct {
		call Call
		want string
	}{
		"all of it": {
			Call{Event: "pre-tool", Tool: "shell", About: "git push --force", Decision: "block",
				Cause: "policy", Hooks: many[:3]},
			"14:00:00  pre-tool shell  block (policy)  git push --force  " +
				"sh: blocked 144 ms, a-longer-name: skipped, 1 more\n",
		},
		"more hooks than there is room for": {
			Call{Event: "pre-tool", Tool: "shell", About: "ls", Decision: "block", Hooks: many},
			"14:00:00  pre-tool shell  block  ls  sh: blocked 144 ms, a-longer-name: skipped, " +
				"a-longer-name: skipped, 6 more\n",
		},
		"a long command": {
			Call{Event: "pre-tool", Tool: "shell", About: long, Decision: "continue",
				Hooks: []Report{hook("sh", dialect.StatusOK, 5)}},
			"14:00:00  pre-tool shell  continue  " + long[:36] + "…" + strings.TrimSpace(long)[499-35:] +
				"  sh: 5.0 ms\n",
		},
		"nothing known": {Call{Event: "Stop", Decision: "continue"}, "14:00:00  Stop  continue\n"},
		"texts for the model": {Call{Event: "post-tool", Tool: "shell", Decision: "continue",
			Displays: []string{"[INJECTION] The build\nis red.", "[REMINDER] \x1bStop"}},
			"14:00:00  post-tool shell  continue\n" +
				"          [INJECTION] The build …\n          [REMINDER] \uFFFDStop\n"},
		"a prompt": {Call{Event: "pre-execute", About: "do\nit", Decision: "continue"},
			"14:00:00  pre-execute  continue  do …\n"},
	} {
		t.Run(name, func(t *testing.T) {
			c.call.Time = at
			require.Equal(t, c.want, c.call.Text(false))
		})
	}
	t.Run("never wider than 120 columns", func(t *testing.T) {
		words := []string{"", "short", long}
		for _, word := range words {
			for _, about := range words {
				c := Call{Time: at, Event: word, Tool: word, Error: word, Cause: word, Stop: true,
					About: about}
				c.Hooks = []Report{hook(long, string(word), 3_600_000), hook("b", "ok", 1)}
				line := c.Text(false)
				if word != long { // else the verdict alone may be wider
					require.LessOrEqual(t, utf8.RuneCountInString(line), 121, line)
				}
			}
		}
	})
}

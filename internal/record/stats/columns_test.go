package stats

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// randomLog makes lines in which everything that a column depends on is there or not, each by the toss of a coin.
func randomLog(random *rand.Rand, lines int) string {
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	maybe := func(text string) string { return pick("", "", text) }
	var b strings.Builder
	for i := range lines {
		hooks := random.IntN(4)
		var reports, notes, inject []string
		for j := range hooks {
			name := fmt.Sprintf("h%d", random.IntN(3)+j) // the same one twice, now and then
			reports = append(reports, fmt.Sprintf(`{"name":%q,"source":"/p/%s:%d","status":%q,"duration_ms":%d}`, name,
				pick("a", "b"), j+1,
				pick("ok", "ok", "ok", "blocked", "failed", "timeout", "unstarted", "skipped", "async",
					"of the future"), random.IntN(99)))
			notes = append(notes, pick(`""`, `""`, `"ask"`, `"rewrite"`, `"warning"`, `"another"`))
			if random.IntN(3) == 0 {
				inject = append(inject, fmt.Sprintf(`{"hook":%q,"content":"x"}`, pick(name, "h0", "late")))
			}
		}
		line := fmt.Sprintf(`{"time":"2026-11-21T14:43:%02d.000001Z"`, i%60)
		line += maybe(`,"lint":`+pick("0", "1", "2")) + maybe(`,"notes":[`+strings.Join(notes, ",")+`]`)
		switch random.IntN(8) {
		case 0:
			line += `,"error":"no"`
		case 1:
			line += `,"error":"no"` // and an outcome, which no line of ours has
			fallthrough
		default:
			line += `,"outcome":{"decision":"` + pick("continue", "continue", "continue", "block", "ask", "defer") +
				`"` + maybe(`,"stop":true`) +
				maybe(`,"updated_input":{}`) + maybe(`,"updated_output":""`) + maybe(`,"warnings":["one"]`) +
				maybe(`,"warnings":["one","two"]`) +
				`,"inject":[` + strings.Join(inject, ",") + `],"hooks":[` + strings.Join(reports, ",") + `]}`
		}
		b.WriteString(line + pick("}\n", "}\n", "}\n", "\n")) // the last cannot be read
	}
	return b.String()
}

// Every call is in one column, and so is every hook of it; the oracle counts in its own way.
func TestColumnsAddUp(t *testing.T) {
	for seed := range testall.Of(uint64(60), 300) {
		random := rand.New(rand.NewPCG(seed, 14))
		log := randomLog(random, 1+random.IntN(40))
		s := summarize(t, write(t, log), Filter{})
		c := s.Columns
		require.Equal(t, s.Calls, c.Continue+c.Rewritten+c.Failed+c.Ask+c.Defer+c.Block+c.Stop+c.Error, log)
		for _, h := range s.Hooks {
			require.Equal(t, h.Matched, h.OK+h.Blocked+h.Asked+h.Injected+h.Rewrote+h.Failed+h.TimedOut+h.Unstarted+
				h.Skipped+h.Async+h.Other, "%s\n%s", h.Name, log)
		}
		if s.Calls > 0 { // without any there is nothing to hold the names against
			text, err := json.Marshal(s)
			require.NoError(t, err)
			var shown struct{ Columns map[string]int }
			require.NoError(t, json.Unmarshal(text, &shown))
			sum := 0
			for _, n := range shown.Columns {
				sum += n
			}
			require.Equal(t, s.Calls, sum, "the JSON has them all")
		}
		requireOracle(t, []byte(log), Filter{}, s)
	}
}

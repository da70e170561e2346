package hook_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hook"
)

func TestObserving(t *testing.T) {
	until := func(month time.Month, day int) time.Time { return time.Date(2027, month, day+1, 0, 0, 0, 0, time.UTC) }
	now := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	found := hook.Observing([]hook.Hook{
		{Name: "blocks", File: "f", Line: 1},
		{Name: "a", File: "f", Line: 2, Observe: true},
		{Name: "off", File: "f", Line: 2, Observe: true, Disabled: "yes"},
		{Name: "b", File: "f", Line: 3, Observe: true, ObserveUntil: until(1, 31)},
		{Name: "c", File: "f", Line: 3, Observe: true, ObserveUntil: until(1, 30)},
		{Name: "d", File: "f", Line: 3, Observe: true, ObserveUntil: until(1, 31)},
		{Name: "e", File: "f", Line: 4, Observe: true, ObserveUntil: until(2, 28)},
	}, now)
	var texts []string
	for _, o := range found {
		texts = append(texts, o.Error())
	}
	require.Equal(t, []string{
		`f:2:0: hook "a" only observes: it runs, and blocks nothing`,
		`f:3:0: hooks "b", "d" only observe until 2027-01-31: they run, and block nothing; from 2027-02-01 on (UTC) ` +
			"calls are blocked",
		`f:3:0: hook "c" observed until 2027-01-30, and blocks now: "observe_until" and the mode can go`,
		`f:4:0: hook "e" only observes until 2027-02-28: it runs, and blocks nothing`,
	}, texts)
	require.Equal(t, []bool{false, true, false, false},
		[]bool{found[0].Soon, found[1].Soon, found[2].Soon, found[3].Soon})
	require.True(t, found[2].Over)
}

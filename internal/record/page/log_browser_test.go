//go:build unix

package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/record/page"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/record/stats"
	"github.com/hookrun/hookrun/protocol"
)

// pageOf returns the page of a log with many calls, every tenth of which was blocked. The tool of the last is <script>.
func pageOf(t *testing.T, calls int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.log")
	log, err := runlog.New(runlog.Options{Path: path})
	require.NoError(t, err)
	began := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	for i := range calls {
		tool := []string{"shell", "fs_read", "fs_write"}[i%3]
		if i == calls-1 {
			tool = "<script>"
		}
		c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: tool, SessionID: fmt.Sprint("s", i%7),
			Workspace: "/p", Args: fmt.Sprintf(`{"command":"make target-%d"}`, i)})
		o := protocol.Outcome{Version: 1, Event: c.Event, Tool: tool, Decision: protocol.Continue}
		report := protocol.Report{Name: "guard", Source: "/p/.tenex-hooks.json:3", Status: dialect.StatusOK,
			Duration: protocol.Milliseconds(time.Duration(i%50+1) * time.Millisecond)}
		if i%10 == 0 {
			o.Decision, o.Reason, o.Hook, o.Cause = protocol.Block, "no", "guard", protocol.CausePolicy
			report.Status = dialect.StatusBlocked
		}
		o.Hooks, o.Duration = []protocol.Report{report}, report.Duration
		e := runlog.Entry{Time: began.Add(time.Duration(i) * time.Second), Command: "pre-tool", Call: c, Outcome: &o}
		require.NoError(t, log.Append(&e))
	}
	require.NoError(t, log.Close())
	read, err := stats.Open(path)
	require.NoError(t, err)
	defer read.Close()
	summary, err := read.Summary(stats.Filter{})
	require.NoError(t, err)
	text, err := json.Marshal(summary)
	require.NoError(t, err)
	last, err := read.Tail(stats.Filter{}, page.MaxCalls)
	require.NoError(t, err)
	var html bytes.Buffer
	require.NoError(t, page.Write(&html, page.Page{Summary: text, Calls: last}))
	return html.String()
}

// TestLogInABrowser opens the page of a log with 10,000 calls as people do: on a wide and a narrow screen, light and
// dark.
func TestLogInABrowser(t *testing.T) {
	b := newBrowser(t)
	html := pageOf(t, 10_000)
	for _, width := range []int{1280, 360} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(fmt.Sprint(scheme, width), func(t *testing.T) {
				b.t = t
				b.send("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{
					{"name": "prefers-color-scheme", "value": scheme}}})
				b.open(html, width)
				b.settled()
				require.Equal(t, "10,000", b.texts("#counts dd")[0])
				require.Equal(t, scheme == "dark", b.brightness("backgroundColor") < b.brightness("color"))
				require.Contains(t, b.texts(".call")[0], "<script>", "the newest call")
				require.Len(t, b.texts("script"), 3, "those of the page")

				b.eval(`document.querySelector("[data-filter=block]").click()`)
				require.NotContains(t, b.texts(".call .badge"), "continue")
				b.eval(`show({ filter: "all", query: "target-9998" })`)
				require.Len(t, b.texts(".call"), 1)
				b.eval(`document.querySelector(".call summary").click()`)
				b.waitFor(".call[open] .parts", 1)
				require.Contains(t, b.texts(".call[open]")[0], `"command": "make target-9998"`)
				b.eval(`show({ query: "", slowest: true })`)
				require.Contains(t, b.texts(".call .took")[0], "50 ms")
				b.eval(`[...document.querySelectorAll(".hooks thead button")].find((x) => x.textContent === "Matched")
					.click()`)
				require.Equal(t, []string{"Matched ▼"}, b.texts(`[aria-sort="descending"]`))
				b.settled()
			})
		}
	}
}

// brightness returns how bright a colour of the page is, from 0 to 765.
func (b *browser) brightness(property string) float64 {
	b.t.Helper()
	const sum = `getComputedStyle(document.body)[%q].match(/\d+/g).slice(0, 3).reduce((a, c) => a + +c, 0)`
	return b.eval(fmt.Sprintf(sum, property)).(float64)
}

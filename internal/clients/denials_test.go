package clients_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

var update = flag.Bool("update", false, "write the tables of testdata/denials.txt and testdata/honest.txt anew")

// cell is what becomes of an output in a dialect: B, the call is held up; W, it goes on with a warning; a point, it
// goes on in silence.
func cell(o protocol.Outcome) byte {
	switch {
	case o.Decision != protocol.Continue || o.Stop:
		return 'B'
	case len(o.Warnings) > 0:
		return 'W'
	}
	return '.'
}

// outcomeAt is the outcome of one hook of a dialect that ended with r at the event.
func outcomeAt(d *dialect.Dialect, e protocol.Event, r dialect.HookResult,
	policies ...dialect.FailurePolicy) protocol.Outcome {
	c := dialect.Call{Event: e, Tool: "Bash", Args: `{"command":"ls"}`, Result: "ok", Prompt: "p"}
	c.Event = cmp.Or(d.EventOf(&c), e)
	d = d.Of(c.Event)
	v := d.ApplyFailurePolicy(&c, nearmiss.Decode(d, &c, "h", &r), policies...)
	return dialect.Merge(&c, []dialect.HookVerdict{{Report: dialect.Report("h", "f:1", &r, &v), Verdict: v,
		Dialect: d}})
}

// row is a line of a table: a cell for each dialect, in the order of clients.All, and the output. In the file ⏎ is a
// line end, and <200b> a character.
type row struct{ cells, output string }

var written = regexp.MustCompile(`<([0-9a-f]{4})>`)

func (r row) text() string {
	text := written.ReplaceAllStringFunc(r.output, func(hex string) string {
		n, _ := strconv.ParseUint(hex[1:5], 16, 32)
		return string(rune(n))
	})
	return strings.ReplaceAll(text, "⏎", "\n")
}

// table reads a table. requireTable compares it with the cells of today.
func table(t *testing.T, path string) (rows []row) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		cells, output, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
		require.True(t, ok, line)
		rows = append(rows, row{cells, output})
	}
	return rows
}

func requireTable(t *testing.T, path string) (rows []row) {
	var now strings.Builder
	for i, r := range table(t, path) {
		cells := ""
		for _, d := range clients.All().Dialects() {
			cells += string(cell(outcomeAt(d, protocol.PreTool, dialecttest.Printed(r.text()))))
		}
		if !*update {
			require.Equal(t, r.cells, cells, "line %d: %s", i+1, r.output)
		}
		fmt.Fprintf(&now, "%s | %s\n", cells, r.output)
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(now.String()), 0o600))
	}
	return table(t, path)
}

// TestDenials: an output that says no, in whatever form, is silent in no dialect.
func TestDenials(t *testing.T) {
	rows := requireTable(t, "testdata/denials.txt")
	require.Greater(t, len(rows), 110)
	for _, r := range rows {
		require.NotContains(t, r.cells, ".", r.output)
	}
}

// TestDenialsUnderAPolicy: where a policy blocks what cannot be read, each client's form blocks what the own form
// blocks.
func TestDenialsUnderAPolicy(t *testing.T) {
	policy := dialect.FailurePolicy{protocol.CauseOutput: protocol.Block}
	for _, r := range table(t, "testdata/denials.txt") {
		if r.cells[0] != 'B' {
			continue
		}
		for _, d := range clients.All().Dialects() {
			o := outcomeAt(d, protocol.PreTool, dialecttest.Printed(r.text()), policy)
			require.Equal(t, "B", string(cell(o)), "%s: %s", d.Name, r.output)
		}
	}
}

// TestDenialsAtOtherEvents: at the prompt, after a tool and at the end of a turn no client's form goes on in silence
// where a block means something and the own form does not.
func TestDenialsAtOtherEvents(t *testing.T) {
	var silent []string
	for _, e := range []protocol.Event{protocol.PreExecute, protocol.PostTool, "Stop"} {
		for _, r := range table(t, "testdata/denials.txt") {
			printed := dialecttest.Printed(r.text())
			if own := cell(outcomeAt(tenex.Dialect, e, printed)); own == '.' && e != "Stop" {
				continue
			}
			for _, d := range clients.All().Dialects() {
				c := dialect.Call{Event: e, Tool: "Bash"}
				row := d.Of(e).Events.Of(cmp.Or(d.EventOf(&c), e))
				if row.Can&(dialect.Block|dialect.Stop) != 0 && cell(outcomeAt(d, e, printed)) == '.' {
					silent = append(silent, fmt.Sprintf("%s at %s: %s", d.Name, e, r.output))
				}
			}
		}
	}
	require.Empty(t, silent)
}

// TestHonestOutputs: what says no no warns nobody, beside the dialects that take no text at all, and what a person
// should look at. The table has each cell.
func TestHonestOutputs(t *testing.T) {
	rows := requireTable(t, "testdata/honest.txt")
	require.Greater(t, len(rows), 150)
}

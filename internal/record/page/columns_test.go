package page_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/record/stats"
)

// The page says of each call what the summary counts it as: its tiles come from the one and its list from the other.
func TestPageCountsAsTheSummaryDoes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node on the PATH")
	}
	var lines []string
	for _, beside := range []string{``, `"lint":1,`, `"notes":["warning"],`, `"notes":["ask"],`, `"notes":["",""],`,
		`"error":"no",`} {
		for _, of := range []string{``, `,"stop":true`, `,"updated_input":{}`, `,"updated_output":null`,
			`,"warnings":["w"]`, `,"warnings":[]`} {
			for _, status := range []string{"ok", "blocked", "failed", "timeout", "unstarted", "skipped", "async",
				"of the future", ""} {
				for _, decision := range []string{"continue", "block", "ask", "defer"} {
					hooks := `[{"name":"h","source":"/p/f:1","status":"` + status + `","cause":"exit"}]`
					if status == "" {
						hooks = "[]"
					}
					lines = append(lines, `{"time":"2026-11-21T14:43:17Z",`+beside+`"outcome":{"decision":"`+decision+
						`"`+of+`,"hooks":`+hooks+`}}`)
				}
			}
		}
	}
	lines = append(lines, `{"time":"2026-11-21T14:43:17Z","error":"no"}`)
	path := filepath.Join(t.TempDir(), "run.log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	log, err := stats.Open(path)
	require.NoError(t, err)
	defer log.Close()
	s, err := log.Summary(stats.Filter{})
	require.NoError(t, err)
	require.Equal(t, len(lines), s.Calls)

	page, err := os.ReadFile("page.js")
	require.NoError(t, err)
	var program strings.Builder
	for _, part := range []string{`(?m)^const (list|object|objects|number|string|statuses|broken|decisions) = [^;]*;`,
		`(?ms)^function (json|place|readHook|columnOf|readCall)\(.*?^}`} {
		for _, source := range regexp.MustCompile(part).FindAllString(string(page), -1) {
			program.WriteString(source + "\n")
		}
	}
	program.WriteString(`const sums = {};
for (const line of require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n")) {
  const column = readCall(line).column;
  sums[column] = (sums[column] || 0) + 1;
}
console.log(JSON.stringify(sums));`)
	out, err := exec.Command(node, "-e", program.String(), path).CombinedOutput()
	require.NoError(t, err, string(out))
	want, err := json.Marshal(s.Columns)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(out))
	require.NotContains(t, string(want), ":0", "each column has calls")
}

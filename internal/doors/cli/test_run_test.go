package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// fixtures writes tests of the rules: of each name one, which passes if the name says so.
func fixtures(t *testing.T, dir, path string, names ...string) {
	t.Helper()
	var tests []string
	for _, name := range names {
		decision := "block"
		if strings.HasPrefix(name, "fails") {
			decision = "continue"
		}
		const test = `{"name": %q, "event": "pre-tool", "tool": "shell", "expect": {"decision": %q}}`
		tests = append(tests, fmt.Sprintf(test, name, decision))
	}
	file(t, filepath.Join(dir, path), `{"tests": [`+strings.Join(tests, ",\n")+`]}`)
}

func TestTestsRunAtOnce(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	var names []string
	for i := range 40 {
		if i == 20 {
			names = append(names, "fails")
		}
		names = append(names, fmt.Sprint("test ", i))
	}
	names = append(names, "last")
	fixtures(t, dir, "a.hooktest.json", names...)
	fixtures(t, dir, "b.hooktest.json", "other")
	heads := func(out string) []string {
		return regexp.MustCompile(`(?m)^(ok  |FAIL|failed:|\S+\.json).*?( \(|$)`).FindAllString(out, -1)
	}
	one := run("", "test", "-C", dir, "-j", "1", dir)
	require.Equal(t, 1, one.exit)
	require.Empty(t, one.err)
	all := heads(one.out)
	require.Len(t, all, 43+2+2, "two files; the failure once more")
	require.Equal(t, filepath.Join(dir, "a.hooktest.json"), all[0])
	require.Equal(t, []string{"ok   other (", "failed:", "FAIL fails ("}, all[len(all)-3:])
	require.Regexp(t, `\n\n43 tests, 42 ok, 1 failed in [0-9.]+ s\n$`, one.out)
	require.Equal(t, all, heads(run("", "test", "-C", dir, "-j", "8", dir).out), "the order is that of the files")
	require.Equal(t, all, heads(run("", "test", "-C", dir, dir).out))

	some := run("", "test", "-C", dir, "--run", "^test 1.|fails", dir)
	require.Len(t, heads(some.out), 11, "the failure is still on the screen")
	require.Regexp(t, `\n11 tests, 10 ok, 1 failed in [0-9.]+ s\n$`, some.out)
}

func TestTestsStopAtAFailure(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	fixtures(t, dir, "a.hooktest.json", "first", "fails", "third", "fails too")
	text := run("", "test", "-C", dir, "--fail-fast", "-j", "1", dir)
	require.Equal(t, 1, text.exit)
	require.Regexp(t, `\n2 tests, 1 ok, 1 failed, 2 not run in `, text.out)
	json := run("", "test", "-C", dir, "--fail-fast", "-j", "1", "-o", "json", dir)
	require.Equal(t, `["first","fails"]`, gjson.Get(json.out, "tests.#.name").Raw)
	require.Equal(t, "2", gjson.Get(json.out, "not_run").Raw)
	require.NotContains(t, run("", "test", "-C", dir, "-o", "json", dir).out, "not_run")
}

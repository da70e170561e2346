package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/protocol"
)

// What -v and --debug say is on stderr alone, whatever the form of the output and the verdict.
func TestDetailsLeaveStdoutAlone(t *testing.T) {
	t.Parallel()
	dir := workspace(t, rules)
	times := regexp.MustCompile(`,"(start|duration)_ms":[0-9.e-]+`) // absent if the clock did not tick
	for _, form := range []string{"text", "json", "claude", "codex", "gemini", "qwen"} {
		for tool, hook := range map[string]string{"shell": "guard", "fs": "context", "other": ""} {
			args := []string{"pre-tool", "-C", dir, "--tool", tool, "-o", form}
			plain := run("", args...)
			for _, flag := range []string{"-v", "--debug"} {
				more := run("", append(args, flag)...)
				require.Equal(t, plain.exit, more.exit)
				require.Equal(t, times.ReplaceAllString(plain.out, ""), times.ReplaceAllString(more.out, ""))
				require.True(t, strings.HasPrefix(more.err, plain.err), "the reason comes first")
				require.Contains(t, more.err, "hookrun: hooks file "+dir)
				if hook != "" {
					require.Contains(t, more.err, "\nhookrun: hook '"+hook+"' ")
				}
				require.NotContains(t, more.err, "stdin", "rules get none")
			}
		}
	}
}

func TestDebugInputs(t *testing.T) {
	t.Parallel()
	var d debugInputs
	d.add("a", "f:1", []byte("{\"x\":\"\u202e\"}\n"))
	d.add("b", "f:2", []byte("first\n"))
	d.add("b", "f:2", []byte("second"))
	d.add("long", "f:3", []byte(strings.Repeat("x", maxDebugInput+1)))
	d.add("exact", "f:4", []byte(strings.Repeat("x", maxDebugInput)+"\n"))
	for _, want := range []struct{ hook, source, text string }{
		{"b", "f:2", "first"},
		{"b", "f:2", "second"},
		{"b", "f:2", ""},
		{"a", "f:1", `{"x":"\u202e"}`},
		{"a", "f:2", ""},
		{"long", "f:3", strings.Repeat("x", maxDebugInput) + "… (cut at 16384 of 16385 bytes)"},
		{"exact", "f:4", strings.Repeat("x", maxDebugInput)},
	} {
		var b strings.Builder
		d.print(&b, &protocol.Report{Name: want.hook, Source: want.source})
		if want.text == "" {
			require.Empty(t, b.String())
			continue
		}
		require.Equal(t, "hookrun: hook '"+want.hook+"' stdin: "+want.text+"\n", b.String())
	}
}

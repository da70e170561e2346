package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkOneShot times whole processes, each in turn with its floor: the machine may change its speed, the ratio of two
// neighbours hardly. The metrics are medians; "ratio" is the budget's. scripts/bench.sh prints them as a table.
func BenchmarkOneShot(b *testing.B) {
	empty := filepath.Join(b.TempDir(), "empty")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", empty, "./testdata/empty")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(b, err, string(out))

	none, one, cat, ten := b.TempDir(), b.TempDir(), b.TempDir(), b.TempDir()
	hooks(b, one, "/bin/true")
	hooks(b, cat, "cat")
	tenAtOnce(b, ten)
	big := strings.Repeat("a line of output\n", 10<<20/17)
	file := filepath.Join(cat, "result")
	require.NoError(b, os.WriteFile(file, []byte(big), 0o600))
	payload := []byte(big + big) // the result stands in the payload twice

	for _, row := range []struct {
		name           string
		subject, floor []string
		stdin          []byte // of the floor
	}{
		{"no-file/empty-go-program", []string{hookrun, "pre-tool", "--tool", "shell", "-C", none}, []string{empty}, nil},
		{"one-hook/sh-c-true", []string{hookrun, "pre-tool", "--tool", "shell", "-C", one}, []string{"sh", "-c", "/bin/true"}, nil},
		{"10MB-through-cat/cat", []string{hookrun, "post-tool", "--tool", "shell", "-C", cat, "--result", "@" + file}, []string{"cat"}, payload},
		{"ten-at-once/sleep-0.1", []string{hookrun, "pre-tool", "--tool", "shell", "-C", ten}, []string{"sleep", "0.1"}, nil},
	} {
		b.Run(row.name, func(b *testing.B) {
			var subject, floor []time.Duration
			for b.Loop() {
				subject = append(subject, timed(b, row.subject, nil))
				floor = append(floor, timed(b, row.floor, row.stdin))
			}
			s, f := median(subject), median(floor)
			b.ReportMetric(float64(s.Nanoseconds())/1e6, "ms")
			b.ReportMetric(float64(f.Nanoseconds())/1e6, "floor-ms")
			b.ReportMetric(float64(s)/float64(f), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func hooks(b *testing.B, dir, program string) {
	doc, err := json.Marshal(map[string]any{"hooks": []any{map[string]any{"name": "h", "command": []string{program}, "events": []string{"pre-tool", "post-tool"}}}})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
}

// tenAtOnce writes ten different hooks in Claude Code's form, which run at the same time.
func tenAtOnce(b *testing.B, dir string) {
	var handlers []map[string]string
	for i := range 10 {
		handlers = append(handlers, map[string]string{"type": "command", "command": fmt.Sprintf("sleep 0.1 # %d", i)})
	}
	doc, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{"hooks": handlers}}}})
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), doc, 0o600))
}

// timed runs a command to its end, as a host would: with its output collected.
func timed(b *testing.B, argv []string, stdin []byte) time.Duration {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(stdin)
	begin := time.Now()
	_, err := cmd.Output()
	took := time.Since(begin)
	require.NoError(b, err)
	return took
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

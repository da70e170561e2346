//go:build unix

package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestMassGenMediaLedger(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	const wiring = `{matcher: "*read_media|*generate_media", handler: ./media_ledger.py, type: command, timeout: 20}`
	media := func(r *massgenRoom, tool, args, result string) massgenOutcome {
		r.Helper()
		o := r.fire("post-tool", "agent_a", tool, "--args", args, "--result", result)
		require.Equal(r, "continue", o.Decision)
		require.Empty(r, o.Inject)
		return o
	}
	t.Run("M94 read", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", wiring))
		binary.WriteFile(t, r.dir, "CONTEXT.md", "# Task\nEvaluate hero screenshot")
		o := media(r, "custom_tool__read_media",
			`{"prompt":"compare","inputs":[{"files":{"hero":"artifacts/hero.png","abs":"/x/y.png"}}],`+
				`"continue_from":"c1"}`, `{"success":true}`)
		require.Empty(t, o.Warnings)
		require.Empty(t, media(r, "create_file", `{}`, ``).Hooks)
		entries := r.ledger()
		require.Len(t, entries, 1)
		e := entries[0]
		require.WithinDuration(t, time.Now(), parseTime(t, e["timestamp"]), time.Minute)
		delete(e, "timestamp")
		root, err := filepath.EvalSymlinks(r.dir)
		require.NoError(t, err)
		require.JSONEq(t, binary.JSON(t, binary.Object{
			"tool": "read_media", "success": true, "agent_id": "agent_a", "tool_name": "custom_tool__read_media",
			"tool_arguments": binary.Object{"prompt": "compare",
				"inputs": []any{binary.Object{"files": binary.Object{"hero": "artifacts/hero.png",
					"abs": "/x/y.png"}}}, "continue_from": "c1"},
			"backend": nil, "model": nil, "context_used": true, "output_error": nil,
			"context_snapshot_path": ".massgen_scratch/verification/context_snapshots/context_de0c24de64aa.md",
			"file_mappings": []string{"input[0].hero -> " + root + "/artifacts/hero.png",
				"input[0].abs -> /x/y.png", "continue_from -> c1"},
		}), binary.JSON(t, e))
		text, err := os.ReadFile(r.path(e["context_snapshot_path"].(string)))
		require.NoError(t, err)
		require.Equal(t, "# Task\nEvaluate hero screenshot", string(text))
	})
	t.Run("M94 inputs as text", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", wiring))
		args := `{"prompt": "x", "inputs": "[{\"files\":{\"home\":\"artifacts/home.png\"}}]"}`
		media(r, "read_media", args, `no JSON`)
		media(r, "read_media", `not JSON`, `{"error":" too large "}`)
		entries := r.ledger()
		require.Len(t, entries, 2)
		require.JSONEq(t, args, entries[0]["tool_arguments_raw"].(string))
		require.Regexp(t, `^input\[0\]\.home -> .*/artifacts/home\.png$`, entries[0]["file_mappings"].([]any)[0])
		require.Equal(t, false, entries[0]["context_used"])
		require.Nil(t, entries[0]["context_snapshot_path"])
		require.Nil(t, entries[0]["success"])
		require.Equal(t, "not JSON", entries[1]["tool_arguments_raw"])
		require.Equal(t, binary.Object{}, entries[1]["tool_arguments"])
		require.Equal(t, "too large", entries[1]["output_error"])
	})
	t.Run("M94 generate", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", wiring))
		binary.WriteFile(t, r.dir, "CONTEXT.md", "x")
		media(r, "Generate_Media",
			`{"use_context":false,"input_images":["assets/ref.png"],"input_audio":"a.wav","model":"asked"}`,
			`{"success":true,"file_path":"/w/out.png","backend":"openai"}`)
		media(r, "generate_media", `{"use_context":true,"input_images":"one.png"}`,
			`{"success":false,"batch":true,"results":[{"file_path":"a.png"},7,{"file_path":"b.png"}]}`)
		entries := r.ledger()
		require.Len(t, entries, 1, "the matcher knows lower case only")
		media(r, "my_generate_media",
			`{"use_context":false,"input_images":["assets/ref.png"],"input_audio":"a.wav","model":"asked"}`,
			`{"success":true,"file_path":"/w/out.png","backend":"openai"}`)
		entries = r.ledger()
		require.Equal(t, true, entries[0]["context_used"])
		require.Equal(t, false, entries[0]["success"])
		require.Contains(t, entries[0]["file_mappings"].([]any)[0], "input_image[0] -> ")
		require.Equal(t, []any{"output[0] -> a.png", "output[2] -> b.png"}, entries[0]["file_mappings"].([]any)[1:])
		require.Equal(t, true, entries[1]["context_used"], "the context was there, whether it was asked for or not")
		require.Regexp(t, `/context_[0-9a-f]{12}\.md$`, entries[1]["context_snapshot_path"])
		require.Equal(t, "openai", entries[1]["backend"])
		require.Equal(t, "asked", entries[1]["model"])
		require.Len(t, entries[1]["file_mappings"], 3)
	})
	t.Run("M94 the record of generate_media", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", wiring))
		args := `{"prompts":["a","b"],"use_context":false,"input_images":"[\"one.png\",\"/x/two.png\"]",` +
			`"input_audio":"a.wav","continue_from":" c1 ","backend_type":"google"}`
		media(r, "custom_tool__generate_media", args,
			`{"success":true,"batch":false,"file_path":"/w/out.png","model":"m","results":[{"file_path":"no.png"}]}`)
		media(r, "generate_media", `{"input_images":[""],"continue_from":7}`,
			`{"batch":true,"file_path":"whole.png","results":[{"file_path":"a.png"},{"file_path":" `+
				`"},{"file_path":3}]}`)
		media(r, "generate_media", `{"input_images":[]}`, `{"error":"no"}`)
		root, err := filepath.EvalSymlinks(r.dir)
		require.NoError(t, err)
		entries := r.ledger()
		require.Equal(t, []any{"input_image[0] -> " + root + "/one.png", "input_image[1] -> /x/two.png",
			"input_audio -> " + root + "/a.wav",
			"continue_from -> c1", "output -> /w/out.png"}, entries[0]["file_mappings"])
		require.JSONEq(t, args, entries[0]["tool_arguments_raw"].(string))
		require.Equal(t, "google", entries[0]["backend"])
		require.Equal(t, "m", entries[0]["model"])
		require.Equal(t, false, entries[0]["context_used"], "there was none")
		require.Equal(t, []any{"input_image[0] -> ", "output[0] -> a.png"}, entries[1]["file_mappings"])
		require.Equal(t, []any{}, entries[2]["file_mappings"])
		require.Equal(t, "no", entries[2]["output_error"])
	})
	t.Run("M94 fails open", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", wiring))
		binary.WriteFile(t, r.dir, ".massgen_scratch", "a file")
		require.Contains(t, strings.Join(media(r, "read_media", `{}`, `{}`).Warnings, "\n"), "Media call ledger: ")
		r = newMassgenRoom(t, wired("PostToolUse", wiring))
		binary.WriteFile(t, r.dir, ".massgen_scratch/verification/media_call_ledger.json", `{"entries":7}`)
		require.Contains(t, strings.Join(media(r, "read_media", `{}`, `{}`).Warnings, "\n"), "Media call ledger: ")
	})
	t.Run("M94 calls at once", func(t *testing.T) {
		testall.Only(t, "a Python for each of many calls")
		t.Parallel()
		r := newMassgenRoom(t, "")
		r.atOnce(12, func(i int) string {
			return fmt.Sprintf(`{"tool_name":"read_media","tool_input":{"n":%d},"workspace_path":%q}`, i, r.dir)
		}, "media_ledger.py")
		var seen []float64
		for _, e := range r.ledger() {
			seen = append(seen, e["tool_arguments"].(binary.Object)["n"].(float64))
		}
		slices.Sort(seen)
		require.Equal(t, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, seen)
	})
}

func parseTime(t *testing.T, v any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, v.(string))
	require.NoError(t, err)
	return at
}

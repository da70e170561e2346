// Package otlp has the collector read what hookrun log --otlp sends.
package otlp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// lines are lines of a log: a call that went on, a call that was blocked, a call without a verdict, a heartbeat, and
// texts that a reader might choke on.
const lines = `{"version":1,"time":"2026-11-26T10:00:01.5Z","pid":7,"session_id":"s","tool_use_id":"t",` +
	`"args":{"a":"secret"},"outcome":{"version":1,"event":"pre-tool","tool":"shell","decision":"continue",` +
	`"hooks":[{"name":"h","status":"ok"}],"duration_ms":1.25}}
{"version":1,"time":"2026-11-26T10:00:02Z","outcome":{"version":1,"event":"PreToolUse","tool":"Bash","decision":"block",` +
	`"cause":"timeout","hook":"h","reason":"\ud800\u0000\u2028<&>\"","hooks":[]}}
{"version":1,"time":"2026-11-26T10:00:03Z","error":"no file","event":"pre-tool"}
{"version":1,"time":"2026-11-26T10:00:04Z","heartbeat":{"hooks":5,"big":1e300,` +
	`"clients":["claude"],"trust":{"allowed":true}}}
`

func TestCollectorReads(t *testing.T) {
	dir := t.TempDir()
	hookrun := filepath.Join(dir, "hookrun")
	build := exec.Command("go", "build", "-o", hookrun, ".")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.log"), []byte(lines), 0o600))

	var got []plogotlp.ExportRequest
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := plogotlp.NewExportRequest()
		if err == nil {
			err = request.UnmarshalJSON(body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		got = append(got, request)
		answer, err := plogotlp.NewExportResponse().MarshalJSON()
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	defer server.Close()
	send := exec.Command(hookrun, "log", "run.log", "--once", "--otlp", server.URL+"/v1/logs")
	send.Dir = dir
	send.Env = append(os.Environ(), "HOOKRUN_STATE="+dir, "OTEL_RESOURCE_ATTRIBUTES=team=a%20b")
	out, err = send.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "4 sent\n", string(out))

	require.Len(t, got, 1)
	logs := got[0].Logs().ResourceLogs()
	require.Equal(t, 1, logs.Len())
	resource := logs.At(0).Resource().Attributes().AsRaw()
	require.Equal(t, "hookrun", resource["service.name"])
	require.Equal(t, "a b", resource["team"])
	require.Contains(t, resource, "host.name")
	require.Equal(t, "hookrun", logs.At(0).ScopeLogs().At(0).Scope().Name())
	records := logs.At(0).ScopeLogs().At(0).LogRecords()
	require.Equal(t, 4, records.Len())
	for i, want := range []struct {
		event, body string
		severity    plog.SeverityNumber
		attributes  map[string]any
	}{
		{"hookrun.decision", "pre-tool shell: continue", plog.SeverityNumberInfo, map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "shell", "gen_ai.tool.call.id": "t",
			"gen_ai.conversation.id": "s", "hookrun.event": "pre-tool", "hookrun.decision": "continue",
			"hookrun.duration_ms": 1.25, "hookrun.hooks": []any{"h"}, "process.pid": int64(7)}},
		{"hookrun.decision", "PreToolUse Bash: block (h, timeout): �\x00\u2028<&>\"", plog.SeverityNumberError,
			map[string]any{
				"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Bash", "hookrun.event": "PreToolUse",
				"hookrun.decision": "block", "hookrun.cause": "timeout", "hookrun.hook": "h",
				"hookrun.reason": "�\x00\u2028<&>\"", "hookrun.duration_ms": 0.0}},
		{"hookrun.decision", "pre-tool: no verdict: no file", plog.SeverityNumberError, map[string]any{
			"gen_ai.operation.name": "execute_tool", "hookrun.event": "pre-tool", "hookrun.decision": "none",
			"hookrun.error": "no file"}},
		{"hookrun.heartbeat", "heartbeat", plog.SeverityNumberInfo, map[string]any{
			"hookrun.heartbeat.hooks": int64(5), "hookrun.heartbeat.big": 1e300,
			"hookrun.heartbeat.clients": []any{"claude"}, "hookrun.heartbeat.trust.allowed": true}},
	} {
		record := records.At(i)
		require.Equal(t, want.event, record.EventName())
		require.Equal(t, want.body, record.Body().AsString())
		require.Equal(t, want.severity, record.SeverityNumber())
		require.Equal(t, want.attributes, record.Attributes().AsRaw(), fmt.Sprint(i))
		require.WithinDuration(t, time.Now(), record.ObservedTimestamp().AsTime(), time.Hour)
	}
	require.Equal(t, time.Date(2026, 11, 26, 10, 0, 1, 500_000_000, time.UTC), records.At(0).Timestamp().AsTime())
}

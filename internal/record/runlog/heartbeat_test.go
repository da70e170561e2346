package runlog_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/record/runlog"
)

func TestHeartbeat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := runlog.New(runlog.Options{Path: path})
	require.NoError(t, err)
	defer log.Close()
	h := runlog.Heartbeat{Workspace: "/w", Status: "allowed", Hash: "ab",
		Facts: runlog.Facts{Host: "h<>", User: "u", Hooks: 2, Clients: []runlog.Client{}}}
	require.NoError(t, log.AppendHeartbeat(time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), &h))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `{"version":1,"time":"2027-01-02T03:04:05.000000Z","heartbeat":{"workspace":"/w",`+
		`"status":"allowed","hash":"ab","host":"h<>","user":"u","hooks":2,"clients":[]}}`+"\n", string(text))
	require.True(t, runlog.IsHeartbeat(text))
	require.NoError(t, (*runlog.Log)(nil).AppendHeartbeat(time.Now(), &h))
	for _, line := range []string{`{"args":{"heartbeat":{}}}`, `{"heartbeat":1}`, `"heartbeat":`, ``} {
		require.False(t, runlog.IsHeartbeat([]byte(line)), line)
	}
}

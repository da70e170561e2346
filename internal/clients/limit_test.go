package clients_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/doors/cli"
)

// TestLimit: a client that waits for hookrun no longer than it wants to is told that there is no verdict before.
func TestLimit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its hook is a line for sh")
	}
	of := *toy
	of.Hooks = impatientHooks{}
	impatient := *toyClient
	impatient.Dialect = &of
	t.Cleanup(clients.Add(&impatient))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tenex-hooks.json"), []byte(
		`{"hooks":[{"name":"slow","command":["sleep","1000"],"events":["pre-tool"]}]}`), 0o600))
	var out, err bytes.Buffer
	stdin := strings.NewReader(`{"hook_event_name":"PreToolUse","toy":"yes","tool_name":"Dig","tool_input":{}}`)
	require.Equal(t, 2, cli.Run([]string{"fire", "-C", dir}, cli.Streams{In: stdin, Out: &out, Err: &err}))
	require.Empty(t, out.String())
	require.Equal(t, "hookrun fire: the hooks took longer than 100ms, and Toy waits no longer; the hooks were killed, "+
		"there is no verdict\n", err.String())
}

type impatientHooks struct{ toyHooks }

func (impatientHooks) CallLimit() time.Duration { return 100 * time.Millisecond }

// TestLimitOfEntries: where a client's entries have a longest timeout, a call ends before that.
func TestLimitOfEntries(t *testing.T) {
	for _, d := range clients.All().Clients() {
		if d.Install != nil && d.Files.Timeout.Longest() > 0 {
			require.Positive(t, d.Hooks.CallLimit(), d.Name)
			require.Less(t, d.Hooks.CallLimit(), d.Files.Timeout.Longest(), d.Name)
		}
	}
}

package hookfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

func TestMaxStopBlocks(t *testing.T) {
	t.Parallel()
	parse := func(value string) (*hookfile.Config, error) {
		return parts.All().Parse("f", []byte(`{"max_stop_blocks": `+value+`, "hooks": [{"name": "a", "command": "true",
			"dialect": "claude", "events": ["Stop"]}]}`))
	}
	cfg, err := parse("7")
	require.NoError(t, err)
	require.Equal(t, 7, cfg.Hooks[0].MaxStopBlocks)
	for value, want := range map[string]string{
		"0": `"max_stop_blocks" must be a whole number from 1 to 100, not 0`, "-1": "not -1", "1.5": "not 1.5",
		"101": "not 101", `"5"`: `"max_stop_blocks" must be a number, not a string`, "null": "not null",
	} {
		_, err := parse(value)
		require.ErrorContains(t, err, "f:1:21: ", value)
		require.ErrorContains(t, err, want, value)
	}
}

// An event of a client's needs the client's name.
func TestEventsOfClientsNeedADialect(t *testing.T) {
	t.Parallel()
	for event, client := range map[string]string{"Stop": "codex", "AfterAgent": "gemini", "stop": "cursor"} {
		var names []string
		for _, d := range clients.All().EntryDialects() {
			if d.Events.Has(protocol.Event(event)) {
				names = append(names, `"`+d.Name+`"`)
			}
		}
		require.Contains(t, names, `"`+client+`"`)
		doc := `{"hooks": [{"name": "a", "command": "true", "events": ["` + event + `"]}]}`
		_, err := parts.All().Parse("f", []byte(doc))
		require.EqualError(t, err, `f:1:56: hook "a": unknown event "`+event+`"; add "dialect": `+
			strings.Join(names, " or ")+` for it; without "dialect" supported are pre-execute, pre-tool, post-tool`)
	}
}

package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
)

// An entry that somebody took out, or that a new hook needs, is an error, also if all other entries are as they were.
func TestManagedEvents(t *testing.T) {
	gemini, _ := install.Lookup("gemini")
	again := mending{text: "install again"}
	c := &checked{Client: gemini, doctor: &Doctor{}, again: again}
	entries := []install.InstalledEntry{{EntryText: client.EntryText{Event: "BeforeAgent"}},
		{EntryText: client.EntryText{Event: "AfterTool"}}}
	cfg, err := parts.All().ParseManaged("hooks.json",
		`{"hooks": [{"name": "start", "command": "true", "events": ["SessionStart"], "dialect": "claude"}]}`)
	require.NoError(t, err)
	c.managedEvents("/etc/x", entries, cfg.Hooks)
	var found []string
	for _, f := range c.findings {
		require.Equal(t, []any{Error, "/etc/x", "install again"}, []any{f.Severity, f.Where, f.Mend})
		found = append(found, f.What)
	}
	require.Equal(t, []string{"no entry runs hookrun at BeforeTool", "no entry runs hookrun at SessionStart"}, found)
	require.Equal(t, again, c.otherAnswer(entries[0]), "a mending for a user's own settings would add a second entry")
}

package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

func TestDisplay(t *testing.T) {
	banner := strings.Repeat("=", 60)
	for _, tt := range []struct {
		name     string
		content  string
		strategy string
		want     string
	}{
		{"M62 the first line that is no frame", "\n" + banner + "\n⚠️  SYSTEM REMINDER\n" + banner + "\nmore",
			dialect.UserMessage, "[REMINDER] ⚠️  SYSTEM REMINDER"},
		{"M62 in the frame of --notes separator", strings.Repeat("═", 55) + "\r\n- mind the gap\r\n",
			dialect.UserMessage, "[REMINDER] - mind the gap"},
		{"M62 without the tag", "<system-reminder>Your TODO list is empty\nmore</system-reminder>",
			dialect.UserMessage, "[REMINDER] Your TODO list is empty"},
		{"M62 all lines are frames", banner + "\n\n  ===\n", dialect.UserMessage, "[REMINDER] System reminder"},
		{"M62 nothing", "", dialect.UserMessage, "[REMINDER] System reminder"},
		{"M62 the whole first line", strings.Repeat("a", 400), dialect.UserMessage,
			"[REMINDER] " + strings.Repeat("a", 400)},
		{"M62 cut at 300 characters", strings.Repeat("é", 400), dialect.ToolResult,
			"[INJECTION] " + strings.Repeat("é", 300) + "..."},
		{"M62 no strategy is tool_result", strings.Repeat("a", 301), "",
			"[INJECTION] " + strings.Repeat("a", 300) + "..."},
		{"M62 300 are not cut", strings.Repeat("é", 300), dialect.ToolResult,
			"[INJECTION] " + strings.Repeat("é", 300)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			given := protocol.Text{Hook: "h", Content: tt.content, Strategy: tt.strategy}
			got := dialect.WithDisplay(given)
			require.Equal(t, tt.want, got.Display)
			given.Display = got.Display
			require.Equal(t, given, got, "the rest stays as it is")
		})
	}
}

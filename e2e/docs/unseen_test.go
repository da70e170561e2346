package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
)

// The page has what doctor notes of each client, and nothing else, under the heading that doctor names.
func TestWhatNoHookSees(t *testing.T) {
	text, err := os.ReadFile("../../docs/clients/what-no-hook-sees.md")
	require.NoError(t, err)
	page := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\n## ", "\n@@ ")), " ")
	for _, d := range clients.All().Clients() {
		client := d.Files.Client
		var want, got []string
		for _, u := range d.Install.HooklessActions {
			want = append(want, client+" "+u.What+".")
		}
		_, section, _ := strings.Cut(page, "@@ "+client+" * ")
		section, _, _ = strings.Cut("* "+section, " @@ ")
		for _, title := range regexp.MustCompile(`\* \*\*(.*?)\*\*`).FindAllStringSubmatch(section, -1) {
			got = append(got, title[1])
		}
		require.Equal(t, want, got, client)
	}
}

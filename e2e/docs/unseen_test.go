//go:build unix

package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
)

// The page of a client has what doctor notes of the client, and nothing else, under the heading that doctor names.
func TestWhatNoHookSees(t *testing.T) {
	for _, d := range clients.All().Clients() {
		t.Run(d.Name, func(t *testing.T) {
			client := d.Files.Client
			page, anchor, found := strings.Cut(d.Install.Page, "#")
			require.True(t, found, d.Install.Page)
			text, err := os.ReadFile("../../docs/clients/" + page)
			require.NoError(t, err)
			section := ""
			for _, s := range regexp.MustCompile(`(?m)^##+ `).Split(string(text), -1) {
				if title, _, _ := strings.Cut(s, "\n"); anchors("## " + title)[anchor] {
					section = strings.Join(strings.Fields(s), " ")
				}
			}
			require.NotEmpty(t, section, "no heading of %s is called %s", page, anchor)
			var want, got []string
			for _, u := range d.Install.HooklessActions {
				want = append(want, client+" "+u.What+".")
			}
			titles := regexp.MustCompile(`\* \*\*(` + client + ` .*?)\*\*`)
			for _, title := range titles.FindAllStringSubmatch(section, -1) {
				got = append(got, title[1])
			}
			require.Equal(t, want, got)
		})
	}
}

package clients_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// TestExtraShadowsNothing: a key of Extra has no value that a hook could take for one of the call's, in no dialect and
// in no spelling, and is there besides.
func TestExtraShadowsNothing(t *testing.T) {
	for _, d := range clients.All().Dialects() {
		if d.Name == "acs" {
			continue // a request has only the members of the standard
		}
		for _, form := range d.Variants() {
			for _, e := range dialect.CanonicalEvents() {
				c := dialect.NewCall(dialect.Call{Event: e, Tool: "shell", Args: `{"command":"ls"}`, Result: "r",
					SessionID: "s", Workspace: "/w", Prompt: "p"})
				if e = form.EventOf(form.AtToolEvent(c)); e == "" {
					continue
				}
				plain := encoded(t, form, c)
				extra := []string{`"my_key":1`, `"myKey":2`, `"<&>":"<&>"`}
				for key := range maps.Keys(plain) {
					for _, name := range []string{key, strings.ToUpper(key), strings.ToUpper(key[:1]) + key[1:]} {
						if field := `"` + name + `":"other"`; !slices.Contains(extra, field) {
							extra = append(extra, field)
						}
					}
				}
				c.Extra = "{" + strings.Join(extra, ",") + "}"
				with := encoded(t, form, c)
				require.Len(t, with, len(plain)+3, "%s %s", form.Name, e)
				for key := range plain {
					require.Equal(t, plain[key], with[key], "%s %s %s", form.Name, e, key)
				}
				require.Equal(t, "2", with["myKey"])
				require.Equal(t, `"<&>"`, with["<&>"])
			}
		}
	}
}

// encoded returns the members of what hooks of a dialect get, but for the time.
func encoded(t *testing.T, d *dialect.Dialect, c *dialect.Call) map[string]string {
	t.Helper()
	p, _, err := d.Hooks.Encode(d.AtToolEvent(c))
	require.NoError(t, err)
	require.Empty(t, strictjson.Check(string(p.Bytes()), strictjson.MaxDepth), "%s: %s", d.Name, p.Bytes())
	members := map[string]string{}
	gjson.ParseBytes(p.Bytes()).ForEach(func(key, value gjson.Result) bool {
		if members[key.String()] = value.Raw; key.String() == "timestamp" {
			members["timestamp"] = "now"
		}
		return true
	})
	return members
}

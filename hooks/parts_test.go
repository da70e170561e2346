package hooks_test

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/named"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/clients/set"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
	"github.com/hookrun/hookrun/internal/core/tenex"
)

var update = flag.Bool("update", false, "write the packages in clients/ anew")

// client is the text of the package of a client: its one line names the client's own folder.
const client = `// Package %[1]s is the part of a hooks.Loader for %[2]s.
package %[1]s

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/%[1]s"
	"github.com/hookrun/hookrun/internal/clients/named"
)

// Part adds %[2]s.
var Part = hooks.Part(named.%[3]s(%[1]s.%[3]s))
`

// TestClients holds the packages in clients/ to the list of all clients. A new client needs nothing but -update.
func TestClients(t *testing.T) {
	var folders []string
	for _, d := range clients.All().Dialects() {
		if d == tenex.Dialect {
			continue
		}
		name, kind := d.Name, "Client"
		if d.Files != nil {
			name = d.Files.Client
		}
		if clients.All().ClientWith(d) == nil {
			kind = "Dialect"
		}
		folders = append(folders, d.Name)
		file := filepath.Join("clients", d.Name, d.Name+".go")
		text, err := format.Source(fmt.Appendf(nil, client, d.Name, name, kind))
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			require.NoError(t, os.WriteFile(file, text, 0o666))
		}
		now, err := os.ReadFile(file)
		const hint = "go test ./hooks -run TestClients -update"
		require.NoError(t, err, hint)
		require.Equal(t, string(text), string(now), hint)
	}
	entries, err := os.ReadDir("clients")
	require.NoError(t, err)
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	require.ElementsMatch(t, folders, found)
}

// All parts by name, in any order, are the set of all clients.
func TestNamedClients(t *testing.T) {
	known := clients.All().Clients()
	var all host.Parts
	for i := range known {
		named.Client(known[len(known)-1-i]).AddTo(&all)
		named.Client(known[0]).AddTo(&all)
	}
	for _, d := range clients.All().Dialects() {
		if clients.All().ClientWith(d) == nil && d != tenex.Dialect {
			named.Dialect(d).AddTo(&all)
			named.Dialect(d).AddTo(&all)
		}
	}
	require.Equal(t, parts.All().Clients.(*set.Set).Dialects(), all.Clients.(*set.Set).Dialects())
	require.Equal(t, known, all.Clients.(*set.Set).Clients())
}

// TestLinked: a program links the parts that it names.
func TestLinked(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go")
	}
	const module = "github.com/hookrun/hookrun/"
	const shared = "clients/client clients/set clients/named clients/settings clients/toml clients/jsregexp " +
		"rules/programs rules/shellline rules/permission" // by clients
	for packages, allowed := range map[string]string{
		"hooks runner":                "",
		"hooks/rules runner":          "rules",
		"hooks/requests runner":       "net",
		"hooks/clients/claude runner": "clients/claude " + shared,
		"hooks/clients/codex runner":  "clients/codex " + shared,
	} {
		args := []string{"list", "-deps"}
		for _, name := range strings.Fields(packages) {
			args = append(args, module+name)
		}
		out, err := exec.Command("go", args...).Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			name, ours := strings.CutPrefix(strings.TrimSpace(line), module+"internal/")
			wing, _, _ := strings.Cut(name, "/")
			if !ours || wing == "core" || wing == "lib" || wing == "texts" {
				continue
			}
			isAllowed := false
			for _, folder := range strings.Fields(allowed) {
				isAllowed = isAllowed || strings.HasPrefix(name+"/", folder+"/")
			}
			require.True(t, isAllowed, "%s links %s", packages, name)
		}
	}
}

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// wings are the parts of the code: their folders, and the parts that they may import beside themselves. A package is in
// the wing of the longest folder that it is in; a folder with a final slash is not in itself.
var wings = []struct{ name, folders, reaches string }{
	{"protocol", "protocol", ""},
	{"lib", "internal/strictjson internal/document internal/files internal/glob internal/spelling internal/printable " +
		"internal/lazy internal/crash internal/shellline/shellword internal/jsonrpc internal/state", ""},
	{"core", "internal/process internal/launch internal/hook internal/hookfile internal/gate/engine " +
		"internal/gate/form internal/dialect internal/dialect/tenex internal/dialect/nearmiss " +
		"internal/state/approval internal/state/once internal/state/stops internal/doctor/canary " +
		"internal/httphook/endpoint",
		"protocol lib clients"},
	{"rules", "internal/rules internal/shellline internal/permission internal/pack", "protocol lib core"},
	{"trust", "internal/trust", "protocol lib core rules record clients"},
	{"record", "internal/runlog internal/cases internal/state/lastrun", "protocol lib core clients"},
	{"texts", "internal/queue internal/gate/queued internal/massgen/ipc", "protocol lib core clients"},
	{"net", "internal/httphook internal/runlog/otlp", "protocol lib core rules record clients"},
	{"clients", "internal/parts internal/client internal/dialect/ internal/install internal/doctor " +
		"internal/hookimport internal/toml internal/jsregexp internal/massgen/yaml",
		"protocol lib core rules record net"},
	{"doors", "internal/cli internal/serve internal/mcpproxy internal/gate",
		"protocol lib core rules trust record texts net clients"},
	{"testsupport", "internal/testsupport internal/dialect/dialecttest",
		"protocol lib core clients"},
	{"public", "projecthooks queue runner", "protocol lib core rules trust texts net clients"},
}

// TestImports: imports run one way, from wing to wing as the table says. Only the list of clients imports a client's
// folder, and a process knows nothing of hooks.
func TestImports(t *testing.T) {
	needsGo(t)
	const module, list = "github.com/hookrun/hookrun/", "internal/dialect/registry"
	const guardian = "internal/serve/guardian" // has the words of the same standard
	root := binary.Repository(t)
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			imports := strings.Fields(strings.ReplaceAll(line, module, ""))
			name, in := imports[0], wingOf(imports[0])
			require.True(t, in >= 0 || !strings.HasPrefix(name, "internal/"), "%s needs a place in wings", name)
			for _, other := range imports[1:] {
				of := wingOf(other)
				if of < 0 {
					continue
				}
				allowed := in < 0 || in == of || slices.Contains(strings.Fields(wings[in].reaches), wings[of].name)
				require.True(t, allowed, "%s imports %s", name, other)
				require.NotEqual(t, "internal/process", name, other)
				_, err := os.Stat(filepath.Join(root, other, "dialect.go"))
				if err == nil && wings[of].name == "clients" { // the folder of a client
					require.Contains(t, []string{list, "internal/dialect/dialecttest", guardian}, name, other)
				}
			}
		}
	}
}

// wingOf returns the index of a package's wing, or -1.
func wingOf(name string) int {
	found, longest := -1, ""
	for i, w := range wings {
		for _, folder := range strings.Fields(w.folders) {
			inside := strings.HasPrefix(name+"/", strings.TrimSuffix(folder, "/")+"/") && name+"/" != folder
			if inside && len(folder) > len(longest) {
				found, longest = i, folder
			}
		}
	}
	return found
}

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
	{"lib", "internal/lib", ""},
	{"core", "internal/core", "protocol lib"},
	{"rules", "internal/rules", "protocol lib core"},
	{"trust", "internal/trust", "protocol lib core rules record clients"},
	{"texts", "internal/texts", "protocol lib core"},
	{"record", "internal/record", "protocol lib core clients"},
	{"net", "internal/net", "protocol lib core rules record clients"},
	{"clients", "internal/clients", "protocol lib core rules record net"},
	{"doors", "internal/doors", "protocol lib core rules trust texts record net clients"},
	{"testsupport", "internal/testsupport", "protocol lib core rules trust texts record net clients doors"},
	{"public", "hooks projecthooks queue runner", "protocol lib core rules trust texts record net clients"},
}

// TestImports: imports run from wing to wing as the table says. Beside the list of clients, only the packages for
// programs that name a client import a client's folder. A process knows nothing of hooks.
func TestImports(t *testing.T) {
	needsGo(t)
	const module, list = "github.com/hookrun/hookrun/", "internal/clients"
	const guardian = "internal/doors/serve/guardian" // has the words of the same standard
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
				require.NotEqual(t, "internal/core/process", name, other)
				_, err := os.Stat(filepath.Join(root, other, "dialect.go"))
				isClient := err == nil && wings[of].name == "clients"
				if isClient && !strings.HasPrefix(name, "hooks/clients/") { // for programs that name the client
					require.Contains(t, []string{list, "internal/testsupport/dialecttest", guardian}, name, other)
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

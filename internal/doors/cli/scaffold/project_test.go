package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// TestEntries: a project gets the hooks whose programs its own files name, and a hooks file that loads.
func TestEntries(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  map[string]string // of hooks, a part of the command
	}{
		"none": {map[string]string{"README.md": "pytest prettier ruff"}, nil},
		"go":   {map[string]string{"go.mod": "module x", "a.go": ""}, map[string]string{"format-go": `gofmt)}`}},
		"go with tests": {map[string]string{"go.mod": "module x", "a/b/a_test.go": ""},
			map[string]string{"format-go": `"$p" -w`, "tests-go": `"$p" test ./...`}},
		"ruff and pytest": {map[string]string{"pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]"},
			map[string]string{"format-python": "ruff)}", "tests-python": "pytest -q"}},
		"black": {map[string]string{"requirements.txt": "black==25\nrequests"},
			map[string]string{"format-python": "black)}"}},
		"no ruff":  {map[string]string{"requirements.txt": "truffle\nmy-ruffian"}, nil},
		"conftest": {map[string]string{"tests/conftest.py": ""}, map[string]string{"tests-python": "pytest"}},
		"prettier": {map[string]string{"package.json": `{"devDependencies":{"prettier":"3"}}`},
			map[string]string{"format-node": "/.bin/prettier}"}},
		"biome": {map[string]string{"package.json": `{"devDependencies":{"@biomejs/biome":"2","prettier":"3"}}`},
			map[string]string{"format-node": "/.bin/biome}"}},
		"biome.json": {map[string]string{"package.json": `{}`, "biome.json": "{}"},
			map[string]string{"format-node": `"$p" format --write`}},
		"npm test": {map[string]string{"package.json": `{"scripts":{"test":"jest"}}`},
			map[string]string{"tests-node": `"$p" test --silent`}},
		"npm default": {map[string]string{"package.json": `{"scripts":{"test":"echo no test specified"}}`}, nil},
		"no JSON":     {map[string]string{"package.json": `{`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range test.files {
				path := filepath.Join(dir, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			files, hooks, err := Files(dir, []string{"git"})
			require.NoError(t, err)
			require.Len(t, hooks, len(test.want))
			cfg, err := parts.All().Parse(hookfile.FileName, []byte(files[0].Text))
			require.NoError(t, err, files[0].Text)
			require.Empty(t, cfg.Warned())
			found := 0
			for i := range cfg.Hooks {
				h := &cfg.Hooks[i]
				if h.PackRule() != nil {
					continue
				}
				found++
				require.Contains(t, test.want, h.Name)
				require.Contains(t, h.Process().Shell, test.want[h.Name])
				require.Equal(t, strings.HasPrefix(h.Name, "tests-"), h.Wants("Stop", clients.All()))
				require.Equal(t, []string{}, h.Files, "daily work changes what they read")
			}
			require.Equal(t, len(test.want), found)
		})
	}
}

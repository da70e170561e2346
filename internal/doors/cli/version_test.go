package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	version := run("", "version")
	require.Regexp(t, `^hookrun \S+ go\S+ \w+/\w+\n$`, version.out)
	require.Equal(t, version, run("", "--version"))
	object := run("", "version", "-o", "json")
	require.Regexp(t, `^\{"version":"[^"]+","go":"go[^"]+","os":"\w+","arch":"\w+"\}\n$`, object.out)
	stamped := build{Version: "1.0.0", Commit: "0123456789abcdef0123456789abcdef01234567", Date: "2026-11-26T20:47:11Z",
		Go: "go1.26.8", OS: "linux", Arch: "arm"}
	require.Equal(t, "hookrun 1.0.0 (0123456789ab, 2026-11-26) go1.26.8 linux/arm\n", stamped.String())
}

func TestVersionCheck(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/latest":
			_, _ = w.Write([]byte(`{"name": "2.0.0", "tag_name": "v1.2.4", "body": "since 0.9.0"}`))
		case "/moved":
			http.Redirect(w, r, "/latest", http.StatusFound)
		case "/limit":
			http.Error(w, "1.2.4", http.StatusForbidden)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "version")
	for name, test := range map[string]struct {
		own, text, place string
		exit             int
		want             string // what is printed, or the error
	}{
		"equal":                {"1.2.3", "1.2.3\n", file, 0, "this hookrun, 1.2.3, is not older than 1.2.3\n"},
		"older there":          {"1.2.3", "v1.2.2", file, 0, "this hookrun, 1.2.3, is not older than 1.2.2\n"},
		"newer there":          {"1.2.3", "1.10.0", file, 1, "1.10.0 is newer than this hookrun, 1.2.3\n"},
		"output of version":    {"1.2.3", "hookrun 1.2.4 (01, 2026-11-26) go1.26.8", file, 1, "1.2.4 is newer than "},
		"release of a preview": {"1.2.3-rc.1", "1.2.3", file, 1, "1.2.3 is newer than this hookrun, 1.2.3-rc.1\n"},
		"preview there":        {"1.2.3", "1.2.3-rc.10", file, 0, "this hookrun, 1.2.3, is not older than 1.2.3-rc."},
		"own is of a commit":   {"v0.0.0-20261126204711-f9cb431b1234+dirty", "1.0.0", file, 1, "1.0.0 is newer than "},
		"JSON in a file":       {"1.2.3", `{"tag_name":"v1.2.3"}`, file, 0, "this hookrun, 1.2.3, is not older than "},
		"tag without version":  {"1.2.3", `{"tag_name":"x","name":"9.9.9"}`, file, -1, "no version there; give "},
		"no version":           {"1.2.3", "go1.26.8 1.3 v2", file, -1, "no version there; give a text with one as 1.2"},
		"empty":                {"1.2.3", "", file, -1, "no version there"},
		"own has none":         {"(devel)", "1.0.0", file, -1, "this hookrun, (devel), has no version to compare; "},
		"no file":              {"1.2.3", "", file + "/x", -1, "version/x: "},
		"address":              {"1.2.3", "", server.URL + "/latest", 1, "1.2.4 is newer than this hookrun, 1.2.3\n"},
		"address that moved":   {"1.2.4", "", server.URL + "/moved", 0, "this hookrun, 1.2.4, is not older than "},
		"refused":              {"1.2.3", "", server.URL + "/limit", -1, "/limit: the server answers 403 Forbidden"},
		"no server":            {"1.2.3", "", "http://127.0.0.1:1/", -1, "--check http://127.0.0.1:1/: dial tcp "},
		"no address":           {"1.2.3", "", "http://[", -1, "--check http://[: "},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, []byte(test.text), 0o600))
			b := build{Version: test.own}
			exit, err := b.compare(test.place)
			if test.exit < 0 {
				require.ErrorContains(t, err, test.want)
				require.Nil(t, b.Newer)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.exit, exit)
			require.True(t, strings.HasPrefix(b.String(), test.want), b.String())
		})
	}
}

package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogOTLP(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOOKRUN_STATE", filepath.Join(dir, "state"))
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.String())
		fmt.Fprint(w, "{}")
	}))
	defer server.Close()
	log := file(t, filepath.Join(dir, "run.log"),
		`{"version":1,"time":"2026-11-26T10:00:00Z","error":"e","event":"pre-tool"}`+"\n"+"garbage\n")
	address := server.URL + "/x?y=z"
	require.Equal(t, ran{0, "1 sent, 1 unreadable\n", "hookrun log: " + log +
		": 1 line before byte 83 could not be read, and was not sent\n"},
		run("", "log", log, "--otlp", address, "--once"))
	require.Equal(t, ran{0, "0 sent\n", ""}, run("", "log", "--otlp="+address, log, "--once"))
	require.Equal(t, []string{"/x?y=z"}, got, "nothing is appended")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "state")))
	t.Setenv("HOOKRUN_LOG", log)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	require.Equal(t, "1 sent, 1 unreadable\n", run("", "log", "--once", "--otlp").out)
	require.Equal(t, "/v1/logs", got[1])

	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--otlp", address, "--since", "2h"}, "--otlp sends the whole log; leave out --since"},
		{[]string{"--otlp", address, "-o", "json"}, "leave out --output"},
		{[]string{"--otlp="}, "--otlp is empty; give it the whole address"},
		{[]string{"--otlp", address, "--once", "--follow"}, "--once and --follow exclude each other"},
		{[]string{"--once"}, "they need --otlp"},
		{[]string{"--otlp-args"}, "they need --otlp"},
		{[]string{"--otlp", address, "other.log", "more.log"}, "unexpected argument"},
		{[]string{"--otlp", "--once", "none.log"}, "none.log: no such file"},
	} {
		failed := run("", append([]string{"log"}, test.args...)...)
		require.Equal(t, 1, failed.exit, test.args)
		require.Contains(t, failed.err, test.want)
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReadAllOfAnOpenPipe: a complete object and silence end a call, and all else an error or the end of the input.
func TestReadAllOfAnOpenPipe(t *testing.T) {
	const call = `{"a":"}"}`
	for name, test := range map[string]struct {
		pieces []string
		text   bool // no call
		ends   bool
		want   string
		err    string
	}{
		"complete":                {pieces: []string{call}, want: call},
		"complete with blanks":    {pieces: []string{" \n" + call + "\n"}, want: " \n" + call + "\n"},
		"in pieces":               {pieces: []string{call[:3], call[3:6], call[6:]}, want: call},
		"a byte order mark":       {pieces: []string{"\ufeff" + call}, want: "\ufeff" + call},
		"two objects":             {pieces: []string{call, call}, err: "did not close stdin"},
		"behind an object":        {pieces: []string{call, "x"}, err: "did not close stdin"},
		"behind one, at the end":  {pieces: []string{call, "x"}, ends: true, want: call + "x"},
		"half an object":          {pieces: []string{`{"a":{}`}, err: "did not close stdin"},
		"half of one, at the end": {pieces: []string{`{"a":{}`}, ends: true, want: `{"a":{}`},
		"nothing":                 {err: "did not close stdin"},
		"nothing, at the end":     {ends: true},
		"a list":                  {pieces: []string{"[]"}, err: "did not close stdin"},
		"a text":                  {pieces: []string{call}, text: true, err: "did not close stdin"},
		"a text, at the end":      {pieces: []string{call}, text: true, ends: true, want: call},
	} {
		t.Run(name, func(t *testing.T) {
			silence, limit := stdinSilence, stdinLimit
			t.Cleanup(func() { stdinSilence, stdinLimit = silence, limit })
			stdinSilence, stdinLimit = 5*time.Millisecond, 50*time.Millisecond
			if test.err == "" { // then only the end or the object may end it
				stdinLimit = time.Hour
			}
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			defer w.Close()
			for _, piece := range test.pieces {
				_, err := w.WriteString(piece)
				require.NoError(t, err)
			}
			if test.ends {
				w.Close()
			}
			got, err := readAll(&stdinReader{Streams: Streams{In: r}}, maxValue, 0, !test.text)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

// TestReadAllOfALargeCall: what has arrived gives the caller more time.
func TestReadAllOfALargeCall(t *testing.T) {
	limit := stdinLimit
	t.Cleanup(func() { stdinLimit = limit })
	stdinLimit = 0
	all := `{"a":"` + strings.Repeat("x", 10<<20) + `"}`
	for _, most := range []int64{maxValue, 100} {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		go func() {
			_, _ = w.WriteString(all) // fails where the reader has enough
		}()
		for !isReadable(r, time.Hour) {
		}
		got, err := readAll(r, most, 0, true)
		require.NoError(t, err)
		require.Equal(t, all[:min(int64(len(all)), most+1)], got)
		r.Close()
		w.Close()
	}
}

// TestReadAllOfFiles: a file has an end of its own.
func TestReadAllOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	for path, want := range map[string]string{path: "text", os.DevNull: ""} {
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		got, err := readAll(file, maxValue, 0, true)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := readAll(strings.NewReader("text"), maxValue, 0, true)
	require.NoError(t, err)
	require.Equal(t, "text", got)
}

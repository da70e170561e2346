package cases_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/record/cases"
	"github.com/hookrun/hookrun/protocol"
)

// FuzzParse: what is refused has its places, and what is accepted is JSON in which encoding/json sees the same tests.
func FuzzParse(f *testing.F) {
	for _, test := range bad {
		f.Add([]byte(test.doc))
	}
	for _, test := range good {
		f.Add([]byte(`{"tests": [{"name": "n", ` + test.test +
			`, "expect": {"stop": true, "inject": ["a", {"matches": "b"}], "updated_input": {"c": 1}}}]}`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		file, err := cases.Parse("f", doc, workspace)
		text := strings.TrimPrefix(string(doc), "\ufeff")
		if err != nil {
			require.Nil(t, file)
			requirePlaces(t, text, err)
			return
		}
		require.True(t, json.Valid([]byte(text)), "accepted what is no JSON")
		var read struct {
			Tests []struct {
				Name                string
				Event               protocol.Event
				Tool                string
				Args, Input, Expect json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal([]byte(text), &read))
		require.Len(t, file.Tests, len(read.Tests))
		for i, want := range read.Tests {
			got := &file.Tests[i]
			require.Equal(t, want.Name, got.Name)
			require.NotEmpty(t, want.Expect)
			if want.Input == nil {
				require.Equal(t, want.Event, got.Call.Event)
				require.Equal(t, strings.ReplaceAll(want.Tool, cases.WorkspaceMark, workspace), got.Call.Tool)
				require.Equal(t, want.Args == nil, got.Call.Args == "")
			}
			// Nobody asked a hook yet: whatever the test expects, that is no crash.
			got.Check(protocol.Outcome{Texts: []protocol.Text{{Content: "x"}},
				UpdatedInput: json.RawMessage(`{"c": 1}`)}, nil)
		}
		again, err := cases.Parse("f", doc, workspace)
		require.NoError(t, err)
		require.Equal(t, len(file.Tests), len(again.Tests))
	})
}

// requirePlaces checks that every problem stands at a character of the text or at its end, in order.
func requirePlaces(t *testing.T, text string, err error) {
	var problems hook.Diagnostics
	require.True(t, errors.As(err, &problems))
	require.NotEmpty(t, problems)
	lines := strings.Split(text, "\n")
	line, column := 1, 1
	for _, p := range problems {
		require.NotEmpty(t, p.Text)
		require.NotContains(t, p.Text, "\n", "a message is one line")
		require.LessOrEqual(t, p.Line, len(lines))
		require.GreaterOrEqual(t, p.Column, 1)
		require.LessOrEqual(t, p.Column, utf8.RuneCountInString(lines[p.Line-1])+1)
		require.False(t, p.Line < line || p.Line == line && p.Column < column, "out of order: %v", err)
		line, column = p.Line, p.Column
	}
}

// FuzzRecord: whatever a log has, what is printed can be read again.
func FuzzRecord(f *testing.F) {
	f.Add(line(`"args":{"path":"/work space/work space"},`,
		`"event":"pre-tool","tool":"t","decision":"block","reason":"/work space"`) + "\n[]\n")
	f.Add(line(`"result":"r","failed":true,`,
		`"event":"PostToolUseFailure","tool":"t","decision":"continue","inject":[{"hook":"h","content":"c"}]`))
	f.Add(line(`"prompt":"${HOOKRUN_WORKSPACE}",`, `"event":"pre-execute","decision":"continue"`))
	f.Add(line(`"args":"\ud800\u2028",`,
		`"event":"pre-tool","tool":"\ud800","decision":"continue","updated_input":"\ud800"`))
	f.Fuzz(func(t *testing.T, log string) {
		r := cases.NewRecording(workspace)
		require.NoError(t, r.Read(strings.NewReader(log), "run.log"))
		doc, n := r.File()
		if n == 0 {
			return
		}
		file, err := cases.Parse("f", []byte(doc), workspace)
		require.NoError(t, err)
		require.Len(t, file.Tests, n)
	})
}

package shellline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFolders: the last command of a line runs behind the folders to which its own shell went before.
func TestFolders(t *testing.T) {
	const unknown = "?"
	for line, want := range map[string][]string{
		"rm x":                              nil,
		"cd a && rm x":                      {"a"},
		"cd a; cd ../b; rm x":               {"a", "../b"},
		"cd -P -- a && rm x":                {"a"},
		"command cd a; rm x":                {"a"},
		"cd; rm x":                          {"~"},
		"cd a; cd -; rm x":                  nil,
		"cd -; rm x":                        {unknown},
		"cd $A; rm x":                       {unknown},
		"pushd a; popd; rm x":               {"a", unknown},
		"(cd a); rm x":                      nil,
		"(cd a; rm x)":                      {"a"},
		"cd a | ls; rm x":                   nil,
		"cd a | rm x":                       nil,
		"cd a & rm x":                       nil,
		"cd a && ls & rm x":                 nil,
		"cd a && ls | rm x":                 {"a"},
		"y=$(cd a) rm x":                    nil,
		"{ cd a; }; rm x":                   {"a"},
		"cd a; sudo rm x":                   {"a"},
		"bash -c 'cd a'; rm x":              nil,
		"cd a; bash -c 'cd b; sudo rm x'":   {"a", "b"},
		"if cd a; then rm x; fi":            {"a"},
		"cd a && for i in 1; do rm x; done": {"a"},
	} {
		parsed := Split(line)
		unwrapped := parsed.Unwrap(line, nil)
		var got []string
		seen := false
		for _, c := range unwrapped.Commands {
			if c.Words[0].Text != "rm" {
				continue
			}
			seen, got = true, nil
			for _, w := range c.Folders {
				if w.Computed {
					w.Text = unknown
				}
				got = append(got, w.Text)
			}
		}
		require.True(t, seen, line)
		require.Equal(t, want, got, line)
	}
}

// TestManyFolders: a line that goes to very many folders is followed no further.
func TestManyFolders(t *testing.T) {
	line := ""
	for range 3 * maxFolders {
		line += "cd a; "
	}
	parsed := Split(line + "rm x")
	last := parsed.Commands[len(parsed.Commands)-1]
	require.LessOrEqual(t, len(last.Folders), maxFolders)
	require.True(t, last.Folders[0].Computed)
}

// TestRedirectionsAndAssignments of lines in lines.
func TestRedirectionsAndAssignments(t *testing.T) {
	line := "A=1; cd a; ssh h 'B=2; cd b; echo > c; echo >> d'; echo > e"
	parsed := Split(line)
	unwrapped := parsed.Unwrap(line, nil)
	require.ElementsMatch(t, []Assignment{{"A", Word{Text: "1", Source: "1"}}, {"B", Word{Text: "2", Source: "2"}}},
		unwrapped.Assignments)
	require.Equal(t, []Redirection{
		{Writes: true, Folders: []Word{{Text: "a", Source: "a"}}, File: Word{Text: "e", Source: "e"}},
		{Writes: true, Elsewhere: true,
			Folders: []Word{{Text: "a", Source: "a"}, {Text: "b", Source: "b"}},
			File:    Word{Text: "c", Source: "c"}},
		{Writes: true, Appends: true, Elsewhere: true,
			Folders: []Word{{Text: "a", Source: "a"}, {Text: "b", Source: "b"}},
			File:    Word{Text: "d", Source: "d"}},
	}, unwrapped.Redirections)
}

package cli

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables of commands and exit codes anew")

const commandsPage = "../../../docs/reference/commands.md"

// TestPageOfCommands compares the tables of the page with the commands.
func TestPageOfCommands(t *testing.T) {
	text, err := os.ReadFile(commandsPage)
	require.NoError(t, err)
	page := string(text)
	for heading, want := range map[string]string{"Commands": tableOfCommands(), "Exit codes": tableOfExits()} {
		got := tableUnder(t, page, heading)
		if *update {
			page = strings.Replace(page, got, want, 1)
			continue
		}
		require.Equal(t, want, got, "if the change is meant: go test ./internal/doors/cli -run TestPage -update")
	}
	if *update {
		require.NoError(t, os.WriteFile(commandsPage, []byte(page), 0o666))
	}
}

// TestPageOfFlags compares the table of flags with those that at least two of the commands for one call have.
func TestPageOfFlags(t *testing.T) {
	counts, written := map[string]int{}, map[string]bool{}
	for _, c := range commands() {
		if c.answers {
			flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
			c.setup(flags)
			fillUsages(flags)
			flags.VisitAll(func(f *pflag.Flag) {
				name := "`--" + f.Name
				if f.Shorthand != "" {
					name = "`-" + f.Shorthand + "`, " + name
				}
				value, _ := pflag.UnquoteUsage(f)
				counts[strings.TrimSpace(name+" "+value)+"`"]++
			})
		}
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n < 2 })
	text, err := os.ReadFile(commandsPage)
	require.NoError(t, err)
	table := strings.ReplaceAll(tableUnder(t, string(text), "Flags of a call"), `\|`, "\x00")
	for _, row := range regexp.MustCompile(`(?m)^\|([^|]*)`).FindAllString(table, -1) {
		for _, flag := range regexp.MustCompile("(`-\\w`, )?`--[^`]+`").FindAllString(row, -1) {
			written[strings.ReplaceAll(flag, "\x00", "|")] = true
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(counts)), slices.Sorted(maps.Keys(written)))
}

// tableUnder returns the first table of a section.
func tableUnder(t *testing.T, page, heading string) string {
	t.Helper()
	_, section, ok := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, ok, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	return regexp.MustCompile(`(?m)(^\|.*\n)+`).FindString(section)
}

func tableOfCommands() string {
	var b strings.Builder
	b.WriteString("| command | does |\n|---|---|\n")
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.name, cell(c.summary))
		}
	}
	return b.String()
}

// tableOfExits has the codes of all calls first, then those of single commands, and the codes of all others last.
func tableOfExits() string {
	others := (&command{}).exitCodes()
	var names []string
	var client, own strings.Builder
	rows := func(b *strings.Builder, names string, codes []exitCode) {
		for _, e := range codes {
			fmt.Fprintf(b, "| %s | %d | %s |\n", names, e.code, cell(e.means))
			names = ""
		}
	}
	ofCalls := preTool.exitCodes()
	for _, c := range commands() {
		switch {
		case c.answers:
			names = append(names, "`"+c.name+"`")
			rows(&client, "`"+c.name+"`", c.exitCodes()[len(ofCalls):])
		case c.exits != nil: // a code as of the others has no row
			isOther := func(e exitCode) bool { return slices.Contains(others, e) }
			rows(&own, "`"+c.name+"`", slices.DeleteFunc(slices.Clone(c.exits), isOther))
		}
	}
	var b strings.Builder
	b.WriteString("| command | exit | means |\n|---|---|---|\n")
	rows(&b, strings.Join(names, ", "), ofCalls)
	b.WriteString(client.String() + own.String())
	rows(&b, "else", others)
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// TestExitCodes compares the exit codes of each command with those that the scripts of the end-to-end tests have seen.
func TestExitCodes(t *testing.T) {
	seen := map[string]map[int]bool{}
	line := regexp.MustCompile(`(?m)^(?:exits (\d+)|exec) hookrun ([a-z-]+)`)
	err := filepath.WalkDir("../../../e2e/testdata/script", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			code, _ := strconv.Atoi("0" + m[1])
			if seen[m[2]] == nil {
				seen[m[2]] = map[int]bool{}
			}
			seen[m[2]][code] = true
		}
		return err
	})
	require.NoError(t, err)
	for _, c := range commands() {
		want := map[int]bool{}
		for _, e := range c.exitCodes() {
			require.NotContains(t, want, e.code, c.name)
			want[e.code] = true
		}
		require.Subset(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(seen[c.name])), c.name)
		if c.exits != nil || c.answers {
			require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(seen[c.name])), c.name)
		}
	}
}

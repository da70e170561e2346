//go:build linux

package clients

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

var update = flag.Bool("update", false, "write what the clients did into docs/clients/README.md")

// row is an effect of a hook of testdata/project/.tenex-hooks.json, and how to see what a client makes of it.
// With a want it is not in the table: each client does the same, or what the client does in the row called want.
type row struct {
	what string
	see  func(r *clientRun) string
	want string
}

const (
	blocks    = "blocks a call"
	breakFile = "echo { >.tenex-hooks.json"
	fault     = ".tenex-hooks.json:2:1: "
)

var rows = []row{
	{what: blocks, see: call("forbidden", "not this one")},
	{what: "blocks one of three calls of a reply", see: func(r *clientRun) string {
		r.turn([]string{"touch free", "touch forbidden", "touch unchecked"})
		if r.ran("forbidden") {
			return "**the call runs**"
		}
		return map[bool]string{true: "the others run", false: "**no other runs**"}[r.ran("free") && r.ran("unchecked")]
	}},
	{what: `times out, "on_failure": "block"`, see: call("late", "'sleeper'"), want: blocks},
	{what: `crashes, "on_failure": "block"`, see: call("crashed", "'crasher'"), want: blocks},
	{what: "asks", see: call("doubtful", "let somebody look")},
	{what: "stops the loop before a tool", see: call("stopped", "enough for today")},
	{what: "rewrites a call", see: func(r *clientRun) string {
		r.turn([]string{"touch asked"})
		switch first, second := r.ran("asked"), r.ran("rewritten"); {
		case first:
			return "**the old call runs**"
		case second:
			return "the new call runs"
		}
		return "not run, " + r.reader("touch asked", "changed the tool's input", "why")
	}},
	{what: "injects at the prompt", see: func(r *clientRun) string {
		r.turn()
		if strings.Contains(r.requests[0], "text at the prompt") {
			return "the model reads the text"
		}
		return "nobody reads the text"
	}},
	{what: "injects before a tool", see: text("touch noted", "text before the tool")},
	{what: "injects after a tool", see: text("touch noted", "text after the tool")},
	{what: "injects after a command that failed", see: text("cat missing", "text after a failure")},
	{what: "blocks after a tool", see: func(r *clientRun) string {
		return r.result("cat secret", "the launch code", "not for your eyes", "the reason")
	}},
	{what: "gives a new result", see: func(r *clientRun) string {
		return r.result("cat private", "the home address", "what may be seen", "the new one")
	}},
	{what: "gives no answer before a tool, and fails open", see: unanswered("unguarded", "dropout-before")},
	{what: "gives no answer after a tool, and fails open", see: unanswered("unchecked", "dropout")},
	{what: "the hooks file has a fault: the next call", see: func(r *clientRun) string {
		r.turn([]string{breakFile}, []string{"touch anything"})
		return r.became("touch anything", "anything", fault)
	}},
	{what: "… a prompt", see: func(r *clientRun) string {
		require.NoError(r, os.WriteFile(filepath.Join(r.workspace, ".tenex-hooks.json"), []byte("{\n"), 0o600))
		r.turn()
		switch {
		case len(r.requests) > 0:
			return "goes to the model"
		case r.userReads(fault):
			return "no request, the user reads why"
		}
		return "no request, nobody reads why"
	}},
	{what: "after hookrun uninstall", want: "the call runs", see: func(r *clientRun) string {
		r.run(binary.Path, "uninstall", r.name, r.scope())
		r.turn([]string{"touch forbidden"})
		return map[bool]string{true: "the call runs", false: "**not run**"}[r.ran("forbidden")]
	}},
}

// call is a row about a call of `touch FILE`.
func call(file, reason string) func(*clientRun) string {
	return func(r *clientRun) string {
		r.turn([]string{"touch " + file})
		return r.became("touch "+file, file, reason)
	}
}

// unanswered is a row about a call of `touch FILE` that runs though a hook gave no answer.
func unanswered(file, hook string) func(*clientRun) string {
	return func(r *clientRun) string {
		r.turn([]string{"touch " + file})
		if !r.ran(file) {
			return "**not run**"
		}
		return "runs, " + r.reader("touch "+file, "hook '"+hook+"' gave no answer", "a warning")
	}
}

// text is a row about a text for the model.
func text(command, text string) func(*clientRun) string {
	return func(r *clientRun) string {
		r.turn([]string{command})
		return r.reader(command, text, "the text")
	}
}

// became is what became of a call, and of its turn.
func (r *clientRun) became(command, file, reason string) string {
	does := "not run, "
	if r.ran(file) {
		does = "runs, "
	}
	does += r.reader(command, reason, "why")
	if _, after := r.after(command); after == "" {
		does += ", the turn ends"
	}
	return does
}

// reader is who reads a text beside the result of a command.
func (r *clientRun) reader(command, text, as string) string {
	switch {
	case r.modelReads(command, text):
		return "the model reads " + as
	case r.userReads(text):
		return "the user reads " + as
	}
	return "nobody reads " + as
}

// result is what the model reads of a result that a hook blocks or replaces.
func (r *clientRun) result(command, old, other, otherIs string) string {
	r.turn([]string{command})
	_, after := r.after(command)
	switch isOld, isOther := r.modelReads(command, old), r.modelReads(command, other); {
	case after == "":
		return "the turn ends"
	case isOld && isOther:
		return "the model reads the result and " + otherIs
	case isOther:
		return "the model reads " + otherIs + " alone"
	case isOld:
		return "**the model reads the result**"
	}
	return "the model reads neither"
}

// TestClients has real clients obey one file, testdata/project/.tenex-hooks.json, in which hookrun is installed as a
// user does it, and compares what they do with the table in docs/clients/README.md, with each model for which they have
// other tools. HOOKRUN_TEST_CLIENTS=1 takes the clients that are on PATH, and installs the others.
func TestClients(t *testing.T) {
	for _, c := range realClients {
		for i, m := range append([]otherModel{{name: c.model}}, c.others...) {
			name := c.name
			if i > 0 {
				name += " " + m.name
			}
			t.Run(name, func(t *testing.T) {
				if !*update {
					t.Parallel()
				}
				if !alone(t, pathOf(t, c.name)) {
					newClientRun(t, c.with(m)).test()
				}
			})
		}
	}
}

// pathOf is PATH with a client in it. One that happens to be there may be of any version, so it is not run unasked.
func pathOf(t *testing.T, client string) string {
	asked := os.Getenv("HOOKRUN_TEST_CLIENTS") != ""
	_, err := exec.LookPath(client)
	switch {
	case err == nil && (asked || testall.On()):
		return os.Getenv("PATH")
	case !asked:
		t.Skip("it runs " + client + ": HOOKRUN_TEST_CLIENTS=1 does, and installs it where it is not on PATH")
	}
	return binary.InstallClient(t, client) + ":" + os.Getenv("PATH")
}

// scope is the flag for the settings that hookrun is installed in.
func (r *clientRun) scope() string {
	return map[bool]string{true: "--user", false: "--project"}[r.user]
}

// install installs hookrun and allows the project's hooks.
func (r *clientRun) install() {
	hookrun := cmp.Or(r.hookrun, binary.Path) // a user's settings name the file
	r.run(hookrun, "install", r.name, r.scope(), "--allow")
	r.run(hookrun, "allow", "--yes")
}

func (r *clientRun) test() {
	r.install()
	if r.trust != nil {
		r.trust(r)
	}
	var cells, tabled []string
	for _, row := range rows {
		r.hooks()
		cells = append(cells, row.see(r))
		if row.want == "" {
			tabled = append(tabled, cells[len(cells)-1])
		}
		for _, made := range []string{"free", "noted", "unchecked"} {
			r.ran(made)
		}
	}
	title := r.title()
	if *update {
		updateColumn(r.T, title, tabled)
	}
	documented := column(r.T, title)
	for i, row := range rows {
		want, found := documented[cmp.Or(row.want, row.what)]
		if !found {
			want = row.want
		}
		r.Run(row.what, func(t *testing.T) {
			t.Log("cell: " + cells[i])
			require.Equal(t, want, cells[i], title)
		})
	}
}

// title is the client's name and version, as at the head of its column.
func (r *clientRun) title() string {
	d, _ := clients.All().Named(r.name)
	out := r.run(r.name, "--version")
	version := regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(out)
	require.NotEmpty(r, version, out)
	return d.Files.Client + " " + version
}

const docs = "../../docs/clients/README.md"

// inTable returns the rows of the table.
func inTable() []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.want != "" })
}

// table finds the table in docs, as lines of cells, with the text before and behind it. An empty cell says the same as
// the cell of the first client.
func table(t *testing.T) (before string, lines [][]string, behind string) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	at := strings.Index(string(text), "| a hook |")
	require.Positive(t, at)
	before, rest := string(text[:at]), string(text[at:])
	whole, behind, _ := strings.Cut(rest, "\n\n")
	for line := range strings.Lines(whole) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			if cells[i] = strings.TrimSpace(cells[i]); cells[i] == "" {
				cells[i] = cells[1]
			}
		}
		lines = append(lines, cells)
	}
	return before, lines, behind
}

// column is what docs says of a client, by row.
func column(t *testing.T, title string) map[string]string {
	_, lines, _ := table(t)
	at := slices.Index(lines[0], title)
	require.Positive(t, at, "docs/clients/README.md has no column of %s: -update adds it", title)
	cells := map[string]string{}
	for _, line := range lines[2:] {
		cells[line[0]] = line[at]
	}
	return cells
}

// updateColumn writes what a client did into docs: in the place of the column of another version, else as the last.
func updateColumn(t *testing.T, title string, cells []string) {
	before, lines, behind := table(t)
	name := title[:strings.LastIndex(title, " ")+1]
	at := slices.IndexFunc(lines[0], func(c string) bool { return strings.HasPrefix(c, name) })
	if at < 0 {
		at = len(lines[0])
	}
	renewed := [][]string{slices.Clone(lines[0]), nil}
	for _, row := range inTable() {
		line := slices.Repeat([]string{""}, len(lines[0]))
		if i := slices.IndexFunc(lines, func(l []string) bool { return l[0] == row.what }); i >= 0 {
			line = slices.Clone(lines[i])
		}
		line[0] = row.what
		renewed = append(renewed, line)
	}
	for i, cell := range slices.Concat([]string{title, ""}, cells) {
		renewed[i] = slices.Concat(renewed[i], slices.Repeat([]string{""}, max(0, at+1-len(renewed[i]))))
		renewed[i][at] = cell
	}
	require.NoError(t, os.WriteFile(docs, []byte(before+written(renewed)+"\n"+behind), 0o644))
}

// written is a table as Markdown. Its second line is the one below the titles.
func written(lines [][]string) string {
	var text strings.Builder
	for i, line := range lines {
		if i == 1 {
			text.WriteString(strings.Repeat("|---", len(lines[0])) + "|\n")
			continue
		}
		text.WriteString("| " + strings.Join(line[:2], " | "))
		for _, cell := range line[2:] {
			if cell == line[1] {
				cell = ""
			}
			text.WriteString(" | " + cell)
		}
		text.WriteString(" |\n")
	}
	return text.String()
}

// TestTableOfClients: -update changes no line of the table but those of the client.
func TestTableOfClients(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	before, lines, behind := table(t)
	require.Len(t, lines, len(inTable())+2)
	require.Equal(t, string(text), before+written(lines)+"\n"+behind)
}

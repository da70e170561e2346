//go:build unix

package docs

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// environmentPage is the one page with variables, times, sizes and places.
const environmentPage = "docs/reference/environment.md"

// limits has for each row of a table of the page the constants that its numbers are, in the order of the row. A
// constant is file:name below internal; several constants of a number have the same value.
var limits = map[string]map[string][]string{
	"Times": {
		"a hook, [then it fails open](hooks-file.md#on_failure); in a client's form the client's default": {
			"core/tenex/dialect.go:Timeout"},
		"from SIGTERM at a deadline to SIGKILL":              {"core/process/times.go:TermTime"},
		"a hook's pipes after its exit, if a child has them": {"core/process/times.go:DrainTime"},
		"a persistent hook's process without a call": {"core/hook/handler.go:DefaultKeep",
			"core/hookfile/entry.go:maxKeep"},
		"its pause after two deaths in a row": {"core/process/pool.go:backoff", "core/process/pool.go:backoffMax"},
		"the limit of a client's entry: the sum of its hooks' limits, plus this for each hook; plus this once": {
			"clients/install/entry.go:aroundHook",
			"clients/install/entry.go:aroundCall"},
		"an entry without hooks; with `--user`": {"clients/install/entry.go:someHooks",
			"clients/install/entry.go:AnyHooks"},
		"for all of stdin; if a pipe stays open behind a whole JSON object": {"doors/cli/streams.go:stdinLimit",
			"doors/cli/streams.go:stdinPart", "doors/cli/streams.go:stdinSilence"},
		"an [approval](commands.md#approve); a block that waits for one": {"core/approval/approval.go:Valid",
			"core/approval/approval.go:kept"},
		"the file with a text that a client would cut": {"core/engine/saved_context.go:contextLife"},
		"records of a session": {"trust/store.go:maxPin core/once/once.go:month core/stops/stops.go:month " +
			"texts/queue/history.go:maxAge"},
		"`serve --listen`: request headers; request body; idle connection": {
			"doors/serve/http.go:headTime", "doors/serve/http.go:bodyTime",
			"doors/serve/http.go:bodyPart", "doors/serve/http.go:idleTime"},
		"`mcp`: the server's list of tools; its end": {"doors/mcpproxy/tools.go:listPatience",
			"doors/cli/mcp.go:mcpGrace"},
		"between heartbeats": {"record/lastrun/heartbeat.go:beatInterval"},
	},
	"Sizes": {
		"a call's input: a flag, a file, stdin": {"doors/cli/callflags.go:maxValue"},
		"a line of `serve` or `mcp`, a body of `serve --listen`": {"doors/serve/serve.go:maxLine " +
			"doors/mcpproxy/mcpproxy.go:maxLine"},
		"calls of a connection: running; waiting": {"doors/serve/serve.go:maxCalls", "doors/serve/serve.go:maxWaiting"},
		"nesting of arguments and answers":        {"lib/strictjson/document.go:MaxDepth"},
		"a hooks file; its nesting": {"core/hookfile/load.go:MaxFileSize",
			"core/hookfile/load.go:maxFileDepth"},
		"a hook's stdout; stderr; so a reason too": {"core/process/capture.go:keepStdout",
			"core/process/capture.go:keepStderr"},
		"an HTTP hook's answer":   {"net/httphook/httphook.go:maxBody"},
		"`stderr` in the outcome": {"core/dialect/report.go:maxStderr"},
		"a shell line": {"rules/shellline/limit.go:MaxLine", "rules/shellline/limit.go:maxWords",
			"rules/shellline/limit.go:maxDocuments"},
		"a tool's name for matchers":        {"core/hook/match.go:maxToolName"},
		"all matchers × the name, in bytes": {"core/hook/match.go:maxMatching"},
		"a `when` × its texts; all of a call": {"core/hook/condition.go:maxSteps",
			"core/hook/condition.go:maxCallSteps"},
		"a text in the log; arguments with `--log-args`": {"record/runlog/entry.go:maxText",
			"record/runlog/entry.go:maxWholeArgs"},
		"the log (`--log-size`)":        {"record/runlog/runlog.go:defaultMaxSize", "record/runlog/file.go:parts"},
		"arguments to approve":          {"core/approval/approval.go:maxArgs"},
		"a text in a queue; a delivery": {"texts/queue/entry.go:maxContent", "texts/queue/claim.go:maxDelivery"},
		"the files that trust hashes":   {"trust/size.go:maxHashed"},
	},
	"Variables that hooks get": {"`HOOKRUN_DEPTH`": {"doors/cli/hooksflags.go:deepest"}},
}

// TestLimits: each number of the tables of times and sizes is that of the code, and each row is known.
func TestLimits(t *testing.T) {
	for section, known := range limits {
		found := map[string]bool{}
		for _, row := range tableOf(t, section) {
			want, is := known[row[0]]
			numbers := numbersIn(strings.Join(row, " | "))
			if !is {
				require.Empty(t, numbers, "%s: no constant is known for the row %q", section, row[0])
				continue
			}
			found[row[0]] = true
			require.Len(t, numbers, len(want), "%s: %q", section, row)
			for i, places := range want {
				for _, place := range strings.Fields(places) {
					require.Equal(t, valueOf(t, place), numbers[i], "%s: %q: %s", section, row[0], place)
				}
			}
		}
		require.Len(t, found, len(known), "a row of %s is gone: %v", section, found)
	}
}

// tableOf returns the cells of the first table in a section of the page, without its head.
func tableOf(t *testing.T, section string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(sectionOf(t, section)) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) > 1 {
			cells[0] = strings.TrimPrefix(cells[0], "| ")
			last := len(cells) - 1
			cells[last] = strings.TrimSpace(strings.TrimSuffix(cells[last], "|"))
			rows = append(rows, cells)
		}
	}
	require.Greater(t, len(rows), 1, section)
	return rows[1:]
}

func sectionOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(binary.Repository(t), environmentPage))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+name+"\n")
	require.True(t, found, name)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

var (
	number = regexp.MustCompile(`\b(\d[\d,]*)(?:\^(\d+))?(?: (ms|s|min|h|days?|KiB|MiB)\b)?`)
	units  = map[string]int64{"": 1, "ms": int64(time.Millisecond), "s": int64(time.Second), "min": int64(time.Minute),
		"h": int64(time.Hour), "day": int64(24 * time.Hour), "days": int64(24 * time.Hour),
		"KiB": 1 << 10, "MiB": 1 << 20}
)

// numbersIn returns the numbers of a row in bytes, nanoseconds or pieces.
func numbersIn(row string) (numbers []int64) {
	for _, m := range number.FindAllStringSubmatch(row, -1) {
		n, _ := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
		if power, err := strconv.Atoi(m[2]); err == nil && n == 2 {
			n = 1 << power
		}
		numbers = append(numbers, n*units[m[3]])
	}
	return numbers
}

// valueOf returns the value of a constant, a variable or a field with a constant value.
func valueOf(t *testing.T, place string) int64 {
	t.Helper()
	name, wanted, _ := strings.Cut(place, ":")
	name = filepath.Join(binary.Repository(t), "internal", name)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, 0)
	require.NoError(t, err)
	var value ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if id.Name == wanted && i < len(n.Values) {
					value = n.Values[i]
				}
			}
		case *ast.KeyValueExpr:
			if id, is := n.Key.(*ast.Ident); is && id.Name == wanted {
				value = n.Value
			}
		}
		return true
	})
	require.NotNil(t, value, "nothing has a value in %s", place)
	expression := types.ExprString(value)
	for unit, n := range map[string]int64{"Millisecond": units["ms"], "Second": units["s"], "Minute": units["min"],
		"Hour": units["h"]} {
		expression = strings.ReplaceAll(expression, "time."+unit, strconv.FormatInt(n, 10))
	}
	result, err := types.Eval(files, nil, token.NoPos, expression)
	require.NoError(t, err, place)
	n, exact := constant.Int64Val(constant.ToInt(result.Value))
	require.True(t, exact, place)
	return n
}

// TestVariablesOfHooks: the first table has each variable that a hook gets from hookrun, and no other.
func TestVariablesOfHooks(t *testing.T) {
	dir := t.TempDir()
	const file = `{"hooks": [{"name": "env", "command": "env >seen", "events": ["pre-tool"]}]}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, hookfile.FileName), []byte(file), 0o600))
	cmd := exec.Command(binary.Path, "pre-tool", "--tool", "shell")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PWD=/elsewhere"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	seen, err := os.ReadFile(filepath.Join(dir, "seen"))
	require.NoError(t, err)
	var got, listed []string
	for _, m := range regexp.MustCompile(`(?m)^(HOOKRUN\w*|PWD)=`).FindAllStringSubmatch(string(seen), -1) {
		got = append(got, m[1])
	}
	for _, row := range tableOf(t, "Variables that hooks get") {
		listed = append(listed, namesIn(row[0])...)
	}
	slices.Sort(got)
	slices.Sort(listed)
	require.Equal(t, got, listed)
}

// namesIn returns the inline code of a text.
func namesIn(text string) (names []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// TestPlaces: the files of each system are where the page says.
func TestPlaces(t *testing.T) {
	const config, folder = "core/hookfile/paths_", "lib/state/dir_"
	hooks := pathIn(t, "core/hookfile/level.go", "userFile")
	ours := pathIn(t, "lib/state/state.go", "Folder")
	temporary := func(system string) string { return pathIn(t, "core/engine/system_"+system+".go", "contextFolder") }
	want := map[string][3]string{
		"managed hooks": {hookfile.ManagedPath("linux"), hookfile.ManagedPath("darwin"),
			strings.Replace(hookfile.ManagedPath("windows"), `C:\ProgramData`, "%ProgramData%", 1)},
		"the user's hooks": {pathIn(t, config+"other.go", "configDir") + hooks,
			pathIn(t, config+"darwin.go", "configDir") + hooks,
			onWindows(pathIn(t, config+"windows.go", "configDir") + hooks)},
		"project, local": {hookfile.FileName + "`, `" + hookfile.LocalFileName, "", ""},
		"state": {pathIn(t, folder+"other.go", "system") + ours, pathIn(t, folder+"darwin.go", "system") + ours,
			onWindows(pathIn(t, folder+"windows.go", "system") + ours)},
		"texts that a client would cut": {"$TMPDIR" + strings.Replace(temporary("unix"), "%d", "UID", 1), "",
			onWindows("%TEMP%" + temporary("windows"))},
	}
	rows := tableOf(t, "Places")
	require.Len(t, rows, len(want))
	for _, row := range rows {
		for i, path := range want[row[0]] {
			if cell := row[i+1]; path == "" {
				require.Equal(t, "the same", cell, row[0])
			} else {
				require.Equal(t, "`"+path+"`", cell, row[0])
			}
		}
	}

	t.Setenv("HOME", "/home/x") // and what this system does
	t.Setenv("XDG_STATE_HOME", "")
	here := want["state"][map[string]int{"linux": 0, "darwin": 1}[runtime.GOOS]]
	found, err := state.Folder()
	require.NoError(t, err)
	require.Equal(t, strings.Replace(here, "~", "/home/x", 1), found)
}

func onWindows(path string) string { return strings.ReplaceAll(path, "/", `\`) }

// pathIn returns the path that a function makes: the folder that the system names and the text literals of its last
// Join or Sprintf, or of its return.
func pathIn(t *testing.T, name, function string) (made string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(binary.Repository(t), "internal", name), nil, 0)
	require.NoError(t, err)
	declared, is := file.Scope.Lookup(function).Decl.(*ast.FuncDecl)
	require.True(t, is, "%s: %s", name, function)
	system := map[string]string{"UserConfigDir": "%AppData%", "UserCacheDir": "%LocalAppData%"}
	ast.Inspect(declared.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			made += system[n.Sel.Name]
		case *ast.CallExpr:
			if is := types.ExprString(n.Fun); is == "filepath.Join" || is == "fmt.Sprintf" {
				made = literalsOf(n.Args)
				return false
			}
		case *ast.ReturnStmt:
			made += literalsOf(n.Results)
		}
		return true
	})
	require.NotEmpty(t, made, "%s: %s", name, function)
	return made
}

// literalsOf returns the path of text literals below a folder, and of the variable home.
func literalsOf(arguments []ast.Expr) (made string) {
	for _, a := range arguments {
		switch a := a.(type) {
		case *ast.Ident:
			if a.Name == "home" {
				made += "~"
			}
		case *ast.BasicLit:
			text, _ := strconv.Unquote(a.Value)
			made += "/" + text
		}
	}
	return made
}

// TestStateFolder: the page has each name in the state folder, and no other.
func TestStateFolder(t *testing.T) {
	root := filepath.Join(binary.Repository(t), "internal")
	var names []string
	folders := regexp.MustCompile(`(?m)^(?:const |\t)(?:\w*Folder|folderName|beats) += "([\w.-]+\w)"`)
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range folders.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		return err
	}))
	require.Greater(t, len(names), 7)
	for place, function := range map[string]string{"texts/queue/queue.go": "queue", "texts/queue/history.go": "history",
		"texts/ipc/memory.go": "massgen-ipc", "net/otlp/position.go": "otlp", "doors/cli/stateflags.go": "run.log"} {
		text, err := os.ReadFile(filepath.Join(root, place))
		require.NoError(t, err)
		require.Regexp(t, `filepath\.Join\(.*"`+regexp.QuoteMeta(function)+`"`, string(text), place)
		names = append(names, function)
	}
	_, paragraph, found := strings.Cut(sectionOf(t, "Places"), "\nThe state folder has ")
	require.True(t, found)
	listed := namesIn(regexp.MustCompile(`\([^()]*(\([^()]*\)[^()]*)*\)`).ReplaceAllString(paragraph, ""))
	slices.Sort(names)
	slices.Sort(listed)
	require.Equal(t, names, listed)
}

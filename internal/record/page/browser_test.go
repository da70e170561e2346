//go:build unix

package page_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browser is a headless Chromium with one tab, spoken to over a pair of pipes.
type browser struct {
	t    *testing.T
	in   *os.File
	out  *bufio.Reader
	tab  string
	last int
	said []string // errors of scripts, of the policy, and all that the page logs
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("needs chromium or google-chrome on the PATH")
	}
	// Without its sandbox, which needs rights that containers do not give; the only page it sees is ours.
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run",
		"--remote-debugging-pipe", "--user-data-dir="+filepath.Join(dir, "profile"), "about:blank")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	theirIn, in, err := os.Pipe()
	require.NoError(t, err)
	out, theirOut, err := os.Pipe()
	require.NoError(t, err)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	// Its renderers and its zygote are children of it: all go with the group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	require.NoError(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		in.Close()
		out.Close()
		// Its children are killed but perhaps not gone yet, and may have a last file to write.
		require.Eventually(t, func() bool { return os.RemoveAll(dir) == nil }, 30*time.Second, 10*time.Millisecond)
	})

	b := &browser{t: t, in: in, out: bufio.NewReader(out)}
	target := b.send("Target.createTarget", map[string]any{"url": "about:blank"})
	session := b.send("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})
	b.tab = session["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.send(domain+".enable", nil)
	}
	return b
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result map[string]any  `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (b *browser) read() message {
	b.t.Helper()
	line, err := b.out.ReadBytes(0)
	require.NoError(b.t, err, "the browser ended, or was too slow")
	var m message
	require.NoError(b.t, json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m))
	switch m.Method {
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
		b.said = append(b.said, string(m.Params))
	}
	return m
}

func (b *browser) send(method string, params map[string]any) map[string]any {
	b.t.Helper()
	b.last++
	line, err := json.Marshal(map[string]any{"id": b.last, "method": method, "params": params, "sessionId": b.tab})
	if b.tab == "" {
		line, err = json.Marshal(map[string]any{"id": b.last, "method": method, "params": params})
	}
	require.NoError(b.t, err)
	_, err = b.in.Write(append(line, 0))
	require.NoError(b.t, err)
	for {
		if m := b.read(); m.ID == b.last {
			require.Empty(b.t, string(m.Error), method)
			return m.Result
		}
	}
}

// open loads a page of the given width.
func (b *browser) open(page string, width int) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "page.html")
	require.NoError(b.t, os.WriteFile(file, []byte(page), 0o600))
	b.send("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500})
	b.said = nil
	b.send("Page.navigate", map[string]any{"url": "file://" + file})
	// Answers come in order, and this one only when the document is complete.
	b.eval(`new Promise((done) => document.readyState === "complete" ? done() : addEventListener("load", done))`)
}

// eval is the value of an expression, in the page.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	r := b.send("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true,
		"awaitPromise": true})
	require.NotContains(b.t, r, "exceptionDetails", expression)
	return r["result"].(map[string]any)["value"]
}

func (b *browser) texts(selector string) []string {
	b.t.Helper()
	var texts []string
	for _, text := range b.eval(fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent)`,
		selector)).([]any) {
		texts = append(texts, text.(string))
	}
	return texts
}

// waitFor returns when there are n elements of the selector, or fails with the browser's deadline.
func (b *browser) waitFor(selector string, n int) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`new Promise((done) => {
		const look = () => document.querySelectorAll(%q).length === %d ? done() : setTimeout(look, 5);
		look();
	})`, selector, n))
}

// settled fails if a script failed, the policy stopped something, or the page is wider than the screen.
func (b *browser) settled() {
	b.t.Helper()
	require.Empty(b.t, b.said)
	require.Equal(b.t, true, b.eval(`document.getElementById("problem").hidden`), b.texts("#problem"))
	require.LessOrEqual(b.t, b.eval(`document.documentElement.scrollWidth - innerWidth`), 0.0,
		"no horizontal scroll of the page")
}

const threeSummary = `{"version":1,"files":["/x/run.log"],"lines":4,"unreadable":1,"calls":4,"errors":1,
 "from":"2026-11-21T14:43:17.123456Z","to":"2026-11-21T14:45:00.000000Z","columns":{"continue":1,"rewritten":0,"failed":1,"ask":0,"defer":0,"block":1,"stop":0,"error":1},"decisions":{"continue":2,"block":1},"stopped":0,
 "hooks":[{"name":"guard","file":"/p/.tenex-hooks.json","events":["pre-tool"],"matched":2,"ok":1,"blocked":1,"p50_ms":1.2,"p95_ms":3.4,"max_ms":9.9,"limit_ms":30000,"last":"2026-11-21T14:44:00.000000Z"},
          {"name":"lint","file":"/p/.tenex-hooks.json","events":["post-tool"],"matched":1,"ok":0,"timed_out":1,"near_timeouts":1,"p50_ms":5000,"p95_ms":5000,"max_ms":5000,"limit_ms":5000,"last":"2026-11-21T14:45:00.000000Z"}],
 "never_fired":[{"name":"forgotten","source":"/p/.tenex-hooks.json:7","events":["post-tool"]}],
 "blocks":[{"time":"2026-11-21T14:44:00.000000Z","event":"pre-tool","tool":"shell","hook":"guard","cause":"policy","reason":"no force","decision":"block","session_id":"s1"}]}`

var threeCalls = []string{
	`{"version":1,"time":"2026-11-21T14:43:17.123456Z","session_id":"s2","outcome":{"version":1,"event":"pre-tool",` +
		`"tool":"fs_read","decision":"continue","hooks":[{"name":"guard","source":"/p/.tenex-hooks.json:3",` +
		`"status":"ok","exit_code":0,"start_ms":0.2,"duration_ms":1.2,"limit_ms":30000}],"duration_ms":1.5}}`,
	`{"version":1,"time":"2026-11-21T14:43:30.000000Z","session_id":"s1","error":"no such ` +
		`config","event":"pre-tool","tool":"fs_write"}`,
	`{"version":1,"time":"2026-11-21T14:44:00.000000Z","session_id":"s1","args":{"command":"git push ` +
		`--force","id":12345678901234567890},"outcome":{"version":1,"event":"pre-tool","tool":"shell",` +
		`"decision":"block","reason":"no ` +
		`force","cause":"policy","hook":"guard","hooks":[{"name":"guard","source":"/p/.tenex-hooks.json:3",` +
		`"status":"blocked","cause":"policy","exit_code":2,"duration_ms":9.9,"limit_ms":30000,"stderr":"no ` +
		`force\n"}],"duration_ms":10}}`,
	`{"version":1,"time":"2026-11-21T14:45:00.000000Z","session_id":"s1","args_preview":"{\"text\":\"xx",` +
		`"args_size":3001,"result":"done","outcome":{"version":1,"event":"post-tool","tool":"shell",` +
		`"decision":"continue","warnings":["lint is ` +
		`late"],"hooks":[{"name":"lint","source":"/p/.tenex-hooks.json:5","status":"timeout","cause":"timeout",` +
		`"signal":"SIGTERM","duration_ms":5000,"limit_ms":5000}],"duration_ms":5001}}`,
}

func TestInABrowser(t *testing.T) {
	b := newBrowser(t)
	for name, test := range map[string]func(*testing.T, *browser){
		"what is seen and tapped": testTaps, "no calls": testNoCalls, "300 hooks": testManyHooks,
		"a hostile log": testHostileLog,
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			test(t, b)
		})
	}
}

func testTaps(t *testing.T, b *browser) {
	b.open(write(t, threeSummary, threeCalls...), 1280)
	b.settled()

	// What is there without a tap.
	require.Equal(t, []string{"4", "1", "1", "1", "0", "1", "1"}, b.texts("#counts dd"))
	require.Equal(t, []string{"All 4", "Went on 1", "Failed 1", "Blocked 1", "No verdict 1"},
		b.texts("#filter [data-filter]"), "as the tiles")
	require.Equal(t, []string{"lint", "guard"}, b.texts(".hooks tbody .name .link"), "the slowest first")
	require.Equal(t, []string{"slowest", "near its timeout 1 ×"}, b.texts(".hooks .tag"))
	require.Equal(t, []string{"Blocked", "Slow or failed", "Hooks", "Calls"}, b.texts("main h2"))
	require.Contains(t, b.texts("#never")[0], "/p/.tenex-hooks.jsonforgotten line 7 · post-tool")
	require.Equal(t, []string{"/p/.tenex-hooks.json"}, b.texts(".hooks .file"), "a path stands once")
	require.Len(t, b.texts("article.block"), 1)
	for _, part := range []string{"block", "guard", "1 ×", "policy", "no force", "pre-tool shell",
		`{"command":"git push --force","id":12345678901234567890}`} {
		require.Contains(t, b.texts("article.block")[0], part)
	}
	require.Equal(t, []string{"Session s1 3 calls, 1 blocked", "Session s2 1 call"}, b.texts(".session"))
	require.Equal(t, []string{"continue", "block", "no verdict", "continue"}, b.texts(".call .badge"),
		"the newest first")
	require.Equal(t, "M0.0 1h989.0v6h-989.0z",
		b.eval(`document.querySelector(".strip path.blocked").getAttribute("d")`))

	// Sorting by a tap on a head.
	b.eval(`[...document.querySelectorAll(".hooks thead button")].find((x) => x.textContent === "Matched").click()`)
	require.Equal(t, []string{"guard", "lint"}, b.texts(".hooks tbody .name .link"))
	require.Equal(t, []string{"Matched ▼"}, b.texts(`[aria-sort="descending"]`))

	// Filters and search.
	b.eval(`document.querySelector("[data-filter=block]").click()`)
	require.Equal(t, []string{"block"}, b.texts(".call .badge"))
	b.eval(`document.querySelector("[data-filter=failed]").click()`)
	require.Equal(t, []string{"continue"}, b.texts(".call .badge"))
	b.eval(`show({ filter: "all", query: "Push --FORCE" })`)
	require.Equal(t, []string{"block"}, b.texts(".call .badge"))
	require.Equal(t, []string{"1 of 4 calls"}, b.texts("#kept"))
	b.eval(`show({ query: "", slowest: true })`)
	require.Equal(t, []string{"5 s1 hook", "10 ms1 hook", "1.5 ms1 hook", "0 ms0 hooks"}, b.texts(".call .took"))

	// From a block to its call, which opens.
	b.eval(`document.querySelector("article.block .link").click()`)
	b.waitFor(".call[open] .parts", 1)
	text := b.texts(".call[open]")[0]
	for _, part := range []string{"guard (policy)", `"id": 12345678901234567890`, "blocked",
		"cause policy · exit 2 · limit 30 s", "no force\n"} {
		require.Contains(t, text, part)
	}
	b.eval(`document.querySelector(".call[open]").open = false; document.querySelector(".call summary").click()`)
	b.waitFor(".call[open] .parts", 1)
	text = b.texts(".call[open]")[0]
	for _, part := range []string{"(the first 11 of 3,001 characters)", "lint is late", "timed out", "SIGTERM",
		"done"} {
		require.Contains(t, text, part)
	}
	b.settled()
}

func testNoCalls(t *testing.T, b *browser) {
	b.open(write(t, empty), 360)
	b.settled()
	require.Equal(t, []string{"There is no call in this log."}, b.texts("#span"))
	require.Empty(t, b.texts(".call"))
}

func testManyHooks(t *testing.T, b *browser) {
	var hooks, reports []string
	for i := range 300 {
		name := fmt.Sprintf("%s-%d", strings.Repeat("long", i%20), i)
		status := "ok"
		if i == 250 {
			status = "blocked"
		}
		hooks = append(hooks,
			fmt.Sprintf(`{"name":%q,"file":"/p","events":["pre-tool"],"matched":120,"p95_ms":%d,"max_ms":%d}`, name, i,
				i))
		reports = append(reports,
			fmt.Sprintf(`{"name":%q,"source":"/p:%d","status":%q,"start_ms":0.1,"duration_ms":%d}`, name, i, status,
				i+1))
	}
	calls := make([]string, 120)
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"time":"2026-11-21T14:43:17.%06dZ","outcome":{"event":"pre-tool","tool":%q,`+
			`"decision":"block","hook":"x","cause":"policy","reason":"no","hooks":[%s],"duration_ms":301}}`,
			i, strings.Repeat("mcp__tool", 30), strings.Join(reports, ","))
	}
	b.open(write(t, `{"calls":120,"hooks":[`+strings.Join(hooks, ",")+`]}`, calls...), 360)
	b.settled()
	require.Len(t, b.texts(".hooks tbody .name"), 25)
	require.Len(t, b.texts(".call"), 100)
	require.Equal(t, "301 ms300 hooks, 6 drawn", b.texts(".call .took")[0])
	require.Len(t, b.texts(".strip path.blocked"), 100, "the one that blocked is among those drawn")
	b.eval(`document.querySelector("#rows > button").click()`)
	require.Len(t, b.texts(".call"), 120)
	require.Equal(t, true, b.eval(`document.querySelector("#rows > button").hidden`))

	b.eval(`document.querySelector(".call summary").click()`)
	b.waitFor(".parts", 1)
	require.Equal(t, []string{"blocked", "ok"}, b.texts(".hook .status")[:2])
	require.Len(t, b.texts(".hook"), 10)
	b.eval(`document.querySelector(".parts button").click()`)
	require.Len(t, b.texts(".hook"), 300)
	b.settled()
}

func testHostileLog(t *testing.T, b *browser) {
	attack := `</script><script>document.title="out"</script><img src=x onerror='document.title="out"'> "'\` +
		"\u2028\u202e\x1b" + strings.Repeat("W", 500)
	text, err := json.Marshal(attack)
	require.NoError(t, err)
	s := string(text)
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	outcome := fmt.Sprintf(
		`{"event":%[1]s,"tool":%[1]s,"decision":%[1]s,"hook":%[1]s,"cause":%[1]s,"reason":%[1]s,"inject":[{"hook":%[1]s,"content":%[1]s,"display":%[1]s}],"warnings":[%[1]s],"updated_input":{%[1]s:%[1]s},
			"hooks":[{"name":%[1]s,"source":%[1]s,"status":%[1]s,"cause":%[1]s,"signal":%[1]s,"stderr":%[1]s,"duration_ms":1e999},{"name":"__proto__","status":"constructor","left_running":[1]}],"duration_ms":-1}`, s)
	calls := []string{
		fmt.Sprintf(`{"time":%[1]s,"session_id":%[1]s,"args":{%[1]s:%[1]s,"__proto__":{"x":1}},"outcome":%[2]s}`, s,
			outcome),
		`{"time":7,"session_id":{},"args":` + deep +
			`,"outcome":{"decision":{"a":1},"hooks":[null,1,[],{"name":3,"status":null,"duration_ms":"x"}],` +
			`"inject":7,"warnings":"x"}}`,
		`{"outcome":[]}`, `{"outcome":null,"error":{"a":1}}`, `{}`,
	}
	b.open(write(t,
		fmt.Sprintf(
			`{"files":[%[1]s,1,null],"from":%[1]s,"to":%[1]s,"calls":"x","decisions":[],"stopped":-1,"hooks":[null,{"name":%[1]s,"file":%[1]s,"events":[%[1]s],"matched":%[1]s,"limit_ms":1,"max_ms":1e999,"p95_ms":2,"last":%[1]s}],
			"never_fired":[{"name":%[1]s,"source":%[1]s}],"blocks":[{"time":%[1]s,"event":%[1]s,"tool":%[1]s,"hook":%[1]s,"cause":%[1]s,"reason":%[1]s,"decision":%[1]s,"session_id":%[1]s},null]}`, s), calls...), 360)
	b.settled()
	require.Len(t, b.texts(".call"), 5)
	b.eval(`for (const d of document.querySelectorAll(".call")) d.open = true`)
	b.waitFor(".parts", 5)
	b.eval(`document.querySelector("article.block:last-of-type .link")?.click(); show({ query: "onerror" })`)
	b.settled()
	require.Equal(t, "hookrun log", b.eval("document.title"))
	require.Empty(t, b.texts("img"))
	require.Len(t, b.texts("script"), 3)
	require.Contains(t, strings.Join(b.texts(".reason"), ""), `</script><script>document.title="out"`, "shown as it is")
	require.Contains(t, strings.Join(b.texts(".reason"), ""), `\u2028\u202e\u001bW`)
	require.NotRegexp(t, "[\u2028\u202e\x1b]", strings.Join(b.texts("main"), ""))
}

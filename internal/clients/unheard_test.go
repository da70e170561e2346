package clients_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// deny is an answer that says no, in one of many ways. The test made it, so it knows that without reading it.
type madeDeny struct {
	what string // for messages
	key  string // the one that says no
	text string // the whole answer
	end  int    // where in text the key and its value have been said
	// report: it is a reason beside keys that no answer has, so it may be the output of another program.
	report bool
}

// wordsOfTheirOwn are what a slip of the pen may happen upon.
var wordsOfTheirOwn = []string{"precision", "revision", "provision", "division", "elision", "derision", "decisionid",
	"season", "treason", "continuum"}

// misspelt misspells a key: by letters as many as its length bears, by case, by blanks and underscores.
func misspelt(rng *rand.Rand, key string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	for {
		b := []byte(key)
		edits := 1
		if len(key) >= 8 {
			edits += rng.IntN(2)
		}
		for nth := 0; nth < edits; nth++ {
			i, letter := rng.IntN(len(b)), letters[rng.IntN(26)]
			switch rng.IntN(4) {
			case 0:
				b = slices.Delete(b, i, i+1)
			case 1:
				b = slices.Insert(b, i, letter)
			case 2:
				b[i] = letter
			default:
				if i > 0 && nth == 0 {
					b[i-1], b[i] = b[i], b[i-1]
				}
				edits = 1 // a swap that is edited again is more than two letters away
			}
		}
		s := string(b)
		switch rng.IntN(6) {
		case 0:
			s = strings.ToUpper(key)
		case 1:
			s = strings.ToUpper(key[:1]) + key[1:]
		case 2:
			s = " " + key + " "
		case 3:
			s = key[:3] + "_" + key[3:]
		}
		if !slices.Contains(wordsOfTheirOwn, strings.ToLower(s)) {
			return s
		}
	}
}

func oneOf[T any](rng *rand.Rand, all ...T) T { return all[rng.IntN(len(all))] }

// core is the member of an object that says no, and where it stands.
func core(rng *rand.Rand) (key, value, inside string) {
	no := func() string {
		return `"` + oneOf(rng, "deny", "denied", "block", "BLOCKED", "Reject", "forbidden") + `"`
	}
	switch rng.IntN(10) {
	case 0:
		return "decision", oneOf(rng, `"block"`, `"deny"`, `"Block"`), ""
	case 1:
		return misspelt(rng, "decision"), `"block"`, ""
	case 2:
		return "permissionDecision", oneOf(rng, `"deny"`, `"Deny"`, `"denied"`), oneOf(rng, "hookSpecificOutput",
			"hookSpecificOutput", "")
	case 3:
		return misspelt(rng, "permissionDecision"), `"deny"`, oneOf(rng, "hookSpecificOutput", misspelt(rng,
			"hookSpecificOutput"))
	case 4:
		return oneOf(rng, "action", "permission", "verdict", "status", "result", "outcome", "behavior"), no(),
			oneOf(rng, "", "", "hookSpecificOutput")
	case 5:
		return oneOf(rng, "block", "blocked", "Deny", "denied", "is_blocked", "should_block", "reject", "cancel"),
			oneOf(rng,
				"true", "1", `"yes"`), ""
	case 6:
		return oneOf(rng, "allow", "Allowed", "isAllowed", "approved", "permitted"), oneOf(rng, "false", "0", `"no"`),
			""
	case 7:
		return oneOf(rng, "reason", "stopReason"), `"not this"`, ""
	case 8:
		return "permissionDecisionReason", `"not this"`, oneOf(rng, "hookSpecificOutput", "")
	}
	return oneOf(rng, "continue", misspelt(rng, "continue")), "false", ""
}

// newDeny makes an answer around a member that says no.
func newDeny(rng *rand.Rand) madeDeny {
	key, value, inside := core(rng)
	d := madeDeny{what: key + ": " + value, key: key}
	blank := func() string { return oneOf(rng, "", "", "", " ", "\n  ", "\t", "\r\n") }
	quoted := func(s string) string { return `"` + s + `"` }
	var before, behind []string
	for _, extra := range []string{`"systemMessage":"m"`, `"suppressOutput":true`, `"note":"n"`,
		`"level":[1,{"a":"b"}]`} {
		switch rng.IntN(8) {
		case 0:
			before = append(before, extra)
		case 1:
			behind = append(behind, extra)
		}
	}
	var b strings.Builder
	b.WriteString("{" + blank())
	for _, m := range before {
		b.WriteString(m + blank() + "," + blank())
	}
	if inside != "" {
		b.WriteString(quoted(inside) + blank() + ":" + blank() + "{" + blank())
		if rng.IntN(2) == 0 {
			b.WriteString(`"hookEventName":"PreToolUse"` + blank() + "," + blank())
		}
	}
	b.WriteString(quoted(key) + blank() + ":" + blank() + value)
	d.end = b.Len()
	if rng.IntN(2) == 0 && key != "reason" && key != "permissionDecisionReason" {
		b.WriteString(oneOf(rng, `,"reason":"r"`, `,"why":"r"`))
	}
	if inside != "" {
		b.WriteString(blank() + "}")
	}
	for _, m := range behind {
		b.WriteString(blank() + "," + blank() + m)
	}
	b.WriteString(blank() + "}")
	d.text = b.String()
	d.report = (key == "reason" || key == "stopReason") &&
		(strings.Contains(d.text, `"note"`) || strings.Contains(d.text, `"level"`) || strings.Contains(d.text, `"why"`))
	return d
}

func inUTF16(s string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

// spoil puts an answer where it is not alone, or breaks it, so that what it says is still there on a line of its own.
func (d *madeDeny) spoil(rng *rand.Rand) {
	name, text := "", d.text
	switch rng.IntN(27) {
	case 0:
		name, text = "a line before", "checking…\n"+text
	case 1:
		name, text = "a level before", "[INFO] checking\n"+text
	case 2:
		name, text = "a bracket before", oneOf(rng, "[WARN checking\n", "{ checking\n", "(\n", "\"unclosed\n",
			"[1, {\n")+text
	case 3:
		name, text = "marks", strings.Repeat("\ufeff", 1+rng.IntN(3))+text
	case 4:
		name, text = "colours", "\x1b[1;31m"+text+"\x1b[0m"
	case 5:
		name, text = "a colour for each token", strings.NewReplacer("{", "\x1b[1;39m{", ":", "\x1b[0m:\x1b[32m", ",",
			"\x1b[39m,").Replace(text)
	case 6:
		name, text = "a list", "["+text+"]"
	case 7:
		name, text = "lists", "[1,["+text+",2]"
	case 8:
		name, text = "something behind", text+oneOf(rng, ";", ",", "\nok", " ok", "}", "]", text)
	case 9:
		cut := d.end + rng.IntN(len(text)-d.end)
		name, text = "cut off", oneOf(rng, "", "line\n")+text[:cut]
	case 10:
		name, text = "UTF-16", oneOf(rng, "", "\xff\xfe")+inUTF16(text, false)
	case 11:
		name, text = "UTF-16 BE", oneOf(rng, "", "\xfe\xff")+inUTF16(text, true)
	case 12:
		name, text = "Python's", strings.NewReplacer(`"`, "'", "true", "True", "false", "False").Replace(text)
	case 13:
		name, text = "a fence", "```json\n"+text+"\n```"
	case 14:
		name, text = "blanks", oneOf(rng, " ", "\n\n\t", "\u00a0", "\u200b", "\u2028")+text+"\n \n"
	case 15:
		name, text = "no end of an object", strings.TrimSuffix(text, "}")
	case 16:
		name, text = "quotes", oneOf(rng, "'", "`")+text+oneOf(rng, "'", "`")
	case 17:
		if !strings.Contains(d.key, " ") {
			name, text = "keys without quotes", "line\n"+strings.ReplaceAll(text, `"`+d.key+`"`, d.key)
		}
	}
	d.what, d.text = d.what+", "+name, text
}

// runs is how many answers a random test makes of each kind. HOOKRUN_SOAK=1 makes many more.
func runs() int {
	if os.Getenv("HOOKRUN_SOAK") == "1" {
		return 100_000
	}
	return testall.Of(500, 20_000)
}

// TestNoDenyGoesUnheard: whatever holds a deny, in a place that is an answer's or nearly one, holds the call up or
// warns the user.
func TestNoDenyGoesUnheard(t *testing.T) {
	testall.Alone(t)
	for _, d := range clients.All().Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			var seed [32]byte // by the name: a dialect that is new changes nothing about the others
			copy(seed[:], d.Name)
			rng := rand.New(rand.NewChaCha8(seed))
			seen := map[protocol.Decision]int{}
			for range runs() {
				made := newDeny(rng)
				made.spoil(rng)
				r := dialecttest.Exited(oneOf(rng, 0, 0, 0, 1), made.text, "")
				what := fmt.Sprintf("%s: %q", made.what, made.text)

				o := outcomeOf(d, r)
				seen[o.Decision]++
				requireHeard(t, o, what)
				if d == tenex.Dialect && !made.report { // by itself
					require.True(t, o.Decision != protocol.Continue || o.Stop, what)
				}
				strict := outcomeOf(d, r, dialecttest.OnFailure(protocol.Block))
				require.True(t, strict.Decision != protocol.Continue || strict.Stop,
					"a policy for failures blocks: "+what)
			}
			block := protocol.Outcome{Decision: protocol.Block}
			block.Event = d.EventOf(&dialect.Call{Event: protocol.PreTool})
			if by, is := clients.All().ClientNamed(d.Name); !is || len(replyTo(t, by, block).Stdout) > 0 {
				require.NotZero(t, seen[protocol.Block])
			}
			// Of what is no JSON Cursor's documents say nothing, so it blocks; what JSON means they say.
			failsOpen := d.Name == "cursor" || d != tenex.Dialect &&
				outcomeOf(d, dialecttest.Printed("ok")).Decision == protocol.Continue
			require.Equal(t, failsOpen, seen[protocol.Continue] > runs()/20, "%v", seen)
		})
	}
}

func outcomeOf(d *dialect.Dialect, r dialect.HookResult, policies ...dialect.FailurePolicy) protocol.Outcome {
	c := dialect.Call{Event: protocol.PreTool, Tool: "Bash", Args: `{"command":"ls"}`}
	c.Event = d.EventOf(&c)
	v := d.ApplyFailurePolicy(&c, nearmiss.Decode(d, &c, "h", &r), policies...)
	return dialect.Merge(&c, []dialect.HookVerdict{{Report: dialect.Report("h", "f:1", &r, &v), Verdict: v,
		Dialect: d}})
}

// requireHeard: a call that goes on has a warning, which text and JSON print, and each client's form has it for the
// user.
func requireHeard(t *testing.T, o protocol.Outcome, what string) {
	if o.Decision != protocol.Continue || o.Stop {
		return
	}
	require.NotEmpty(t, o.Warnings, what)
	require.Contains(t, toJSON(t, o), `"warnings":[`)
	for _, client := range clients.All().Clients() {
		message := userMessage(t, client, o)
		for _, w := range o.Warnings {
			if !strings.Contains(message, w) {
				require.Contains(t, message, "hook 'h' gave no answer", "%s in the form of %s", what, client.Name)
			}
		}
	}
}

// userMessage are all texts of what a client is told. Some tell their model where the user is shown nothing.
func userMessage(t *testing.T, to *client.Client, o protocol.Outcome) string {
	o.Event = to.EventOf(&dialect.Call{Event: protocol.PreTool})
	reply := replyTo(t, to, o)
	if len(reply.Stdout) == 0 && reply.Exit == 2 { // stderr is the reason
		return reply.Stderr
	}
	out := reply.Stdout
	require.True(t, json.Valid(out), "%s: %s", to.Name, out)
	var texts []string
	var walk func(gjson.Result)
	walk = func(v gjson.Result) {
		if v.Type == gjson.String {
			texts = append(texts, v.String())
		}
		v.ForEach(func(_, value gjson.Result) bool {
			if v.IsObject() || v.IsArray() {
				walk(value)
			}
			return true
		})
	}
	walk(gjson.ParseBytes(out))
	return strings.Join(texts, "\n")
}

func replyTo(t *testing.T, to *client.Client, o protocol.Outcome) client.Reply {
	reply, err := to.Reply(o)
	require.NoError(t, err)
	return reply
}

func toJSON(t *testing.T, o protocol.Outcome) string {
	out, err := form.JSON(o)
	require.NoError(t, err)
	return string(out)
}

// TestNoDenyOfALineGoesUnheard is the same for the lines of persistent hooks, which have words of their own.
func TestNoDenyOfALineGoesUnheard(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	for range runs() {
		made := newDeny(rng)
		if rng.IntN(2) == 0 {
			key := oneOf(rng, "exit_code", "exitCode", "ExitCode", "code", "exit", "rc", "returncode", "exit-code",
				"exitcode ", "exit_cod", "status")
			made.text = fmt.Sprintf(`{"%s":%s%s}`, key, oneOf(rng, "1", "2", `"2"`), oneOf(rng, "", `,"stderr":"no"`,
				`,"stdErr":"no"`))
		}
		r := dialect.HookResult{Stdout: dialect.Capture{Head: []byte(made.text), Total: int64(len(made.text))}}
		nearmiss.ReadLine(&r)
		o := outcomeOf(tenex.Dialect, r)
		require.True(t, o.Decision != protocol.Continue || o.Stop, made.text)
	}
}

// TestNothingIsTakenForADeny: what holds nothing of an answer is a text, without a word about it.
func TestNothingIsTakenForADeny(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 14))
	keys := []string{"version", "errors", "status", "results", "file", "line", "message", "severity", "ok", "level",
		"rule", "name", "path", "count", "region", "type", "precision", "revision", "code", "exit_code", "duration",
		"user", "id", "result", "action"}
	values := []string{"1", "0.5", "null", `"ok"`, `"warning"`, `"src/main.go"`, `[]`, `["a","b"]`,
		`{"reason":"unused"}`, `{"a":{"decision":"keep"}}`, "[{}]"}
	for range runs() {
		var members []string
		for range 1 + rng.IntN(4) {
			members = append(members, `"`+oneOf(rng, keys...)+fmt.Sprint(len(members), `":`)+oneOf(rng, values...))
		}
		object := "{" + strings.Join(members, oneOf(rng, ",", ", ", ",\n  ")) + "}"
		text := oneOf(rng, "", "a line\n", "[INFO] a line\n") + oneOf(rng, object, "["+object+"]")
		o := outcomeOf(tenex.Dialect, dialecttest.Printed(text))
		require.Equal(t, protocol.Continue, o.Decision, "%q %s", text, o.Reason)
		require.Empty(t, o.Warnings, "%q", text)
		require.Len(t, o.Texts, 1, text)
	}
}

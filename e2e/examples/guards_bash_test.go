//go:build unix

package examples

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestGuardsOfBash(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	t.Run("U46 inject env", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "it's a b")
		quoted := `'` + strings.ReplaceAll(r.dir, `'`, `'"'"'`) + `'`
		prefix := "export CURRENT_SESSION_WORKSPACE=" + quoted + "; export UA_ARTIFACTS_DIR=" +
			strings.TrimSuffix(quoted, "'") + "/artifacts'; "
		r.wire("pre-tool", "bash_env.py")
		inputs := []string{
			`{"command":"ls","timeout":5,"nested":{"a":[1,null]}}`, `{"command":" \n "}`,
			`{"command":"echo größer ✓\nls"}`, `{}`, `{"command":["ls"]}`,
			`{"command":"X=1 UA_ARTIFACTS_DIR=/x ls"}`, `{"command":"CURRENT_SESSION_WORKSPACE=/x ls"}`,
			`{"command":"echo $UA_ARTIFACTS_DIR"}`, `"ls"`,
			binary.JSON(t, binary.Object{"command": prefix + "ls"}),
		}
		updated := map[int]binary.Object{
			0: {"command": prefix + "ls", "timeout": 5.0, "nested": binary.Object{"a": []any{1.0, nil}}},
			2: {"command": prefix + "echo größer ✓\nls"},
			7: {"command": prefix + "echo $UA_ARTIFACTS_DIR"},
		}
		var calls []string
		for i, through := range r.serve(inputs) {
			require.Equal(t, "continue", through.Decision, inputs[i])
			if updated[i] == nil {
				require.Nil(t, through.UpdatedInput, inputs[i])
			} else {
				require.Equal(t, updated[i], r.object(string(through.UpdatedInput)), inputs[i])
			}
			calls = append(calls, `{"hook_event_name":"PreToolUse","tool_input":`+inputs[i]+`}`)
		}
		for i, answer := range r.stays("bash_env.py", calls, "HOOKRUN_WORKSPACE="+r.dir) {
			if updated[i] == nil {
				require.Empty(t, answer, inputs[i])
			} else {
				require.Equal(t, binary.Object{"hookSpecificOutput": binary.Object{"hookEventName": "PreToolUse",
					"updatedInput": updated[i]}}, answer)
			}
		}
		once := r.fire("PreToolUse", "bash_env.py",
			bashCall(t, "ls"))["hookSpecificOutput"].(binary.Object)["updatedInput"].(binary.Object)
		require.Equal(t, prefix+"ls", once["command"])
		require.NotContains(t, r.fire("PreToolUse", "bash_env.py", bashCall(t, once["command"].(string))),
			"hookSpecificOutput", "a second pass changes nothing")

		// The shell must read the very path.
		shown := binary.Run(t, t.TempDir(), "", nil, "sh", "-c",
			prefix+`printf '%s|%s' "$CURRENT_SESSION_WORKSPACE" "$UA_ARTIFACTS_DIR"`)
		require.Equal(t, r.dir+"|"+r.dir+"/artifacts", shown.Stdout)

		require.Empty(t, r.once("bash_env.py", bashCall(t, "ls")), "nobody knows a workspace")
		command := func(env ...string) string {
			return r.once("bash_env.py", bashCall(t, "ls"),
				env...)["hookSpecificOutput"].(binary.Object)["updatedInput"].(binary.Object)["command"].(string)
		}
		require.Equal(t,
			"export CURRENT_SESSION_WORKSPACE=/r/AGENT_RUN_WORKSPACES/s; export UA_ARTIFACTS_DIR=/r/artifacts; ls",
			command("CURRENT_SESSION_WORKSPACE=/r/AGENT_RUN_WORKSPACES/s", "HOOKRUN_WORKSPACE=/other"))
		require.Equal(t, "export CURRENT_SESSION_WORKSPACE=/w; export UA_ARTIFACTS_DIR=/home/arts; ls",
			command("CLAUDE_PROJECT_DIR=/w", "UA_ARTIFACTS_DIR= ~/arts ", "HOME=/home"))

		answer, stderr := r.noisy("bash_env.py", bashCall(t, "ls"), "HOOKRUN_WORKSPACE=/\xff")
		require.Empty(t, answer, "a path that JSON cannot carry")
		require.Contains(t, stderr, "bash_env.py could not check this call")
	})

	t.Run("U47 warn deps", func(t *testing.T) {
		t.Parallel()
		newBashRoom(t, "w").hints("bash_deps.py", map[string]string{
			"PIP Install x": `"pip install"`, "a && pip  \\\n install x": `"pip install"`,
			"uv pip install x": `"uv pip install"`, "cd a; uv add x": "PEP 723",
			"python -m pip install -r r.txt": "uv run <script>.py", "ls": "", "pip list": "", "uv run a.py": "",
			"echo add uv": "", "": "",
		})
	})

	t.Run("U48 block Composio SDK", func(t *testing.T) {
		t.Parallel()
		newBashRoom(t, "w").blocks("bash_composio.py", "Direct Composio SDK usage blocked.", "block", map[string]string{
			`python3 -c "from composio import Composio"`: "'from composio import'",
			`python3 -c 'import composio'`:               "'import composio'",
			"x composio.Composio()":                      "'composio.composio'",
			"ComposioToolSet()":                          "'composiotoolset'",
			"grep composio_client .":                     "'composio_client'",
			"composio_toolset = 1":                       "'composio_toolset'",
			"c.tools.execute('x')":                       "'.tools.execute('",
			"execute_action(1)":                          "'execute_action('",
			"GMAIL_SEND_EMAIL":                           "'gmail_send_email'",
			"x Slack_Send_Message y":                     "COMPOSIO_MULTI_EXECUTE_TOOL",
			"from \t composio  import x":                 "'from composio import'",
			"import \\\n composio":                       "'import composio'",
			"from composio.client import x":              "'from composio.'",
			"from composio_openai import x":              "'from composio_'",
			"ls":                                         "", "pip install composio": "", "cat composio.md": "",
			"from composer import x": "", "": "",
		})
		var calls, reasons []string
		for input, reason := range map[string]string{
			`{"command":["python3","-c","import composio"]}`: "Direct Composio SDK",
			`"import composio"`: "Direct Composio SDK",
			`{"command":7}`:     "could not check", `{"command":[["import composio"]]}`: "could not check",
			`{"command":{}}`: "could not check", `7`: "could not check",
		} {
			calls, reasons = append(calls, `{"hook_event_name":"PreToolUse","tool_input":`+input+`}`), append(reasons,
				reason)
		}
		for i, answer := range newBashRoom(t, "w").stays("bash_composio.py", calls) {
			require.Equal(t, "block", answer["decision"], calls[i])
			require.Contains(t, answer["reason"], reasons[i], calls[i])
		}
	})

	t.Run("U49 block Playwright non-HTML", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		want := map[string]string{
			"playwright convert notes.md notes.pdf": "HTML", "npx PlayWright PDF https://example.org": ".html",
			"python3 -c 'playwright; page.pdf()'": "file://",
			"playwright pdf a.html a.pdf":         "", "playwright pdf A.HTML a.pdf": "",
			"playwright pdf file:///a a.pdf":          "",
			"x.py --html_path a --pdf b # playwright": "",
			"playwright test":                         "", "pdftotext a.pdf": "", "": "",
		}
		r.blocks("bash_playwright.py", "Playwright PDF conversion without explicit HTML input.", nil, want)
		commands := slices.Sorted(maps.Keys(want))
		var calls []string
		for _, command := range commands {
			calls = append(calls, binary.JSON(t, binary.Object{"tool_name": "Bash", "command": command}))
		}
		for i, answer := range r.stays("bash_playwright.py", calls) {
			require.Equal(t, want[commands[i]] != "", len(answer) != 0, "at the top level: %s", commands[i])
			require.NotContains(t, answer, "decision", commands[i])
		}
		answer := r.once("bash_playwright.py",
			`{"hook_event_name":"PermissionRequest","tool_input":{"command":"playwright a.pdf"}}`)
		require.Equal(t, "block", answer["decision"], "an event that does not know the other marker")
	})

	t.Run("U50 skill hint", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		r.hints("skill_hint.py", map[string]string{
			"cat a.pdf": "PDF", "python -c 'import reportlab'": "`pdf`", "pypdf x": "`pdf`", "pdfplumber x": "`pdf`",
			"cat a.docx": "DOCX", "python-docx": "`docx`", "make a word document": "`docx`",
			"cat a.pptx": "PPTX", "python-pptx": "`pptx`", "powerpoint": "`pptx`", "a presentation": "`pptx` skill",
			"pandoc a.docx -o a.pdf": "`pdf`", "cat a.pptx a.docx": "`docx`",
			"cat A.PDF": "", "A Presentation": "", "ls": "", "cat a.xlsx": "", "": "",
		})
		require.Contains(t, r.once("skill_hint.py", bashCall(t, "cat a.pdf"))["systemMessage"], "(Skill Hint)")
		require.Empty(t, r.once("skill_hint.py --skills=false", bashCall(t, "cat a.pdf")))
	})

	t.Run("the name of the workspace is no part of a command", func(t *testing.T) {
		t.Parallel()
		chain := []string{"bash_env.py", "bash_deps.py", "bash_composio.py", "bash_playwright.py", "skill_hint.py"}
		// It lets nothing pass (.html), blocks nothing (import composio) and hints at nothing (pip install, pdf).
		r := newBashRoom(t, "pip install; import composio 'gmail_send_email' pdf playwright x.html")
		r.wire("pre-tool", chain...)
		commands := []string{"ls", "playwright notes.md a.pdf", "cat a.md", "import composio"}
		var inputs []string
		for _, command := range commands {
			inputs = append(inputs, bashInput(t, command))
		}
		for i, through := range r.serve(inputs) {
			require.Equal(t, []string{"continue", "block"}[i%2], through.Decision, "%s: %s", commands[i],
				through.Reason)
			if i%2 == 0 {
				require.Empty(t, through.SystemMessages, commands[i])
				require.Contains(t, r.object(string(through.UpdatedInput))["command"], "; "+commands[i])
			}
		}
	})
}

func TestGuardOfSkills(t *testing.T) {
	room := func(t *testing.T) *bashRoom {
		r := newBashRoom(t, "w")
		for name, text := range map[string]string{
			"pdf": "---\nname: pdf\ndescription: >\n  Reads and writes\n  PDF files. " +
				strings.Repeat("é", 100) + "\nlicense: x\n---\ndescription: no",
			"image-generation": "\ufeff---\r\nname: \"image-generation\"\r\ndescription: 'Makes: images'\r\n---\r\n",
			"pptx":             "# no front matter\nname: other",
			"other":            "---\nname: renamed\n---\n",
		} {
			binary.WriteFile(t, r.dir, filepath.Join(".claude/skills", name, "SKILL.md"), text)
		}
		require.NoError(t, os.MkdirAll(filepath.Join(r.dir, ".claude/skills/empty"), 0o755))
		require.NoError(t, os.MkdirAll(filepath.Join(r.dir, ".claude/skills/pipe"), 0o755))
		require.NoError(t, syscall.Mkfifo(filepath.Join(r.dir, ".claude/skills/pipe/SKILL.md"), 0o644))
		return r
	}
	const (
		pdf   = "- pdf: Reads and writes PDF files. "
		image = "- image-generation: Makes: images ("
		pptx  = "- pptx: no description ("
	)

	t.Run("U51 prompt awareness", func(t *testing.T) {
		t.Parallel()
		r := room(t)
		prompts := map[string][]string{
			"make a pdf": {pdf}, "merge these PDFs, please": {pdf}, "use\nreportlab": {pdf},
			"Image_Generation and a PowerPoint!": {image, pptx}, "image  generation": {image},
			"generation of code": nil, "pdfx": nil, "other": nil, "renamed": {"- renamed: no description ("},
			"pipe empty": nil, "": nil,
		}
		list := slices.Sorted(maps.Keys(prompts))
		var calls []string
		for _, prompt := range list {
			calls = append(calls, binary.JSON(t, binary.Object{"hook_event_name": "UserPromptSubmit",
				"prompt": prompt}))
		}
		for i, answer := range r.stays("skills.py", calls, "CLAUDE_PROJECT_DIR="+r.dir) {
			want := prompts[list[i]]
			if want == nil {
				require.Empty(t, answer, list[i])
				continue
			}
			specific := answer["hookSpecificOutput"].(binary.Object)
			require.Equal(t, "UserPromptSubmit", specific["hookEventName"])
			require.Len(t, strings.Split(specific["additionalContext"].(string), "\n"), 1+len(want), list[i])
			for _, line := range want {
				require.Contains(t, specific["additionalContext"], "\n"+line, list[i])
			}
		}
		r.wire("pre-execute", "skills.py")
		o := binary.Ask(t, r.dir, "", "pre-execute", "--prompt", "make a pdf")
		require.Len(t, o.Inject, 1)
		require.Contains(t, o.Inject[0].Content, "\n"+pdf)
		call := `{"hook_event_name":"UserPromptSubmit","prompt":"make a pdf"}`
		answer := r.fire("UserPromptSubmit", "skills.py", call)
		text := answer["hookSpecificOutput"].(binary.Object)["additionalContext"].(string)
		require.Contains(t, text, "PDF files. "+strings.Repeat("é", 100-len("Reads and writes PDF files. "))+"… ("+
			r.dir+"/.claude/skills/pdf/SKILL.md)")
		elsewhere := "skills.py --skills-dir=" + filepath.Join(r.dir, ".claude/skills")
		require.Contains(t, r.once(elsewhere, call,
			"HOOKRUN_WORKSPACE=/")["hookSpecificOutput"].(binary.Object)["additionalContext"], pdf)
		require.Empty(t, r.once("skills.py", call, "HOOKRUN_WORKSPACE=/nonexistent"))
		session := "CURRENT_SESSION_WORKSPACE=" + filepath.Join(r.dir, "AGENT_RUN_WORKSPACES", "s")
		require.Contains(t, r.once("skills.py", call,
			session)["hookSpecificOutput"].(binary.Object)["additionalContext"], pdf, "the project around a session")
		require.Empty(t, r.once(elsewhere+" --skills=false", call))
	})

	t.Run("U51 task awareness", func(t *testing.T) {
		t.Parallel()
		r := room(t)
		r.wire("pre-tool", "skills.py")
		inputs := []string{`{"subagent_type":"report-creation-expert"}`, `{}`, `{"subagent_type":"image-expert"}`,
			`{"subagent_type":"video-remotion-expert"}`,
			`{"subagent_type":"x"}`, `{"subagent_type":["image-expert"]}`, `"image-expert"`}
		want := map[int][]string{0: {pdf, image}, 2: {image}}
		for i, o := range r.serve(inputs) {
			require.Equal(t, "continue", o.Decision, inputs[i])
			require.Empty(t, o.Warnings, inputs[i])
			if want[i] == nil {
				require.Empty(t, o.SystemMessages, inputs[i])
				continue
			}
			require.Len(t, o.SystemMessages, 1, inputs[i])
			require.Equal(t, o.SystemMessages, o.Texts(), inputs[i])
			require.Len(t, strings.Split(o.SystemMessages[0], "\n"), 1+len(want[i]))
			for _, line := range want[i] {
				require.Contains(t, o.SystemMessages[0], "\n"+line)
			}
		}
		call := `{"hook_event_name":"PreToolUse","tool_name":"Task","tool_input":{"subagent_type":"image-expert"}}`
		require.Contains(t, r.once("skills.py", call, "CLAUDE_PROJECT_DIR="+r.dir)["systemMessage"], image)
		require.Empty(t, r.once("skills.py --skills=false", call, "CLAUDE_PROJECT_DIR="+r.dir))
	})
}

func TestGuardsAfterTheTool(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	failedWith := func(text string) string {
		return binary.JSON(t, binary.Object{"hook_event_name": "PostToolUse", "tool_name": "mcp__x__write_text_file",
			"tool_result": binary.Object{"is_error": true,
				"content": []binary.Object{{"type": "text", "text": text}, {"type": "image"}}}})
	}
	long := "an odd error: " + strings.Repeat("é", 300)

	t.Run("U59 validation hints", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		kinds := map[string]string{
			"The Required Parameter `x` is missing":       "Schema Validation Failed:",
			"Missing required parameter: x; invalid type": "Schema Validation Failed:",
			"InputValidationError: x":                     "Input Validation Failed:",
			"inputvalidationerror and invalid type":       "Input Validation Failed:",
			"Invalid type for x":                          "Type Mismatch:",
			"exit status 1":                               "Tool call failed validation.",
			long:                                          "Tool call failed validation.",
		}
		texts := slices.Sorted(maps.Keys(kinds))
		var calls []string
		for _, text := range texts {
			calls = append(calls, failedWith(text), strings.Replace(failedWith(text), `"is_error":true`,
				`"is_error":false`, 1))
		}
		for i, answer := range r.stays("validation_hints.py", calls) {
			if i%2 == 1 {
				require.Empty(t, answer, "no error")
				continue
			}
			text := texts[i/2]
			said := answer["systemMessage"].(string)
			require.True(t, strings.HasPrefix(said, kinds[text]), said)
			require.Regexp(t, `(?s)\n1\. .*\n2\. .*\n3\. `, said)
			head := []rune(text)
			head = head[:min(len(head), 200)]
			require.Contains(t, said, string(head)+"\n")
			require.Equal(t, binary.Object{"hookEventName": "PostToolUse", "additionalContext": said},
				answer["hookSpecificOutput"])
			require.Len(t, answer, 2)
		}

		r.wire("post-tool", "validation_hints.py")
		o := binary.Ask(t, r.dir, "", "post-tool", "--tool", "x", "--result", "Missing required parameter x",
			"--failed")
		require.Len(t, o.SystemMessages, 1)
		require.Equal(t, o.SystemMessages, o.Texts())
		o = binary.Ask(t, r.dir, `{"is_error":true,"content":"invalid type"}`, "post-tool", "--tool", "x", "--result",
			"-")
		require.Contains(t, o.Texts()[0], "Type Mismatch:")
		require.Empty(t, binary.Ask(t, r.dir, "Missing required parameter x", "post-tool", "--tool", "x", "--result",
			"-").Inject)
		calls = nil
		for _, result := range []string{"Missing required parameter x", `{"is_error":false,"content":"x"}`,
			`{"is_error":true}`, `{"is_error": cut`, ""} {
			calls = append(calls, binary.JSON(t, binary.Object{"hook_event_name": "PostToolUse", "tool_name": "x",
				"tool_response": result}))
		}
		for i, answer := range r.stays("validation_hints.py", calls) {
			require.Empty(t, answer, calls[i])
		}
		failure := `{"hook_event_name":"PostToolUseFailure","tool_name":"Write","tool_input":{},` +
			`"error":"InputValidationError: x","is_interrupt":`
		require.Contains(t, r.fire("PostToolUseFailure", "validation_hints.py", failure+"false}")["systemMessage"],
			"Input Validation Failed:")
		require.Empty(t, r.fire("PostToolUseFailure", "validation_hints.py", failure+"true}"), "a person stopped it")
	})

	t.Run("U60 schema nudge", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		kinds := map[string]string{
			"No such tool: x": "letter for letter", "Tool not available": "letter for letter",
			"tool not found: x":       "What came back: tool not found",
			"<tool_use_error>" + long: "refused before the tool ran: <tool_use_error>an odd error",
			"1 validation error":      `path, content. Example: {"path"`, "Field required": "mcp__x__write_text_file",
			"missing required x": "path, content.",
			"exit status 1":      "",
		}
		texts := slices.Sorted(maps.Keys(kinds))
		var calls []string
		for _, text := range texts {
			calls = append(calls, failedWith(text))
		}
		for i, answer := range r.stays("schema_nudge.py", calls) {
			if kinds[texts[i]] == "" {
				require.Empty(t, answer, texts[i])
			} else {
				require.Contains(t, answer["hookSpecificOutput"].(binary.Object)["additionalContext"], kinds[texts[i]],
					texts[i])
			}
		}
		require.Empty(t, r.once("schema_nudge.py",
			`{"hook_event_name":"PostToolUse","tool_name":"x","tool_response":"1 validation error"}`), "no error")
		unknown := r.fire("PostToolUseFailure", "schema_nudge.py",
			`{"hook_event_name":"PostToolUseFailure","tool_name":"zzz","tool_input":{},"error":"Field required"}`)
		require.Equal(t, "The arguments of zzz were not accepted. Call it again with all that must be there.",
			unknown["hookSpecificOutput"].(binary.Object)["additionalContext"])
	})

	t.Run("U63 task guidance", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		r.wire("post-tool", "task_guidance.py")
		results := map[string]bool{
			"InputValidationError: x": true, "the required parameter `file_path` is missing": true,
			"the required parameter `content` is missing": true,
			"wrote 0 bytes": true, `{"content":[{"type":"text","text":"0 bytes"}]}`: true, "done": false, "": false,
		}
		texts := slices.Sorted(maps.Keys(results))
		var calls []string
		for _, result := range texts {
			calls = append(calls, binary.JSON(t, binary.Object{"hook_event_name": "PostToolUse", "tool_name": "Task",
				"tool_response": result}))
		}
		for i, answer := range r.stays("task_guidance.py", calls) {
			text := answer["hookSpecificOutput"].(binary.Object)["additionalContext"]
			if results[texts[i]] {
				require.Contains(t, answer, "systemMessage", texts[i])
				require.Contains(t, text, "Sub-agent Write failure - retry with chunking.", texts[i])
			} else {
				require.NotContains(t, answer, "systemMessage", texts[i])
				require.Contains(t, text, "TaskOutput and TaskResult are disabled", texts[i])
			}
		}
		for result, messages := range map[string]int{`{"content":[{"type":"text","text":"0 bytes"}]}`: 1, "done": 0} {
			o := binary.Ask(t, r.dir, result, "post-tool", "--tool", "Task", "--result", "-")
			require.Len(t, o.Inject, 1, result)
			require.Len(t, o.SystemMessages, messages, result)
		}
	})
}

// bashGuards are the programs of this file's rows, and whether each is a gate.
var bashGuards = map[string]bool{
	"bash_composio.py": true, "bash_playwright.py": true,
	"bash_env.py": false, "bash_deps.py": false, "skill_hint.py": false, "skills.py": false,
	"validation_hints.py": false, "schema_nudge.py": false, "task_guidance.py": false,
}

// TestGuardsOfBashBreakSafely: one line of JSON and exit 0 whatever comes, a block from a gate that could not read it,
// and never one from a guard that only hints.
func TestGuardsOfBashBreakSafely(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	unreadable := map[string]string{"no call": "", "a cut call": `{"tool_input":`, "null": "null", "a list": "[]",
		"deep": `{"tool_input":` + deep + `}`, "no UTF-8": "{\"a\":\"\xff\"}"}
	readable := []string{
		`{"tool_input":"ls"}`, `{"tool_input":[]}`, `{"tool_input":null}`, `{}`,
		`{"tool_input":{"command":"\ud800 \u0000"},"prompt":7}`, `{"tool_input":{"command":""}}`,
		`{"hook_event_name":"UserPromptSubmit","prompt":"\udfff pdf"}`,
		`{"hook_event_name":"PostToolUse","tool_response":{"is_error":true,"content":[7,null,{"text":[]}]}}`,
		`{"hook_event_name":"PostToolUse","tool_response":{"is_error":true,"content":"\ud800 field ` +
			`required"},"tool_name":"\ud800"}`,
		`{"tool_input":{"command":"` + strings.Repeat("é ", 1_000_000) + `"}}`,
		`{"hook_event_name":"PostToolUse","tool_name":"x","is_error":true,"tool_response":"` + strings.Repeat("x",
			3_000_000) + `"}`,
	}
	bad := []string{`{"tool_input":{"command":7}}`, `{"tool_input":{"command":[[]]}}`, `{"tool_input":7}`,
		`{"tool_input":{"command":{"a":"b"}}}`}
	for program, gate := range bashGuards {
		t.Run(program, func(t *testing.T) {
			if program != "bash_composio.py" && program != "bash_deps.py" {
				testall.Only(t, "a gate and a guard that hints stand for the others")
			}
			t.Parallel()
			r := newBashRoom(t, "w")
			judge := func(why string, fails bool, answer binary.Object) {
				t.Helper()
				if gate && fails {
					require.Equal(t, "block", answer["decision"], why)
					require.Contains(t, answer["reason"], program+" could not check this call", why)
					require.Equal(t, "deny", answer["hookSpecificOutput"].(binary.Object)["permissionDecision"], why)
				} else {
					require.NotContains(t, answer, "decision", why)
					require.NotContains(t, answer, "continue", why)
					require.NotContains(t, binary.JSON(t, answer), "permissionDecision", why)
				}
			}
			// guards.py reads for all: one that blocks, and one that hints
			if program == "bash_composio.py" || program == "bash_deps.py" {
				for why, stdin := range unreadable {
					answer, stderr := r.noisy(program, stdin)
					judge(why, true, answer)
					require.Equal(t, gate, stderr == "", "a gate says it in its answer: %s", why)
				}
				closed := binary.Run(t, r.dir, "", r.env,
					append([]string{"sh", "-c", `exec "$@" <&-`, "sh"}, r.argv(program)...)...)
				require.Equal(t, 0, closed.Code, closed.Stderr)
				judge("stdin is closed", true, r.object(closed.Stdout))
			}
			all := append(slices.Concat(readable, bad), unreadable["a cut call"])
			done := binary.Run(t, r.dir, strings.Join(all, "\n")+"\n", r.env, r.argv(program)...)
			require.Equal(t, 0, done.Code, done.Stderr)
			lines := strings.Split(strings.TrimSuffix(done.Stdout, "\n"), "\n")
			require.Len(t, lines, len(all))
			require.Equal(t, gate, done.Stderr == "")
			for i, line := range lines {
				judge(fmt.Sprintf("%.100s", all[i]), i >= len(readable), r.object(line))
			}

			require.NoError(t, os.Remove(filepath.Join(r.dir, ".hooks/guards.json")))
			if program != "bash_env.py" {
				answer, _ := r.noisy(program, bashCall(t, "ls"))
				judge("no data", true, answer)
			}
		})
	}
	t.Run("in hookrun", func(t *testing.T) {
		t.Parallel()
		r := newBashRoom(t, "w")
		var gates, others []string
		for program, gate := range bashGuards {
			if gate {
				gates = append(gates, program)
			} else {
				others = append(others, program)
			}
		}
		binary.WriteFile(t, r.dir, ".hooks/guards.json", "{")
		for _, program := range gates {
			r.wire("pre-tool", program)
			o := r.serve([]string{`{"command":"ls"}`, `{"command":"ls"}`})
			require.Equal(t, []string{"block", "block"}, []string{o[0].Decision, o[1].Decision}, program)
			require.Equal(t, "deny", r.fire("PreToolUse", program,
				bashCall(t, "ls"))["hookSpecificOutput"].(binary.Object)["permissionDecision"], program)
		}
		r.wire("pre-tool", others...)
		for _, o := range r.serve([]string{`{"command":"pip install x.pdf"}`, `7`, `"x"`, `{"command":[[]]}`}) {
			require.Equal(t, "continue", o.Decision, o.Reason)
		}
	})
}

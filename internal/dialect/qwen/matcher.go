package qwen

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/jsregexp"
)

// aliases are the names by which matchers know a tool besides its own. Of the tools that are not here the client knows
// the display name alone.
var aliases = map[string][]string{
	"run_shell_command": {"Shell", "ShellTool", "Bash"},
	"edit":              {"Edit", "EditTool", "replace"},
	"notebook_edit":     {"NotebookEdit", "NotebookEditTool"},
	"write_file":        {"WriteFile", "WriteFileTool", "Write"},
	"read_file":         {"ReadFile", "ReadFileTool", "Read"},
	"grep_search":       {"Grep", "GrepTool", "search_file_content", "SearchFiles", "grep"},
	"glob":              {"Glob", "GlobTool", "FindFiles"},
	"list_directory":    {"ListFiles", "ListFilesTool", "ReadFolder"},
	"todo_write":        {"TodoList", "TodoListTool", "TodoWrite", "TodoWriteTool"},
	"web_fetch":         {"WebFetch", "WebFetchTool"},
	"web_search":        {"WebSearch", "WebSearchTool"},
	"agent":             {"Agent", "AgentTool", "task", "Task", "TaskTool"},
	"skill":             {"Skill", "SkillTool"},
	"ask_user_question": {"AskUserQuestion", "AskUserQuestionTool"},
	"exit_plan_mode":    {"ExitPlanMode", "ExitPlanModeTool"},
	"save_memory":       {"SaveMemory", "SaveMemoryTool"},
	"exec":              {"Exec", "ExecTool"},
	"monitor":           {"Monitor", "MonitorTool"},
	"read_mcp_resource": {"ReadMcpResource", "ReadMcpResourceTool"},
}

// newPattern reads a matcher as Qwen Code 0.24.4 does. Blanks around it do not count, and without more, as * or as .*,
// it is everything. The whole text, or a part of it between two |, may be a name of the tool, its own or another. Else
// it is a JavaScript regular expression, found anywhere in the tool's own name.
func newPattern(text, subject string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: dialect.TrimJS(text)}
	if subject == "tool_name" {
		p.Aliases = aliases
	}
	if everything(p.Word) {
		p.Word = ""
		return p
	}
	p.Exact = []string{p.Word}
	expression := p.Word
	if strings.Contains(p.Word, "|") && !strings.HasPrefix(p.Word, "^") && !strings.HasPrefix(p.Word, "(") {
		parts := split(p.Word)
		switch {
		case slices.ContainsFunc(parts, everything):
			p.Word, p.Exact = "", nil
			return p
		case len(parts) == 0:
			p.Names = []string{}
			return p
		}
		p.Exact = append(p.Exact, parts...)
		expression = strings.Join(parts, "|")
	}
	p.JavaScript, p.Err = jsregexp.Compile(expression)
	return p
}

func everything(text string) bool { return text == "" || text == "*" || text == ".*" }

// split parts an expression at the | that stand in no group and no class, and leaves empty parts out.
func split(text string) (parts []string) {
	start, depth, class := 0, 0, false
	add := func(part string) {
		if part = dialect.TrimJS(part); part != "" {
			parts = append(parts, part)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case c == '|' && depth == 0:
			add(text[start:i])
			start = i + 1
		}
	}
	add(text[start:])
	return parts
}

package qwen

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// aliases are the other names of tools in matchers: the display name, which is mostly the tool's name in another
// spelling, the display name plus "Tool", and older names.
var aliases = lazy.Value[dialect.Aliases]{Make: func() dialect.Aliases {
	all := dialect.Aliases{
		"run_shell_command Shell ShellTool Bash",
		"grep_search Grep GrepTool SearchFiles search_file_content",
		"list_directory ListFiles ListFilesTool ReadFolder",
		"edit replace",
		"write_file Write",
		"read_file Read",
		"glob FindFiles",
		"todo_write TodoList TodoListTool",
		"agent task Task TaskTool",
		"get_goal Goal GoalTool",
	}
	for tool := range strings.FieldsSeq(sameName) {
		display := ""
		for word := range strings.SplitSeq(strings.TrimPrefix(tool, "omni_"), "_") {
			display += strings.ToUpper(word[:1]) + word[1:]
		}
		all = append(all, tool+" "+display+" "+display+"Tool")
	}
	return all
}}

// sameName lists the tools with a display name that differs only in spelling: WriteFile for write_file.
const sameName = "exec edit write_file read_file zoom_image glob todo_write save_memory agent skill exit_plan_mode " +
	"enter_plan_mode web_fetch web_search image_gen lsp ask_user_question cron_create cron_list cron_delete " +
	"loop_wakeup create_sub_session list_agents task_stop task_create task_update task_list team_create team_delete " +
	"team_plan_approval request_shutdown send_message structured_output monitor notebook_edit tool_call tool_search " +
	"read_mcp_resource enter_worktree exit_worktree workflow artifact record_artifact record_source report_findings " +
	"get_goal update_goal propose_goal display_image omni_downsample_image omni_downscale_video " +
	"omni_downsample_audio omni_extract_keyframes omni_extract_audio omni_clip_video omni_convert_image " +
	"omni_transcribe_audio omni_clip_image omni_clip_audio omni_caption_image omni_caption_audio omni_ocr_image " +
	"omni_understand_video_segments omni_recall_media_memory"

// Pattern reads a matcher as Qwen Code 0.24.4 does. Surrounding blanks do not count. A blank matcher, * and .* match
// everything. The whole text, or a part of it between two |, may be a name of the tool, its own or another. If it is
// not, the matcher is a JavaScript regular expression, found anywhere in the tool's own name.
func (reader) Pattern(text, subject string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: client.TrimJS(text)}
	if subject == "tool_name" {
		p.Aliases = aliases.Get()
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
	p.JavaScript, p.Err = client.JavaScript(expression)
	return p
}

func everything(text string) bool { return text == "" || text == "*" || text == ".*" }

// split splits an expression at each | outside of groups and classes, and drops empty parts.
func split(text string) (parts []string) {
	start, depth, class := 0, 0, false
	add := func(part string) {
		if part = client.TrimJS(part); part != "" {
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

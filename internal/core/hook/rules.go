package hook

import "github.com/hookrun/hookrun/internal/core/dialect"

// Rules understand what a tool is to do: shell lines, paths and patches. Who loads hooks files hands them in; package
// rules has hookrun's own.
type Rules interface {
	dialect.ArgumentReader
	// If reads an "if". It never fails: a text that is no rule is Malformed.
	If(text string) If
	// Pack returns the pack with a name. The error lists the known packs.
	Pack(name string) (Pack, error)
}

// If is the condition of an "if".
type If interface {
	String() string // as in the file
	Tool() string   // the tool that the rule is for
	// Malformed reports whether the text is no rule, so that nothing matches.
	Malformed() bool
	// Match reports whether the rule matches. why is a phrase to put after the rule.
	Match(c ToolCall) (ok bool, why string)
	// Doubt returns a sentence for the agent if the rule matches only out of doubt, or "".
	Doubt(c ToolCall) string
	// MayTouch reports whether the rule has a pattern, and the input of the unknown tool names a file.
	MayTouch(c ToolCall) bool
	// Problem says what is wrong with the pattern for a tool of these names, or "". Meant is the rule that its author
	// probably meant, or nil.
	Problem(names []string) string
	Meant(names []string) If
}

// Pack is a list of rules with a name.
type Pack interface {
	Name() string
	Version() int
	At(version int) []PackRule // the rules in a version of the pack
}

// PackRule is the condition of a rule of a pack.
type PackRule interface {
	ID() string     // such as git/no-force-push
	Blocks() string // the blocked calls, as a noun phrase
	Asks() bool     // a person is asked
	Decide(c ToolCall) Found
	Says(found Found) string   // what the rule has found, or cannot tell, as a sentence without a point
	Reason(found Found) string // for the agent
}

// Found is the part of a call that the rule of a pack blocks.
type Found struct {
	Subject string // the command or the file, for the reason; "" if the rule does not block
	Doubt   string // why hookrun is in doubt; "" if certain
	Act     string // what the call does, if the rule blocks calls of several kinds; or ""
	Instead string // what to do instead of this call; or ""
}

// ToolCall is the call of a tool as the rules for a hook see it.
type ToolCall struct {
	Tool      string   // "" if the event has no tool
	Aliases   []string // other names of the tool that a rule may use
	Kinds     []string // names of which the first known one says what the tool works on
	Input     string   // a JSON object
	Project   bool     // the rule is in a project's own file, and sees more than the client's rules
	Wrappers  []string // programs that run a command from their arguments
	EqualKeys bool     // the input has equal keys, so the tool may read other values than the rules

	Dir      string // the session's current directory, absolute
	Root     string // the start folder of patterns, absolute; "": Dir
	Home     string // the user's home directory, absolute; "" if unknown
	Worktree string // a second Root, in a linked worktree; "": none

	// For the rules of packs:
	OnlyReads  bool // a file tool does not write
	Unreadable bool // the arguments cannot be read
	Shell      bool // the tool runs shell lines, by one of its names

	Kept *any // what the rules have read of the call, for further rules; nil: nothing is kept
}

// IfText returns the hook's "if", or "" without one, and IfTool the tool that it is for.
func (h *Hook) IfText() string {
	if h.If == nil {
		return ""
	}
	return h.If.String()
}

func (h *Hook) IfTool() string { return toolOf(h.If) }

func toolOf(rule If) string {
	if rule == nil {
		return ""
	}
	return rule.Tool()
}

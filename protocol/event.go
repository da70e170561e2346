package protocol

// Event names an event in an agent loop. Clients have other names for some of these events, and further events. The
// JSON of an outcome has the name under which the event was fired.
type Event string

const (
	PreExecute Event = "pre-execute" // before the model sees the user's message; UserPromptSubmit, BeforeAgent
	PreTool    Event = "pre-tool"    // before a tool runs; PreToolUse, BeforeTool
	PostTool   Event = "post-tool"   // after a tool ran, failed or was blocked; PostToolUse, AfterTool
)

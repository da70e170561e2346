package protocol

// Event names an event in an agent loop. Clients have their own names for some of these, and events of their own: the
// JSON of an outcome has the name by which the event was fired.
type Event string

const (
	PreExecute Event = "pre-execute" // before the model sees the user's message; UserPromptSubmit, BeforeAgent
	PreTool    Event = "pre-tool"    // before a tool runs; PreToolUse, BeforeTool
	PostTool   Event = "post-tool"   // after a tool ran, failed or was blocked; PostToolUse, AfterTool
)

package protocol

// Call is one call of a tool, or a user's message before the model sees the message. A Call is plain data: only the
// owner changes it.
type Call struct {
	// Session is the id of the conversation, Agent the id of the agent in the conversation. Hooks get both, a queue
	// delivers texts by both, and Pin finds the hooks of a session by Session. Both may be "".
	Session, Agent string

	Workspace string // hooks run in this folder; "": the project's folder, else the current one
	Prompt    string // the user's message in this conversation, if the loop has the message
	Tool      string // name of the tool
	ID        string // the model's id of the tool call
	Args      string // the tool's arguments as the model wrote them, usually JSON; "" means {}

	// Extra adds keys to the hooks' stdin, such as transcript_path. A key that hookrun writes, such as tool, is an
	// error.
	Extra map[string]any
}

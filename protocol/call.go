package protocol

// Call is one call of a tool, or a message of the user that an agent is about to work on. It is plain data: nothing but
// its owner changes it.
type Call struct {
	// Session is the id of the conversation, Agent that of the agent in it. Hooks get both; texts of a queue are put
	// for them, and a pinned session is known by its id. Both may be "".
	Session, Agent string

	Workspace string // folder in which hooks run; "": that of the project, else the current one
	Prompt    string // the user's message of this conversation, if the loop has it
	Tool      string // name of the tool
	ID        string // the model's id of the tool call
	Args      string // the tool's arguments as the model wrote them, JSON as a rule; "" means {}

	// Extra has further keys for the hooks' stdin, such as transcript_path. One that hookrun writes itself is an error.
	Extra map[string]any
}

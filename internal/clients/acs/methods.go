package acs

// Version is the version of the OWASP Agent Control Standard that hookrun speaks. Every version 0.y.z is
// accepted.
const Version = "0.1.0"

// The methods of the Agent Control Standard with a decision. The dialect acs asks for one, and serve/guardian gives
// one.
const (
	UserMessage     = "steps/userMessage"
	ToolCallRequest = "steps/toolCallRequest"
	ToolCallResult  = "steps/toolCallResult"
)

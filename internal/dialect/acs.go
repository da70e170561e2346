package dialect

// ACSVersion is the version of the OWASP Agent Control Standard that hookrun speaks. Every version 0.y.z is
// accepted.
const ACSVersion = "0.1.0"

// The methods of the Agent Control Standard with a decision. The dialect acs asks for one, and serve/guardian gives
// one.
const (
	ACSUserMessage     = "steps/userMessage"
	ACSToolCallRequest = "steps/toolCallRequest"
	ACSToolCallResult  = "steps/toolCallResult"
)

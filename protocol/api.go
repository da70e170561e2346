package protocol

// API names the model API whose messages a loop keeps.
type API string

const (
	AnthropicMessages API = "anthropic"        // Messages
	OpenAIChat        API = "openai"           // Chat Completions
	OpenAIResponses   API = "openai-responses" // Responses
)

package protocol

// API names the model API in whose form a loop keeps the messages.
type API string

const (
	AnthropicMessages API = "anthropic"        // Messages
	OpenAIChat        API = "openai"           // Chat Completions
	OpenAIResponses   API = "openai-responses" // Responses
)

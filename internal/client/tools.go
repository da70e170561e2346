package client

import "github.com/hookrun/hookrun/internal/dialect"

// ToolNamed returns the first tool with the client's name.
func (cl *Client) ToolNamed(name string) (t dialect.Tool, has bool) {
	for _, t := range cl.Tools {
		if len(t) > len(name) && t[len(name)] == ' ' && t.Name() == name {
			return t, true
		}
	}
	return "", false
}

// ToolAliases returns the alternative tool names in the client's matchers, or nil.
func (cl *Client) ToolAliases() dialect.Aliases {
	if a, ok := cl.Hooks.(Aliaser); ok {
		return a.ToolAliases()
	}
	return nil
}

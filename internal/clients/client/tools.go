package client

import "github.com/hookrun/hookrun/internal/core/dialect"

// ToolNamed returns the first tool with the client's name.
func (cl *Client) ToolNamed(name string) (t dialect.Tool, has bool) {
	for _, t := range cl.Tools {
		if len(t) > len(name) && t[len(name)] == ' ' && t.Name() == name {
			return t, true
		}
	}
	return "", false
}

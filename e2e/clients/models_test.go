//go:build linux

package clients

import (
	"encoding/json"

	"github.com/hookrun/hookrun/conformance/record/clients"
	"github.com/hookrun/hookrun/e2e/binary"
)

// client is a real client, as hookrun meets it.
type client struct {
	name  string
	args  []string
	env   []string
	home  map[string]string
	trust func(*clientRun) // what is asked of the user beyond home
	user  bool             // it has the user's settings alone
	shell string           // the tool's name
	says  func(n int, commands ...string) string

	model  string
	others []otherModel
}

// otherModel is a model by which a client chooses its tools.
type otherModel struct {
	name  string
	shell string // "": the same as with other models
	says  func(n int, commands ...string) string
}

// with returns the client with another model.
func (c client) with(m otherModel) client {
	c.model = m.name
	if m.shell != "" {
		c.shell, c.says = m.shell, m.says
	}
	return c
}

var realClients = func() (all []client) {
	for _, c := range clients.All {
		real := client{name: c.Name, args: c.Args, env: c.Env, home: c.Home, user: c.UserOnly, shell: c.Shell,
			says: shellOf(c), model: c.Model}
		for _, m := range c.Others {
			real.others = append(real.others, otherModel{m.Name, m.Shell, shellOf(c.With(m))})
		}
		if c.Name == "codex" {
			real.trust = func(r *clientRun) {
				binary.TrustInCodex(r.T, r.home, r.workspace, r.command("codex", "app-server"), 3)
			}
		}
		all = append(all, real)
	}
	return all
}()

// shellOf is a model that calls the shell of a client.
func shellOf(c clients.Client) func(n int, commands ...string) string {
	return func(n int, commands ...string) string {
		var calls []clients.Call
		for _, command := range commands {
			calls = append(calls, c.Run(command))
		}
		return c.Says(n, calls...)
	}
}

// claudeToolUse is an answer of Claude's model that calls a tool.
func claudeToolUse(id, tool string, input binary.Hook) string {
	return clients.ClaudeMessage("tool_use", clients.ClaudeCall(id, tool, input))
}

func toText(v binary.Hook) string {
	b, _ := json.Marshal(v)
	return string(b)
}

var (
	chunks        = clients.Chunks
	stream        = clients.Stream
	claudeText    = clients.ClaudeText
	claudeCall    = clients.ClaudeCall
	claudeMessage = clients.ClaudeMessage
)

type claudeBlock = clients.ClaudeBlock

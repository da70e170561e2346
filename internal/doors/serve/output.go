package serve

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// takeOutput removes "output" from the params of fire. Hooks do not see that key, because it is hookrun's, not the
// client's.
func (r *request) takeOutput() error {
	if !strings.Contains(r.call.ClientInput, `"output"`) { // an input can be megabytes
		return nil
	}
	value := gjson.Get(r.call.ClientInput, "output")
	if value.Type != gjson.String {
		return nil // a client may add such a field of another type
	}
	forms, name := append(clients.All().ClientNames(), "json"), strictjson.Text(value.Raw)
	if name != "json" {
		var known bool
		if r.call.Output, known = clients.All().ClientNamed(name); !known {
			near := spelling.Suggest(name, forms)
			return fmt.Errorf("\"output\" %q is not one of %s%s", name, strings.Join(forms, ", "), near)
		}
	}
	rest := make([]byte, 0, len(r.call.ClientInput))
	for key, value := range strictjson.Members(r.call.ClientInput) {
		if strictjson.Text(key) != "output" {
			rest = append(append(append(append(rest, ','), key...), ':'), value...)
		}
	}
	rest[0] = '{' // hook_event_name is always present
	r.call.ClientInput = string(append(rest, '}'))
	return nil
}

// clientResult returns an outcome as a client's hook output, for a callback that passes it on unchanged. It adds "exit"
// if a command's exit code would not be 0, and "stdout" if the client reads text other than JSON.
func clientResult(client *client.Client, c *dialect.Call, o protocol.Outcome) ([]byte, error) {
	reply, err := client.ReplyTo(c, o)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(string(reply.Stdout))
	if !gjson.Valid(text) || !strings.HasPrefix(text, "{") {
		text = `{"stdout":` + string(strictjson.AppendString(nil, string(reply.Stdout))) + "}"
		if len(reply.Stdout) == 0 {
			text = "{}"
		}
	}
	if reply.Exit != 0 {
		separator := ","
		if text == "{}" {
			separator = ""
		}
		text = fmt.Sprintf("%s%s%q:%d}", strings.TrimSuffix(text, "}"), separator, "exit", reply.Exit)
	}
	return []byte(text), nil
}

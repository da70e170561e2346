package serve

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// takeOutput takes "output" out of the params of fire. It is the one key there that is not the client's, so hooks do
// not see it.
func (r *request) takeOutput() error {
	if !strings.Contains(r.call.ClientInput, `"output"`) { // an input can be megabytes
		return nil
	}
	value := gjson.Get(r.call.ClientInput, "output")
	if value.Type != gjson.String {
		return nil // not ours: a client may come to have such a field
	}
	forms, name := append(registry.ClientNames(), "json"), strictjson.Text(value.Raw)
	if name != "json" {
		var known bool
		if r.call.Output, known = registry.ClientNamed(name); !known {
			near := spelling.Suggest(name, forms)
			return fmt.Errorf("\"output\" %q is not one of %s%s", name, strings.Join(forms, ", "), near)
		}
	}
	rest := make([]byte, 0, len(r.call.ClientInput))
	strictjson.Members(r.call.ClientInput, func(key, value string) bool {
		if strictjson.Text(key) != "output" {
			rest = append(append(append(append(rest, ','), key...), ':'), value...)
		}
		return true
	})
	rest[0] = '{' // hook_event_name is always there
	r.call.ClientInput = string(append(rest, '}'))
	return nil
}

// clientResult is an outcome as a client's hook output, for a callback that hands it on as it is. What only a command
// can say besides has keys of its own: "exit" where that is not 0, and "stdout" where the client reads text that is no
// JSON.
func clientResult(client *dialect.Dialect, o protocol.Outcome) ([]byte, error) {
	reply, err := client.Reply(o)
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

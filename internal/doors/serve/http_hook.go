package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// hook answers the HTTP hook of a client. For clients every status but 2xx, and an answer that never comes, is a hook
// that failed, and a failed hook blocks nothing. So each answer has the status 200, and each refusal is a block.
func (d *httpDoor) hook(w http.ResponseWriter, r *http.Request, name string) {
	client, known := clients.All().ClientNamed(name)
	if !known || !client.Hooks.Posts() { // some client has a wrong URL, and may know the form that others took over
		client, known = clients.All().DefaultClient(), false
	}
	var call dialect.Call
	var result jsonrpc.Result
	text, give, no := d.read(w, r)
	if no == nil {
		defer give()
	}
	var err error
	switch {
	case no != nil:
		err = errors.New(no.text)
		if !no.cut {
			text = d.skip(w, r)
		}
		call.Event = eventIn(client, text)
	case !known:
		names := hookClients()
		err = fmt.Errorf("%q is no client with HTTP hooks; known are %s%s", spelling.Brief(name, 80),
			strings.Join(names, ", "), spelling.Suggest(name, names))
		call.Event = eventIn(client, text)
	default:
		result, err = d.calls.Do(r.Context(), func() (jsonrpc.Result, laterResult, error) {
			return d.server.hook(r.Context(), client, text, &call)
		})
	}
	body := result.JSON
	if err != nil {
		body = refuseHook(client, &call, "hookrun serve: "+err.Error())
	}
	if !gjson.ValidBytes(body) { // a client takes plain text at some events
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	written := d.write(w, http.StatusOK, body)
	if result.Written != nil {
		result.Written(written && err == nil)
	}
}

// hook reads the input of a client's hook into c, and begins the call.
func (s *Server) hook(connection context.Context, client *client.Client, text string,
	c *dialect.Call) (result jsonrpc.Result, later laterResult, err error) {
	began := time.Now()
	r := request{call: calls.Call{Output: client}}
	r.call.Call, r.call.Warnings, err = clients.All().ParseEntryInput(text, client, func(string) string { return "" })
	r.call.Workspace = s.options.Workspace
	if *c = r.call.Call; err != nil {
		s.service.NoVerdict(began, &r.call.Call, err)
		return result, nil, err
	}
	return s.callRead(connection, r, func(f engine.Fired) ([]byte, error) {
		reply, err := client.ReplyTo(&r.call.Call, f.Outcome)
		if len(reply.Stdout) == 0 {
			reply.Stdout = []byte("{}")
		}
		return reply.Stdout, err
	})
}

// isHookInput reports whether a text is a client's hook input, and no request.
func isHookInput(text string) bool {
	return gjson.Get(text, "hook_event_name").Exists() && !gjson.Get(text, "jsonrpc").Exists()
}

// refuseStray returns the answer to a hook input at a path without a client. To clients an error of JSON-RPC or a 404
// would be a hook without an opinion.
func refuseStray(text string) []byte {
	client := clients.All().DefaultClient()
	return refuseHook(client, &dialect.Call{Event: eventIn(client, text)}, "hookrun serve: the URL of this hook must "+
		"end in "+hookPath+"CLIENT; known are "+strings.Join(hookClients(), ", "))
}

// skip reads the body of a refused request and drops it, because a client that cannot send its body gets no answer. It
// returns the beginning.
func (d *httpDoor) skip(w http.ResponseWriter, r *http.Request) string {
	d.limitBody(w, r)
	var begins strings.Builder
	_, err := io.CopyN(&begins, r.Body, maxHead)
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err != nil && err != io.EOF {
		w.Header().Set("Connection", "close")
	} else {
		unlimitBody(w)
	}
	return begins.String()
}

// eventIn returns the event in the beginning of an input, or the one before a tool.
func eventIn(client *client.Client, text string) protocol.Event {
	if event := protocol.Event(gjson.Get(text, "hook_event_name").String()); client.Events.Has(event) {
		return event
	}
	return protocol.PreTool
}

// refuseHook returns the answer to a client's hook without a verdict. At the end of a turn a block would start the turn
// again, for ever, so there the user alone is told.
func refuseHook(client *client.Client, c *dialect.Call, why string) []byte {
	if c.Event == "" {
		c.Event = protocol.PreTool
	}
	o := protocol.Outcome{Version: 1, Event: c.Event, Decision: protocol.Continue, SystemMessages: []string{why}}
	if client.Events.Of(c.Event).Can&dialect.EndsTurn == 0 {
		o = calls.Blocked(c, why)
		o.Failed = c.Failed
		dialect.Withhold(c, &o)
	}
	reply, err := client.ReplyTo(c, o)
	if err != nil || len(reply.Stdout) == 0 {
		return []byte("{}")
	}
	return reply.Stdout
}

package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/gate"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/protocol"
)

// hook answers the HTTP hook of a client. For clients every status but 2xx, and an answer that never comes, is a hook
// that failed, and a failed hook blocks nothing. So each answer has the status 200, and each refusal is a block.
func (d *httpDoor) hook(w http.ResponseWriter, r *http.Request, client *dialect.Dialect) {
	var call dialect.Call
	var result jsonrpc.Result
	text, give, no := d.read(w, r)
	var err error
	if no != nil {
		err = jsonrpc.Errorf(jsonrpc.InvalidRequest, "%s", no.text)
		call.Event = d.skip(w, r, client)
	} else {
		defer give()
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
	written := write(w, http.StatusOK, body)
	if result.Written != nil {
		result.Written(written && err == nil)
	}
}

// hook reads the input of a client's hook into c, and begins the call.
func (s *Server) hook(connection context.Context, client *dialect.Dialect, text string,
	c *dialect.Call) (result jsonrpc.Result, later laterResult, err error) {
	began := time.Now()
	r := request{call: gate.Call{Output: client}}
	r.call.Call, r.call.Warnings, err = registry.ParseEntryInput(text, client, func(string) string { return "" })
	r.call.Workspace = s.options.Workspace
	if *c = r.call.Call; err != nil {
		s.gate.NoVerdict(began, &r.call.Call, err)
		return result, nil, err
	}
	return s.callRead(connection, r, func(f engine.Fired) ([]byte, error) {
		reply, err := client.Reply(f.Outcome)
		if len(reply.Stdout) == 0 {
			reply.Stdout = []byte("{}")
		}
		return reply.Stdout, err
	})
}

// skip reads the body of a refused request and drops it, because a client that cannot send its body gets no answer. It
// returns the event, which stands near the beginning, or the one before a tool.
func (d *httpDoor) skip(w http.ResponseWriter, r *http.Request, client *dialect.Dialect) protocol.Event {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(timeFor(int(min(max(r.ContentLength, 0), maxLine)))))
	var begins bytes.Buffer
	_, _ = io.CopyN(&begins, r.Body, maxHead)
	_, _ = io.Copy(io.Discard, r.Body)
	_ = conn.SetReadDeadline(time.Time{})
	event := protocol.Event(gjson.GetBytes(begins.Bytes(), "hook_event_name").String())
	if !client.Events.Has(event) {
		event = protocol.PreTool
	}
	return event
}

// refuseHook returns the answer to a client's hook without a verdict. At the end of a turn a block would start the turn
// again, for ever, so there the user alone is told.
func refuseHook(client *dialect.Dialect, c *dialect.Call, why string) []byte {
	if c.Event == "" {
		c.Event = protocol.PreTool
	}
	o := protocol.Outcome{Version: 1, Event: c.Event, Decision: protocol.Continue, SystemMessages: []string{why}}
	if client.Events.Of(c.Event).Can&dialect.EndsTurn == 0 {
		o = gate.Blocked(c, why)
		o.Failed = c.Failed
		registry.Withhold(c, &o)
	}
	reply, err := client.Reply(o)
	if err != nil || len(reply.Stdout) == 0 {
		return []byte("{}")
	}
	return reply.Stdout
}

package mcpproxy

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// fromClient handles one line from the client.
func (p *Proxy) fromClient(line string, tooLong error) {
	if tooLong != nil {
		p.refuse("", jsonrpc.Errorf(jsonrpc.InvalidRequest, "the line is longer than %d MiB", maxLine>>20))
		return
	}
	if at := strictjson.InvalidUTF8(line); at >= 0 { // lenient decoders turn some such bytes into quotes
		p.refuse("", jsonrpc.Errorf(jsonrpc.ParseError, "column %d: not UTF-8", at+1))
		return
	}
	line, equalKeys, err := check(line)
	if err != nil {
		p.refuse("", err)
		return
	}
	if equalKeys != "" {
		err = jsonrpc.Errorf(jsonrpc.InvalidRequest, "%s", equalKeys)
	}
	if isList(line) {
		p.batch(line, err)
		return
	}
	m, wrong := parse(line)
	switch err = cmp.Or(wrong, err); {
	case err != nil:
		p.refuse(m.id, err)
	case m.method == callMethod:
		p.call(&m)
	case m.method == "notifications/cancelled" && m.key == "":
		p.cancelled(&m)
	default:
		if m.request() {
			if err := p.begin(&request{key: m.key, id: m.id, method: m.method, at: atServer}); err != nil {
				p.turnAway(m.id, err)
				return
			}
		}
		p.server.put(outgoing{text: line})
	}
}

// turnAway answers a request that begin refused. If another request has the same id, the error has the id null, so the
// other request's answer stays unique.
func (p *Proxy) turnAway(id string, err *jsonrpc.Error) {
	if err.Code == jsonrpc.InvalidRequest {
		id = ""
	}
	p.refuse(id, err)
}

func isList(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "[") }

// batch passes on a line with several messages if no message is a call or could be read as a call.
func (p *Proxy) batch(line string, err *jsonrpc.Error) {
	var requests []*request
	for _, element := range gjson.Parse(line).ForEach {
		m, wrong := parse(element.Raw)
		switch {
		case wrong != nil:
			err = wrong
		case m.method == callMethod || m.method == "notifications/cancelled":
			err = jsonrpc.Errorf(jsonrpc.InvalidRequest,
				"%s is not passed on in a batch; write one message on a line", m.method)
		}
		if m.key != "" && !m.reply() {
			requests = append(requests, &request{key: m.key, id: m.id, method: m.method, at: atServer})
		}
	}
	begun := 0
	for ; err == nil && begun < len(requests); begun++ {
		if err = p.begin(requests[begun]); err != nil {
			break
		}
	}
	switch {
	case err == nil:
		p.server.put(outgoing{text: line})
		return
	case len(requests) == 0:
		p.refuse("", err)
		return
	}
	for _, r := range requests[:begun] {
		p.take(r)
	}
	answers := make([]string, len(requests)) // the client waits for all of them
	for i, r := range requests {
		answers[i] = failure(r.id, err.Code, err.Message)
	}
	p.client.offer(outgoing{text: "[" + strings.Join(answers, ",") + "]"})
}

// call calls the gate for a tools/call, unless the gate is idle, and passes the call on.
func (p *Proxy) call(m *message) {
	tool, arguments, err := m.call()
	switch {
	case m.key == "": // some servers would run it without an id
		p.o.Log("a tools/call without an id can have no answer, and was dropped")
		p.refuse("", jsonrpc.Errorf(jsonrpc.InvalidRequest, "tools/call needs an id, which is a string or a number"))
		return
	case err != nil:
		p.refuse(m.id, err)
		return
	}
	c := &Call{ID: idText(m.id), Tool: tool, Args: arguments.raw}
	if c.Args == "" || c.Args == "null" {
		c.Args = "{}"
	}
	ctx, cancel := context.WithCancel(p.ctx)
	r := &request{key: m.key, id: m.id, method: m.method, call: c, task: m.task(), size: len(m.text),
		cancel: cancel, sent: make(chan struct{})}
	if err := p.begin(r); err != nil {
		cancel()
		p.turnAway(m.id, err)
		return
	}
	named, err := p.serverName(c)
	if err != nil {
		cancel()
		p.reject(r, err)
		return
	}
	r.tool = p.tool(tool)
	if named == nil && r.tool.listed && p.gate.Idle(c, false) {
		defer cancel()
		p.pass(r, m, CallDecision{})
		return
	}
	p.start(&p.before, func() {
		defer cancel()
		var b CallDecision
		if named != nil {
			select {
			case <-named:
			case <-ctx.Done():
			}
			if _, err := p.serverName(c); err != nil {
				p.reject(r, err)
				return
			}
		}
		if !r.tool.listed {
			if r.tool, err = p.lookUp(ctx, tool); err != nil {
				p.reject(r, err)
				return
			}
		}
		if !p.gate.Idle(c, false) {
			b = p.callGate(ctx, c)
		}
		p.pass(r, m, b)
	})
}

// reject answers a call with an error, if the client still wants an answer. If the tool is unknown, the answer is a
// result, as from servers of the official SDKs.
func (p *Proxy) reject(r *request, err *jsonrpc.Error) {
	defer close(r.sent)
	line := failure(r.id, err.Code, err.Message)
	if err.Code == jsonrpc.InvalidParams {
		line = refusal(r.id, err.Message)
	}
	p.deliver(r, line, nil)
}

// callGate calls the gate. It refuses arguments that server and gate could read differently.
func (p *Proxy) callGate(ctx context.Context, c *Call) CallDecision {
	if one, other := similarKeys(c.Args); other != "" {
		return CallDecision{Refused: true, Reason: fmt.Sprintf(
			"the arguments have the keys %q and %q, which some would read as one; leave one out", one, other)}
	}
	return p.gate.Before(ctx, c)
}

// serverName sets c.Server. If an initialize is pending, serverName returns a channel that is closed after the server's
// answer; then the server also answers a tools/list. The error means that no name is coming: hooks match the name, so
// they would miss a call without a name.
func (p *Proxy) serverName(c *Call) (named <-chan struct{}, err *jsonrpc.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.Server = p.name
	switch {
	case p.naming != nil && (p.name == "" || p.tools == nil):
		return p.naming, nil
	case p.name == "":
		const text = "the server has not answered an initialize, so hookrun does not know its name, by which hooks " +
			"match tools; send initialize first, or start hookrun mcp with --name NAME"
		return nil, jsonrpc.Errorf(jsonrpc.InvalidRequest, text)
	}
	return nil, nil
}

// pass applies the gate's decision to a call, if the client still wants it.
func (p *Proxy) pass(r *request, m *message, b CallDecision) {
	defer close(r.sent)
	if b.Args != "" {
		b.Args = compact(b.Args) // a hook may return several lines
	}
	p.mu.Lock()
	wanted := p.pending[r.key] == r && p.ctx.Err() == nil && p.dead == ""
	if wanted && !b.Refused {
		r.at, r.texts, r.call.Args = atServer, b.Texts, cmp.Or(b.Args, r.call.Args)
	}
	p.mu.Unlock()
	switch {
	case !wanted:
	case b.Refused:
		p.deliver(r, refusal(r.id, b.Reason), nil)
	case b.Args != "":
		p.server.put(outgoing{text: m.withArguments(r.call.Args)})
	default:
		p.server.put(outgoing{text: m.text})
	}
}

// cancelled drops a request cancelled by the client. A call still at the gate ends and never reaches the server. An
// answer that waits for the client is dropped.
func (p *Proxy) cancelled(m *message) {
	var id string
	if strings.HasPrefix(m.params.raw, "{") {
		id = gjson.Get(m.params.raw, "requestId").Raw
	}
	p.mu.Lock()
	r := p.pending[keyOf(id)]
	if r != nil && r.own != nil { // not the client's request
		r = nil
	}
	p.takeLocked(r)
	held, passed := r != nil && r.at == atGate, r != nil && r.at == atServer && r.call != nil
	p.mu.Unlock()
	if held {
		r.cancel()
		return
	}
	if passed {
		<-r.sent // the call must reach the server first
	}
	p.server.put(outgoing{text: m.text})
}

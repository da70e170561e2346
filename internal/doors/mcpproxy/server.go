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

// fromServer handles one line from the server.
func (p *Proxy) fromServer(line string, tooLong error) {
	if tooLong != nil {
		p.logDropped("the server wrote a line of over %d MiB, which was dropped", maxLine>>20)
		if r := p.soleRequest(); r != nil { // the id is unknown, but only this request waits
			p.rejectAnswer(r, jsonrpc.Errorf(jsonrpc.InternalError, "its line is longer than %d MiB", maxLine>>20))
		}
		return
	}
	text, equalKeys, err := check(line)
	switch {
	case err != nil:
		p.logDropped("the server wrote a line that is no JSON, which was dropped: %q", brief(line))
		return
	case isList(text):
		p.answers(text)
		return
	}
	m, err := parse(text)
	if err == nil && (!m.reply() || m.key == "") {
		p.listChanged(&m)
		p.client.put(outgoing{text: text})
		return
	}
	r := p.reply(m.key)
	if err == nil && strings.HasPrefix(m.result.raw, "{") {
		_, err = members(m.result.raw, "content", "structuredContent", "isError")
	}
	switch {
	case r == nil && err != nil:
		p.logDropped("the server wrote a message that was dropped: %s: %q", err.Message, brief(text))
	case r == nil:
		p.logDropped("the server wrote a message that answers no request, which was dropped: %q", brief(text))
	case err != nil:
		p.rejectAnswer(r, err)
	case r.own != nil:
		p.answerOwn(r, &m, nil)
	case r.call != nil:
		p.answer(r, &m, equalKeys)
	default:
		p.learn(r, &m)
		p.deliver(r, text, nil)
	}
}

// reply returns the request answered by the server. A request can be answered once, and only after the server got it.
func (p *Proxy) reply(key string) *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.pending[key]
	if r == nil || r.at != atServer {
		return nil
	}
	r.at = answered
	return r
}

// soleRequest returns the request at the server and marks it as answered, if exactly one is at the server.
func (p *Proxy) soleRequest() (sole *request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.pending {
		switch {
		case r.at != atServer:
		case sole != nil:
			return nil
		default:
			sole = r
		}
	}
	if sole != nil {
		sole.at = answered
	}
	return sole
}

// rejectAnswer answers a request with an error, because readers disagree about the server's answer.
func (p *Proxy) rejectAnswer(r *request, err *jsonrpc.Error) {
	p.logDropped("the server's answer to the request %s cannot be passed on: %s", r.id, err.Message)
	if r.own != nil {
		p.answerOwn(r, nil, err)
		return
	}
	p.deliver(r, failure(r.id, jsonrpc.InternalError, "the server's answer cannot be passed on: "+err.Message), nil)
}

// learn stores the server's name and tools. The first name stays, because hooks match it.
func (p *Proxy) learn(r *request, m *message) {
	if r.method == listMethod {
		p.learnPage(m.result.raw)
	}
	if r.method == "initialize" && strings.HasPrefix(m.result.raw, "{") {
		name := ""
		if given := gjson.Get(m.result.raw, "serverInfo.name"); given.Type == gjson.String {
			name = plainName(strictjson.Text(given.Raw))
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.name = cmp.Or(p.name, name, unnamed)
	}
}

// answers passes on a line with several messages. Calls never go to the server in batches, so no batch answers a call.
func (p *Proxy) answers(line string) {
	var replies []*request
	var messages []message
	var err *jsonrpc.Error
	for _, element := range gjson.Parse(line).ForEach {
		m, wrong := parse(element.Raw)
		if wrong != nil {
			err = wrong
		}
		p.listChanged(&m)
		if m.reply() && m.key != "" {
			r := p.reply(m.key)
			if r == nil || r.call != nil || r.own != nil {
				err = jsonrpc.Errorf(jsonrpc.InternalError, "a batch answers the request %s, which was in none", m.id)
			}
			if r != nil {
				replies, messages = append(replies, r), append(messages, m)
			}
		}
	}
	if err != nil {
		p.logDropped("the server wrote a batch that was dropped: %s", err.Message)
	}
	for i, r := range replies {
		if err != nil {
			p.rejectAnswer(r, err)
		} else {
			p.learn(r, &messages[i])
			p.take(r)
		}
	}
	if err == nil {
		p.client.put(outgoing{text: line})
	}
}

// answer calls the gate for a result, unless the gate is idle, and passes the result on. The result of a task comes
// later, and texts added to the task's announcement would reach no model. A result with equal keys is withheld, because
// hooks and client may read different values.
func (p *Proxy) answer(r *request, m *message, equalKeys string) {
	task := r.task && isTask(m.result.raw)
	if task || len(r.texts) == 0 && p.gate.Idle(r.call, true) {
		for _, text := range r.texts {
			p.o.Log("%s runs as a task, so the client does not get: %s", r.call.Tool, text)
		}
		p.deliver(r, m.text, nil)
		return
	}
	if equalKeys != "" {
		p.rejectAnswer(r, jsonrpc.Errorf(jsonrpc.InternalError, "%s", equalKeys))
		return
	}
	size := int64(len(m.text))
	_ = p.room.Acquire(context.Background(), size) // blocks the server until there is room
	p.start(&p.after, func() {
		defer p.room.Release(size)
		result := resultOf(m)
		a := p.gate.After(p.ctx, r.call, result)
		line := m.text
		if !result.Error {
			line = m.result.replace(m.text, r.tool.adapt(m.result.raw, a, append(r.texts, a.Texts...)))
		}
		p.deliver(r, line, a.OnDelivered)
	})
}

// logDropped logs a dropped line of the server. A server that logs on its stdout writes many such lines, so after the
// first hundred the proxy logs each tenth, after the first thousand each hundredth, and so on.
func (p *Proxy) logDropped(format string, args ...any) {
	p.mu.Lock()
	p.dropped++
	n := p.dropped
	p.mu.Unlock()
	each := 1
	for each*100 < n {
		each *= 10
	}
	switch {
	case n <= 100:
		p.o.Log(format, args...)
	case n%each == 0:
		p.o.Log("%s (%d such lines so far)", fmt.Sprintf(format, args...), n)
	}
}

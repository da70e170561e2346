package mcpproxy

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// fromServer handles one line from the server.
func (p *Proxy) fromServer(line string, tooLong error) {
	if tooLong != nil {
		p.logOdd("the server wrote a line of over %d MiB, which was dropped", maxLine>>20)
		if r := p.only(); r != nil { // its id is unknown, but no other request waits for an answer
			p.unreadable(r, jsonrpc.Errorf(jsonrpc.InternalError, "its line is longer than %d MiB", maxLine>>20))
		}
		return
	}
	text, equalKeys, err := check(line)
	switch {
	case err != nil:
		p.logOdd("the server wrote a line that is no JSON, which was dropped: %q", brief(line))
		return
	case isList(text):
		p.answers(text)
		return
	}
	m, err := parse(text)
	if err == nil && (!m.reply() || m.key == "") {
		p.listChanged(&m)
		p.client.put(text, nil)
		return
	}
	r := p.reply(m.key)
	if err == nil && strings.HasPrefix(m.result.raw, "{") {
		_, err = members(m.result.raw, "content", "structuredContent", "isError")
	}
	switch {
	case r == nil && err != nil:
		p.logOdd("the server wrote a message that was dropped: %s: %q", err.Message, brief(text))
	case r == nil:
		p.logOdd("the server wrote a message that answers no request, which was dropped: %q", brief(text))
	case err != nil:
		p.unreadable(r, err)
	case r.own != nil:
		p.answerOwn(r, &m, nil)
	case r.call != nil:
		p.answer(r, &m, equalKeys)
	default:
		p.learn(r, &m)
		if p.take(r) {
			p.client.put(text, nil)
		}
	}
}

// reply finds the request that the server answers. A request can be answered once, and not before the server got it.
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

// only finds the request at the server, if there is exactly one, and marks it as answered.
func (p *Proxy) only() (only *request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.pending {
		switch {
		case r.at != atServer:
		case only != nil:
			return nil
		default:
			only = r
		}
	}
	if only != nil {
		only.at = answered
	}
	return only
}

// unreadable answers a request for the server, because different readers read its answer differently.
func (p *Proxy) unreadable(r *request, err *jsonrpc.Error) {
	p.logOdd("the server's answer to the request %s cannot be passed on: %s", r.id, err.Message)
	if r.own != nil {
		p.answerOwn(r, nil, err)
		return
	}
	if p.take(r) {
		p.client.put(failure(r.id, jsonrpc.InternalError, "the server's answer cannot be passed on: "+err.Message), nil)
	}
}

// learn learns the server's name and tools. The first name stays, because hooks go by it.
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

// answers passes on a line with several messages. Calls never go to the server in batches, so none is answered in one.
func (p *Proxy) answers(line string) {
	var replies []*request
	var messages []message
	var err *jsonrpc.Error
	gjson.Parse(line).ForEach(func(_, element gjson.Result) bool {
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
		return true
	})
	if err != nil {
		p.logOdd("the server wrote a batch that was dropped: %s", err.Message)
	}
	for i, r := range replies {
		if err != nil {
			p.unreadable(r, err)
		} else {
			p.learn(r, &messages[i])
			p.take(r)
		}
	}
	if err == nil {
		p.client.put(line, nil)
	}
}

// answer calls the gate for a result, unless it is idle, and passes the result on. The result of a task comes later;
// texts added to its announcement would reach no model. A result with equal keys is withheld: hooks read one of the
// values, and the client the other.
func (p *Proxy) answer(r *request, m *message, equalKeys string) {
	task := r.task && isTask(m.result.raw)
	if task || len(r.texts) == 0 && p.gate.Idle(r.call, true) {
		for _, text := range r.texts {
			p.o.Log("%s runs as a task, so the client does not get: %s", r.call.Tool, text)
		}
		if p.take(r) {
			p.client.put(m.text, nil)
		}
		return
	}
	if equalKeys != "" {
		p.unreadable(r, jsonrpc.Errorf(jsonrpc.InternalError, "%s", equalKeys))
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
		if p.take(r) {
			p.client.put(line, a.Given)
		} else if a.Given != nil {
			a.Given(false) // the client has cancelled the call
		}
	})
}

// logOdd logs that a line of the server is not passed on. A server that logs on its stdout writes many such lines:
// behind the first hundred the proxy logs each tenth, behind the first thousand each hundredth, and so on.
func (p *Proxy) logOdd(format string, args ...any) {
	p.mu.Lock()
	p.odd++
	n := p.odd
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

package mcpproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

const (
	listMethod  = "tools/list"
	listChanged = "notifications/tools/list_changed"
	ownID       = "hookrun tools/list "
)

// Limits of one listing by the proxy.
const (
	listPatience = 30 * time.Second
	maxPages     = 1000
)

// tool is the proxy's knowledge about a tool.
type tool struct {
	listed bool   // the server lists it
	schema string // of the structured content; "": no schema
}

// learnTools adds the tools of an answer to known. It reports whether the answer has a list of tools.
func learnTools(known map[string]tool, result string) bool {
	list := gjson.Get(result, "tools")
	for _, t := range list.ForEach {
		name := t.Get("name")
		if !t.IsObject() || name.Type != gjson.String {
			continue
		}
		about := tool{listed: true}
		if schema := t.Get("outputSchema"); schema.IsObject() {
			about.schema = schema.Raw
		}
		known[strictjson.Text(name.Raw)] = about
	}
	return list.IsArray()
}

// learnPage adds the server's answer to a tools/list of the client. After a change the first answer starts a new list.
func (p *Proxy) learnPage(result string) {
	found := map[string]tool{}
	if !learnTools(found, result) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stale || p.tools == nil {
		p.tools, p.stale = found, false
		return
	}
	maps.Copy(p.tools, found)
}

// listChanged handles the server's notification about changed tools.
func (p *Proxy) listChanged(m *message) {
	if m.method != listChanged {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes++
	p.stale = true
}

// tool looks up a tool in the known list.
func (p *Proxy) tool(name string) tool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stale {
		return tool{}
	}
	return p.tools[name]
}

// lookUp requests the server's list because the client calls an unknown tool. Concurrent callers share a list. An error
// means that the call must not be passed on. If the server gives no list, calls are passed on under any name.
func (p *Proxy) lookUp(ctx context.Context, name string) (tool, *jsonrpc.Error) {
	_, err, _ := p.listing.Do("", func() (any, error) {
		if p.tool(name).listed { // another caller has fetched the list meanwhile
			return nil, nil
		}
		return nil, p.fetchList()
	})
	p.mu.Lock()
	known, t := p.tools != nil, p.tools[name]
	p.mu.Unlock()
	switch {
	case ctx.Err() != nil: // the call was cancelled
		return t, jsonrpc.Errorf(codeEnded, "%v", context.Cause(ctx))
	case t.listed:
		return t, nil
	case err != nil:
		return t, jsonrpc.Errorf(codeEnded, "whether the server has the tool %q is not known: %v", brief(name), err)
	case known:
		return t, jsonrpc.Errorf(jsonrpc.InvalidParams, "unknown tool %q%s call a tool by its name in tools/list",
			brief(name), cmp.Or(p.suggestion(name), ";"))
	}
	return t, nil
}

// suggestion suggests a listed tool for an unlisted name.
func (p *Proxy) suggestion(name string) string {
	p.mu.Lock()
	names := slices.Collect(maps.Keys(p.tools))
	p.mu.Unlock()
	near := spelling.Near(strings.TrimSpace(name), names)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", brief(near[0]))
}

// fetchList requests the whole list, and replaces the known list. An answer without a list is logged and is no error.
func (p *Proxy) fetchList() error {
	p.mu.Lock()
	changes := p.changes
	p.mu.Unlock()
	late := fmt.Errorf("it has not answered tools/list for %v", listPatience)
	ctx, cancel := context.WithTimeoutCause(p.ctx, listPatience, late)
	defer cancel()
	found, err := p.allPages(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	var refused *noList
	switch {
	case err == nil:
		p.tools, p.stale = found, p.changes != changes
	case !errors.As(err, &refused):
		return err
	case p.tools == nil && !p.toldNoList:
		p.toldNoList = true
		p.o.Log("the server gives no list of its tools, so calls pass by any name: %v", err)
	}
	return nil
}

// noList is the error for an answer to tools/list without a list.
type noList struct{ why string }

func (e *noList) Error() string { return e.why }

// allPages requests all pages of the list.
func (p *Proxy) allPages(ctx context.Context) (found map[string]tool, err error) {
	found = map[string]tool{}
	cursor := ""
	for range maxPages {
		result, err := p.page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		if !learnTools(found, result) {
			return nil, &noList{"its answer to tools/list has no list \"tools\""}
		}
		next := gjson.Get(result, "nextCursor")
		if next.Type != gjson.String {
			return found, nil
		}
		cursor = next.Raw
	}
	return nil, fmt.Errorf("its list of tools has over %d pages", maxPages)
}

// page requests one page of the list. The cursor is JSON, "" for the first page.
func (p *Proxy) page(ctx context.Context, cursor string) (result string, err error) {
	p.mu.Lock()
	p.own++
	id := ownID + strconv.Itoa(p.own)
	p.mu.Unlock()
	text := string(strictjson.AppendString(nil, id))
	r := &request{key: keyOf(text), id: text, method: listMethod, at: atServer, own: make(chan ownAnswer, 1)}
	if err := p.begin(r); err != nil {
		return "", errors.New(err.Message)
	}
	params := ""
	if cursor != "" {
		params = `,"params":{"cursor":` + cursor + `}`
	}
	p.server.put(outgoing{text: `{"jsonrpc":"2.0","id":` + text + `,"method":"` + listMethod + `"` + params + `}`})
	select {
	case a := <-r.own:
		return a.result, a.err
	case <-ctx.Done():
		p.take(r)
		return "", context.Cause(ctx)
	}
}

// ownAnswer is the answer to a request sent by the proxy.
type ownAnswer struct {
	result string
	err    error
}

// answerOwn delivers the answer to a request sent by the proxy. The client does not get the answer.
func (p *Proxy) answerOwn(r *request, m *message, err *jsonrpc.Error) {
	if !p.take(r) {
		return
	}
	switch {
	case err != nil:
		r.own <- ownAnswer{err: errors.New(err.Message)}
	case m.failed.exists():
		r.own <- ownAnswer{err: &noList{"it answers tools/list with the error " + brief(compact(m.failed.raw))}}
	default:
		r.own <- ownAnswer{result: m.result.raw}
	}
}

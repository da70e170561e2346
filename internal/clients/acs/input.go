package acs

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Encode writes the request for a decision. Each request has ids of its own: a Guardian refuses an id that comes twice.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	method, payload, warnings, err := payloadOf(c)
	if err != nil {
		return nil, nil, err
	}
	return dialect.Payload{envelope(c, method, payload), []byte("\n")}, warnings, nil
}

// payloadOf returns the method and the payload for a call.
func payloadOf(c *dialect.Call) (method string, payload strictjson.Fields, warnings []string, err error) {
	tool := func() []byte { return dialect.JSONObject("name", strictjson.Quote(c.ProjectTool())) }
	switch c.Common() {
	case protocol.PreExecute:
		text := dialect.JSONObject("type", []byte(`"text"`), "value", strictjson.Quote(c.Prompt))
		return UserMessage, dialect.FieldsOf("content", dialect.JSONList(text)), nil, nil
	case protocol.PreTool:
		input, warnings, err := c.Input()
		if err != nil {
			return "", nil, nil, err
		}
		args := gjson.ParseBytes(input)
		if !args.IsObject() {
			return "", nil, nil, errors.New("the tool's arguments are no JSON object, and the Agent Control Standard " +
				"carries no others")
		}
		var wrapped strictjson.Fields
		for key, value := range args.ForEach {
			wrapped = append(wrapped, strictjson.Field{Key: strictjson.Text(key.Raw),
				Value: dialect.JSONObject("value", []byte(value.Raw))})
		}
		return ToolCallRequest, dialect.FieldsOf("tool", tool(), "arguments", dialect.ObjectOf(wrapped)), warnings, nil
	case protocol.PostTool:
		status := `"success"`
		if c.Failed {
			status = `"failure"`
		}
		return ToolCallResult, dialect.FieldsOf("tool", tool(), "exit_status", []byte(status), "outputs",
			dialect.JSONList(dialect.JSONObject("value", strictjson.Quote(c.Result)))), nil, nil
	}
	return "", nil, nil, fmt.Errorf("the Agent Control Standard has no step for %s", c.Event)
}

// envelope returns a request.
func envelope(c *dialect.Call, method string, payload strictjson.Fields) []byte {
	metadata := dialect.JSONObject("agent_id", strictjson.Quote(cmp.Or(c.AgentID, "hookrun")),
		"session_id", strictjson.Quote(sessionID(c)), "platform", []byte(`"hookrun"`))
	params := dialect.JSONObject("acs_version", []byte(`"`+Version+`"`), "request_id", strictjson.Quote(newID()),
		"timestamp", strictjson.Quote(time.Now().UTC().Format("2006-01-02T15:04:05.000Z")),
		"metadata", metadata, "payload", dialect.ObjectOf(payload))
	return dialect.JSONObject("jsonrpc", []byte(`"2.0"`), "method", strictjson.Quote(method),
		"id", strictjson.Quote(newID()), "params", params)
}

// Negotiate greets: a Guardian that knows no handshake of the session wants one first.
func (h hooks) Negotiate(c *dialect.Call, answer []byte) (hello, again dialect.Payload) {
	const notNegotiated = -32003
	if code := gjson.GetBytes(answer, "error.code"); code.Type != gjson.Number || code.Num != notNegotiated {
		return nil, nil
	}
	again, _, err := h.Encode(c)
	if err != nil {
		return nil, nil
	}
	return dialect.Payload{envelope(c, "handshake/hello", dialect.FieldsOf(
		"acs_versions_supported", []byte(`["`+Version+`"]`),
		"methods_implemented", []byte(`["`+UserMessage+`","`+ToolCallRequest+`","`+ToolCallResult+`"]`),
		"transports_supported", []byte(`["http"]`), "provenance_producer", []byte(`"none"`),
		"profiles_supported", []byte(`[]`)))}, again
}

var uuid = lazy.Regexp{Text: `^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\z`}

// sessionID returns the call's session as a UUID: a UUID as it is, any other name as a hash of the name.
func sessionID(c *dialect.Call) string {
	if uuid.Get().MatchString(c.SessionID) {
		return c.SessionID
	}
	sum := sha256.Sum256([]byte(cmp.Or(c.SessionID, "no session in "+c.Workspace)))
	return formatUUID(sum[:], 8) // 8: made in a way of one's own
}

func newID() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return formatUUID(random, 4)
}

func formatUUID(b []byte, kind byte) string {
	b[6], b[8] = b[6]&0x0f|kind<<4, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

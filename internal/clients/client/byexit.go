package client

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// DecodeExit reads the result of a hook for a client that knows no JSON answer: exit 2 blocks, with stderr as the
// reason, and any other code is a failure. At an event with Inject, stdout is text for the model.
func DecodeExit(m dialect.Event, hook string, r *dialect.HookResult) dialect.Verdict {
	who := dialect.MessagePrefix(m.Name, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	v := dialect.OK()
	if r.ExitCode == 2 && r.Signal == "" && m.Can&dialect.Block != 0 {
		v.Decide(protocol.Block, cmp.Or(strings.TrimSpace(r.Stderr.All()), "Blocked by a hook"))
		return v
	}
	if cause, problem := r.Ended(who); problem != "" {
		return dialect.Failed(cause, problem)
	}
	if m.Can&dialect.Inject != 0 {
		v.Context, v.Truncated = strings.TrimSpace(r.Stdout.All()), r.Stdout.LeftOut() > 0
	}
	v.Doubt = nearmiss.MisspelledBlockInText(who, r.Stdout.All())
	return v
}

// ReplyByExit encodes an outcome for a client of DecodeExit. An effect that the client cannot express before a tool
// becomes a block. If the client reads neither a block nor stdout, the texts are JSON on stdout, for its log.
func ReplyByExit(o protocol.Outcome, m dialect.Event, client string) (Reply, error) {
	texts, loss := dialect.TextsOf(o), ""
	if m.CommonName() == protocol.PreTool && o.Decision != protocol.Block && !o.Stop {
		loss = UnsupportedOutcome(o, client)
	}
	notes := NewNotes(o, client, m.Name)
	held := o.Decision != protocol.Continue || o.Stop || loss != ""
	reason := Joined(o.StopReason, BlockReason(o, client), loss)
	switch {
	case held && m.Can&dialect.Block != 0:
		all := append(append([]string{reason}, texts...), notes.ToUser...)
		return Reply{Stderr: cmp.Or(strings.TrimSpace(Joined(all...)), "Blocked by a hook"), Exit: 2}, nil
	case held:
		notes.Cannot("be blocked", reason)
	}
	if o.UpdatedOutput != nil {
		notes.Cannot("take another result", AHook(o.UpdatedBy)+" changed it")
	}
	text := Joined(append(texts, notes.ToUser...)...)
	if m.Can&dialect.Inject != 0 || text == "" {
		return Reply{Stdout: []byte(text)}, nil
	}
	return Reply{Stdout: dialect.JSONObject("message", strictjson.Quote(text))}, nil
}

//go:build linux

package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process/processtest"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// A panic of hookrun's own blocks the call in which it happens, whatever on_failure says, and leaves the next one
// alone.
func TestPanicBlocksTheCall(t *testing.T) {
	rule := hook{"name": "h", "block": "no", "if": "shell", "events": []string{"pre-tool"}}
	for name, c := range map[string]struct {
		hook  hook
		spoil func(*dialecttest.Spoilt)
	}{
		"input": {sh("exit 0"), func(s *dialecttest.Spoilt) {
			s.OnEncode = func(*dialect.Call) (dialect.Payload, []string, error) { panic("spoilt") }
		}},
		"answer": {sh("exit 0"), func(s *dialecttest.Spoilt) {
			s.OnDecode = func(*dialect.Call, string, *dialect.HookResult) dialect.Verdict { panic("spoilt") }
		}},
		"merging": {sh("exit 0"), func(s *dialecttest.Spoilt) {
			s.OnMerge = func(*dialect.Merging) { panic("spoilt") }
		}},
		"merging of a rule": {rule, func(s *dialecttest.Spoilt) {
			s.OnMerge = func(*dialect.Merging) { panic("spoilt") }
		}},
		"selection of a rule": {rule, func(s *dialecttest.Spoilt) {
			s.OnEvent = func(*dialect.Call) protocol.Event { panic("spoilt") }
		}},
		"persistent": {sh("while read l; do echo '{}'; done", hook{"persistent": true}), func(s *dialecttest.Spoilt) {
			s.OnDecode = func(*dialect.Call, string, *dialect.HookResult) dialect.Verdict { panic("spoilt") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			c.hook["on_failure"] = "continue"
			if name == "merging of a rule" || name == "selection of a rule" {
				delete(c.hook, "on_failure")
			}
			cfg := b.config(c.hook, sh("exit 0"))
			spoilt := *cfg.Hooks[0].Dialect
			hooks := dialecttest.Spoilt{Hooks: spoilt.Hooks}
			c.spoil(&hooks)
			spoilt.Hooks = hooks
			cfg.Hooks[0].Dialect = &spoilt
			r := b.stays(engine.Options{}, cfg)
			for range 2 {
				o, err := r.Fire(context.Background(), b.pre())
				require.Regexp(t, `^hookrun itself failed: spoilt \(engine_test\.`, err)
				require.Equal(t, protocol.Block, o.Decision)
				require.Equal(t, protocol.CauseUnstarted, o.Cause)
				require.Equal(t, err.Error(), o.Reason)
			}
		})
	}
}

// An async hook whose answer makes hookrun panic has held no call up; the next outcome says that the answer is lost.
func TestPanicOfAnAsyncResult(t *testing.T) {
	b := newBench(t)
	cfg := b.claude("PreToolUse", command("exit 0", hook{"async": true}))
	spoilt := *cfg.Hooks[0].Dialect
	own := spoilt.Hooks
	spoilt.Hooks = dialecttest.Spoilt{Hooks: own, OnDecode: func(c *dialect.Call, who string,
		r *dialect.HookResult) dialect.Verdict {
		if r.AsyncResult {
			panic("spoilt")
		}
		return own.Decode(c, who, r)
	}}
	cfg.Hooks[0].Dialect = &spoilt
	r := b.stays(engine.Options{}, cfg)
	const lost = "the answer of the async hook 'exit 0' is lost: hookrun itself failed: spoilt (engine_test."
	said := func(o engine.Fired) bool {
		return slices.ContainsFunc(o.Warnings, func(w string) bool { return strings.HasPrefix(w, lost) })
	}
	if said(b.must(r, b.pre())) { // the hook may end before the call does
		return
	}
	require.Eventually(t, func() bool { return said(b.must(r, b.post())) }, processtest.Patience, time.Millisecond)
}

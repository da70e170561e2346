package dialect

import (
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/protocol"
)

// WouldRewrite is Report.Would of a hook that would have changed the call or the result.
const WouldRewrite = "rewrite"

// ApproveHint is the line of a reason by which a person can let the call pass. The code of the call follows.
const ApproveHint = "To let this call pass once, a person runs in a terminal: hookrun approve "

// Observe removes from an observing hook's verdict all effects on the call and on the model's texts. The report says
// what the hook would have done. A message tells the user, unless silent.
func (h *HookVerdict) Observe(silent bool) {
	v, would, did := &h.Verdict, "", ""
	switch {
	case v.Decision != protocol.Continue:
		would = v.Decision.String() + ": " + v.Reason
		did = map[protocol.Decision]string{protocol.Ask: "asked about", protocol.Defer: "deferred"}[v.Decision]
		if did == "" {
			did = "blocked"
		}
		did += " this call: " + v.Reason
	case v.Stop:
		would, did = "stop: "+v.StopReason, "ended the turn: "+v.StopReason
	case v.UpdatedInput != nil || v.UpdatedOutput != nil:
		would, did = WouldRewrite, "changed this call"
	}
	seen := Verdict{Decision: protocol.Continue, Status: v.Status, SystemMessage: v.SystemMessage, Warnings: v.Warnings}
	if would != "" {
		if seen.SystemMessage != "" {
			seen.SystemMessage += "\n"
		}
		seen.SystemMessage += "Hook '" + printable.Escape(h.Report.Name) + "' only observes. It would have " + did
	}
	if h.Report.Would = would; would != "" && (v.Status == StatusBlocked || v.Status == StatusOK) {
		seen.Status = StatusObserved
	}
	h.Report.Status = seen.Status
	if silent {
		seen.SystemMessage = ""
	}
	h.Verdict = seen
}

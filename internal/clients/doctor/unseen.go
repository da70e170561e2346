package doctor

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// unseen notes actions for which the client runs no hook, if a hook may rely on running for them.
func (c *checked) unseen() {
	cfg := c.doctor.Workspace.Config
	if cfg == nil {
		return
	}
	for _, u := range c.HooklessActions {
		if u.Until != "" && !isOlder(c.release, u.Until) {
			continue
		}
		var names []string
		for i := range cfg.Hooks {
			h := &cfg.Hooks[i]
			isAt := func(e protocol.Event) bool { return clients.All().Common(e) == u.Event }
			if h.Disabled == "" && !h.Rule().Injects() && slices.ContainsFunc(h.Events, isAt) && c.meets(h, u.Tools) {
				names = append(names, h.Name)
			}
		}
		if len(names) > 0 {
			c.add(Finding{Check: "unseen", Severity: Note, Mend: "see docs/clients/" + c.Page,
				What: c.Files.Client + " " + u.What + ", and hooks may count on one: " + list(names)})
		}
	}
}

// isOlder compares two versions of numbers and dots. An unknown version, "", may be older.
func isOlder(version, other string) bool {
	var v [2][3]int
	for i, text := range []string{version, other} {
		_, _ = fmt.Sscanf(text, "%d.%d.%d", &v[i][0], &v[i][1], &v[i][2])
	}
	return slices.Compare(v[0][:], v[1][:]) < 0
}

// meets reports whether a hook is for one of the tools, which have the project's names. An empty list means any tool.
func (c *checked) meets(h *hook.Hook, tools []string) bool {
	theirs, every := h.MatchingTools(c.dialect.Tools, clients.All())
	return every || len(tools) == 0 || slices.ContainsFunc(c.dialect.Tools, func(t dialect.Tool) bool {
		isOne := func(name string) bool { return name != "" && slices.Contains(tools, name) }
		names := t.Names()
		return slices.Contains(theirs, t.Name()) && slices.ContainsFunc(names[:], isOne)
	})
}

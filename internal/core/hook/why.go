package hook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Why explains why the hook runs at the call, or does not run.
func (m *MatchContext) Why(h *Hook) string { return m.contextFor(h).why(h) }

// why is Why in the context of the hook.
func (m *MatchContext) why(h *Hook) string {
	c, v := m.call, m.view(h.Dialect)
	matched := m.matches(h, v) || m.MatchesEvent(h)
	off := h.Off()
	switch {
	case h.Disabled != "":
		return "it is disabled: " + off
	case off != "":
		return off
	case !slices.Contains(h.Events, v.event):
		return fmt.Sprintf("it does not subscribe to %s", v.event)
	case h.Agent != "" && h.Agent != c.AgentID:
		return fmt.Sprintf("it is for the agent %q alone", h.Agent)
	case !h.isFor(c.AgentID):
		return fmt.Sprintf("the agent %q has hooks of its own instead, by \"override\"", c.AgentID)
	case !matched && v.subject == "":
		return fmt.Sprintf("its matcher %q is compared with the %s, which only a client's hook input has", h.Matcher,
			v.fieldName())
	case !matched:
		return fmt.Sprintf("its matcher %q does not match the %s %s", h.Matcher, v.fieldName(), m.subjects(v))
	}
	why := fmt.Sprintf("it subscribes to %s", v.event)
	if h.Matcher != nil && h.Matcher.String() != "" && v.field != "" {
		why += fmt.Sprintf(", and its matcher %q matches the %s %s", h.Matcher, v.fieldName(), m.subjects(v))
	}
	if h.If != nil {
		ok, because := m.allows(h)
		if !ok {
			return fmt.Sprintf("its if %q %s", h.If, because)
		}
		why += fmt.Sprintf(", and its if %q %s", h.If, because)
	}
	if rule := h.PackRule(); rule != nil {
		found := m.Found(h)
		if found.Subject == "" {
			return "the call is not " + rule.Blocks()
		}
		says := rule.Says(found)
		if call, isAct := strings.CutPrefix(says, "This "); isAct {
			says = "the call " + call
		}
		why += ", and " + says
		return why
	}
	for _, condition := range h.When {
		if !m.holds(&condition) {
			return "its condition " + condition.String() + " is not met"
		}
		why += ", and its condition " + condition.String() + " is met"
	}
	return why
}

// subjects describes the names that matchers are compared with: "Bash", here "shell".
func (m *MatchContext) subjects(v *view) string {
	text := strconv.Quote(v.subject)
	separator := ", here "
	for _, name := range m.toolNames(v) {
		text += separator + strconv.Quote(name)
		separator = " and "
	}
	return text
}

// fieldName returns the hook input's field for matchers, in words.
func (v *view) fieldName() string {
	return strings.ReplaceAll(strings.TrimSuffix(v.field, "_name"), "_", " ")
}

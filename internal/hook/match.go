package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/pack"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// MatchContext is a call together with what matching has worked out about it: once for the call, or once for each
// dialect. Only one goroutine may use it, and the call must not change meanwhile.
type MatchContext struct {
	call   *dialect.Call
	levels []*MatchContext // of hooks of other levels, where those have other names for the tool
	views  []view
	room   [1]view                              // of views: most calls have hooks of one dialect
	rule   *permission.Call                     // nil until an if is looked at
	added  map[permission.Kind]*permission.Call // of ifs for names that files of lower levels add
	packs  *pack.Call                           // nil until a rule of a pack is looked at
	doubt  bool                                 // the arguments cannot be read
	values map[string][]value                   // by the path
	looked bool                                 // whether the arguments are torn
	torn   bool

	near      []dialect.Call
	nearKnown bool
	lower     string // the tool's name without blanks around it, in lower case
	work      int    // what matching has cost so far
	steps     int    // what conditions have cost so far
	warnings  []string
}

// Limits of what matching may cost, since a model chooses the names of tools: beyond them a hook is run.
const (
	maxToolName = 1 << 10 // bytes of a name
	maxMatching = 1 << 27 // bytes of all matchers times those of the name: a second at the very worst
)

// maxWarnings is how many hooks are named at a call: a file can have tens of thousands.
const maxWarnings = 20

// NewMatchContext returns a context in which nothing is known of the call yet.
func NewMatchContext(c *dialect.Call) *MatchContext {
	m := &MatchContext{call: c}
	m.views = m.room[:0]
	return m
}

// seenBy returns the context of the call as hooks of the hook's level see it.
func (m *MatchContext) seenBy(h *Hook) *MatchContext {
	if h.Tools.Same(m.call.FileTools(), m.call.Tool) {
		return m
	}
	for _, other := range m.levels {
		if h.Tools == other.call.FileTools() {
			return other
		}
	}
	m.levels = append(m.levels, NewMatchContext(h.Named(m.call)))
	return m.levels[len(m.levels)-1]
}

// view is the call as the hooks of one dialect see it.
type view struct {
	dialect    *dialect.Dialect
	event      protocol.Event
	field      string // of the hook input, that matchers look at; "": none
	subject    string // what stands there
	names      []string
	namesKnown bool
}

// view works out what is the same for all hooks of the dialect.
func (m *MatchContext) view(d *dialect.Dialect) *view {
	for i := range m.views {
		if m.views[i].dialect == d {
			return &m.views[i]
		}
	}
	c := registry.AtToolEvent(d, m.call)
	v := view{dialect: d, event: d.EventOf(c)}
	v.field = d.SubjectField(v.event)
	v.subject, _ = d.MatcherSubject(c)
	m.views = append(m.views, v)
	return &m.views[len(m.views)-1]
}

// Event names the call's event as hooks of the dialect subscribe to it.
func (m *MatchContext) Event(d *dialect.Dialect) protocol.Event { return m.view(d).event }

// toolNames are the names that the call's tool has for hooks of the dialect besides its own.
func (m *MatchContext) toolNames(v *view) []string {
	if !v.namesKnown {
		v.namesKnown = true
		switch {
		case v.field != "tool_name":
		case v.dialect == registry.Project():
			v.names = projectNames(m.call)
		case v.dialect.Own != nil:
			v.names = registry.ToolsOf(v.dialect.Own, m.call)
		}
	}
	return v.names
}

// Warnings are what is odd about the call for the hooks that it was held against so far.
func (m *MatchContext) Warnings() (warnings []string) {
	c := m.call
	if dialect.HasTool(c.Event) && c.Tool != "" {
		_, odd, _ := c.Input()
		warnings = append(warnings, odd...)
		if bare := bareName(c.Tool); bare != c.Tool {
			warnings = append(
				warnings,
				fmt.Sprintf(
					"the tool's name %s has blanks around it, so no matcher for %s matches it",
					spelling.Quote(c.Tool),
					spelling.Quote(bare),
				),
			)
		}
	}
	warnings = append(warnings, m.warnings...)
	for _, other := range m.levels {
		for _, w := range other.warnings {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	return warnings
}

func (m *MatchContext) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(m.warnings) < maxWarnings && !slices.Contains(m.warnings, text) {
		m.warnings = append(m.warnings, text)
	}
}

// bareName is a name without what cannot be seen around it.
func bareName(name string) string {
	return strings.TrimFunc(
		name,
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) },
	)
}

// Runs reports whether the hook runs at the call. Matchers match everything at events that have no field for them, as
// in Claude Code.
func (m *MatchContext) Runs(h *Hook) bool { return m.Concerns(h) && m.Selects(h) }

// Selects reports whether the If and When of a hook match too. Call it for hooks that Concerns found.
func (m *MatchContext) Selects(h *Hook) bool {
	m = m.seenBy(h)
	if allowed, _ := m.allows(h); !allowed {
		return false
	}
	for i := range h.When {
		if !m.holds(&h.When[i]) {
			return false
		}
	}
	return h.Rule == nil || m.Found(h).What != ""
}

// Found is what of the call the rule of a hook is about.
func (m *MatchContext) Found(h *Hook) pack.Found {
	m = m.seenBy(h)
	if m.packs == nil {
		of := m.ruleCall(h)
		of.Also = slices.Concat(of.Also, registry.ToolNames(m.call.Tool)) // whichever client calls it so
		names := append([]string{m.call.Tool}, of.Also...)
		onlyReads := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(readingTools, name) })
		m.packs = pack.NewCall(of, !onlyReads)
		m.packs.Unseen = m.packs.Unseen || m.doubt
		// A client knows calls of a shell's tool that run nothing, as Claude Code's Monitor of a socket.
		m.packs.Shell = len(m.packs.Commands) > 0 || m.call.Tool == "shell" ||
			slices.Contains(m.toolNames(m.view(h.Dialect)), "shell")
	}
	return h.Rule.Decide(m.packs)
}

// readingTools are the project's names of tools that read files and write none.
var readingTools = []string{"fs_read", "fs_grep", "fs_glob", "fs_list"}

// Concerns reports whether the event, the agent and the matcher of a hook match the call.
func (m *MatchContext) Concerns(h *Hook) bool {
	m = m.seenBy(h)
	v := m.view(h.Dialect)
	if h.off() || !slices.Contains(h.Events, v.event) || !h.isFor(m.call.AgentID) {
		return false
	}
	if m.matches(h, v) {
		m.nearRule(h, v)
		return true
	}
	if globs, ok := h.Matcher.(Globs); ok && h.Dialect == registry.Project() {
		if known, near := m.nearlyMatches(v, globs); near {
			m.warn("hook %s: its matcher %s does not match the tool %s, which "+differs+"%s",
				spelling.Quote(h.Name), spelling.Quote(globs.text), spelling.Quote(m.call.Tool), known)
		}
	}
	return false
}

// differs says of a name that it nearly matches.
const differs = "differs only in case or blanks"

// nearlyMatches reports whether a matcher would match the tool by any of its names if case and blanks did not count.
// known ends a warning where that is a name of another tool, which the call's nearly is.
func (m *MatchContext) nearlyMatches(v *view, globs Globs) (known string, near bool) {
	matches := func(name string) bool { return m.spend(globs.text, name) && globs.nearlyMatches(strings.ToLower(name)) }
	if matches(m.lowerTool()) || slices.ContainsFunc(m.toolNames(v), matches) {
		return "", true
	}
	for _, c := range m.nearlyCalled() {
		if v.dialect == registry.Project() && v.field == "tool_name" && slices.ContainsFunc(projectNames(&c), matches) {
			return " from " + spelling.Quote(c.Tool), true
		}
	}
	return "", false
}

// nearlyCalled are the calls that this one may have been meant to be.
func (m *MatchContext) nearlyCalled() []dialect.Call {
	if !m.nearKnown && dialect.HasTool(m.call.Event) && len(m.call.Tool) <= maxToolName {
		m.near, m.nearKnown = registry.NearlyCalled(m.call, m.lowerTool()), true
	}
	return m.near
}

// spend takes from what the matchers of the call may cost, and reports whether there was enough.
func (m *MatchContext) spend(matcher, name string) bool {
	m.work += len(matcher) * len(name)
	return m.work <= maxMatching
}

// nearRule warns of an if for a tool that differs from the call's by case or blanks alone.
func (m *MatchContext) nearRule(h *Hook, v *view) {
	if h.If.String() == "" || h.Dialect != registry.Project() || !dialect.HasTool(m.call.Event) {
		return
	}
	tool, names := h.If.Tool(), m.toolNames(v)
	if tool == m.call.Tool || slices.Contains(names, tool) {
		return
	}
	lower := strings.ToLower(tool)
	is := func(name string) bool { return strings.ToLower(name) == lower }
	known := ""
	if lower != m.lowerTool() && !slices.ContainsFunc(names, is) {
		at := slices.IndexFunc(m.nearlyCalled(), func(c dialect.Call) bool {
			return v.field == "tool_name" && slices.ContainsFunc(projectNames(&c), is)
		})
		if at < 0 {
			return
		}
		known = " from " + spelling.Quote(m.near[at].Tool)
	}
	m.warn("hook %s: its if %s is not for the tool %s, which "+differs+"%s",
		spelling.Quote(h.Name), spelling.Quote(h.If.String()), spelling.Quote(m.call.Tool), known)
}

func (m *MatchContext) lowerTool() string {
	if m.lower == "" && len(m.call.Tool) <= maxToolName {
		m.lower = strings.ToLower(bareName(m.call.Tool))
	}
	return m.lower
}

// matches reports whether the hook's matcher matches what the event has for it, by any name that it has there.
func (m *MatchContext) matches(h *Hook, v *view) bool {
	if h.Matcher == nil || v.field == "" || m.match(h, v.subject) {
		return true
	}
	return slices.ContainsFunc(m.toolNames(v), func(name string) bool { return m.match(h, name) })
}

// match holds the matcher against one name. One that would take too long to match matches.
func (m *MatchContext) match(h *Hook, name string) bool {
	text := h.Matcher.String()
	if text == "" || text == "*" {
		return h.Matcher.Match(name)
	}
	if len(name) > maxToolName {
		m.warn(
			"the name %s has %d bytes, more than the %d that matchers are held against, so every hook with a matcher "+
				"runs",
			spelling.Quote(name),
			len(name),
			maxToolName,
		)
		return true
	}
	if !m.spend(text, name) {
		m.warn(
			"the matchers are too many to be held against the name %s, so every hook from some point on runs",
			spelling.Quote(name),
		)
		return true
	}
	return h.Matcher.Match(name)
}

// allows holds the call against the if of a hook, by each name that its tool has there. A client's pattern of a path
// goes along with its cd; a project's own stays in it.
func (m *MatchContext) allows(h *Hook) (ok bool, why string) {
	if h.If.String() == "" {
		return true, ""
	}
	rule := m.ruleCall(h)
	if m.doubt {
		return true, "cannot be held against the input, so the hook runs"
	}
	return h.If.Match(rule)
}

// OnArgs reports whether the arguments, which the call does not have, decide if the hook runs: the rest of the hook
// matches, and its if or when looks at them.
func (m *MatchContext) OnArgs(h *Hook) bool {
	if m = m.seenBy(h); !m.Concerns(h) {
		return false
	}
	if h.Rule != nil {
		return true
	}
	looks := slices.ContainsFunc(h.When, func(c Condition) bool { return c.field == "args" || c.field == "tool_input" })
	if h.If.String() == "" {
		return looks
	}
	rule := m.ruleCall(h)
	matches, _ := h.If.Match(rule)
	return looks && matches || h.If.Doubt(rule) != ""
}

// Doubt describes what hookrun cannot tell of the call, if that alone makes the if of a project's hook match; ""
// otherwise. The agent can then write the call in another way.
func (m *MatchContext) Doubt(h *Hook) string {
	if h.If.String() == "" || h.Dialect != registry.Project() {
		return ""
	}
	m = m.seenBy(h)
	rule := m.ruleCall(h)
	if m.doubt {
		return ""
	}
	return h.If.Doubt(rule)
}

// ruleCall is the call as the if of a hook is held against it.
func (m *MatchContext) ruleCall(h *Hook) permission.Call {
	if m.rule == nil {
		m.prepare()
	}
	rule := *m.rule
	if m.isAdded(h.If.Tool()) {
		rule = *m.addedRule(permission.KindOf(h.If.Tool()))
	}
	if !h.Dialect.Run.FollowsDir {
		rule.Root = m.call.Workspace
	}
	rule.Project, rule.Also = h.Dialect == registry.Project(), m.toolNames(m.view(h.Dialect))
	rule.Wrappers = m.call.Wrappers
	return rule
}

// isAdded reports whether only a file of a lower level gives the tool this name.
func (m *MatchContext) isAdded(name string) bool {
	c := m.call
	return slices.Contains(c.AddedTools(), name) && !slices.Contains(c.ProjectTools(), name) &&
		!slices.Contains(registry.ToolNames(c.Tool), name)
}

// addedRule is the call as it is held against an if for an added name, which says what the tool works on.
func (m *MatchContext) addedRule(kind permission.Kind) *permission.Call {
	if m.added[kind] == nil {
		rule := m.rule.Once()
		rule.Kind = kind
		if m.added == nil {
			m.added = map[permission.Kind]*permission.Call{}
		}
		m.added[kind] = &rule
	}
	return m.added[kind]
}

func (m *MatchContext) prepare() {
	c := m.call
	rule := permission.Call{Dir: c.Workspace}.Once()
	if filepath.IsAbs(c.Dir) {
		rule.Dir = c.Dir
	}
	if dialect.HasTool(c.Event) {
		rule.Tool, rule.Kind = c.Tool, KindOf(slices.Concat(c.ProjectTools(), registry.ToolNames(c.Tool)))
	}
	if home, err := os.UserHomeDir(); err == nil {
		rule.Home = home
	}
	input, err := c.InputText()
	m.doubt = err != nil
	rule.Input, rule.EqualKeys = input, m.call.HasEqualKeys()
	m.rule = &rule
}

// argsText are the arguments as JSON, "" if they cannot be read.
func (m *MatchContext) argsText() string {
	args, _ := m.call.InputText()
	return args
}

// isTorn reports whether the arguments are a text that begins as JSON does: what was meant to be an object, and
// another reader than this one may take for one, as {"n":NaN}, an object with a comma too many, or one that was
// written as a text.
func (m *MatchContext) isTorn(args string) bool {
	if !m.looked {
		m.looked = true
		if strings.HasPrefix(args, `"`) {
			begins := strings.TrimLeftFunc(
				strictjson.Text(args),
				func(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) },
			)
			m.torn = strings.HasPrefix(begins, "{") || strings.HasPrefix(begins, "[")
		}
	}
	return m.torn
}

// holds reports whether a condition is true of the call. Where no hook could be given its arguments it is: the call
// will not go on, and a rule must not look like one that let it.
func (m *MatchContext) holds(c *Condition) bool {
	if c.holds == nil {
		return false
	}
	all, known := m.values[c.path]
	if !known {
		text, json, ok, err := m.call.Value(c.field)
		if err != nil {
			return true
		}
		isArgs := c.field == "args" || c.field == "tool_input"
		switch {
		case c.field == dialect.CommandField && (m.call.HasEqualKeys() || !ok && m.isTorn(m.argsText())):
			return true
		case !ok:
		case isArgs && (m.call.HasEqualKeys() || json && len(c.steps) > 0 && m.isTorn(text)):
			return true
		case json && !m.step(len(text)):
			return true
		case json:
			walk(gjson.Parse(text), c.steps, func(v value) { all = append(all, v) })
		case len(c.steps) == 0:
			all = []value{{text: text}}
		}
		if m.values == nil {
			m.values = map[string][]value{}
		}
		m.values[c.path] = all
	}
	if c.cost != nil && !m.step(min(c.cost(all), maxSteps)) {
		return true
	}
	return c.holds(all)
}

// step takes from what the conditions of the call may take together, and reports whether there was enough.
func (m *MatchContext) step(n int) bool {
	m.steps += n
	if m.steps > maxCallSteps {
		m.warn("the conditions are too many to be held against values of this size, so those from some point on hold")
	}
	return m.steps <= maxCallSteps
}

package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// MatchContext is a call with cached results of matching: some for the call, some for each dialect. It is for one
// goroutine, and the call must not change while it is in use.
type MatchContext struct {
	call        *dialect.Call
	levels      []*MatchContext // for hooks of levels with other names for the tool
	views       []view
	viewsArray  [1]view              // array of views: most calls have hooks of one dialect
	rule        *ToolCall            // nil before the first if
	kept        any                  // ToolCall.Kept of rule
	added       map[string]*ToolCall // for ifs with tool names added by files of lower levels
	packs       *ToolCall            // nil before the first rule of a pack
	unreadable  bool                 // the arguments cannot be read
	values      map[string][]value   // by path
	brokenKnown bool                 // whether isBrokenJSON has run
	broken      bool

	other *MatchContext // see byArguments
	fits  bool          // the arguments fit the kind; see byArguments

	lower         string // the tool's name in lower case, without blanks around it
	matcherCost   int    // cost of matchers so far
	conditionCost int    // cost of conditions so far
	warnings      []string
}

// Limits of the cost of matching, because a model chooses the names of tools. Beyond a limit the hook runs.
const (
	maxToolName = 1 << 10 // bytes of a name
	maxMatching = 1 << 27 // bytes of all matchers times bytes of the name: a second at worst
)

// maxWarnings is the maximum number of hooks named in the warnings of a call: a file can have tens of thousands.
const maxWarnings = 20

// NewMatchContext returns a context without cached results.
func NewMatchContext(c *dialect.Call) *MatchContext {
	m := &MatchContext{call: c}
	m.views = m.viewsArray[:0]
	return m
}

// contextFor returns the context in which the hook runs, or else the context for hooks of the hook's level.
func (m *MatchContext) contextFor(h *Hook) *MatchContext {
	level := m.atLevel(h)
	if other := level.byArguments(h); other != nil && other.runs(h) && !level.runs(h) {
		return other
	}
	return level
}

// atLevel returns the context of the call for hooks of the hook's level.
func (m *MatchContext) atLevel(h *Hook) *MatchContext {
	if h.Tools == m.call.FileTools || h.Tools.Same(m.call.FileTools, m.call.Tool) {
		return m
	}
	for _, other := range m.levels {
		if h.Tools == other.call.FileTools {
			return other
		}
	}
	m.levels = append(m.levels, NewMatchContext(h.Named(m.call)))
	return m.levels[len(m.levels)-1]
}

// view is the call as the hooks of one dialect see it.
type view struct {
	dialect      *dialect.Dialect
	event        protocol.Event
	field        string // the hook input's field for matchers; "": no field
	subject      string // the field's value
	names        []string
	namesKnown   bool
	projects     bool     // Dialect.HasProjectRules
	byClient     bool     // a client sent the call
	freelyNamed  bool     // a loop may call its tools as it likes
	clients      []string // see clientNames
	clientsKnown bool
}

// view returns the cached view of a dialect.
func (m *MatchContext) view(d *dialect.Dialect) *view {
	for i := range m.views {
		if m.views[i].dialect == d {
			return &m.views[i]
		}
	}
	c := d.AtToolEvent(m.call)
	v := view{dialect: d, event: d.EventOf(c)}
	v.field = d.SubjectField(v.event)
	v.subject, _ = d.MatcherSubject(c)
	v.projects, v.byClient = d.HasProjectRules(), m.call.Sender() != nil
	m.views = append(m.views, v)
	return &m.views[len(m.views)-1]
}

// Event returns the call's event in the dialect's names.
func (m *MatchContext) Event(d *dialect.Dialect) protocol.Event { return m.view(d).event }

// toolNames returns further names of the call's tool for hooks of the dialect.
func (m *MatchContext) toolNames(v *view) []string {
	if !v.namesKnown {
		v.namesKnown = true
		switch {
		case v.field != "tool_name":
		case v.projects:
			v.names = projectNames(m.call)
			v.freelyNamed = !v.byClient || len(m.call.Kinds) > 0
		case v.dialect.Own != nil:
			v.names = v.dialect.ToolNames(m.call)
		}
	}
	return v.names
}

// clientNames returns clients' names for such a tool, if a loop called it as it likes.
func (m *MatchContext) clientNames(v *view) []string {
	if names := m.toolNames(v); v.freelyNamed && !v.clientsKnown {
		v.clients, v.clientsKnown = m.call.Clients().MainTools(append([]string{m.call.Tool}, names...)), true
	}
	return v.clients
}

// Warnings returns warnings about the call, for the hooks matched so far.
func (m *MatchContext) Warnings() (warnings []string) {
	c := m.call
	if bare := bareName(c.Tool); c.Tool != "" && c.IsAboutTool() {
		_, odd, _ := c.Input()
		warnings = append(warnings, odd...)
		if bare != c.Tool && len(c.Kinds) == 0 {
			const text = "the tool's name %s has blanks around it, so no matcher for %s matches it"
			warnings = append(warnings, fmt.Sprintf(text, spelling.Quote(c.Tool), spelling.Quote(bare)))
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

// bareName returns a name without invisible characters around it.
func bareName(name string) string {
	return strings.TrimFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
}

// Runs reports whether the hook runs at the call. At an event without a field for matchers every matcher matches, as in
// Claude Code.
func (m *MatchContext) Runs(h *Hook) bool { return m.MatchesEvent(h) && m.MatchesConditions(h) }

// MatchesConditions reports whether the If, When and Rule of a hook match too. MatchesEvent must have returned true.
func (m *MatchContext) MatchesConditions(h *Hook) bool {
	level := m.atLevel(h)
	other := level.byArguments(h)
	return other != nil && other.runs(h) || (other == nil || level.matchesEvent(h)) && level.meetsConditions(h)
}

// runs is Runs in this context alone.
func (m *MatchContext) runs(h *Hook) bool { return m.matchesEvent(h) && m.meetsConditions(h) }

func (m *MatchContext) meetsConditions(h *Hook) bool {
	if allowed, _ := m.allows(h); !allowed {
		return false
	}
	for i := range h.When {
		if !m.holds(&h.When[i]) {
			return false
		}
	}
	return h.PackRule() == nil || m.found(h).Subject != ""
}

// Found returns the part of the call that the hook's rule found.
func (m *MatchContext) Found(h *Hook) Found { return m.contextFor(h).found(h) }

func (m *MatchContext) found(h *Hook) Found {
	if m.packs == nil {
		of := m.ruleCall(h)
		of.Aliases = slices.Concat(of.Aliases, m.call.KnownNames()) // whichever client uses the name
		names := append([]string{m.call.Tool}, of.Aliases...)
		of.OnlyReads = slices.ContainsFunc(names, func(name string) bool { return slices.Contains(readingTools, name) })
		of.Unreadable = m.unreadable
		of.Shell = m.call.Tool == ShellTool || slices.Contains(m.toolNames(m.view(h.Dialect)), ShellTool)
		m.packs = &of
	}
	return h.PackRule().Decide(*m.packs)
}

// readingTools are the project's names of read-only file tools.
var readingTools = []string{"fs_read", "fs_grep", "fs_glob", "fs_list"}

// MatchesEvent reports whether the event, the agent and the matcher of a hook match the call.
func (m *MatchContext) MatchesEvent(h *Hook) bool {
	level := m.atLevel(h)
	if level.matchesEvent(h) {
		return true
	}
	other := level.byArguments(h)
	return other != nil && other.matchesEvent(h)
}

func (m *MatchContext) matchesEvent(h *Hook) bool {
	v := m.view(h.Dialect)
	if h.off() || !slices.Contains(h.Events, v.event) || !h.isFor(m.call.AgentID) {
		return false
	}
	if m.matches(h, v) {
		return true
	}
	if globs, ok := h.Matcher.(Globs); ok && v.projects {
		switch near := m.nearlyMatches(v, globs); {
		case near && m.isKnownTool(): // so the matcher is what is wrong, and check says so
			return true
		case near:
			m.warn("hook %s: its matcher %s does not match the tool %s, which "+differs,
				spelling.Quote(h.Name), spelling.Quote(globs.text), spelling.Quote(m.call.Tool))
		}
	}
	return false
}

// differs describes a near match of names.
const differs = "differs only in case or blanks"

// nearlyMatches reports whether a matcher would match any name of the tool if case and blanks did not count.
func (m *MatchContext) nearlyMatches(v *view, globs Globs) bool {
	matches := func(name string) bool { return m.spend(globs.text, name) && globs.nearlyMatches(strings.ToLower(name)) }
	return matches(m.lowerTool()) || slices.ContainsFunc(m.toolNames(v), matches)
}

// spend adds to the cost of the call's matchers, and reports whether the total is within maxMatching.
func (m *MatchContext) spend(matcher, name string) bool {
	m.matcherCost += len(matcher) * len(name)
	return m.matcherCost <= maxMatching
}

func (m *MatchContext) lowerTool() string {
	if m.lower == "" && len(m.call.Tool) <= maxToolName {
		m.lower = strings.ToLower(bareName(m.call.Tool))
	}
	return m.lower
}

// matches reports whether the hook's matcher matches the event's subject, by any name.
func (m *MatchContext) matches(h *Hook, v *view) bool {
	if h.Matcher == nil || v.field == "" || m.match(h, v.subject) {
		return true
	}
	match := func(name string) bool { return m.match(h, name) }
	return slices.ContainsFunc(m.toolNames(v), match) || slices.ContainsFunc(m.clientNames(v), match)
}

// match compares the matcher with one name. If the comparison would take too long, it returns true.
func (m *MatchContext) match(h *Hook, name string) bool {
	text := h.Matcher.String()
	if text == "" || text == "*" {
		return h.Matcher.Match(name)
	}
	if len(name) > maxToolName {
		m.warn("the name %s has %d bytes, more than the %d that matchers are compared with, so every hook with a "+
			"matcher runs", spelling.Quote(name), len(name), maxToolName)
		return true
	}
	if !m.spend(text, name) {
		m.warn("the matchers are too many to be compared with the name %s, so every hook from some point on runs",
			spelling.Quote(name))
		return true
	}
	globs, is := h.Matcher.(Globs)
	return h.Matcher.Match(name) || is && globs.matchesMCP(name, m.call.Tool)
}

// allows reports whether the call matches the if of a hook, by any name of the tool. Path patterns of a client's hook
// start from the current directory, after cd too; patterns of a project's hook start from the workspace.
func (m *MatchContext) allows(h *Hook) (ok bool, why string) {
	if h.If == nil {
		return true, ""
	}
	rule := m.ruleCall(h)
	near := m.isNearIf(h, rule.Aliases)
	if m.unreadable {
		return true, "cannot be compared with the input, so the hook runs"
	}
	if near {
		rule.Aliases = append(slices.Clip(rule.Aliases), h.If.Tool())
	}
	if ok, why = h.If.Match(rule); !ok && h.IfMeant != nil {
		return h.IfMeant.Match(rule)
	}
	return ok, why
}

// DependsOnArgs reports whether the call's missing arguments decide if the hook runs: the rest of the hook matches, and
// the if or when reads the arguments.
func (m *MatchContext) DependsOnArgs(h *Hook) bool {
	at := m.contextFor(h)
	if !at.MatchesEvent(h) {
		return false
	}
	if h.PackRule() != nil {
		return true
	}
	looks := slices.ContainsFunc(h.When, func(c Condition) bool { return c.field == "args" || c.field == "tool_input" })
	if h.If == nil {
		return looks
	}
	rule := at.ruleCall(h)
	matches, _ := h.If.Match(rule)
	return looks && matches || h.If.Doubt(rule) != ""
}

// Doubt describes an uncertainty about the call if only that uncertainty makes the if of a project's hook match;
// otherwise it returns "". The agent can then write the call differently.
func (m *MatchContext) Doubt(h *Hook) string {
	if h.If == nil || !h.Dialect.HasProjectRules() {
		return ""
	}
	at := m.contextFor(h)
	rule := at.ruleCall(h)
	if at.unreadable {
		return ""
	}
	return h.If.Doubt(rule)
}

// ruleCall returns the call as seen by the if of a hook.
func (m *MatchContext) ruleCall(h *Hook) ToolCall {
	if m.rule == nil {
		m.prepare()
	}
	rule := *m.rule
	name := h.IfTool()
	if m.isAdded(name) {
		rule = *m.addedRule(name)
	}
	if !h.Dialect.Run.FollowsDir {
		rule.Root, rule.Worktree = m.call.Workspace, m.call.Worktree
	}
	rule.Project, rule.Aliases = h.Dialect.HasProjectRules(), m.toolNames(m.view(h.Dialect))
	rule.Wrappers = m.call.Wrappers
	if h.If == nil || !rule.Project {
		return rule
	}
	if h.If.MayTouch(rule) && m.isFileTool(name) || slices.Contains(m.clientNames(m.view(h.Dialect)), name) {
		rule.Aliases = append(slices.Clip(rule.Aliases), name)
	}
	if strings.HasPrefix(name, dialect.MCPPrefix) {
		globs, _ := NewGlobs(name)
		is := func(other string) bool { return globs.matchesMCP(other, rule.Tool) }
		if is(rule.Tool) || slices.ContainsFunc(rule.Aliases, is) {
			rule.Aliases = append(slices.Clip(rule.Aliases), name)
		}
	}
	return rule
}

// isFileTool reports whether a name in a rule is that of a tool that works on files, in projects or in a client.
func (m *MatchContext) isFileTool(name string) bool {
	return m.call.Reader != nil && m.call.Reader.IsFileTool(append(m.call.Clients().ToolNames(name), name))
}

// isAdded reports whether the tool has this name only from a file of a lower level, or as one of several kinds.
func (m *MatchContext) isAdded(name string) bool {
	c := m.call
	return slices.Contains(c.AddedTools(), name) && !slices.Contains(c.ProjectTools(), name) &&
		(slices.Contains(c.Kinds, name) || !slices.Contains(c.KnownNames(), name))
}

// addedRule returns the call for an if with an added name, which decides the kind of the tool.
func (m *MatchContext) addedRule(name string) *ToolCall {
	if m.added[name] == nil {
		rule := *m.rule
		rule.Kinds, rule.Kept = []string{name}, new(any)
		if m.added == nil {
			m.added = map[string]*ToolCall{}
		}
		m.added[name] = &rule
	}
	return m.added[name]
}

func (m *MatchContext) prepare() {
	c := m.call
	rule := ToolCall{Dir: c.Workspace, Kept: &m.kept}
	if filepath.IsAbs(c.Dir) {
		rule.Dir = c.Dir
	}
	if c.IsAboutTool() {
		rule.Tool, rule.Kinds = c.Tool, slices.Concat(c.ProjectTools(), c.Kinds, c.KnownNames())
	}
	if home, err := os.UserHomeDir(); err == nil {
		rule.Home = home
	}
	input, err := c.InputText()
	m.unreadable = err != nil
	rule.Input, rule.EqualKeys = input, m.call.HasEqualKeys()
	m.rule = &rule
}

// ToolCall returns the call as a project's rules see it.
func (m *MatchContext) ToolCall() ToolCall {
	if m.rule == nil {
		m.prepare()
	}
	c := *m.rule
	c.Project, c.Wrappers, c.Unreadable = true, m.call.Wrappers, m.unreadable
	c.Shell = c.Tool == ShellTool || slices.Contains(c.Kinds, ShellTool)
	return c
}

// argsText returns the arguments as JSON, or "" if they cannot be read.
func (m *MatchContext) argsText() string {
	args, _ := m.call.InputText()
	return args
}

// isBrokenJSON reports whether the arguments are a text that begins like JSON: a broken object such as {"n":NaN} or
// with a comma too many, or an object encoded as a text. Another reader may take such a text for an object.
func (m *MatchContext) isBrokenJSON(args string) bool {
	if !m.brokenKnown {
		m.brokenKnown = true
		if strings.HasPrefix(args, `"`) {
			isBlank := func(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) }
			begins := strings.TrimLeftFunc(strictjson.Text(args), isBlank)
			m.broken = strings.HasPrefix(begins, "{") || strings.HasPrefix(begins, "[")
		}
	}
	return m.broken
}

// holds reports whether a condition holds for the call. If the arguments cannot be encoded for any hook, it returns
// true: the call will not go on, and a rule must not appear to have allowed it.
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
		case c.field == dialect.CommandField && (m.call.Reader == nil || m.call.HasEqualKeys() ||
			!ok && m.isBrokenJSON(m.argsText())):
			return true
		case !ok:
		case isArgs && (m.call.HasEqualKeys() || json && len(c.steps) > 0 && m.isBrokenJSON(text)):
			return true
		case json && !m.spendSteps(len(text)):
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
	if c.cost != nil && !m.spendSteps(min(c.cost(all), maxSteps)) {
		return true
	}
	isKind := func(name string) bool { return c.path == "tool" && c.holds([]value{{text: name}}) }
	return c.holds(all) || slices.ContainsFunc(m.call.Kinds, isKind)
}

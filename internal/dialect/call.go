package dialect

import (
	"cmp"
	"sync"

	"github.com/hookrun/hookrun/protocol"
)

// Call is a call with what is worked out about it once for all of its hooks: its arguments as JSON, and what the
// project calls its tool. Copies share the arguments. Goroutines can use one at the same time, but for the methods that
// change it.
type Call struct {
	protocol.Call
	Wrappers []string // programs that the project's files name as ones that run the command in their arguments

	projectTools [2]string
	addedTools   []string
	fileTools    *FileTools
	input        *input
}

// input is what Input returns, made when somebody first wants it.
type input struct {
	once, textOnce sync.Once
	value          []byte
	warnings       []string
	err            error
	text           string // of value
}

// NewCall returns a call of which nothing is worked out yet.
func NewCall(c protocol.Call) *Call { return &Call{Call: c, input: new(input)} }

func (c *Call) made() *input {
	if c.input == nil { // nobody but NewCall makes one that several goroutines use
		c.input = new(input)
	}
	c.input.once.Do(func() { c.input.value, c.input.warnings, c.input.err = c.Call.Input() })
	return c.input
}

// Input is that of the protocol's Call. Nobody may change the value.
func (c *Call) Input() (value []byte, warnings []string, err error) {
	in := c.made()
	return in.value, in.warnings, in.err
}

// InputText is Input as a text.
func (c *Call) InputText() (string, error) {
	in := c.made()
	in.textOnce.Do(func() { in.text = string(in.value) })
	return in.text, in.err
}

// HasEqualKeys reports whether an object in the tool's arguments has two equal keys, or had as they came in. Hooks get
// the last; another reader may take the first. So nothing about the arguments can be decided.
func (c *Call) HasEqualKeys() bool {
	return c.EqualKeys || len(c.made().warnings) > 0 // there are no other warnings
}

// SetArgs gives the call other arguments.
func (c *Call) SetArgs(args []byte) {
	c.Args, c.EqualKeys, c.input = string(args), false, new(input)
}

// SetToolNames says what the project calls the tool: by one or two names of its own, or by none, and by those that
// files of lower levels add. files has the names that files give to tools.
func (c *Call) SetToolNames(names [2]string, added []string, files *FileTools) {
	c.projectTools, c.addedTools, c.fileTools = names, added, files
}

// FileTools are the names that files give to tools; nil: they give none.
func (c *Call) FileTools() *FileTools { return c.fileTools }

// AddedTools are names of the tool that files of lower levels add. They make hooks match, and decide nothing else.
func (c *Call) AddedTools() []string { return c.addedTools }

// ProjectTool is what the project calls the tool: the first of its own names for it, or the only name that there is.
func (c *Call) ProjectTool() string { return cmp.Or(c.projectTools[0], c.Tool) }

// ProjectTools are the project's own names for the tool, none where it has no others.
func (c *Call) ProjectTools() []string {
	for i, name := range c.projectTools {
		if name == "" {
			return c.projectTools[:i]
		}
	}
	return c.projectTools[:]
}

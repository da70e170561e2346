// Package rules makes the conditions of hooks that understand shell lines, paths and patches: it gives the rules of
// package permission and the packs of package pack to whoever loads hooks files, as hook.Rules.
package rules

import (
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/rules/pack"
	"github.com/hookrun/hookrun/internal/rules/permission"
)

// All has the rules of an "if" and all packs.
var All hook.Rules = all{}

type all struct{}

func (all) If(text string) hook.If { return condition{permission.Parse(text)} }

func (all) Pack(name string) (hook.Pack, error) {
	found, err := pack.Named(name)
	if err != nil {
		return nil, err
	}
	return packOf{found}, nil
}

func (all) CommandOf(args string) (lines string, ok bool) { return permission.CommandOf(args) }

func (all) HasCommand(args string) (key string, ok bool) { return permission.HasCommand(args) }

func (all) PatchTools() []string { return permission.PatchTools }

func (all) HasPatch(names []string, args string, wrappers []string) bool {
	return permission.HasPatch(kindOf(names), args, wrappers)
}

func (all) Shows(args string) (command, file, text bool) { return permission.Shows(args) }

func (all) IsFileTool(names []string) bool { return kindOf(names) == permission.File }

// kindOf is the kind of a tool with these names.
func kindOf(names []string) permission.Kind {
	for _, name := range names {
		if kind := permission.KindOf(name); kind != permission.Unknown {
			return kind
		}
	}
	return permission.Unknown
}

// condition is a permission rule as the "if" of a hook.
type condition struct{ permission.Rule }

func (c condition) Match(call hook.ToolCall) (ok bool, why string) {
	return c.Rule.Match(callOf(&call))
}

func (c condition) Doubt(call hook.ToolCall) string {
	return secret.MaskMessage(c.Rule.Doubt(callOf(&call)))
}

func (c condition) MayTouch(call hook.ToolCall) bool { return c.Rule.MayTouch(callOf(&call)) }

func (c condition) Problem(names []string) string { return c.Rule.Problem(kindOf(names)) }

func (c condition) Meant(names []string) hook.If {
	if meant := c.Rule.Meant(kindOf(names)); meant.String() != "" {
		return condition{meant}
	}
	return nil
}

// kept is what the rules keep of a call, in ToolCall.Kept.
type kept struct {
	call permission.Call // only with its cache
	pack *pack.Call      // nil before the first rule of a pack
}

func keptOf(c *hook.ToolCall) *kept {
	if c.Kept == nil {
		return &kept{call: permission.Call{}.WithCache()}
	}
	if *c.Kept == nil {
		*c.Kept = &kept{call: permission.Call{}.WithCache()}
	}
	return (*c.Kept).(*kept)
}

// callOf returns the call as permission rules see it.
func callOf(c *hook.ToolCall) permission.Call {
	call := keptOf(c).call
	call.Tool, call.Aliases, call.Kind, call.Input = c.Tool, c.Aliases, kindOf(c.Kinds), c.Input
	call.Project, call.Wrappers, call.EqualKeys = c.Project, c.Wrappers, c.EqualKeys
	call.Dir, call.Root, call.Home, call.Worktree = c.Dir, c.Root, c.Home, c.Worktree
	return call
}

// Inspect returns the commands and files of a call, as the rules read them.
func Inspect(c hook.ToolCall) permission.Facts { return callOf(&c).Inspect() }

// packOf is a pack for the "packs" of a file.
type packOf struct{ *pack.Pack }

func (p packOf) Name() string { return p.Pack.Name }

func (p packOf) Version() int { return p.Pack.Version }

func (p packOf) At(version int) (rules []hook.PackRule) {
	for _, r := range p.Pack.At(version) {
		rules = append(rules, &packRule{r, p.ID(r)})
	}
	return rules
}

// packRule is a rule of a pack as the condition of a hook.
type packRule struct {
	*pack.Rule
	id string
}

func (r *packRule) ID() string { return r.id }

func (r *packRule) Blocks() string { return r.Rule.Blocks }

func (r *packRule) Asks() bool { return r.Rule.Asks }

func (r *packRule) Decide(c hook.ToolCall) hook.Found {
	of := keptOf(&c)
	if of.pack == nil {
		of.pack = pack.NewCall(callOf(&c), !c.OnlyReads)
		of.pack.Unreadable = of.pack.Unreadable || c.Unreadable
		// Clients know calls of a shell tool that run no command, such as Claude Code's Monitor of a socket.
		of.pack.Shell = len(of.pack.Commands) > 0 || c.Shell
	}
	return hook.Found(r.Rule.Decide(of.pack))
}

func (r *packRule) Says(found hook.Found) string { return r.Rule.Says(pack.Found(found)) }

func (r *packRule) Reason(found hook.Found) string { return r.Rule.Reason(r.id, pack.Found(found)) }

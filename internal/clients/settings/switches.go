package settings

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// keyOffset returns the offset of a key in an object, the last of equal keys.
func keyOffset(object gjson.Result, name string) (at int) {
	for key := range object.ForEach {
		if key.String() == name {
			at = key.Index
		}
	}
	return at
}

// SwitchOff reads a top-level field that turns off all hooks if true. there reports whether the field is present.
func (d *Document) SwitchOff(top Members, name string) (off gjson.Result, there bool) {
	d.hookKeys = append(d.hookKeys, name)
	if off, there = top[name]; there {
		d.addSwitch(off.Bool(), strconv.Quote(name), "true", off.Index, name, name, keyOffset(d.top, name))
	}
	return off, there
}

// NeedsHooks adds an error if the document has no "hooks".
func (d *Document) NeedsHooks() {
	if !dialect.Has(d.top, "hooks") {
		d.Problem(d.top.Index, "has no \"hooks\"; write \"hooks\": {}%s", d.Drops)
	}
}

// IgnoreSwitches revokes the effect of SwitchOff on all hooks of the client.
func (d *Document) IgnoreSwitches() { d.Unswitched = true }

func (d *Document) addSwitch(off bool, by, is string, at int, name, path string, key int) {
	d.Switches = append(d.Switches, dialect.OffSwitch{Off: off, Name: name, Path: path, KeyAt: d.At(key), By: by,
		At: d.At(at), Text: by + " is " + is + ", so no hook of " + d.client() + "'s form runs"})
}

// HooksConfig reads "hooksConfig", introduced by Gemini CLI: whether hooks run, and the names of disabled hooks.
func (d *Document) HooksConfig(top Members, known []dialect.Field) {
	const name = "hooksConfig"
	d.hookKeys = append(d.hookKeys, name)
	config, there := top[name]
	if !there {
		return
	}
	c := d.innerMembers(config, known, `"hooksConfig": `, d.Drops)
	if on, ok := c["enabled"]; ok {
		d.addSwitch(!on.Bool(), `"enabled" of "hooksConfig"`, "false", on.Index, "enabled", name+".enabled",
			keyOffset(config, "enabled"))
	}
	for n, v := range c["disabled"].Array() {
		d.Disabled = append(d.Disabled, dialect.DisabledName{Text: v.String(),
			Name: d.Dialect.Files.Expanded(v.String()), Path: name + ".disabled." + strconv.Itoa(n), At: d.At(v.Index)})
	}
	for key := range config.ForEach {
		if k := key.String(); k != "enabled" && k != "disabled" {
			d.innerSettings = append(d.innerSettings, name+"."+PathPart(k))
		}
	}
}

// Limits reads the URLs and variables that HTTP hooks may use.
func (d *Document) Limits(top Members, urls, variables string) {
	d.hookKeys = append(d.hookKeys, urls, variables)
	for name, into := range map[string]**[]string{urls: &d.URLs, variables: &d.Variables} {
		if v, ok := top[name]; ok {
			texts := list(v)
			*into = &texts
		}
	}
	for key := range d.top.ForEach {
		if name := key.String(); name == urls || name == variables {
			d.note(dialect.Limit, name, key.Index, name)
		}
	}
}

// Environment reads the variables of all hooks.
func (d *Document) Environment(top Members) {
	const name = "env"
	d.hookKeys = append(d.hookKeys, name)
	if env, ok := top[name]; ok {
		d.EnvAt, d.Env = d.At(env.Index), d.variables(env, "", d.Drops)
	}
}

// variables reads an object of variables.
func (d *Document) variables(object gjson.Result, who, drops string) (env []string) {
	for key, value := range object.ForEach {
		name := key.String()
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			d.Problem(key.Index, "%s\"env\": %s cannot be the name of a variable", who, spelling.Quote(name))
		case name == "HOOKRUN" || strings.HasPrefix(name, "HOOKRUN_"):
			d.Problem(key.Index, "%s\"env\": %s is set by hookrun, also for these hooks", who, spelling.Brief(name, 80))
		case value.IsObject() || value.IsArray() || value.Type == gjson.Null:
			d.WrongType(who+`"env" `+spelling.Quote(name), "a string", value, drops)
		case strings.ContainsRune(value.String(), 0):
			d.Problem(value.Index, "%s\"env\" %s has a NUL character, which no process can be given", who,
				spelling.Quote(name))
		case value.Type == gjson.String:
			env = append(env, name+"="+d.Dialect.Files.Expanded(value.String()))
		default:
			env = append(env, name+"="+value.Raw)
		}
	}
	return env
}

// ownSettings returns the paths of settings that are not about hooks, in file order.
func (d *Document) ownSettings() (paths []string) {
	if !d.topLevel {
		for key := range d.top.ForEach {
			switch name := key.String(); {
			case name == "hooks":
			case name == "hooksConfig" && slices.Contains(d.hookKeys, name):
				paths = append(paths, d.innerSettings...)
			case !slices.Contains(d.hookKeys, name):
				paths = append(paths, name)
			}
		}
	}
	for _, n := range d.Notes {
		if n.Kind == dialect.OwnSetting {
			paths = append(paths, n.Path)
		}
	}
	return paths
}

// PathPart escapes a key for use in a path.
func PathPart(key string) string { return strings.NewReplacer(`\`, `\\`, ".", `\.`).Replace(key) }

// Dir returns the absolute path of the file's folder, or "" if unknown.
func (d *Document) Dir() string {
	path, err := filepath.Abs(d.File)
	if err != nil {
		return ""
	}
	return filepath.Dir(path)
}

// list returns the elements of an array as texts, regardless of their types. It never returns nil.
func list(array gjson.Result) []string {
	texts := []string{}
	for _, v := range array.ForEach {
		texts = append(texts, v.String())
	}
	return texts
}

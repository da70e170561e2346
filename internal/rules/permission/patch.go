package permission

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// This file reads the paths of patches. A tool takes a patch directly, or in a shell line that runs apply_patch.

const (
	patchTool = "apply_patch"
	patchName = "applypatch" // keyName(patchTool)
)

// PatchTools are further tool names of a call whose input is a patch, because a patch creates and changes files.
var PatchTools = []string{"fs_edit", "fs_write", patchTool, "Edit", "Write"}

// HasPatch reports whether the input of a tool is a patch for apply_patch, or a shell line that runs apply_patch,
// perhaps behind wrappers, or that hookrun cannot read. wrappers are further wrappers besides the known programs.
func HasPatch(kind Kind, json string, wrappers []string) bool {
	if !strings.Contains(json, patchMark) && !strings.Contains(json, "apply") && !strings.Contains(json, `\u`) {
		if kind != Shell || !strings.ContainsAny(strings.TrimPrefix(json, "{"), "[{") { // else unreadable, perhaps
			return false
		}
	}
	c := Call{Input: json, Kind: kind, Project: true, Wrappers: wrappers}.WithCache()
	return c.input().patch
}

const (
	patchMark  = "*** "
	maxWrapped = 3 // how often a patch can be nested in JSON texts
)

// readPatch adds the paths of a patch. Droid writes the patch as JSON in a text. The text may also be a shell line that
// runs apply_patch, because Codex and models that know Codex's tool use both.
func (in *input) readPatch(patch string) {
	for range maxWrapped {
		trimmed := strings.TrimSpace(patch)
		switch {
		case !gjson.Valid(trimmed):
		case strings.HasPrefix(trimmed, `"`):
			patch = strictjson.Text(trimmed)
			continue
		case strings.HasPrefix(trimmed, "{"):
			for key, value := range strictjson.Members(trimmed) {
				if slices.Contains(patchKeys, keyName(strictjson.Text(key))) && strings.HasPrefix(value, `"`) {
					patch = strictjson.Text(value)
				}
			}
			continue
		}
		break
	}
	paths := patchPaths(patch)
	switch before, _, _ := strings.Cut(patch, patchMark); {
	case len(paths) == 0:
	case strings.Contains(before, "apply") && in.readPatches([]shellLine{{text: patch}}):
	default:
		in.paths, in.patch = append(in.paths, paths...), true
	}
}

// patchPaths returns the paths of a patch at any position in a text.
func patchPaths(text string) (paths []string) {
	if !strings.Contains(text, patchMark) {
		return nil
	}
	for line := range strings.Lines(text) {
		for _, mark := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
				paths = append(paths, strings.TrimSpace(file))
			}
		}
	}
	return paths
}

// diffHead matches the lines of a diff that name files.
var diffHead = lazy.Regexp{Text: `(?m)^(?:--- (.+)\r?\n\+\+\+ (.+)|\*\*\* (.+)\r?\n--- (.+)|Index: (.+)|` +
	`diff --git (\S+) (\S+)|(?:rename|copy) from (.+)\r?\n(?:rename|copy) to (.+))\r?$`}

// readDiff adds the paths of a patch in a text of unknown use, or the paths of a diff, and reports whether it has any.
func (in *input) readDiff(text string) bool {
	before := len(in.paths)
	for _, names := range diffHead.Get().FindAllStringSubmatch(text, -1) {
		for _, name := range names[1:] {
			name, _, _ = strings.Cut(strings.TrimRight(name, "\r"), "\t") // the time
			if unquoted, err := strconv.Unquote(name); err == nil {
				name = unquoted
			}
			if _, rest, ok := strings.Cut(name, "/"); ok && name != "/dev/null" { // of a/ and b/
				in.paths = append(in.paths, rest)
			}
			if name != "" {
				in.paths = append(in.paths, name)
			}
		}
	}
	in.readPatch(text)
	return len(in.paths) > before || in.patch
}

// readPatches adds the paths of patches that the lines give to apply_patch, and reports whether a line runs
// apply_patch. If the line does not show the paths, or may run apply_patch in another folder, the paths are unreadable.
func (in *input) readPatches(lines []shellLine) (found bool) {
	for i := range lines {
		line := &lines[i]
		if !strings.Contains(line.text, patchTool) && !strings.Contains(line.text, patchName) {
			continue
		}
		line.unwrap(in.wrappers)
		opaque := line.unwrapped.Opaque.Why != ""
		all := line.unwrapped.Commands
		runs := slices.ContainsFunc(all, func(c shellline.Command) bool {
			return len(c.Words) > 0 && strings.ReplaceAll(path.Base(c.Words[0].Text), "_", "") == "applypatch"
		})
		paths := patchPaths(line.text)
		if !runs && (!opaque || len(paths) == 0) {
			continue
		}
		found, in.patch = true, true
		dir, known := folderOf(all)
		in.unreadablePath = in.unreadablePath || len(paths) == 0 || !known
		for _, file := range paths {
			if strings.ContainsAny(file, "$`\\") { // a here-document may expand the name
				in.unreadablePath = true
			}
			if !path.IsAbs(file) {
				file = path.Join(dir, file)
				in.paths = append(in.paths, within(in.bases, []string{file})...)
			}
			in.paths = append(in.paths, file)
		}
	}
	return found
}

// folderOf returns the folder that the line's first command changes to. For any other folder change, known is false.
func folderOf(all []shellline.Command) (dir string, known bool) {
	known = true
	for i, c := range all {
		switch words := c.Words; {
		case len(words) == 0, words[0].Text != "cd" && words[0].Text != "pushd" && words[0].Text != "popd":
		case i == 0 && words[0].Text == "cd" && len(words) == 2 && !words[1].Computed && words[1].Text != "-":
			dir = words[1].Text
		default:
			known = false
		}
	}
	return dir, known
}

package install

import (
	"strings"

	"github.com/tailscale/hujson"
)

// The entry's command ends in a comment if the file alone cannot tell Uninstall what was there before: an object or a
// list without members, or null. The comment names each value by its key, and the whole file by "file":
//
//	/usr/bin/hookrun fire --output claude || exit 2 # before: file {\n}
//	/usr/bin/hookrun fire --output claude || exit 2 # before: hooks {}, PreToolUse null
//
// A key that is not named was missing, or had members. In settings for all users of a machine the comment names the
// settings that InstallManaged added, too.
const footnoteStart, footnoteComma = " # before: ", ", "

func escapeSpace(s string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
}

func unescapeSpace(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(s)
}

// foundEmpty returns the item of the footnote for an empty value without comments, or nil for another value.
func foundEmpty(name string, v *hujson.Value) []string {
	c := containerOf(v)
	switch {
	case isNull(v):
	case c == container{} || c.len() > 0 || !c.after().IsStandard():
		return nil
	}
	return []string{name + " " + escapeSpace(raw(v))}
}

func footnote(found []string) string {
	if len(found) == 0 {
		return ""
	}
	return footnoteStart + strings.Join(found, footnoteComma)
}

// footnoteOf returns the footnote of a command in its written form, or "".
func footnoteOf(command string) string {
	if at := strings.Index(command, footnoteStart); at >= 0 {
		return command[at:]
	}
	return ""
}

// readFootnote adds the values in the footnote of a command to found.
func readFootnote(command string, found map[string]string) {
	for _, item := range strings.Split(strings.TrimPrefix(footnoteOf(command), footnoteStart), footnoteComma) {
		name, value, _ := strings.Cut(item, " ")
		switch value = unescapeSpace(value); {
		case name+" " == added, name+" " == made:
			found[item] = value
		case value == "null", len(value) > 1 && strings.Trim(value[1:len(value)-1], " \n\r\t") == "" &&
			strings.Contains("{} []", value[:1]+value[len(value)-1:]):
			found[name] = value
		}
	}
}

func isNull(v *hujson.Value) bool { return raw(v) == "null" }

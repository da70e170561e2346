package dialect

import (
	"cmp"
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// What Gemini CLI and the clients that were made of it have in common.

// GenAI is an Installer for such a client, which has files and variables of its own names.
type GenAI struct {
	BaseInstaller
	Variables         string // the start of the names of its variables
	Folder, MacFolder string // of the settings of all users
	Files             *Files
}

// Elsewhere are defaults for all users, what overrides a user's own settings, and the file that says which folders the
// user has trusted.
func (g *GenAI) Elsewhere(w Where) (weakest, strongest, beside []string) {
	folder := MachineFolder("/etc/"+g.Folder, "/Library/Application Support/"+g.MacFolder, `C:\ProgramData\`+g.Folder)
	path := cmp.Or(w.Getenv(g.Variables+"_SYSTEM_SETTINGS_PATH"), filepath.Join(folder, "settings.json"))
	defaults := filepath.Join(filepath.Dir(path), "system-defaults.json")
	return []string{cmp.Or(w.Getenv(g.Variables+"_SYSTEM_DEFAULTS_PATH"), defaults)}, []string{path},
		[]string{g.trustFile(w)}
}

// trustFile says which folders the user has trusted.
func (g *GenAI) trustFile(w Where) string {
	beside := filepath.Join(filepath.Dir(g.Files.User(w.Home, w.Getenv).Path), "trustedFolders.json")
	return cmp.Or(w.Getenv(g.Variables+"_TRUSTED_FOLDERS_PATH"), beside)
}

// Servers are in the settings.
func (g *GenAI) Servers(w Where, _ func(string) string) []ServerFile {
	return g.Files.ServerFiles(w, g.Files.Base, func(doc string) []Server {
		return ServersOf(gjson.Get(doc, "mcpServers"), Texts(gjson.Get(doc, "mcp.excluded")))
	})
}

// Trust reads in the client's files whether it wants folders trusted, by default or by a setting, and whether the user
// trusts this one or has said that nobody should. file is where that stands.
func (g *GenAI) Trust(in *Installed, byDefault bool) (file string, wanted, trusted, refused bool) {
	file, wanted = g.trustFile(in.Where), byDefault
	for _, f := range in.Files {
		if v := gjson.Get(f.Text, "security.folderTrust.enabled"); v.IsBool() {
			wanted = v.Bool()
		}
		if f.Path == file {
			level := folderTrust(f.Text, in.Workspace)
			trusted, refused = level == "TRUST_FOLDER" || level == "TRUST_PARENT", level == "DO_NOT_TRUST"
		}
	}
	return file, wanted, trusted, refused
}

// MergeInput merges an object into the tool's input as the next hook in turn gets it, and reports whether it did.
func MergeInput(c *Call, object []byte) bool {
	old, _, err := c.Input()
	merged := MergedJSON(old, object)
	if err != nil || merged == nil {
		return false
	}
	c.SetArgs(merged)
	SetField(c, "tool_input", merged)
	return true
}

// AddToPrompt adds context to the prompt as the next hook in turn gets it, and reports whether there is any.
func AddToPrompt(c *Call, context string) bool {
	if context == "" {
		return false
	}
	c.Prompt += "\n\n" + context
	SetField(c, "prompt", strictjson.Quote(c.Prompt))
	return true
}

// LLMResponse writes a tool's result in the form of these clients.
func LLMResponse(c *Call) []byte {
	text := strictjson.Quote(c.Result)
	response := FieldsOf("llmContent", text, "returnDisplay", text)
	if c.Failed {
		response.Set("error", ObjectOf(FieldsOf("message", text)))
	}
	return ObjectOf(response)
}

// ReadLLMResponse reads a tool's result from that form: what the model sees of it.
func ReadLLMResponse(c *Call, response gjson.Result) {
	content, failure := response.Get("llmContent"), response.Get("error")
	c.Failed = failure.Type != gjson.Null
	switch {
	case content.Exists():
		c.Result = strictjson.ValueText([]byte(content.Raw))
	case c.Failed && failure.Get("message").Exists():
		c.Result = strictjson.ValueText([]byte(failure.Get("message").Raw))
	}
}

// JSONOrQuoted reads a text as these clients do: it is JSON, or a JSON string that holds JSON, or no JSON at all.
func JSONOrQuoted(text string) (value gjson.Result, is bool) {
	if value, is = JSONValue(text); is && value.Type == gjson.String {
		return JSONValue(strictjson.Text(value.Raw))
	}
	return value, is
}

// MessageOf is a text for people. What JavaScript takes for false is none, and any other value that is no string is
// shown as the JSON that it is.
func MessageOf(value gjson.Result) string {
	if value.Type == gjson.Null || value.Type == gjson.False || value.Type == gjson.Number && value.Num == 0 {
		return ""
	}
	return strictjson.ValueText([]byte(value.Raw))
}

// folderTrust is what the file of folders that the user of such a client has trusted says of a folder: what stands
// beside the longest path that it lies in.
func folderTrust(doc, folder string) (level string) {
	longest := -1
	gjson.Parse(doc).ForEach(func(key, value gjson.Result) bool {
		path := key.String()
		if value.String() == "TRUST_PARENT" {
			path = filepath.Dir(path)
		}
		rest, err := filepath.Rel(real(path), real(folder))
		if err == nil && filepath.IsLocal(rest) && len(key.String()) > longest {
			longest, level = len(key.String()), value.String()
		}
		return true
	})
	return level
}

func real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

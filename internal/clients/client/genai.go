package client

import (
	"cmp"
	"path/filepath"
	"runtime"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Shared code of Gemini CLI and the clients derived from Gemini CLI.

// GenAI is an Installer for such a client, with the client's own file and variable names.
type GenAI struct {
	BaseInstaller
	Variables         string // the prefix of the client's variables
	Folder, MacFolder string // of the settings for all users
	Files             *dialect.Files
}

// OtherFiles returns the defaults for all users, the settings that override a user's own, and the file of trusted
// folders.
func (g *GenAI) OtherFiles(w Where) (weakest, strongest, beside []string) {
	path := cmp.Or(w.Getenv(g.Variables+"_SYSTEM_SETTINGS_PATH"), g.SystemFile(runtime.GOOS))
	defaults := filepath.Join(filepath.Dir(path), "system-defaults.json")
	return []string{cmp.Or(w.Getenv(g.Variables+"_SYSTEM_DEFAULTS_PATH"), defaults)}, []string{path},
		[]string{g.trustFile(w)}
}

// SystemFile returns the settings that override a user's own on a system.
func (g *GenAI) SystemFile(system string) string {
	return dialect.OnSystem(system, "/etc/"+g.Folder+"/", "/Library/Application Support/"+g.MacFolder+"/",
		`C:\ProgramData\`+g.Folder+`\`) + "settings.json"
}

// trustFile returns the file of folders trusted by the user.
func (g *GenAI) trustFile(w Where) string {
	beside := filepath.Join(filepath.Dir(g.Files.User(w.Home, w.Getenv).Path), "trustedFolders.json")
	return cmp.Or(w.Getenv(g.Variables+"_TRUSTED_FOLDERS_PATH"), beside)
}

// Servers returns the settings files, which have the MCP servers.
func (g *GenAI) Servers(w Where, _ func(string) string) []ServerFile {
	return ServerFiles(g.Files, w, g.Files.Base, func(doc string) []Server {
		return ServersOf(gjson.Get(doc, "mcpServers"), Texts(gjson.Get(doc, "mcp.excluded")))
	})
}

// Trust reads from the client's files whether folder trust is on, by default or by a setting, and whether the user
// trusts this folder or has refused to. file is the file of trusted folders.
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

// MergeInput merges an object into the tool input for the next hook in turn, and reports success.
func MergeInput(c *dialect.Call, object []byte) bool {
	old, _, err := c.Input()
	merged := dialect.MergedJSON(old, object)
	if err != nil || merged == nil {
		return false
	}
	c.SetArgs(merged)
	dialect.SetField(c, "tool_input", merged)
	return true
}

// AddToPrompt appends context to the prompt for the next hook in turn, and reports whether context is not empty.
func AddToPrompt(c *dialect.Call, context string) bool {
	if context == "" {
		return false
	}
	c.Prompt += "\n\n" + context
	dialect.SetField(c, "prompt", strictjson.Quote(c.Prompt))
	return true
}

// LLMResponse encodes a tool's result in the form of these clients.
func LLMResponse(c *dialect.Call) []byte {
	text := strictjson.Quote(c.Result)
	response := dialect.FieldsOf("llmContent", text, "returnDisplay", text)
	if c.Failed {
		response.Set("error", dialect.JSONObject("message", text))
	}
	return dialect.ObjectOf(response)
}

// ReadLLMResponse sets the call's result from that form, to the text that the model sees.
func ReadLLMResponse(c *dialect.Call, response gjson.Result) {
	content, failure := response.Get("llmContent"), response.Get("error")
	c.Failed = failure.Type != gjson.Null
	switch {
	case content.Exists():
		c.Result = strictjson.ValueText([]byte(content.Raw))
	case c.Failed && failure.Get("message").Exists():
		c.Result = strictjson.ValueText([]byte(failure.Get("message").Raw))
	}
}

// JSONOrQuoted parses a text as these clients do: as JSON, or as a JSON string that contains JSON.
func JSONOrQuoted(text string) (value gjson.Result, is bool) {
	if value, is = JSONValue(text); is && value.Type == gjson.String {
		return JSONValue(strictjson.Text(value.Raw))
	}
	return value, is
}

// MessageOf returns a text for people. A value that is false in JavaScript gives "". Other values than strings stay
// JSON.
func MessageOf(value gjson.Result) string {
	if value.Type == gjson.Null || value.Type == gjson.False || value.Type == gjson.Number && value.Num == 0 {
		return ""
	}
	return strictjson.ValueText([]byte(value.Raw))
}

// folderTrust returns the trust level of a folder from the text of the trust file: the level of the longest path that
// contains the folder.
func folderTrust(doc, folder string) (level string) {
	longest := -1
	for key, value := range gjson.Parse(doc).ForEach {
		path := key.String()
		if value.String() == "TRUST_PARENT" {
			path = filepath.Dir(path)
		}
		rest, err := filepath.Rel(realPath(path), realPath(folder))
		if err == nil && filepath.IsLocal(rest) && len(key.String()) > longest {
			longest, level = len(key.String()), value.String()
		}
	}
	return level
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

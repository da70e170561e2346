//go:build linux

package clients

import (
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// otherExample is a hooks file or a client's settings, with calls for each hook in it.
type otherExample struct {
	name  string
	wire  func(*sdkSession)
	calls []sdkCall
	cases []guardSDKCase
}

// otherExamples are those of scripts/examples beside guards.
var otherExamples = []otherExample{{
	name: "scripts/examples/.tenex-hooks.json",
	wire: func(s *sdkSession) {
		require.NoError(s, os.CopyFS(s.workspace, os.DirFS(binary.CopyExamples(s.T))))
		s.run(binary.Path, "install", "claude", "--project", "--allow")
	},
	calls: []sdkCall{
		{"forced", "Bash", binary.Hook{"command": "touch ran_forced; git push --force"}},
		{"secret", "Write", binary.Hook{"file_path": "$WORKSPACE/.env", "content": "A=1"}},
		{"password", "Bash", binary.Hook{"command": "echo password=hun''ter2"}},
		{"change", "Write", binary.Hook{"file_path": "$WORKSPACE/main.go", "content": "package main"}},
	},
	cases: []guardSDKCase{
		{guard: "block-dangerous-shell", at: "forced", denied: "blocked: "},
		{guard: "protect-paths", at: "secret", denied: ".env is protected in this project"},
		{guard: "project-context", at: "UserPromptSubmit", told: "All about the project."},
		{guard: "redact-secrets", at: "password", told: "password=[redacted]", never: "hunter2"},
		{guard: "remind-after-tool", at: "change", told: "main.go has changed: run "},
	},
}, {
	name: "scripts/examples/claude/settings.json",
	wire: func(s *sdkSession) {
		s.hooksOf("claude", ".claude/hooks")
		s.write(".claude/settings.json", exampleFile(s, "claude/settings.json"))
	},
	calls: protectedCalls, cases: protectedCases,
}, {
	name: "scripts/examples/claude/tenex-hooks.json",
	wire: func(s *sdkSession) {
		s.hooksOf("claude", ".claude/hooks")
		s.write(".tenex-hooks.json", exampleFile(s, "claude/tenex-hooks.json"))
		s.run(binary.Path, "install", "claude", "--project", "--allow")
	},
	calls: protectedCalls, cases: protectedCases,
},
	persistentExample("guard-py"), persistentExample("guard-mjs"),
}

// persistentExample is one of two hooks with the same rules.
func persistentExample(guard string) otherExample {
	return otherExample{
		name: "scripts/examples/persistent/tenex-hooks.json, " + guard,
		wire: func(s *sdkSession) {
			s.hooksOf("persistent", ".hooks")
			s.write(".tenex-hooks.json", exampleFile(s, "persistent/tenex-hooks.json"))
			binary.OnlyHook(s.T, s.workspace, guard)
			s.run(binary.Path, "install", "claude", "--project", "--allow")
		},
		calls: []sdkCall{
			{"forced", "Bash", binary.Hook{"command": "touch ran_forced; git push --force"}},
			{"plain", "Bash", binary.Hook{"command": "cat plain.txt"}},
		},
		cases: []guardSDKCase{
			{guard: guard, at: "forced", denied: "a forced push can lose the work of others"},
			{guard: guard, at: "plain"},
		},
	}
}

var (
	protectedCalls = []sdkCall{
		{"lock", "Write", binary.Hook{"file_path": "$WORKSPACE/go.sum", "content": "x"}},
		{"read", "Read", binary.Hook{"file_path": "$WORKSPACE/.env"}},
		{"shell", "Bash", binary.Hook{"command": "touch ran_shell; cat .env"}},
		{"plain", "Read", binary.Hook{"file_path": "$WORKSPACE/plain.txt"}},
	}
	protectedCases = []guardSDKCase{
		{guard: "protect-files", at: "lock", denied: "go.sum is written by the package manager."},
		{guard: "protect-files", at: "read", denied: ".env contains secrets."},
		{guard: "protect-files", at: "shell", denied: "Do not touch .env in the shell."},
		{guard: "protect-files", at: "plain"},
	}
)

func exampleFile(s *sdkSession, path string) string {
	text, err := os.ReadFile(filepath.Join(binary.Repository(s.T), "scripts", "examples", path))
	require.NoError(s, err)
	return string(text)
}

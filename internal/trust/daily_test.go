//go:build unix

package trust_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// daily are commands of the kinds that people's hooks files have. About two fifths of them need "files".
var daily = []string{
	`"$CLAUDE_PROJECT_DIR"/.claude/hooks/lint.sh`,
	`"$CLAUDE_PROJECT_DIR/.claude/hooks/check style.sh"`,
	`$CLAUDE_PROJECT_DIR/.claude/hooks/format.sh`,
	`${CLAUDE_PROJECT_DIR}/.claude/hooks/format.sh || true`,
	`${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/format.sh`,
	`.claude/hooks/guard.py`,
	`./scripts/guard.sh "$CLAUDE_TOOL_INPUT"`,
	`python3 .claude/hooks/guard.py`,
	`python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.py --strict`,
	`uv run .claude/hooks/guard.py`,
	`uv run --script "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.py"`,
	`cd "$CLAUDE_PROJECT_DIR" && python3 .claude/hooks/guard.py`,
	`cd "$(git rev-parse --show-toplevel)" && ./scripts/guard.sh`,
	`"$(git rev-parse --show-toplevel 2>/dev/null || pwd)"/scripts/guard.sh`,
	`bash "$(git rev-parse --show-toplevel)/scripts/guard.sh"`,
	`node .claude/hooks/guard.mjs`,
	`node "${CLAUDE_PROJECT_DIR}/.claude/hooks/run.js" "pre:bash" "scripts/commit.js" strict`,
	`bun .claude/hooks/guard.ts`,
	`bun run .claude/hooks/guard.ts`,
	`npx tsx .claude/hooks/guard.ts`,
	`deno run --allow-read .claude/hooks/guard.ts`,
	`ruby .claude/hooks/guard.rb`,
	`bash .claude/hooks/guard.sh`,
	`bash -c '.claude/hooks/guard.sh "$@"' --`,
	`sh -c "cat | .claude/hooks/guard.sh"`,
	`~/.claude/hooks/notify.sh`,
	`$HOME/.claude/hooks/notify.sh done`,
	`node "$HOME/.claude/hooks/search.cjs"`,
	`timeout 10 .claude/hooks/guard.sh`,
	`env MODE=strict .claude/hooks/guard.sh`,
	`MODE=strict .claude/hooks/guard.sh`,
	`[ -x .claude/hooks/guard.sh ] && .claude/hooks/guard.sh || exit 0`,
	`if [ -f .venv/bin/activate ]; then . .venv/bin/activate; fi; ruff check --fix .`,
	`test -f package.json && npx eslint --fix . ; exit 0`,
	`jq -r '.tool_input.file_path' | xargs prettier --write`,
	`jq -r '.tool_input.file_path // empty' | xargs -I{} npx prettier --write {}`,
	`jq -r '.tool_input.file_path' | { read -r f; if echo $f | grep -q '\.ts$'; then npx prettier --write "$f"; fi; }`,
	`f=$(jq -r '.tool_input.file_path'); [[ "$f" == *.py ]] && ruff format "$f"; exit 0`,
	`file=$(cat | jq -r .tool_input.file_path); case "$file" in *.go) gofmt -w "$file";; *.rs) rustfmt "$file";; esac`,
	`input=$(cat); echo "$input" | jq -e '.tool_input.command | test("rm -rf")' >/dev/null && exit 2 || exit 0`,
	`cmd=$(jq -r .tool_input.command); if [[ $cmd =~ git\ push.*--force ]]; then echo no >&2; exit 2; fi`,
	`jq -r '"\(.tool_input.command) - \(.tool_input.description)"' >> ~/.claude/log.txt`,
	`npx prettier --write "$CLAUDE_FILE_PATHS" 2>/dev/null || true`,
	`prettier --write "$(jq -r .tool_input.file_path)"`,
	`black --quiet "$FILE"`,
	`echo "$(date): tool" >> .claude/log.txt`,
	`date -Iseconds >> "$CLAUDE_PROJECT_DIR/.claude/log.txt"`,
	`printf '%s\n' "$(cat)" >> /tmp/hooks.jsonl`,
	`git status --short`,
	`git diff --name-only | head -20`,
	`git add -A && git commit -qm "auto: $(date)" || true`,
	`git log --oneline -5 && cat docs/CONTEXT.md`,
	`cat CLAUDE.md`,
	`echo 'Remember the tests.'`,
	`notify-send 'Agent' "waits for you"`,
	`osascript -e 'display notification "done" with title "Agent"'`,
	`afplay /System/Library/Sounds/Glass.aiff`,
	`say done`,
	`curl -s -X POST -H 'Content-Type: application/json' -d @- http://localhost:8080/hook`,
	`curl -s -d "done in $(pwd)" https://ntfy.example/topic`,
	`npm run lint`,
	`npm test --silent`,
	`pnpm exec eslint --fix .`,
	`yarn lint`,
	`make lint`,
	`make -s -C tools check`,
	`go vet ./... && go test ./...`,
	`cargo fmt && cargo clippy -- -D warnings`,
	`golangci-lint run`,
	`pytest -q`,
	`tsc --noEmit`,
	`npx tsc --noEmit | head -30`,
	`ruff check . && mypy src`,
	`pre-commit run --files $(git diff --name-only)`,
	`shellcheck scripts/*.sh`,
	`terraform fmt -check`,
	`docker compose exec -T app php bin/lint`,
	`kuzu-memory hooks enhance`,
	`mytool hook pre-tool`,
	`/usr/local/bin/mytool hook "$CLAUDE_PROJECT_DIR"`,
	`python3 -m hooks.guard`,
	`python3 -c "import json,sys; d=json.load(sys.stdin); ` +
		`sys.exit(2 if 'rm -rf' in d['tool_input'].get('command','') else 0)"`,
	`python3 -c "import json, re, sys; d=json.load(sys.stdin); p=d.get('tool_input',{}).get('file_path',''); ` +
		`sys.exit(2 if any(x in p for x in ['.env','package-lock.json','.git/']) else 0)"`,
	`node -e "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>process.exit(/rm -rf/.test(s)?2:0))"`,
	`node -e 'const fs=require("fs");const i=JSON.parse(fs.readFileSync(0,"utf8"));` +
		`if(i.tool_input.file_path)process.exit(0)'`,
	`awk '/AKIA/ {exit 2}'`,
	`grep -q AKIA && exit 2 || exit 0`,
	`grep -qE '(password|secret)=' && { echo 'a secret' >&2; exit 2; } || true`,
	`perl -ne 'exit 2 if /rm -rf/'`,
	`sed -n 's/.*"command":"\([^"]*\)".*/\1/p' | grep -q sudo && exit 2; exit 0`,
	`set -euo pipefail; d=$(cat); [ -n "$d" ] || exit 0; printf '%s' "$d" | .claude/hooks/guard.sh`,
	`for h in .claude/hooks/pre-*.sh; do "$h" || exit $?; done`,
	`for f in $(git diff --name-only); do npx prettier --write "$f"; done`,
	`while read -r f; do gofmt -w "$f"; done < <(git diff --name-only)`,
	`find . -name '*.py' -newer .claude/stamp -exec ruff format {} +`,
	`command -v ruff >/dev/null && ruff check . || true`,
	`DIR="$(cd "$(dirname "$0")" && pwd)"; "$DIR/guard.sh"`,
	`exec .claude/hooks/guard.sh`,
	`nohup .claude/hooks/slow.sh >/dev/null 2>&1 &`,
	`(.claude/hooks/a.sh; .claude/hooks/b.sh) | tail -5`,
	`claude -p "review this" < /dev/null`,
	`tmux display-message 'agent: done'`,
}

func TestDailyCommands(t *testing.T) {
	// What they run is said elsewhere, or only then: in package.json, a Makefile, a configuration, a hook of git.
	needs := regexp.MustCompile(`^(?:npm|pnpm|yarn|make|go|cargo|pytest|kuzu-memory|mytool|claude|terraform|docker|` +
		`tmux|uv|bun|deno|python3 -c|python3 -m|node -e|perl -ne|/usr/local/bin/mytool|golangci-lint|pre-commit|` +
		`git add -A && git commit) |rustfmt|^if \[ -f \.venv|^DIR="\$\(cd|\b(?:npx|prettier) `)
	var entries []any
	for _, command := range daily {
		entries = append(entries, map[string]any{"type": "command", "command": command})
	}
	group := []any{map[string]any{"hooks": entries}}
	doc, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": group}})
	require.NoError(t, err)
	dir := workspace(t, ".git/HEAD", ".claude/hooks/guard.sh", ".claude/hooks/pre-a.sh", "src/x", "scripts/guard.sh",
		"tools/Makefile")
	install(t, dir, "go", "cargo", "pytest", "kuzu-memory", "mytool", "claude", "tmux", "npm", "yarn", "npx", "uv",
		"bun", "deno", "docker", "golangci-lint", "pre-commit", "rustfmt", "gofmt", "black", "shellcheck", "tsc",
		"flock", "osascript", "prettier", "pnpm", "terraform", "node", "ruby", "perl", "jq", "ruff", "make")
	cfg, now := take(t, dir, string(doc))
	require.Len(t, cfg.Hooks, len(daily))
	var doubtful []string
	for i := range cfg.Hooks {
		one := *cfg
		one.Hooks = cfg.Hooks[i : i+1]
		if _, of := now.Unresolved(&one); len(of) > 0 {
			doubtful = append(doubtful, daily[i])
			require.Regexp(t, needs, daily[i], of[0].Text)
		} else {
			require.NotRegexp(t, needs, daily[i])
		}
	}
	t.Logf("%d of %d commands need a look", len(doubtful), len(daily))
	require.LessOrEqual(t, len(doubtful), 42)
}

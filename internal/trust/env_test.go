//go:build unix

package trust_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/trust"
)

// programsOfVariables are the programs beside which a variable stands: what the variable means does not depend on the
// program of the entry, since a script may start any other.
var programsOfVariables = []string{"bash g.sh", "./g.sh", "node g.js", "python3 g.py", "perl g.pl", "ruby g.rb",
	"git status", "cat data.txt"}

// variables are values by what hookrun must do with them: record the files, have a doubt, or neither.
var variables = []struct{ name, value, files, doubt string }{
	// a shell takes the value for one name, after expansion
	{"BASH_ENV", "e.sh", "e.sh", ""},
	{"BASH_ENV", "./e.sh", "e.sh", ""},
	{"BASH_ENV", "a b.sh", "a b.sh", ""},
	{"BASH_ENV", "later.sh", "", ""},
	{"BASH_ENV", "$PWD/e.sh", "", "the shell expands the value of BASH_ENV"},
	{"BASH_ENV", "${PWD}/e.sh", "", "expands"},
	{"BASH_ENV", "${X:-e.sh}", "", "expands"},
	{"BASH_ENV", "~/e.sh", "", "expands"},
	{"BASH_ENV", "$(cat n)", "", "BASH_ENV has a command in its text"},
	{"BASH_ENV", "`cat n`", "", "has a command"},
	{"BASH_ENV", `\e.sh`, "", "expands"},
	{"BASH_ENV", "/proc/self/cwd/e.sh", "", "depends on the process"},
	{"BASH_ENV", "/etc/bash.bashrc", "", ""},
	{"ENV", "$PWD/e.sh", "", "the shell expands the value of ENV"},
	{"ENV", "e.sh", "e.sh", ""},
	{"ENV", "production", "", ""},

	{"NODE_OPTIONS", "--require=./x.js", "x.js/index.js", ""}, // x.js is a folder
	{"NODE_OPTIONS", "--require ./x.js", "x.js/index.js", ""},
	{"NODE_OPTIONS", "-r ./x.js", "x.js/index.js", ""},
	{"NODE_OPTIONS", "--require=./main", "main/package.json main/run.js", ""},
	{"NODE_OPTIONS", "--import ./e.mjs --no-warnings", "e.mjs", ""},
	{"NODE_OPTIONS", "--loader=./e.mjs", "e.mjs", ""},
	{"NODE_OPTIONS", "--require=e", "", "NODE_OPTIONS has an option that is not known"},
	{"NODE_OPTIONS", "--require ts-node/register", "", "not known"},
	{"NODE_OPTIONS", `--require="./x.js"`, "", "not known"},
	{"NODE_OPTIONS", "--import=data:text/javascript,1", "", "not known"},
	{"NODE_OPTIONS", "--import=./e%2emjs", "", "not known"},
	{"NODE_OPTIONS", "--env-file=.env", "", "not known"},
	{"NODE_OPTIONS", "--experimental-config-file=x", "", "not known"},
	{"NODE_OPTIONS", "--max-old-space-size=8192 --enable-source-maps", "", ""},
	{"NODE_PATH", "lib", "", "NODE_PATH names a folder"},
	{"NODE_COMPILE_CACHE", "lib", "", "NODE_COMPILE_CACHE may have a program run others"},

	{"PYTHONPATH", "l.zip", "l.zip", ""},
	{"PYTHONPATH", "/usr/lib/x:l.zip", "l.zip", ""},
	{"PYTHONPATH", "lib", "", "PYTHONPATH names a folder"},
	{"PYTHONPATH", "later", "", "PYTHONPATH names a folder"},
	{"PYTHONPATH", "later.zip", "", "names a folder"},
	{"PYTHONPATH", "/usr/lib/x:", "", "names a folder"},
	{"PYTHONPATH", ".", "", "names a folder"},
	{"PYTHONPATH", "/usr/lib/x", "", ""},
	{"PYTHONPATH", "", "", ""},
	{"PYTHONSTARTUP", "g.py", "g.py", ""},
	{"PYTHONHOME", "lib", "", "PYTHONHOME names a folder"},
	{"PYTHONBREAKPOINT", "g.x", "", "PYTHONBREAKPOINT may have a program run others"},
	{"PYTHONWARNINGS", "ignore", "", ""},
	{"PYTHONWARNINGS", "error::DeprecationWarning", "", ""},
	{"PYTHONWARNINGS", "all:0:g.x:0:0", "", "PYTHONWARNINGS has an option that is not known"},
	{"PYTHONUNBUFFERED", "1", "", ""},
	{"PYTHONIOENCODING", "utf-8", "", ""},

	{"LD_PRELOAD", "./x.so", "x.so", ""},
	{"LD_PRELOAD", "./x.so:./y.so", "x.so y.so", ""},
	{"LD_PRELOAD", "./x.so  ./y.so", "x.so y.so", ""},
	{"LD_PRELOAD", "./later.so", "", "LD_PRELOAD names a folder"},
	{"LD_PRELOAD", "$ORIGIN/x.so", "", "the linker expands the value of LD_PRELOAD"},
	{"LD_PRELOAD", "libjemalloc.so.2", "", ""},
	{"LD_AUDIT", "./x.so", "x.so", ""},
	{"LD_LIBRARY_PATH", "lib", "", "LD_LIBRARY_PATH names a folder"},
	{"LD_LIBRARY_PATH", "", "", ""},
	{"LD_LIBRARY_PATH", "/usr/lib", "", ""},
	{"LD_BIND_NOW", "1", "", ""},
	{"DYLD_INSERT_LIBRARIES", "x.so", "x.so", ""},
	{"DYLD_FALLBACK_LIBRARY_PATH", "lib", "", "names a folder"},
	{"GCONV_PATH", "lib", "", "GCONV_PATH names a folder"},
	{"OPENSSL_CONF", "data.txt", "", "OPENSSL_CONF names a folder"},
	{"OPENSSL_CONF", "/dev/null", "", ""},
	{"PATH", "lib:/usr/bin", "", "PATH has a folder of the workspace"},
	{"PATH", ":/usr/bin", "", "PATH has a folder of the workspace"},
	{"PATH", "$PATH:/usr/bin", "", "PATH has a folder of the workspace, or one that is not absolute"},
	{"PATH", "/proc/self/cwd/lib:/usr/bin", "", "PATH has a folder of the workspace"},
	{"PATH", "/opt/bin:/usr/bin:/bin", "", ""},
	{"HOME", ".", "", "HOME names a folder"},
	{"XDG_CONFIG_HOME", "lib", "", "XDG_CONFIG_HOME names a folder"},

	{"PERL5OPT", "-w", "", ""},
	{"PERL5OPT", "-Mlib=lib", "", "PERL5OPT has an option that is not known"},
	{"PERL5OPT", "-MX", "", "not known"},
	{"PERL5LIB", "lib", "", "PERL5LIB names a folder"},
	{"PERL5DB", "BEGIN { require './x.pl' }", "", "PERL5DB may have a program run others"},
	{"RUBYOPT", "-r./g.rb", "g.rb", ""},
	{"RUBYOPT", "-r./g", "g.rb", ""},
	{"RUBYOPT", "-W0 --disable=gems", "", ""},
	{"RUBYOPT", "-rbundler/setup", "", "RUBYOPT has an option that is not known"},
	{"RUBYLIB", "lib", "", "RUBYLIB names a folder"},
	{"JAVA_TOOL_OPTIONS", "-javaagent:./a.jar=x", "a.jar", ""},
	{"JAVA_TOOL_OPTIONS", "-Xmx512m -Dfile.encoding=UTF-8 -XX:+UseSerialGC", "", ""},
	{"JAVA_TOOL_OPTIONS", "-XX:OnError=./g.sh", "", "JAVA_TOOL_OPTIONS has an option that is not known"},
	{"_JAVA_OPTIONS", "@args", "", "not known"},
	{"CLASSPATH", "a.jar", "a.jar", ""},
	{"CLASSPATH", "lib/*", "", "names a folder"},
	{"LUA_INIT", "@lua.lua", "", "LUA_INIT may have a program run others"},
	{"LUA_PATH", "./?.lua", "", "names a folder"},
	{"GOFLAGS", "-mod=mod", "", ""},
	{"GOFLAGS", "-toolexec=./g.sh", "", "GOFLAGS has an option"},
	{"RUSTC_WRAPPER", "./g.sh", "", "RUSTC_WRAPPER may have"},
	{"RUSTFLAGS", "-D warnings", "", ""},
	{"RUST_LOG", "debug,hyper=info", "", ""},
	{"DOTNET_STARTUP_HOOKS", "./x.dll", "", "DOTNET_STARTUP_HOOKS may have"},
	{"CORECLR_PROFILER_PATH", "./x.so", "", "may have a program run others"},
	{"npm_config_script_shell", "./g.sh", "", "npm_config_script_shell may have"},
	{"npm_config_loglevel", "silent", "", ""},
	{"NPM_CONFIG_REGISTRY", "https://registry.example/", "", ""},
	{"BUNDLE_GEMFILE", "lib/Gemfile", "", "BUNDLE_GEMFILE names a folder"},
	{"MAKEFLAGS", "-j4", "", ""},
	{"MAKEFLAGS", "--eval=x", "", "MAKEFLAGS has an option"},

	{"GIT_CONFIG_GLOBAL", "data.txt", "", "GIT_CONFIG_GLOBAL names a folder"},
	{"GIT_CONFIG_GLOBAL", "/dev/null", "", ""},
	{"GIT_CONFIG_COUNT", "1", "", ""},
	{"GIT_CONFIG_KEY_0", "core.fsmonitor", "", "GIT_CONFIG_KEY_0 may have a program run others"},
	{"GIT_CONFIG_KEY_0", "safe.directory", "", ""},
	{"GIT_CONFIG_VALUE_0", "./g.sh", "", "GIT_CONFIG_VALUE_0 may have"},
	{"GIT_CONFIG_PARAMETERS", "'core.pager'='./g.sh'", "", "may have a program run others"},
	{"GIT_DIR", "later", "", "GIT_DIR names a folder"},
	{"GIT_SSH_COMMAND", "sh g.sh", "", "GIT_SSH_COMMAND may have"},
	{"GIT_EDITOR", "true", "", ""},
	{"GIT_PAGER", "cat", "", ""},
	{"GIT_PAGER", "sh", "", "GIT_PAGER may have"},
	{"GIT_ASKPASS", "./g.sh", "g.sh", ""},
	{"PAGER", "less -R", "", ""},
	{"EDITOR", "code --wait", "", ""},
	{"EDITOR", "g.sh; true", "", "EDITOR may have"},
	{"LESSOPEN", "|./g.sh %s", "", "LESSOPEN may have"},
	{"LESS", "-FRX", "", ""},
	{"GIT_AUTHOR_NAME", "A B", "", ""},
	{"GIT_TERMINAL_PROMPT", "0", "", ""},
	{"BASH_FUNC_git%%", "() { ./g.sh; }", "", "BASH_FUNC_git%% may have"},
	{"PS4", "$X", "", "PS4 may have"},
	{"SHELLOPTS", "xtrace", "", "SHELLOPTS may have"},

	// the project's own, and those of clients
	{"MODE", "strict", "", ""},
	{"API_URL", "https://api.example/v1?x=y", "", ""},
	{"MY_APP_MODE", "fast", "", ""},
	{"GOOGLE_CLOUD_PROJECT", "my-project", "", ""},
	{"NODE_ENV", "production", "", ""},
	{"LANG", "C.UTF-8", "", ""},
	{"LC_ALL", "C", "", ""},
	{"TZ", "Europe/Berlin", "", ""},
	{"NO_COLOR", "1", "", ""},
	{"TERM", "xterm-256color", "", ""},
	{"CI", "true", "", ""},
	{"HTTPS_PROXY", "http://proxy:8080", "", ""},
	{"ANTHROPIC_MODEL", "claude-sonnet-4-5", "", ""},
	{"BASH_DEFAULT_TIMEOUT_MS", "120000", "", ""},
	{"SRC_DIR", "lib", "", ""},
	{"LOG", "data.txt", "", ""}, // a hook writes to its log at each call
	{"GUARD_LIB", "./e.sh", "e.sh", ""},
	{"GUARD_LIBS", "e.sh:g.sh", "e.sh g.sh", ""},
	{"GUARD_PLUGINS", "lib", "", "GUARD_PLUGINS names a folder"},
	{"GUARD_LIBS", "e.sh,g.sh", "e.sh g.sh", ""},
	{"GUARD_OPTIONS", `--rc "e.sh"; x`, "e.sh", ""},
	{"GUARD_NOTE", strings.Repeat("x ", 20) + "e.sh", "e.sh", ""},
	{"GUARD_NOTE", strings.Repeat("x ", 300) + "e.sh", "", "GUARD_NOTE has more than 256 words"},
	{"GUARD_NOTE", "look at lib and main", "", ""},
	{"MODE", "lib", "", ""},

	// programs that no entry names, since a script may start them
	{"SOME_TOOL_HOME", "lib", "", "SOME_TOOL_HOME names a folder"},
	{"SOME_TOOL_HOME", "later", "", ""}, // once it is there, the doubt is a difference
	{"PYENV_ROOT", "lib", "", "PYENV_ROOT may have a program run others"},
	{"PYENV_HOOK_PATH", "lib", "", "PYENV_HOOK_PATH may have"},
	{"ASDF_DATA_DIR", "lib", "", "ASDF_DATA_DIR may have"},
	{"HGRCPATH", "data.txt", "", "HGRCPATH may have"},
	{"R_PROFILE", "data.txt", "", "R_PROFILE may have"},
	{"VIMINIT", "source e.sh", "", "VIMINIT may have"},
	{"EMACSLOADPATH", "lib", "", "EMACSLOADPATH may have"},
	{"TCLLIBPATH", "lib", "", "TCLLIBPATH may have"},
	{"COMPILER_PATH", "lib", "", "COMPILER_PATH may have"},
	{"TEXINPUTS", "lib", "", "TEXINPUTS names a folder"},
	{"RESTIC_PASSWORD_COMMAND", "cd lib && ../g.sh", "lib/../g.sh", ""},
	{"RESTIC_PASSWORD_COMMAND", "$(cat n)", "", "RESTIC_PASSWORD_COMMAND has a command in its text"},
	{"BORG_RSH", "python3 -m g", "g.py", ""},
	{"BORG_RSH", "node -e x", "", "what node runs with"},
	{"LINT_COMMAND", "ruff check .", "", ""},
	{"TARGET", "lib", "", ""},
	{"HISTFILE", "/dev/null", "", ""},
	{"GH_PAGER", "./g.sh -x", "g.sh", ""},
	{"GH_PAGER", "less -R", "", ""},
}

func TestVariables(t *testing.T) {
	names := []string{"e.sh", "a b.sh", "g.sh", "g.js", "g.py", "g.pl", "g.rb", "x.js/index.js", "main/package.json",
		"main/run.js", "e.mjs", "lib/plug.py", "l.zip", "x.so", "y.so", "a.jar", "lua.lua", "data.txt"}
	dir := workspace(t, names...)
	doc := []byte(`{"main": "run.js"}`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main/package.json"), doc, 0o600))
	install(t, dir, "node", "python3", "perl", "ruby", "bash", "less", "code", "cat", "git")
	for _, v := range variables {
		for i, program := range programsOfVariables {
			entry := map[string]any{"name": "h", "command": program, "events": []string{"pre-tool"}}
			ofClient := map[string]any{"PreToolUse": []any{map[string]any{"hooks": []any{
				map[string]any{"type": "command", "command": program}}}}}
			env := map[string]string{v.name: v.value}
			entry["env"] = env
			for form, doc := range map[string]any{"entry": map[string]any{"hooks": []any{entry}},
				"settings": map[string]any{"hooks": ofClient, "env": env}} {
				text, err := json.Marshal(doc)
				require.NoError(t, err)
				cfg, now := take(t, dir, string(text))
				what := v.name + "=" + v.value + " " + program + ", " + form
				unresolved, ofClients := now.Unresolved(cfg)
				require.Empty(t, ofClients, what)
				if v.doubt == "" {
					require.Empty(t, unresolved, what)
				} else {
					require.Len(t, unresolved, 1, what)
					require.Contains(t, unresolved[0].Text, v.doubt, what)
				}
				named := now.Named(&cfg.Hooks[0])
				files := strings.Fields(v.files)
				if v.files == "a b.sh" {
					files = []string{v.files}
				}
				for _, file := range files {
					require.Contains(t, named, file, what)
				}
				if i == len(programsOfVariables)-1 && v.files == "" && v.doubt == "" {
					require.Equal(t, []string{"data.txt"}, named, what)
				}
			}
		}
	}
}

// TestSettingsOfAllLevels holds that the variables of a project's settings count for a hook of the user's settings too,
// and those of the user's own settings do not.
func TestSettingsOfAllLevels(t *testing.T) {
	dir := workspace(t, "e.sh")
	const hooks = `"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}`
	for env, want := range map[string]string{`"env": {"BASH_ENV": "e.sh"}, `: "e.sh", "": ""} {
		doc := `{` + env + hooks + `}`
		cfg, err := parts.All().Parse(filepath.Join(dir, "settings.json"), []byte(doc))
		require.NoError(t, err)
		cfg.Hooks[0].Level = hook.UserLevel
		now, err := trust.Take(cfg, options(dir))
		require.NoError(t, err)
		require.Equal(t, want, strings.Join(now.Named(&cfg.Hooks[0]), " "))
	}
}

// A log may be a device, which changes at each write.
func TestDevicesInVariables(t *testing.T) {
	for _, device := range []string{"/dev/null", "/dev/stderr", "/dev/tty", "/dev/zero"} {
		cfg, now := take(t, workspace(t), `{"hooks": [{"name": "h", "command": "true", "events": ["pre-tool"],
			"env": {"LOG": "`+device+`"}}]}`)
		require.Empty(t, now.ChangedBeforeRun(&cfg.Hooks[0]), device)
		require.Empty(t, now.ChangedDuringRun(&cfg.Hooks[0]), device)
	}
}

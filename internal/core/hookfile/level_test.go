//go:build unix

package hookfile_test

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// levels is a place for the files of all levels.
type levels struct {
	*testing.T
	dir string
	hookfile.Options
}

func newLevels(t *testing.T) *levels {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	l := &levels{t, dir, hookfile.Options{Parts: parts.All(), Managed: filepath.Join(dir, "etc", "hooks.json")}}
	l.Workspace = filepath.Join(dir, "project")
	require.NoError(t, os.Mkdir(l.Workspace, 0o755))
	return l
}

func (l *levels) path(level hook.Level) string {
	switch level {
	case hook.ManagedLevel:
		return l.Managed
	case hook.UserLevel:
		return filepath.Join(l.dir, "config", "hookrun", "hooks.json")
	case hook.LocalLevel:
		return filepath.Join(l.Workspace, hookfile.LocalFileName)
	}
	return filepath.Join(l.Workspace, hookfile.FileName)
}

func (l *levels) write(level hook.Level, text string) {
	path := l.path(level)
	require.NoError(l, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(l, os.WriteFile(path, []byte(text), 0o644))
	require.NoError(l, os.Chmod(filepath.Dir(path), 0o755)) // whatever the umask is
	require.NoError(l, os.Chmod(path, 0o644))
}

// writeAll writes a file with one rule at each level, which has the level's name.
func (l *levels) writeAll() {
	for _, level := range allLevels {
		l.write(level, `{"hooks":[`+ruleOf(level.String())+`]}`)
	}
}

// loaded are the hooks as level/name, those that are disabled behind a minus.
func (l *levels) loaded() string {
	cfg, err := hookfile.Load(l.Options)
	require.NoError(l, err)
	return levelsOf(cfg)
}

func levelsOf(cfg *hookfile.Config) string {
	var names []string
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		name := h.Level.String() + "/" + h.Name
		if h.Disabled != "" {
			name = "-" + name
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

var allLevels = []hook.Level{
	hook.ManagedLevel, hook.UserLevel, hook.ProjectLevel, hook.LocalLevel,
}

func ruleOf(name string) string { return `{"name":"` + name + `","block":"no","events":["pre-tool"]}` }

func TestLevels(t *testing.T) {
	l := newLevels(t)
	cfg, err := hookfile.Load(l.Options)
	require.NoError(t, err)
	require.False(t, l.HasOuter())
	require.Empty(t, cfg.Files)
	var absent []hook.Level
	for _, f := range cfg.Absent {
		require.Equal(t, l.path(f.Level), f.Path)
		absent = append(absent, f.Level)
	}
	require.Equal(t, allLevels, absent)
	snapshot := hookfile.NewSnapshot(cfg)
	require.Empty(t, snapshot.Changed())

	l.writeAll()
	require.Len(t, snapshot.Changed(), 4)
	require.True(t, l.HasOuter())
	require.Equal(t, "managed/managed user/user project/project local/local", l.loaded())
	named := filepath.Join(l.dir, "named.json")
	require.NoError(t, os.WriteFile(named, []byte(`{"hooks":[`+ruleOf("named")+`]}`), 0o600))
	for _, test := range []struct {
		name, want string
		set        func(o *hookfile.Options)
	}{
		{"without the user's", "managed/managed project/project local/local",
			func(o *hookfile.Options) { o.NoUser = true }},
		{"a named file stands for project and local", "managed/managed user/user project/named",
			func(o *hookfile.Options) { o.Files = []string{named} }},
		{"the user's file is read once, also where it is named", "managed/managed user/user project/named",
			func(o *hookfile.Options) { o.Files = []string{l.path(hook.UserLevel), named} }},
		{"a local file that is named is one", "managed/managed user/user local/local",
			func(o *hookfile.Options) { o.Files = []string{l.path(hook.LocalLevel)} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := l.Options
			test.set(&o)
			cfg, err := hookfile.Load(o)
			require.NoError(t, err)
			require.Equal(t, test.want, levelsOf(cfg))
		})
	}
	t.Run("the local file alone", func(t *testing.T) {
		require.NoError(t, os.Remove(l.path(hook.ProjectLevel)))
		require.Equal(t, "managed/managed user/user local/local", l.loaded())
	})
}

// The errors of all files are said at once, and a key that belongs to another level names that.
func TestLevelErrors(t *testing.T) {
	l := newLevels(t)
	l.write(hook.ManagedLevel, `{"disable":["a"],"trust":"of"}`)
	l.write(hook.UserLevel, `{"only":true,"disable":["a"],"trust":true,"ony":true}`)
	l.write(hook.ProjectLevel, `{"only":true,"trust":"off","disable":["a"],"hooks":[{"name":"a","inject":"a",`+
		`"events":["pre-tool"],"enabled":0}]}`)
	l.write(hook.LocalLevel, `{"only":true,"trust":"off","disable":[1,"a\u0000"],"hooks":{}}`)
	_, err := hookfile.Load(l.Options)
	user := l.path(hook.UserLevel)
	const only, disable = ` "only" belongs in the managed file (PLACE), and this is a `,
		` "disable" belongs in the local file (.tenex-hooks.local.json), and this is a `
	trust := ` "trust" belongs in the user file (` + user + `) or the managed file (PLACE), and this is a `
	want := []string{
		`etc/hooks.json:1:2:` + disable + `managed file`,
		`etc/hooks.json:1:26: "trust" must be "off" or "required", not "of"; did you mean "off"?`,
		`config/hookrun/hooks.json:1:2:` + only + `user file`,
		`config/hookrun/hooks.json:1:14:` + disable + `user file`,
		`config/hookrun/hooks.json:1:38: "trust" must be "off" or "required", not true or false`,
		`config/hookrun/hooks.json:1:43: unknown key "ony"; did you mean "only"?`,
		`project/.tenex-hooks.json:1:2:` + only + `project file`,
		`project/.tenex-hooks.json:1:14:` + trust + `project file`,
		`project/.tenex-hooks.json:1:28:` + disable + `project file`,
		`project/.tenex-hooks.json:1:110: hook "a": "enabled" must be true or false, not a number`,
		`project/.tenex-hooks.local.json:1:2:` + only + `local file`,
		`project/.tenex-hooks.local.json:1:14:` + trust + `local file`,
		`project/.tenex-hooks.local.json:1:39: a name in "disable" must be a string, not a number`,
		`project/.tenex-hooks.local.json:1:41: a name in "disable" has a NUL character, which no process can be given`,
		`project/.tenex-hooks.local.json:1:60: "hooks" must be an array in the local file ` +
			`(hookrun import makes one of a client's form), not an object`,
	}
	var found hook.Diagnostics
	require.ErrorAs(t, err, &found)
	got := strings.ReplaceAll(err.Error(), l.dir+"/", "")
	got = strings.ReplaceAll(got, hookfile.ManagedPlace(), "PLACE")
	got = strings.ReplaceAll(got, "(config/", "("+l.dir+"/config/")
	require.Equal(t, want, strings.Split(got, "\n"))
}

func TestOnly(t *testing.T) {
	l := newLevels(t)
	l.writeAll()
	l.write(hook.ManagedLevel, `{"only":true,"hooks":[`+ruleOf("managed")+`]}`)
	require.Equal(t, "managed/managed", l.loaded())
	l.write(hook.ProjectLevel, `{"broken`)
	require.Equal(t, "managed/managed", l.loaded(), "what is wrong with the others does not count either")
	l.Files = []string{l.path(hook.LocalLevel)}
	cfg, err := hookfile.Load(l.Options)
	require.NoError(t, err)
	require.Equal(t, "managed/managed", levelsOf(cfg))
	require.Equal(t, `"only" leaves out the files that were named: `+l.Files[0], cfg.Warnings[0].Text)
	l.Files = nil
	l.write(hook.ManagedLevel, `{"only":false}`)
	_, err = hookfile.Load(l.Options)
	require.ErrorAs(t, err, new(hook.Diagnostics))
}

func TestTrustKey(t *testing.T) {
	for _, test := range []struct{ managed, user, want string }{
		{`{}`, `{}`, ""},
		{`{}`, `{"trust":"required"}`, "required"},
		{`{"trust":"required"}`, `{"trust":"off"}`, "required"},
		{`{"trust":"off"}`, `{"trust":"required"}`, "required"},
		{`{"trust":"off"}`, `{}`, "off"},
	} {
		l := newLevels(t)
		l.write(hook.ManagedLevel, test.managed)
		l.write(hook.UserLevel, test.user)
		cfg, err := hookfile.Load(l.Options)
		require.NoError(t, err)
		require.Equal(t, test.want, cfg.Trust, "%+v", test)
	}
}

func TestDisable(t *testing.T) {
	l := newLevels(t)
	l.writeAll()
	l.write(hook.ProjectLevel, `{"hooks":[`+ruleOf("project")+`,`+ruleOf("project-two")+`,
		{"name":"off","block":"no","events":["pre-tool"],"enabled":false}]}`)
	l.write(hook.LocalLevel, `{"disable":["project","user","local","projct-two"],"hooks":[`+ruleOf("local")+`]}`)
	cfg, err := hookfile.Load(l.Options)
	require.NoError(t, err)
	require.Equal(t, "managed/managed user/user -project/project project/project-two -project/off local/local",
		levelsOf(cfg))
	call := &dialect.Call{Event: protocol.PreTool, Tool: "shell"}
	for _, h := range cfg.Hooks {
		require.Equal(t, h.Disabled == "", runs(&h, call), h.Name)
	}
	local := l.path(hook.LocalLevel)
	require.Equal(t, `it is disabled: "disable" names it in `+local+":1", why(&cfg.Hooks[2], call))
	require.Equal(t, `it is disabled: "enabled" is false in `+l.path(hook.ProjectLevel)+":2",
		why(&cfg.Hooks[4], call))
	var warnings []string
	for _, w := range cfg.Warnings {
		require.Equal(t, local, w.File)
		warnings = append(warnings, w.Text)
	}
	require.Equal(t, []string{
		`"disable" does not reach "user", which is a hook of the user file ` + l.path(hook.UserLevel),
		`"disable" is for hooks of the project; "local" stands in this file: write "enabled": false in its entry`,
		`"disable": no hook of the project has the name "projct-two"; did you mean "project-two"?`,
	}, warnings)
}

// What a hook of the user or of root runs must not be for each project to say.
func TestPathsOfOuterHooks(t *testing.T) {
	for command, path := range map[string]string{
		`["./guard.sh"]`: "./guard.sh", `["scripts/guard"]`: "scripts/guard", `["python3","guard.py"]`: "guard.py",
		`"./guard.sh --strict"`: "./guard.sh", `["/opt/guard","./x"]`: "", `["guard"]`: "", `"grep -q x"`: "",
		`"$HOME/guard"`: "", `["sh","-c","./x"]`: "",
	} {
		for _, level := range allLevels {
			l := newLevels(t)
			l.write(level, `{"hooks":[{"name":"a","events":["pre-tool"],"command":`+command+`}]}`)
			cfg, err := hookfile.Load(l.Options)
			require.NoError(t, err)
			if path == "" || level >= hook.ProjectLevel {
				require.Empty(t, cfg.Warnings, "%s %s", level, command)
				continue
			}
			require.Len(t, cfg.Warnings, 1, "%s %s", level, command)
			require.Contains(t, cfg.Warnings[0].Text, `"`+path+`" is a path in the workspace`)
		}
	}
}

// A file that others could have written is none of the user's, nor of root's.
func TestOwners(t *testing.T) {
	l := newLevels(t)
	l.writeAll()
	managed, user := l.path(hook.ManagedLevel), l.path(hook.UserLevel)
	fault := func() string {
		_, err := hookfile.Load(l.Options)
		if err == nil {
			return ""
		}
		return err.Error()
	}
	const others = ", or leave the file out with --no-user"
	for _, test := range []struct {
		path string
		mode os.FileMode
		want string
	}{
		{managed, 0o664, managed + ": can be written to by others than root; fix it with: sudo chmod go-w " + managed},
		{filepath.Dir(managed), 0o777, managed + ": its folder can be written to by others than root; " +
			"fix it with: sudo chmod go-w " + filepath.Dir(managed)},
		{user, 0o646, user + ": can be written to by other users; fix it with: chmod go-w " + user + others},
		{filepath.Dir(user), 0o777, user + ": its folder can be written to by other users; fix it with: chmod go-w " +
			filepath.Dir(user) + others},
	} {
		info, err := os.Stat(test.path)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(test.path, test.mode))
		require.Equal(t, test.want, fault())
		require.NoError(t, os.Chmod(test.path, info.Mode()))
		require.Empty(t, fault())
	}
	t.Run("a link", func(t *testing.T) {
		real := filepath.Join(l.dir, "real.json")
		require.NoError(t, os.Rename(managed, real))
		require.NoError(t, os.Symlink(real, managed))
		require.Contains(t, fault(), managed+": is a symbolic link")
		require.NoError(t, os.Remove(managed))
		require.NoError(t, os.Rename(real, managed))
		require.NoError(t, os.Rename(user, real)) // which people who keep such files elsewhere make
		require.NoError(t, os.Symlink(real, user))
		require.Empty(t, fault())
	})
	t.Run("a directory", func(t *testing.T) {
		require.NoError(t, os.Remove(managed))
		require.NoError(t, os.Mkdir(managed, 0o755))
		require.Contains(t, fault(), "not a regular file but a directory")
		require.NoError(t, os.Remove(managed))
		require.Empty(t, fault())
	})
	t.Run("of somebody else", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can make files of other users")
		}
		l.writeAll()
		const nobody = 65534
		require.NoError(t, os.Chown(managed, nobody, 0))
		require.Equal(t, managed+": belongs to user 65534 and not to root; fix it with: sudo chown root "+managed,
			fault())
		require.NoError(t, os.Chown(managed, 0, 0))
		require.NoError(t, os.Chown(user, nobody, 0))
		require.Equal(t, user+": belongs to user 65534, who can change it; fix it with: sudo chown 0 "+user+
			others, fault())
		l.NoUser = true
		require.Empty(t, fault())
	})
}

// A user without a home has no hooks there, and no error.
func TestNoHome(t *testing.T) {
	for _, test := range []struct{ config, home string }{
		{"", ""}, {"", "/dev/null"}, {"/dev/null", "x"}, {"relative", ""},
	} {
		l := newLevels(t)
		t.Setenv("XDG_CONFIG_HOME", test.config)
		t.Setenv("HOME", test.home)
		l.write(hook.ProjectLevel, `{"hooks":[`+ruleOf("a")+`]}`)
		require.Equal(t, "project/a", l.loaded(), "%+v", test)
		cfg, err := hookfile.Load(l.Options)
		require.NoError(t, err)
		require.Empty(t, hookfile.NewSnapshot(cfg).Changed(), "%+v", test)
	}
}

// Without variables the system is asked for the user's home folder. If nobody knows it, a warning says so.
func TestHomeOfSystem(t *testing.T) {
	l := newLevels(t)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	me, err := user.Current()
	require.NoError(t, err)
	_, absent, err := l.Find()
	require.NoError(t, err)
	require.Contains(t, absent[1].Path, me.HomeDir+string(filepath.Separator))
	require.Equal(t, hook.UserLevel, absent[1].Level)

	t.Setenv("HOME", "relative")
	for noUser, warnings := range map[bool]int{false: 1, true: 0} {
		l.NoUser = noUser
		cfg, err := hookfile.Load(l.Options)
		require.NoError(t, err)
		require.Len(t, cfg.Warnings, warnings)
		for _, w := range cfg.Warnings {
			require.Contains(t, w.Text, "set HOME to an absolute path")
			require.True(t, w.Gate)
		}
	}
}

// A folder that has the local file alone is a project.
func TestFindProjectByLocalFile(t *testing.T) {
	l := newLevels(t)
	local := l.path(hook.LocalLevel)
	sub := filepath.Join(l.Workspace, "sub")
	require.NoError(t, os.MkdirAll(sub, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(l.Workspace, ".git"), 0o755))
	l.write(hook.LocalLevel, `{"hooks":[`+ruleOf("a")+`]}`)
	for _, dir := range []string{l.Workspace, sub} {
		p, err := hookfile.FindProject(dir)
		require.NoError(t, err)
		require.True(t, p.Found())
		require.Equal(t, hookfile.Project{Workspace: l.Workspace, Local: local}, p)
	}
	require.Equal(t, local, hookfile.FileAbove(sub))
	p := hookfile.ProjectIn(sub)
	require.False(t, p.Found())

	// What was found must be there when it is read: else a gate got lost meanwhile.
	p, err := hookfile.FindProject(sub)
	require.NoError(t, err)
	require.NoError(t, os.Remove(local))
	l.Project = &p
	_, err = hookfile.Load(l.Options)
	require.ErrorContains(t, err, local+": reading the hooks file: no such file")
}

func TestLevelOfSource(t *testing.T) {
	for source, want := range map[string]hook.Level{
		hookfile.ManagedPlace() + ":3":         hook.ManagedLevel,
		"/home/u/.config/hookrun/hooks.json:1": hook.UserLevel,
		"/w/.tenex-hooks.json:12":              hook.ProjectLevel,
		"/w/.tenex-hooks.local.json":           hook.LocalLevel,
		"/w/hooks.json:1":                      hook.ProjectLevel,
		"":                                     hook.ProjectLevel,
	} {
		require.Equal(t, want, hookfile.LevelOfSource(filepath.FromSlash(source)), source)
	}
}

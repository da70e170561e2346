//go:build linux

package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hookrun/hookrun/e2e/binary"
)

// The tools that install.sh may run, beside those that a test takes away.
const tools = "sh uname id mkdir mktemp dirname rm rmdir mv chmod cat grep head tar gzip curl sha256sum sysctl"

// system is the name of this system in names of archives.
var system = strings.TrimSuffix(strings.Replace(runtime.GOOS+"_"+runtime.GOARCH+" ", "arm ", "armv7", 1), " ")

// archive is an archive of a release with the binary under test.
var archive = sync.OnceValue(func() []byte {
	program, err := os.ReadFile(binary.Path)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	packed, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	files := tar.NewWriter(packed)
	_ = files.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "hookrun", Mode: 0o755, Size: int64(len(program))})
	_, _ = files.Write(program)
	if files.Close() != nil || packed.Close() != nil {
		panic("the archive cannot be written")
	}
	return b.Bytes()
})

// A site has the files of a release, by path, as GitHub has them.
type site struct {
	*httptest.Server
	files map[string][]byte
	serve func(w http.ResponseWriter, text []byte) // how an archive is sent; nil: whole
	mu    sync.Mutex
	asked []string
}

func newSite(t *testing.T) *site {
	name := "hookrun_1.2.3_" + system + ".tar.gz"
	sums := fmt.Appendf(nil, "%064d  hookrun_1.2.3_linux_mips.tar.gz\n%x  %s\n%064d  %s.sig\n", 0,
		sha256.Sum256(archive()), name, 0, name)
	s := &site{files: map[string][]byte{
		"/latest/download/SHA256SUMS": sums, "/download/v1.2.3/SHA256SUMS": sums, "/download/v1.2.3/" + name: archive(),
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
		text, found := s.files[r.URL.Path]
		switch {
		case !found:
			http.NotFound(w, r)
		case s.serve != nil && strings.HasSuffix(r.URL.Path, ".tar.gz"):
			s.serve(w, text)
		default:
			_, _ = w.Write(text)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// path makes a folder with tools, which is all that install.sh has in PATH. scripts are tools of the test.
func path(t *testing.T, names string, scripts map[string]string) string {
	dir := t.TempDir()
	for _, name := range strings.Fields(names) {
		if _, own := scripts[name]; own {
			continue
		}
		found, err := exec.LookPath(name)
		if err != nil && name == "sha256sum" { // macOS
			name = "shasum"
			found, err = exec.LookPath(name)
		}
		if err == nil {
			require.NoError(t, os.Symlink(found, filepath.Join(dir, name)))
		} else if name != "sysctl" {
			t.Skipf("%s is missing", name)
		}
	}
	for name, script := range scripts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	return dir
}

// without returns tools without some.
func without(names ...string) string {
	words := " " + tools + " "
	for _, name := range names {
		words = strings.Replace(words, " "+name+" ", " ", 1)
	}
	return words
}

// install is a run of install.sh.
type install struct {
	shell   string // by default sh
	tools   string
	scripts map[string]string
	env     []string
	args    []string
	limit   string // shell commands before it
	busybox bool   // all tools are busybox, as on Alpine
}

func (i install) command(t *testing.T, base string) *exec.Cmd {
	t.Helper()
	if i.shell == "" {
		i.shell = "sh"
	}
	if i.tools == "" {
		i.tools = tools
	}
	shell, err := exec.LookPath(i.shell)
	if err != nil {
		t.Skipf("%s is missing", i.shell)
	}
	script := filepath.Join(binary.Repository(t), "install.sh")
	tools := ""
	if i.busybox {
		tools = t.TempDir()
		for _, name := range strings.Fields(without("curl") + "wget") {
			require.NoError(t, os.Symlink(shell, filepath.Join(tools, name)))
		}
		shell = filepath.Join(tools, "sh")
	} else {
		tools = path(t, i.tools, i.scripts)
	}
	cmd := exec.Command(shell, append([]string{script}, i.args...)...)
	if i.limit != "" {
		cmd = exec.Command("sh", append([]string{"-c", i.limit + ` exec "$0" "$@"`, shell, script}, i.args...)...)
	}
	home := t.TempDir()
	cmd.Dir = home
	cmd.Env = append([]string{"PATH=" + tools, "HOME=" + home, "HOOKRUN_BASE_URL=" + base}, i.env...)
	return cmd
}

// run returns the exit code and what the script prints, stdout and stderr.
func (i install) run(t *testing.T, base string) (int, string) {
	t.Helper()
	cmd := i.command(t, base)
	out, err := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState, err)
	require.Empty(t, names(t, cmd.Dir), "the home folder")
	return cmd.ProcessState.ExitCode(), string(out)
}

func names(t *testing.T, dir string) (all []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestInstall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, i := range map[string]install{
		"sh":                  {},
		"dash":                {shell: "dash"},
		"bash":                {shell: "bash"},
		"busybox":             {shell: "busybox", busybox: true},
		"wget":                {tools: without("curl") + "wget"},
		"shasum":              {tools: without("sha256sum") + "shasum"},
		"a version":           {args: []string{"--version", "1.2.3"}},
		"a version with v":    {args: []string{"--version", "v1.2.3"}},
		"gh is not logged in": {scripts: map[string]string{"gh": `[ "$1" = attestation ]`}},
		"gh is old":           {scripts: map[string]string{"gh": `[ "$1" = auth ]`}},
		"gh verifies": {scripts: map[string]string{
			"gh": `case "$*" in *"--repo hookrun/hookrun") test -s "$3";; *--help|auth*) ;; *) exit 1;; esac`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a b", "bin")
			i.args = append(i.args, "--dir", dir)
			code, out := i.run(t, s.URL)
			require.Zero(t, code, out)
			require.Contains(t, out, " is installed: "+dir+"/hookrun\n")
			require.Contains(t, out, dir+" is not in your PATH")
			require.Equal(t, strings.Contains(name, "not logged in") || strings.Contains(name, "old"),
				strings.Contains(out, "gh cannot verify the attestation"), out)
			require.Equal(t, []string{"hookrun"}, names(t, dir))
			done := binary.Run(t, dir, "", nil, "./hookrun", "version")
			require.Regexp(t, "^hookrun ", done.Stdout)
			require.Contains(t, out, strings.TrimSpace(done.Stdout)+" is installed")
		})
	}
}

// If something goes wrong, the folder is as it was, and the message says why.
func TestInstallFails(t *testing.T) {
	t.Parallel()
	cut := func(w http.ResponseWriter, text []byte) { // the connection ends early
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = w.Write(text[:len(text)/2])
	}
	short := func(w http.ResponseWriter, text []byte) { _, _ = w.Write(text[:len(text)/2]) }
	other := func(w http.ResponseWriter, text []byte) { _, _ = w.Write(append(bytes.Clone(text), 0)) }
	byWget := without("curl") + "wget"
	chmod := `echo "exit 9" >"$2"; exec /bin/chmod "$@"`
	noFile, noProgram := "ulimit -f 1000;", fmt.Sprintf("ulimit -f %d;", len(archive())/512+99)
	for name, test := range map[string]struct {
		install
		serve func(http.ResponseWriter, []byte)
		want  string
	}{
		"a cut file":              {install{}, cut, "install.sh: the download of "},
		"a cut file, by wget":     {install{tools: byWget}, cut, "install.sh: "},
		"a short file":            {install{}, short, "not that of SHA256SUMS: the download was cut or changed"},
		"a changed file":          {install{}, other, "not that of SHA256SUMS: the download was cut or changed"},
		"a changed file, by wget": {install{tools: byWget}, other, "not that of SHA256SUMS"},
		"no tar":                  {install{tools: without("tar")}, nil, "tar is needed; install it"},
		"no curl and no wget":     {install{tools: without("curl")}, nil, "curl or wget is needed; install one"},
		"no program for sums":     {install{tools: without("sha256sum")}, nil, "sha256sum or shasum is needed"},
		"no room for the archive": {install{limit: noFile}, nil, "there is no room in "},
		"no room, by wget":        {install{limit: noFile, tools: byWget}, nil, "there is no room in "},
		"no room for the program": {install{limit: noProgram}, nil, "cannot unpack"},
		"no such version":         {install{args: []string{"--version", "9.9.9"}}, nil, "and such a version?"},
		"no version at all":       {install{args: []string{"--version", "1 2"}}, nil, "1 2 is no version; give"},
		"no value":                {install{args: []string{"--version"}}, nil, "--version needs a value"},
		"an unknown flag":         {install{args: []string{"--force"}}, nil, "unknown argument --force; usage: "},
		"an unknown system":       {install{scripts: uname("SunOS", "i86pc")}, nil, "no hookrun for SunOS; docs/"},
		"an unknown processor":    {install{scripts: uname("Linux", "mips")}, nil, "no hookrun for linux on mips"},
		"no archive":              {install{scripts: uname("Linux", "riscv64")}, nil, "no archive for linux_riscv64"},
		"Windows":                 {install{scripts: uname("MINGW64_NT-10.0", "x86_64")}, nil, "install.ps1 | iex"},
		"no attestation": {install{scripts: map[string]string{"gh": `case "$*" in *--repo*) exit 1;; esac`}}, nil,
			"gh finds no attestation"},
		"no program for this system": {install{scripts: map[string]string{"chmod": chmod}}, nil,
			"does not run here; nothing was installed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.serve = test.serve
			dir := t.TempDir()
			old := []byte("an older hookrun")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "hookrun"), old, 0o755))
			args := test.args
			test.args = append([]string{"--dir", dir}, args...)
			code, out := test.run(t, s.URL)
			require.Equal(t, 1, code, out)
			require.Contains(t, out, test.want)
			require.Equal(t, []string{"hookrun"}, names(t, dir))
			now, err := os.ReadFile(filepath.Join(dir, "hookrun"))
			require.NoError(t, err)
			require.Equal(t, old, now)

			dir = t.TempDir() // and a new folder goes away again
			test.args = append([]string{"--dir", filepath.Join(dir, "new", "bin")}, args...)
			code, out = test.run(t, s.URL)
			require.Equal(t, 1, code, out)
			require.Empty(t, names(t, dir), out)
		})
	}
}

func uname(name, machine string) map[string]string {
	return map[string]string{"uname": "case $1 in -s) echo " + name + ";; *) echo " + machine + ";; esac"}
}

func TestInstallOverProxy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tool := range []string{"curl", "wget"} {
		dir := t.TempDir()
		i := install{tools: without("curl") + tool, env: []string{"http_proxy=" + s.URL}, args: []string{"--dir", dir}}
		code, out := i.run(t, "http://releases.invalid")
		require.Zero(t, code, out)
		require.Equal(t, []string{"hookrun"}, names(t, dir))
	}
	require.Len(t, s.asked, 4)
	code, out := install{args: []string{"--dir", t.TempDir()}}.run(t, "http://releases.invalid")
	require.Equal(t, 1, code)
	require.Contains(t, out, "install.sh: cannot download http://releases.invalid/latest/download/SHA256SUMS")
}

// A program that runs goes on while it is replaced, and who opens the path finds the old or the new one, whole.
func TestInstallReplaces(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := t.TempDir()
	target, kept := filepath.Join(dir, "hookrun"), filepath.Join(dir, "kept")
	program, err := os.ReadFile(binary.Path)
	require.NoError(t, err)
	// Written by another process: a test beside this one could start a program while the file is open here, and no file
	// runs that somebody has open for writing.
	write := exec.Command("sh", "-c", `{ cat "$1"; printf older; } >"$2" && chmod 755 "$2"`, "sh", binary.Path, kept)
	require.NoError(t, write.Run())
	require.NoError(t, os.Link(kept, target))
	runs := exec.Command(target, "serve")
	runs.Dir, runs.Env = dir, []string{"HOME=" + dir}
	in, err := runs.StdinPipe()
	require.NoError(t, err)
	out, err := runs.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, runs.Start())
	ping := func() {
		_, err := fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		require.NoError(t, err)
		answer := make([]byte, 20)
		_, err = out.Read(answer)
		require.NoError(t, err)
		require.Contains(t, string(answer), `"jsonrpc"`)
	}
	ping()
	code, text := install{args: []string{"--dir", dir}}.run(t, s.URL)
	require.Zero(t, code, text)
	now, err := os.ReadFile(target)
	require.NoError(t, err)
	require.True(t, bytes.Equal(program, now))
	old, err := os.ReadFile(kept) // written in place it would be the new one as well
	require.NoError(t, err)
	require.Len(t, old, len(program)+len("older"))
	require.NoError(t, in.Close())
	require.NoError(t, runs.Wait())

	require.NoError(t, os.Remove(target)) // a link is replaced, not what it leads to
	require.NoError(t, os.Symlink(kept, target))
	code, text = install{args: []string{"--dir", dir}}.run(t, s.URL)
	require.Zero(t, code, text)
	old, err = os.ReadFile(kept)
	require.NoError(t, err)
	require.Len(t, old, len(program)+len("older"))

	require.NoError(t, os.Remove(target))
	require.NoError(t, os.Mkdir(target, 0o755))
	code, text = install{args: []string{"--dir", dir}}.run(t, s.URL)
	require.Equal(t, 1, code)
	require.Contains(t, text, "is a folder; choose another place with --dir")
	require.Empty(t, names(t, target))
}

// A small file system fills up: the message says so, and the old program stays.
func TestInstallFullFileSystem(t *testing.T) {
	t.Parallel()
	if exec.Command("unshare", "-m", "true").Run() != nil {
		t.Skip("no file system can be mounted here")
	}
	s := newSite(t)
	dir := t.TempDir()
	cmd := install{args: []string{"--dir", dir}}.command(t, s.URL)
	cmd.Args = append([]string{"unshare", "-m", "/bin/sh", "-c",
		`/bin/mount -t tmpfs -o size=1m none "$0" && echo old >"$0/hookrun" && "$@"; code=$?
		echo "left: $(/bin/ls -A "$0") $(/bin/cat "$0/hookrun")"; exit $code`, dir}, cmd.Args...)
	cmd.Path, _ = exec.LookPath("unshare")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "there is no room in "+dir)
	require.Contains(t, string(out), "left: hookrun old\n")
}

// Ctrl-C, and a terminal that goes away, leave nothing behind.
func TestInstallInterrupted(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		s := newSite(t)
		half := make(chan bool)
		s.serve = func(w http.ResponseWriter, text []byte) {
			w.Header().Set("Content-Length", fmt.Sprint(len(text)))
			_, _ = w.Write(text[:len(text)/2])
			_ = http.NewResponseController(w).Flush()
			half <- true
			half <- true
		}
		dir := t.TempDir()
		cmd := install{args: []string{"--dir", filepath.Join(dir, "bin")}}.command(t, s.URL)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		select {
		case <-half:
		case <-time.After(2 * time.Minute):
			t.Fatal("it asks for no archive")
		}
		require.Len(t, names(t, filepath.Join(dir, "bin")), 1) // the folder of temporary files
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, signal))
		require.Error(t, cmd.Wait())
		<-half
		require.Empty(t, names(t, dir), signal)
	}
}

// The steps of the action for GitHub install hookrun, put it into PATH and say the version.
func TestSetupAction(t *testing.T) {
	t.Parallel()
	root := binary.Repository(t)
	folder := filepath.Join(root, ".github", "actions", "setup")
	text, err := os.ReadFile(filepath.Join(folder, "action.yml"))
	require.NoError(t, err)
	var action struct {
		Runs struct {
			Steps []struct {
				If, Run, Shell string
				Env            map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &action))
	steps := action.Runs.Steps
	require.Len(t, steps, 3)
	for i, script := range []string{"install.sh", "install.ps1"} {
		path := strings.Replace(steps[i].Env["SCRIPT"], "${{ github.action_path }}", folder, 1)
		require.Equal(t, filepath.Join(root, script), filepath.Clean(path))
	}
	s := newSite(t)
	for _, version := range []string{"", "1.2.3"} {
		temp := t.TempDir()
		env := []string{"VERSION=" + version, "SCRIPT=" + filepath.Join(root, "install.sh"), "RUNNER_TEMP=" + temp,
			"GITHUB_PATH=" + temp + "/path", "GITHUB_OUTPUT=" + temp + "/output", "HOOKRUN_BASE_URL=" + s.URL,
			"PATH=" + path(t, tools, nil)}
		done := binary.Run(t, temp, "", env, steps[0].Shell, "-e", "-c", steps[0].Run)
		require.Zero(t, done.Code, done)
		added, err := os.ReadFile(temp + "/path")
		require.NoError(t, err)
		require.Equal(t, temp+"/hookrun\n", string(added))
		env = append(env, "PATH="+temp+"/hookrun:"+os.Getenv("PATH"))
		done = binary.Run(t, temp, "", env, steps[2].Shell, "-e", "-c", steps[2].Run)
		require.Zero(t, done.Code, done)
		output, err := os.ReadFile(temp + "/output")
		require.NoError(t, err)
		require.Regexp(t, `^version=\S+\n$`, string(output))
	}
}

// A cut copy of the script does nothing: `curl … | sh` may get the beginning of it.
func TestInstallCutScript(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	script, err := os.ReadFile(filepath.Join(binary.Repository(t), "install.sh"))
	require.NoError(t, err)
	end := bytes.LastIndex(script, []byte("main"))
	for at := 0; at <= end; at += 1 + end/60 {
		cmd := install{}.command(t, s.URL)
		cmd.Args = cmd.Args[:1]
		cmd.Stdin = bytes.NewReader(script[:at])
		_ = cmd.Run()
		require.Empty(t, names(t, cmd.Dir))
	}
	require.Empty(t, s.asked)
	cmd := install{}.command(t, s.URL)
	cmd.Args = []string{cmd.Args[0], "-s", "--", "--dir", cmd.Dir}
	cmd.Stdin = bytes.NewReader(script)
	require.NoError(t, cmd.Run())
	require.Equal(t, []string{"hookrun"}, names(t, cmd.Dir))
}

//go:build linux

package release

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

const other = "windows_amd64" // the second system of the builds

// A build is what tools/release.sh made.
type build struct{ dir, version string }

// TestRelease is about what tools/release.sh makes. It builds hookrun anew for two systems.
func TestRelease(t *testing.T) {
	if os.Getenv("HOOKRUN_TEST_RELEASE") == "" {
		t.Skip("builds hookrun for other systems: it runs with HOOKRUN_TEST_RELEASE=1, as in .ci/steps/release")
	}
	root := binary.Repository(t)
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+\S*)$`).FindStringSubmatch(string(text))
	require.NotNil(t, version, "CHANGELOG.md has no heading with a version")
	b := build{t.TempDir(), version[1]}
	out, err := release(root, b.dir)
	require.NoError(t, err, "%s", out)
	t.Run("archives", b.archives)
	t.Run("recorded cases", b.cases)
	t.Run("SBOM", b.sbom)
	t.Run("packages", b.packages)
	t.Run("from a clone", b.fromClone)
	t.Run("twice", b.twice)
}

func release(root, dir string, env ...string) ([]byte, error) {
	build := exec.Command("tools/release.sh", "--dirty", "--only", system+","+other, dir)
	build.Dir, build.Env = root, append(os.Environ(), env...)
	return build.CombinedOutput()
}

// fromClone runs the lines of docs/start/install.md that make and install the packages for Python and Node.
func (b build) fromClone(t *testing.T) {
	binary.Needs(t, "python3")
	binary.Needs(t, "npm")
	root := binary.Repository(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "start", "install.md"))
	require.NoError(t, err)
	_, lines, found := strings.Cut(string(page), "```text\ntools/release.sh --only linux_amd64 dist\n")
	require.True(t, found)
	lines, _, _ = strings.Cut(lines, "```")
	dist, home := t.TempDir(), t.TempDir()
	archive := "hookrun_" + b.version + "_" + system + ".tar.gz"
	require.NoError(t, os.Link(filepath.Join(b.dir, archive), filepath.Join(dist, archive)))
	where := strings.NewReplacer(" ./dist", " "+dist, " dist", " "+dist, " tools/", " "+root+"/tools/",
		"\npip ", "\nvenv/bin/pip ")
	ran := binary.Run(t, home, "", []string{"HOME=" + home}, "sh", "-ec", "python3 -m venv venv\n"+where.Replace(lines)+
		"echo; venv/bin/hookrun version; venv/bin/python -c 'import hookrun'; node_modules/.bin/hookrun version\n")
	require.Zero(t, ran.Code, ran)
	require.Regexp(t, `(?s)\nhookrun `+regexp.QuoteMeta(b.version)+` .*\nhookrun `+regexp.QuoteMeta(b.version)+" ",
		ran.Stdout)
}

// command runs a program in a fresh folder that has a hooks file with a ready rule.
func command(t *testing.T, argv ...string) binary.Result {
	t.Helper()
	dir := t.TempDir()
	binary.WriteFile(t, dir, ".tenex-hooks.json", `{"packs": ["git"]}`)
	return binary.Run(t, dir, "", nil, argv...)
}

// works tries the program of a package: its version, a call that goes on, and a call that is blocked.
func (b build) works(t *testing.T, program string) {
	t.Helper()
	said := command(t, program, "version")
	require.Regexp(t, `^hookrun `+regexp.QuoteMeta(b.version)+` \([0-9a-f]{12}, \d{4}-\d\d-\d\d\) go1\.\S+ linux/`+
		runtime.GOARCH+`\n$`, said.Stdout, said.Stderr)
	call := command(t, program, "pre-tool", "--tool", "shell", "--args", `{"command":"git status"}`)
	require.Equal(t, binary.Result{}, call)
	call = command(t, program, "pre-tool", "--tool", "shell", "--args", `{"command":"git push --force"}`)
	require.Equal(t, 2, call.Code)
	require.Contains(t, call.Stderr, "Rule: git/no-force-push")
	require.Empty(t, call.Stdout)
}

// The same commit gives the same bytes in another folder, with another umask, time zone and language.
func (b build) twice(t *testing.T) {
	copied, again := filepath.Join(t.TempDir(), "other place"), t.TempDir()
	out, err := exec.Command("sh", "-c", `umask 077; git clone -qsn "$0" "$1" && cd "$0" &&
		git -C "$1" reset -q "$(git rev-parse HEAD)" &&
		git ls-files -zco --exclude-standard | tar -c --null -T - | tar -x -C "$1"`, binary.Repository(t),
		copied).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = release(copied, again, "TZ=Asia/Tokyo", "LC_ALL=C", "GOFLAGS=-tags=other", "GOAMD64=v3", "CGO_ENABLED=1")
	require.NoError(t, err, "%s", out)
	files := names(t, b.dir)
	require.Equal(t, files, names(t, again))
	require.Subset(t, files, []string{"SHA256SUMS", "NOTES.md", "install.sh", "install.ps1"})
	for _, name := range files {
		one, err := os.ReadFile(filepath.Join(b.dir, name))
		require.NoError(t, err)
		two, err := os.ReadFile(filepath.Join(again, name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(one, two), "%s differs", name)
	}
}

func (b build) archives(t *testing.T) {
	dir, version := b.dir, b.version
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = dir
	out, err := check.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, 6, strings.Count(string(out), ": OK\n"), "%s", out)

	unpacked := t.TempDir()
	archive := filepath.Join(dir, "hookrun_"+version+"_"+system+".tar.gz")
	require.NoError(t, exec.Command("tar", "-xzf", archive, "-C", unpacked).Run())
	require.Equal(t, []string{"LICENSE", "README.md", "completions", "hookrun", "man"}, names(t, unpacked))
	require.Equal(t, []string{"_hookrun", "hookrun.bash", "hookrun.fish", "hookrun.ps1"},
		names(t, filepath.Join(unpacked, "completions")))
	require.Contains(t, names(t, filepath.Join(unpacked, "man")), "hookrun-pre-tool.1")
	b.works(t, filepath.Join(unpacked, "hookrun"))

	files, err := zip.OpenReader(filepath.Join(dir, "hookrun_"+version+"_"+other+".zip"))
	require.NoError(t, err)
	defer files.Close()
	require.Equal(t, "hookrun.exe", files.File[0].Name)
	require.Len(t, files.File, 1+2+4+len(names(t, filepath.Join(unpacked, "man"))))

	notes, err := os.ReadFile(filepath.Join(dir, "NOTES.md"))
	require.NoError(t, err)
	require.Contains(t, string(notes), "releases/download/v"+version+"/install.sh | sh -s -- --version "+version)
	require.Contains(t, string(notes), "### Added")
	require.NotContains(t, string(notes), "\n## ")
	require.NotRegexp(t, `\]\((docs|scripts)/`, string(notes), "a link that leads nowhere on the release's page")
	require.NotContains(t, string(notes), "No version is published", "the release is")
}

// The archive of the recorded cases tests a program without a clone.
func (b build) cases(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(b.dir, "conformance_*.tar.gz"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	unpacked := t.TempDir()
	require.NoError(t, exec.Command("tar", "-xzf", found[0], "-C", unpacked, "--strip-components=1").Run())
	run := exec.Command("go", "run", ".", "--client", "claude", "--topic", "pre", "--only", "pre-exit*", "--",
		binary.Path, "fire", "--claude", "-o", "claude")
	run.Dir = unpacked
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `(?m)^[1-9]\d* passed, 0 failed`, string(out))
}

// The SBOM is valid by the schema of CycloneDX, and lists the modules of go.mod's first block.
func (b build) sbom(t *testing.T) {
	dir, version := b.dir, b.version
	text, err := os.ReadFile(filepath.Join(dir, "hookrun_"+version+".cdx.json"))
	require.NoError(t, err)
	var sbom struct {
		BOMFormat, SpecVersion string
		Components             []struct{ Name, Version, PURL string }
	}
	require.NoError(t, json.Unmarshal(text, &sbom))
	require.Equal(t, "CycloneDX 1.6", sbom.BOMFormat+" "+sbom.SpecVersion)
	listed := map[string]string{}
	for _, c := range sbom.Components {
		listed[c.Name] = c.Version
		require.Equal(t, "pkg:golang/"+c.Name+"@"+c.Version, c.PURL)
	}
	require.Equal(t, strings.TrimPrefix(runtime.Version(), "go"), listed["std"])
	module, err := os.ReadFile(filepath.Join(binary.Repository(t), "go.mod"))
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(module), "require (\n")
	block, _, _ = strings.Cut(block, "\n)")
	for line := range strings.Lines(block) {
		name, wanted, _ := strings.Cut(strings.TrimSpace(line), " ")
		require.Equal(t, wanted, listed[name], name)
	}

	const module16 = "github.com/CycloneDX/cyclonedx-go@v0.12.0"
	download := exec.Command("go", "mod", "download", "-json", module16)
	download.Dir = t.TempDir()
	out, err := download.Output()
	if err != nil {
		t.Skipf("the schema cannot be downloaded: %s", out)
	}
	var at struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &at))
	compiler := jsonschema.NewCompiler()
	for _, name := range []string{"bom-1.6.schema.json", "spdx.schema.json", "jsf-0.82.schema.json"} {
		file, err := os.Open(filepath.Join(at.Dir, "schema", name))
		if err != nil { // the module spells this one with an x
			file, err = os.Open(filepath.Join(at.Dir, "schema", "jsf-0.82.schemax.json"))
		}
		require.NoError(t, err)
		schema, err := jsonschema.UnmarshalJSON(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		require.NoError(t, compiler.AddResource("http://cyclonedx.org/schema/"+name, schema))
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(document))
	document.(map[string]any)["components"].([]any)[0].(map[string]any)["type"] = "thing"
	require.Error(t, schema.Validate(document), "the schema is not looked at")
}

// The deb is installed with dpkg, used and removed, in a root of its own. The image has a root with hookrun alone.
func (b build) packages(t *testing.T) {
	dir, version := b.dir, b.version
	packages := t.TempDir()
	archive := "hookrun_" + version + "_" + system
	text, err := os.ReadFile(filepath.Join(dir, archive+".tar.gz"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(packages, archive+".tar.gz"), text, 0o600))
	binary.Fetch(t, binary.Repository(t), nil, "tools/packages/system.sh", packages)
	require.Equal(t, []string{archive + ".apk", archive + ".deb", archive + ".rpm", archive + ".tar.gz"},
		names(t, packages))
	first := map[string][]byte{}
	for _, name := range names(t, packages) {
		first[name], err = os.ReadFile(filepath.Join(packages, name))
		require.NoError(t, err)
	}
	binary.Fetch(t, binary.Repository(t), nil, "tools/packages/system.sh", packages)
	for name, text := range first {
		again, err := os.ReadFile(filepath.Join(packages, name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(text, again), "%s differs", name)
	}

	t.Run("apk", func(t *testing.T) {
		root := t.TempDir() // an apk is three archives of tar in a row
		out, err := exec.Command("tar", "-xzif", filepath.Join(packages, archive+".apk"), "-C", root).CombinedOutput()
		require.NoError(t, err, "%s", out)
		b.works(t, filepath.Join(root, "usr/bin/hookrun"))
		require.FileExists(t, filepath.Join(root, "usr/share/man/man1/hookrun.1.gz"))
	})
	t.Run("image", func(t *testing.T) {
		if exec.Command("unshare", "-m", "true").Run() != nil {
			t.Skip("no file system can be mounted here")
		}
		root := t.TempDir()
		unpack := exec.Command("tar", "-xzf", filepath.Join(packages, archive+".tar.gz"), "-C", root, "hookrun")
		require.NoError(t, unpack.Run())
		require.NoError(t, os.Mkdir(filepath.Join(root, "proc"), 0o755))
		binary.WriteFile(t, root, ".tenex-hooks.json", `{"packs": ["git"]}`)
		call := binary.Run(t, "/", "", []string{"HOME=/"}, "unshare", "-m", "sh", "-c",
			`mount --bind /proc "$0/proc" && exec chroot "$0" /hookrun "$@"`, root, "pre-tool", "--tool", "shell",
			"--args", `{"command":"git push --force"}`)
		require.Equal(t, 2, call.Code, call)
		require.Contains(t, call.Stderr, "Rule: git/no-force-push")
	})
	t.Run("deb", func(t *testing.T) {
		if _, err := exec.LookPath("dpkg"); err != nil {
			t.Skip("there is no dpkg")
		}
		root := t.TempDir()
		for _, name := range []string{"updates", "info", "triggers"} {
			require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg", name), 0o755))
		}
		binary.WriteFile(t, root, "var/lib/dpkg/status", "")
		before := names(t, root)
		dpkg := func(args ...string) string {
			args = append([]string{"--root=" + root, "--force-not-root", "--log=/dev/null"}, args...)
			out, err := exec.Command("dpkg", args...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			return string(out)
		}
		dpkg("--install", filepath.Join(packages, archive+".deb"))
		b.works(t, filepath.Join(root, "usr/bin/hookrun"))
		for _, name := range []string{"man/man1/hookrun-log.1.gz", "bash-completion/completions/hookrun",
			"zsh/vendor-completions/_hookrun", "fish/vendor_completions.d/hookrun.fish", "doc/hookrun/copyright"} {
			require.FileExists(t, filepath.Join(root, "usr/share", name))
		}
		require.Empty(t, dpkg("--verify", "hookrun"))
		require.Contains(t, dpkg("--status", "hookrun"), "\nVersion: "+version+"\n")
		dpkg("--remove", "hookrun")
		require.Equal(t, before, names(t, root))
	})
}

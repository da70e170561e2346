//go:build linux

// Record gives a real client the recorded cases again, with a scripted model and without a network, and prints as
// Markdown the differences. ../README.md has the form of a case.
//
//	go run ./conformance/record --client claude [--version 2.1.332] [FLAGS]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/conformance/kit"
	recorded "github.com/hookrun/hookrun/conformance/record/clients"
	"github.com/hookrun/hookrun/internal/clients"
)

const usage = `Usage: go run ./conformance/record --client NAME [FLAGS]

Installs a client by npm, gives it the recorded cases again, with a scripted model on loopback and without a network,
and prints as a list in Markdown what the client does otherwise, the events and tools that it has beside those that are
known, and the cases that cannot be run in this way.

Exit code 0: nothing differs; 1: something does; 2: nothing could be compared.

Flags:
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

type options struct {
	client, version, bin, dir, only, cache string
	atOnce                                 int
	write, events, verbose                 bool
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	cache, _ := os.UserCacheDir()
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.client, "client", "", "`NAME` of the folder with the cases")
	flags.StringVar(&o.version, "version", "latest", "`VERSION` of the client, as npm has it")
	flags.StringVar(&o.bin, "program", "", "take the client that is installed in `DIR`, a node_modules/.bin")
	flags.StringVar(&o.cache, "cache", filepath.Join(cache, "hookrun-record"), "install clients in `DIR`")
	flags.StringVar(&o.dir, "cases", "conformance", "take the cases of `DIR`")
	flags.StringVar(&o.only, "only", "*", "only cases whose id matches one of these `GLOBS`, with commas between")
	flags.IntVar(&o.atOnce, "j", 2, "`N` cases at a time")
	flags.BoolVar(&o.write, "write", false, "write what the client did into the cases that expect it, and its version")
	flags.BoolVar(&o.events, "events", false, "run no case: only look for events")
	flags.BoolVar(&o.verbose, "v", false, "also print each case on stderr")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	r, err := o.record(stderr)
	if err != nil {
		fmt.Fprintln(stderr, "record:", err)
		return 2
	}
	r.print(stdout)
	if r.changed() {
		return 1
	}
	return 0
}

func (o *options) record(stderr io.Writer) (*report, error) {
	c, known := recorded.Named(o.client)
	if !known {
		return nil, fmt.Errorf("no client %q is described in conformance/record/clients", o.client)
	}
	cases, lines, err := kit.ReadClient(os.DirFS(o.dir), o.client)
	if err != nil {
		return nil, err
	}
	if o.bin == "" {
		if o.bin, err = o.install(c); err != nil {
			return nil, err
		}
	}
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return nil, err
	}
	if err := alone(); err != nil {
		return nil, err
	}
	number := versionOf(o.bin, c)
	if number == "" {
		return nil, fmt.Errorf("%s --version says none", filepath.Join(o.bin, c.Name))
	}
	d, _ := clients.All().Named(c.Name)
	all := &report{title: d.Files.Client + " " + number, recorded: cases.Version, cases: len(lines)}
	names := map[string]bool{}
	for _, e := range d.Events {
		if e.Name != "" {
			names[string(e.Name)] = true
		}
	}
	for _, name := range c.NoEvents {
		names[name] = true
	}
	if o.only == "*" || o.events {
		if all.events, err = eventsIn(packagesOf(o.bin, c), names); err != nil || o.events {
			return all, err
		}
	}
	r := &recorder{Client: c, cases: cases, bin: o.bin}
	if err := r.learn(lines); err != nil {
		return nil, err
	}
	if err := o.tools(r, all); err != nil {
		return nil, err
	}
	found := o.each(r, lines, all, stderr)
	if o.write {
		return all, o.rewrite(number, cases, found)
	}
	return all, nil
}

// each runs the chosen cases.
func (o *options) each(r *recorder, lines []kit.Line, all *report, stderr io.Writer) map[string]*seen {
	found, slots := map[string]*seen{}, make(chan struct{}, o.atOnce)
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, line := range lines {
		if !slices.ContainsFunc(strings.Split(o.only, ","), func(glob string) bool {
			chosen, _ := path.Match(glob, line.ID)
			return chosen
		}) {
			all.cases--
			continue
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			name := line.Topic + "/" + line.ID
			now, unable, differences, agrees := r.again(line.Text)
			mu.Lock()
			defer mu.Unlock()
			if o.verbose {
				fmt.Fprintln(stderr, name, unable, strings.Join(differences, "; "), inJSON(now))
			}
			switch {
			case unable != "":
				all.add(&all.unable, unable, name)
				return
			case len(differences) == 0:
				all.same++
			}
			for _, d := range differences {
				all.add(&all.differ, d, name)
			}
			if agrees {
				found[line.ID] = now
			}
		})
	}
	group.Wait()
	return found
}

// again runs a case, and once more if something differs: the machine may have been busy.
func (r *recorder) again(line string) (now *seen, unable string, differences []string, agrees bool) {
	for range 2 {
		var c *kit.Case
		var err error
		now, c, unable, err = r.observe(line)
		if err != nil {
			unable = err.Error()
		}
		if unable != "" {
			return nil, unable, nil, false
		}
		unable, differences, agrees = judge(r.Client, gjson.Get(line, "seen").Raw, c, now)
		if agrees && len(differences) == 0 {
			break
		}
	}
	return now, unable, differences, agrees
}

// judge compares a run with the record, whose paths are placeholders, and with the expectations of the case. Without a
// record, a run with other results means that this driver cannot run the case.
func judge(client recorded.Client, record string, c *kit.Case, now *seen) (unable string, differ []string,
	agrees bool) {
	var call *recorded.Call
	if asked, ok := callOf(client, string(c.Stdin)); ok {
		call = &asked
	}
	faults := now.disagrees(c, call)
	if record == "" {
		if len(faults) > 0 {
			return "not as recorded, when it is run in this way", faults, false
		}
		return "", nil, true
	}
	var old seen
	if err := json.Unmarshal([]byte(record), &old); err != nil {
		return "", []string{verdict + err.Error()}, false
	}
	differ = compare(&old, now)
	for _, f := range faults {
		differ = append(differ, verdict+f)
	}
	return "", differ, faults == nil
}

// install installs a client in the cache, and returns the folder of its program. Of a package with two names the newer
// one counts, if npm has all of it.
func (o *options) install(c recorded.Client) (string, error) {
	dir := filepath.Join(o.cache, c.Name+"@"+o.version)
	bin := filepath.Join(dir, "node_modules", ".bin")
	if versionOf(bin, c) != "" && o.version != "latest" {
		return bin, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var failed error
	for _, name := range c.Names() {
		named := c
		named.Packages = append([]string{name}, c.Packages[1:]...)
		args := []string{"install", "--no-audit", "--no-fund", "--no-save", "--prefix", dir}
		out, err := exec.Command("npm", append(args, named.Install(o.version)...)...).CombinedOutput()
		if err == nil && versionOf(bin, c) != "" {
			return bin, nil
		}
		failed = errors.Join(failed, fmt.Errorf("npm installs no %s@%s that runs: %v\n%s", name, o.version, err, out))
	}
	return "", failed
}

// versionOf is the version that a client says, or "".
func versionOf(bin string, c recorded.Client) string {
	said, _ := exec.Command("env", "PATH="+bin+":"+os.Getenv("PATH"), filepath.Join(bin, c.Name), "--version").Output()
	return regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(string(said))
}

// packagesOf are the folders of a client's own packages, also for one system.
func packagesOf(bin string, c recorded.Client) (dirs []string) {
	for _, name := range c.Names() {
		own := filepath.Join(filepath.Dir(bin), filepath.FromSlash(name))
		ofSystems, _ := filepath.Glob(own + "-*")
		if _, err := os.Stat(own); err == nil {
			dirs = append(dirs, own)
		}
		dirs = append(dirs, ofSystems...)
	}
	return dirs
}

// alone runs this program again with no network but loopback.
func alone() error {
	const inside = "RECORD_LOOPBACK_ONLY"
	if os.Getenv(inside) != "" {
		return nil
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		return err
	}
	argv := append([]string{"unshare", "-rn", "sh", "-c", `ip link set lo up && exec "$@"`, "sh", own}, os.Args[1:]...)
	return fmt.Errorf("unshare: %w", syscall.Exec(unshare, argv, append(os.Environ(), inside+"=1")))
}

// tools compares the tools for the client's model with tools/NAME.json.
func (o *options) tools(r *recorder, all *report) error {
	text, err := os.ReadFile(filepath.Join(o.dir, "tools", r.Name+".json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var file recorded.ToolFile
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	model := gjson.Get(r.usual.request, "model").String()
	known := map[string]bool{}
	var wanted []string
	for _, t := range file.Tools {
		known[t.Name] = true
		if t.Models == nil || slices.Contains(t.Models, model) {
			wanted = append(wanted, t.Name)
		}
	}
	offered := []string{}
	for _, t := range recorded.Offered(r.usual.request) {
		if offered = append(offered, t.Name); !known[t.Name] {
			all.newTools = append(all.newTools, t.Name)
		}
	}
	all.gone = without(wanted, offered)
	return nil
}

// rewrite writes the runs into the cases. The other cases keep their version.
func (o *options) rewrite(version string, cases *kit.Client, found map[string]*seen) error {
	folder := filepath.Join(o.dir, o.client)
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return err
	}
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var out strings.Builder
		for line := range strings.Lines(string(doc)) {
			line = strings.TrimSpace(line)
			now, run := found[gjson.Get(line, "id").String()]
			switch old := gjson.Get(line, "client_version"); {
			case run:
				line = exceptKeys(line, "client_version", "client", "seen")
				if o.only != "*" && version != cases.Version {
					line = set(line, "client_version", inJSON(version))
				}
				line = set(line, "seen", inJSON(now))
			case o.only == "*" && !old.Exists() && version != cases.Version:
				line = set(line, "client_version", inJSON(cases.Version))
			}
			out.WriteString(line + "\n")
		}
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			return err
		}
	}
	if o.only != "*" {
		return nil
	}
	file := filepath.Join(folder, "client.json")
	doc, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	at := regexp.MustCompile(`("version": )"[^"]*"`)
	return os.WriteFile(file, at.ReplaceAll(doc, []byte(`${1}"`+version+`"`)), 0o644)
}

// set adds a key behind the others of an object.
func set(object, key, value string) string {
	return strings.TrimSpace(strings.TrimSuffix(object, "}")) + `, "` + key + `": ` + value + "}"
}

// exceptKeys is an object without some keys.
func exceptKeys(object string, keys ...string) string {
	var kept []string
	for key, value := range gjson.Parse(object).ForEach {
		if !slices.Contains(keys, key.String()) {
			kept = append(kept, key.Raw+": "+value.Raw)
		}
	}
	return "{" + strings.Join(kept, ", ") + "}"
}

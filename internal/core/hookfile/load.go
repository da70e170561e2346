package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/lib/strictjson/document"
)

// MaxFileSize is the maximum size of a hooks file in bytes.
const MaxFileSize = 1 << 20

const maxFileDepth = 64

// Options select the hooks files to read.
type Options struct {
	Parts
	Workspace   string   // folder of the project; "" is the current folder
	Files       []string // instead of the workspace's own files; a missing file is an error
	Project     *Project // result of FindProject, whose files must still exist; nil: look in Workspace
	NoUser      bool     // leave out the user's own file
	ProjectOnly bool     // leave out the managed file, too; no command of hookrun does so
	Managed     string   // path of the managed file for tests, which need not be root's
	// Dialect is the dialect of files in a client's form, in any folder. If nil, the folder of the file decides, and
	// any other folder means Claude Code. Dialect changes nothing for files in other forms.
	Dialect *dialect.Dialect
	Claude  bool // also load Claude Code's settings for the workspace: the user's, the project's, the local ones
	// AsClient: if the client of a faulty file goes on without the file's hooks, so does Load, with warnings.
	AsClient bool
}

// Load reads the hooks files of all levels in order: the managed file, the user's file, and `.tenex-hooks.json` and
// `.tenex-hooks.local.json` of the workspace, or Files instead of these two. A missing file has no hooks. Faults of
// files are an error of type Diagnostics, with the faults of all files.
func Load(o Options) (*Config, error) {
	there, absent, missed := o.Find()
	if missed != nil && !errors.As(missed, new(hook.Diagnostics)) {
		return nil, missed
	}
	cfg, err := o.LoadFiles(there)
	if err == nil && cfg.ManagedOnly { // other files and their faults do not count
		if len(o.Files) > 0 {
			cfg.Warnings = append(cfg.Warnings, hook.Diagnostic{File: there[0].Path, Gate: true,
				Text: `"only" leaves out the files that were named: ` + brief(strings.Join(o.Files, ", "))})
		}
		return cfg, nil
	}
	var problems, more hook.Diagnostics
	if err != nil && !errors.As(err, &more) {
		return nil, err
	}
	errors.As(missed, &problems)
	if problems = append(problems, more...); len(problems) > 0 {
		return nil, problems
	}
	if !o.NoUser && !o.ProjectOnly && userFile() == "" {
		cfg.Warnings = append(cfg.Warnings, hook.Diagnostic{File: "hooks.json", Gate: true,
			Text: "the user's hooks file cannot be found without a home folder; set HOME to an absolute path"})
	}
	if cfg.Absent = absent; o.Project != nil && o.Project.Worktree != "" && len(o.Files) == 0 {
		cfg.Main = o.Project.Workspace
		cfg.Worktree = asOwn(cfg.Main, real(o.Project.Worktree))
		cfg.Absent = append(cfg.Absent, Elsewhere(o.Project.Worktree)...)
	}
	return cfg, nil
}

// Elsewhere returns the hooks files that a folder could have, for Config.Absent: files that would make the folder a
// project. They have no level of the present project, whose trust they are not.
func Elsewhere(folder string) []File {
	return []File{{Path: filepath.Join(folder, FileName), Level: hook.ManagedLevel},
		{Path: filepath.Join(folder, LocalFileName), Level: hook.ManagedLevel}}
}

// LoadFiles reads the files from Find or Named, and stops after a file with "only".
func (o *Options) LoadFiles(files []File) (*Config, error) {
	var read []*Config
	var problems hook.Diagnostics
	for _, f := range files {
		cfg, err := o.LoadFile(f)
		var found hook.Diagnostics
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
			continue
		case err != nil:
			return nil, err
		}
		if read = append(read, cfg); cfg.ManagedOnly { // the managed file is the first
			break
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	markEqual(read)
	all, _ := Merge(read)
	all.parts = o.Parts
	return all, nil
}

// markEqual makes the hooks of a user's file that is the project's, by a link, run once. The project's run, whose
// scripts trust records, unless they are switched off.
func markEqual(files []*Config) {
	for i, one := range files {
		for _, other := range files[:i] {
			a, b := one.Files[0], other.Files[0]
			if b.Level != hook.UserLevel || a.Text != b.Text || len(one.Hooks) != len(other.Hooks) ||
				!regular.Same(a.Path, b.Path) {
				continue
			}
			for n := range one.Hooks {
				h := &one.Hooks[n]
				h.DedupKey = cmp.Or(h.DedupKey, dialect.DedupKey(b.Path, strconv.Itoa(n)))
				other.Hooks[n].DedupKey = h.DedupKey
			}
		}
	}
}

// Find returns the files that Load will read, and the missing files that it looked for. The managed file is the first.
// With an error of type Diagnostics, Find still returns the files that it found.
func (o *Options) Find() (there, absent []File, err error) {
	for _, f := range o.outer() {
		if missing(f.Path) {
			absent = append(absent, f)
		} else {
			there = append(there, f)
		}
	}
	var problems hook.Diagnostics
	for _, list := range []func() (there, absent []File, err error){o.projectFiles, o.claudeFiles} {
		found, not, err := list()
		if err != nil && !errors.As(err, new(hook.Diagnostics)) {
			return nil, nil, err
		}
		if err != nil {
			problems = append(problems, err.(hook.Diagnostics)...)
		}
		there, absent = append(there, found...), append(absent, not...)
	}
	if len(problems) > 0 {
		return there, absent, problems
	}
	return there, absent, nil
}

// projectFiles returns Options.Files or, without them, the workspace's own files.
func (o *Options) projectFiles() (there, absent []File, err error) {
	if len(o.Files) > 0 {
		outer := o.outer()
		return slices.DeleteFunc(o.Named(o.Files), func(f File) bool { // read as outer files already
			return slices.Contains(outer, f)
		}), nil, nil
	}
	project := o.Project
	if project == nil {
		p := ProjectIn(o.Workspace)
		project = &p
	}
	for _, f := range []struct{ found, name string }{{project.File, FileName}, {project.Local, LocalFileName}} {
		if f.found != "" {
			there = append(there, File{Path: f.found, Level: levelOf(f.name)})
		} else {
			absent = append(absent, File{Path: filepath.Join(o.Workspace, f.name), Level: levelOf(f.name)})
		}
	}
	if len(there) > 0 {
		return there, absent, nil
	}
	if _, err := os.Stat(cmp.Or(o.Workspace, ".")); err != nil {
		text := "loading the hooks of " + o.Workspace + ": " + regular.UnwrapPath(err).Error()
		return nil, nil, hook.Diagnostics{{File: filepath.Join(o.Workspace, FileName), Text: text}}
	}
	return nil, absent, nil
}

// claudeFiles returns the files that Claude Code would load in the workspace.
func (o *Options) claudeFiles() (there, absent []File, err error) {
	if !o.Claude {
		return nil, nil, nil
	}
	return o.settingsFiles(o.Workspace)
}

// LoadFile reads a file from Find or Named. A missing file is an error.
func (o *Options) LoadFile(f File) (*Config, error) {
	if fault := o.fault(f); fault != "" {
		return nil, hook.Diagnostics{{File: f.Path, Text: fault}}
	}
	doc, err := readFile(f.Path)
	if err != nil {
		text := err.Error()
		if f.Level == hook.ManagedLevel && errors.Is(err, fs.ErrPermission) { // all users must be able to read the file
			text += mend("sudo", "chmod", "a+rX", filepath.Dir(f.Path), f.Path)
		}
		return nil, hook.Diagnostics{{File: f.Path, Text: text}}
	}
	cfg, err := o.parse(f, doc, o.Dialect)
	var faults hook.Diagnostics
	if d, onFault := o.onFault(f, o.Dialect); o.AsClient && onFault == dialect.DropsFile && errors.As(err, &faults) {
		return dropped(o.Parts, f, doc, d, faults), nil
	}
	return cfg, err
}

// dropped returns the Config of a file whose hooks the client drops for a fault. Each fault is a warning about a gate.
func dropped(parts Parts, f File, doc []byte, d *dialect.Dialect, faults hook.Diagnostics) *Config {
	f.Text = string(doc)
	for i := range faults {
		faults[i].Gate = true
	}
	return &Config{Files: []File{f}, Warnings: faults, Dialect: d, parts: parts}
}

// LoadFile reads a hooks file by path. A missing file is an error. as is Options.Dialect.
func (p Parts) LoadFile(path string, as *dialect.Dialect) (*Config, error) {
	doc, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return p.ParseAs(path, doc, as)
}

// ReadFile reads the text of a hooks file like LoadFile. An error is of type Diagnostics.
func ReadFile(path string) ([]byte, error) {
	doc, err := readFile(path)
	if err != nil {
		return nil, hook.Diagnostics{{File: path, Text: err.Error()}}
	}
	return doc, nil
}

// readFile reads a regular file up to MaxFileSize. Errors are in plain words.
func readFile(path string) ([]byte, error) {
	doc, info, err := regular.Read(path, MaxFileSize)
	switch {
	case errors.Is(err, regular.ErrTooLarge):
		return nil, errors.New("larger than 1 MiB; a hooks file is a few lines")
	case errors.Is(err, regular.ErrNotRegular):
		return nil, fmt.Errorf("reading the hooks file: %w but %s", err, regular.Kind(info.Mode()))
	case err != nil:
		return nil, fmt.Errorf("reading the hooks file: %w", regular.UnwrapPath(err))
	}
	return doc, nil
}

// Parse reads the text of a hooks file. path is for messages, and its extension tells clients' other formats from JSON.
func (p Parts) Parse(path string, doc []byte) (*Config, error) { return p.ParseAs(path, doc, nil) }

// ParseAs is Parse for a file in the form of a dialect; as is Options.Dialect.
func (p Parts) ParseAs(path string, doc []byte, as *dialect.Dialect) (*Config, error) {
	return p.parse(File{Path: path, Level: levelOf(path)}, doc, as)
}

func (p Parts) parse(f File, doc []byte, as *dialect.Dialect) (*Config, error) {
	return p.newParser(f, doc, as).parse()
}

func (parts Parts) newParser(f File, doc []byte, as *dialect.Dialect) *parser {
	text := strings.TrimPrefix(string(doc), "\ufeff")
	p := &parser{parts: parts, clients: parts.clients(), source: f, level: f.Level, as: as, content: string(doc)}
	p.Reader = &document.Reader{File: f.Path, Text: text, Hint: keyHint}
	p.config.parts = parts
	p.ownForm = f.isOwn()
	p.client, p.onFault = parts.onFault(f, as)
	p.dialect = tenex.Dialect
	return p
}

func (p *parser) parse() (*Config, error) {
	f := p.source
	if d := p.parts.dialectByExtension(f.Path, p.as); d != nil { // never at another level: their files end in .json
		p.dialect = d
		p.normalize(p.content)
	} else {
		p.json()
	}
	if len(p.Problems) > 0 {
		p.Problems = append(p.Problems, p.Warnings...) // a warning may have the cause of an error
		p.Problems.Sort()
		return nil, p.Problems
	}
	p.Warnings.Sort()
	p.config.Warnings, p.config.Dialect = p.Warnings, p.dialect
	f.Text, f.as = p.content, p.as
	p.config.Files = []File{f}
	for i := range p.config.Hooks {
		p.config.Hooks[i].Level = f.Level
	}
	p.config.shareTools()
	return &p.config, nil
}

func (p *parser) json() {
	client, onFault := p.client, p.onFault
	if onFault == dialect.DropsFile || onFault == dialect.DropsEntry {
		plain, open := strictjson.BlankComments(p.Text)
		switch {
		case open < 0:
			p.Text = plain
		case onFault == dialect.DropsFile:
			p.Problem(open, "parsing: this comment is never closed%s", client.Files.Drops)
			return
		}
	}
	top, ok := p.Parse(maxFileDepth, func(f strictjson.Fault) {
		duplicate := f.Kind == strictjson.Duplicate
		switch {
		case duplicate && onFault == dialect.TakesLast:
			p.Warn(f.Offset, "%s; %s takes the last", f.Text, client.Files.Client).Gate = true
		case duplicate && onFault != dialect.Refuses:
			p.Warn(f.Offset, "%s; %s takes the last", f.Text, client.Files.Client)
		case onFault == dialect.DropsEntry:
			p.dialect = client
			p.Warn(f.Offset, "parsing: %s%s", f.Text, client.Files.Drops).Gate = true
		case onFault == dialect.DropsFile:
			p.Problem(f.Offset, "parsing: %s%s", f.Text, client.Files.Drops)
		default:
			p.Problem(f.Offset, "parsing: %s", f.Text)
		}
	})
	if ok {
		p.checkSurrogates()
		p.topLevel(top)
	}
}

// checkSurrogates reports \u escapes of half a character without the other half. Half a character has no UTF-8, and
// readers disagree: gjson swallows the escape after it, encoding/json does not.
func (p *parser) checkSurrogates() {
	for at := 0; ; {
		next := strings.IndexByte(p.Text[at:], '\\')
		if next < 0 {
			return
		}
		at += next
		first := escapedUnit(p.Text[at:])
		switch {
		case !utf16.IsSurrogate(first):
			at += 2
		case utf16.DecodeRune(first, escapedUnit(p.Text[at+6:])) != unicode.ReplacementChar:
			at += 12
		default:
			p.Problem(at,
				"parsing: %s is half a character; write both halves, as \\ud83d\\ude00, or the character itself",
				p.Text[at:at+6])
			at += 6
		}
	}
}

// escapedUnit reads a \u escape at the start of a text that strictjson found well-formed, or returns 0 without one.
func escapedUnit(text string) rune {
	if !strings.HasPrefix(text, `\u`) {
		return 0
	}
	r, _ := strconv.ParseUint(text[2:6], 16, 16)
	return rune(r)
}

package hookfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// MaxFileSize is how many bytes a hooks file may have.
const MaxFileSize = 1 << 20

const maxFileDepth = 64

// Options say which hooks files are read.
type Options struct {
	Workspace string   // the folder of the project; "" is the current one
	Files     []string // instead of the workspace's own file; a missing one is an error
	// Dialect is whose rules a file is read by that is in a client's form, wherever it lies; nil: the place says it,
	// and files of places that do not are Claude Code's. Files in other forms are not concerned.
	Dialect *dialect.Dialect
	Claude  bool // also what Claude Code would load in the workspace: the user's, the project's and the local settings
}

// Load reads hooks files, and adds each to those before it. Without Files it is the workspace's `.tenex-hooks.json`,
// and if that is missing there are no hooks. Anything else that is wrong is an error of type Diagnostics, with those of
// all files.
func Load(o Options) (*Config, error) {
	var all Config
	var problems Diagnostics
	collect := func(err error) error { // what is no Diagnostics
		var found Diagnostics
		if errors.As(err, &found) {
			problems = append(problems, found...)
			return nil
		}
		return err
	}
	for _, list := range []func() (there, absent []string, err error){o.own, o.claude} {
		paths, absent, err := list()
		if collect(err) != nil {
			return nil, err
		}
		all.absent = append(all.absent, absent...)
		for _, path := range paths {
			cfg, err := LoadFile(path, o.Dialect)
			if collect(err) != nil {
				return nil, err
			}
			if err == nil {
				all.Add(cfg)
			}
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &all, nil
}

// own are the files that are named, or else the workspace's own, if it has one.
func (o Options) own() (there, absent []string, err error) {
	if len(o.Files) > 0 {
		return o.Files, nil, nil
	}
	path := filepath.Join(o.Workspace, FileName)
	// by Lstat: a link to nothing is a gate that got lost
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return []string{path}, nil, nil
	}
	if _, err := os.Stat(cmp.Or(o.Workspace, ".")); err != nil {
		text := "loading the hooks of " + o.Workspace + ": " + bare(err).Error()
		return nil, nil, Diagnostics{{File: path, Text: text}}
	}
	return nil, []string{path}, nil
}

// claude are the files that Claude Code would load in the workspace.
func (o Options) claude() (there, absent []string, err error) {
	if !o.Claude {
		return nil, nil, nil
	}
	return settingsFiles(anyFolder().Settings, o.Workspace)
}

// LoadFile reads a hooks file that somebody named: a missing one is an error. as is Options.Dialect.
func LoadFile(path string, as *dialect.Dialect) (*Config, error) {
	doc, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseAs(path, doc, as)
}

// ReadFile reads the text of a hooks file, as LoadFile does. An error is of type Diagnostics.
func ReadFile(path string) ([]byte, error) {
	doc, err := readFile(path)
	if err != nil {
		return nil, Diagnostics{{File: path, Text: err.Error()}}
	}
	return doc, nil
}

// readFile reads a regular file up to the limit. What is no regular file is not opened for reading: a pipe would wait
// for ever.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the hooks file: %w", bare(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading the hooks file: not a regular file but %s", kind(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the hooks file: %w", bare(err))
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading the hooks file: %w", bare(err))
	}
	if len(doc) > MaxFileSize {
		return nil, fmt.Errorf("larger than 1 MiB; a hooks file is a few lines")
	}
	return doc, nil
}

// bare takes the path out of an error that stands behind that path already.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return m.Type().String()
}

// Parse reads the text of a hooks file. path is for messages, and its end tells the files of clients that are no JSON.
func Parse(path string, doc []byte) (*Config, error) { return ParseAs(path, doc, nil) }

// ParseAs is Parse for a file that is in the form of a dialect, as Options.Dialect says.
func ParseAs(path string, doc []byte, as *dialect.Dialect) (*Config, error) {
	p := parser{file: path, as: as, doc: string(bytes.TrimPrefix(doc, []byte("\ufeff")))}
	p.places.Doc = p.doc
	p.dialect = tenex.Dialect
	if d := formatOf(path); d != nil {
		p.dialect = d
		p.format(string(doc))
	} else {
		p.json()
	}
	if len(p.problems) > 0 {
		p.problems = append(p.problems, p.config.Warnings...) // one may say what was meant
		p.problems.Sort()
		return nil, p.problems
	}
	Diagnostics(p.config.Warnings).Sort()
	p.config.Dialect = p.dialect
	p.config.Files = []string{path}
	p.config.texts = []string{string(doc)}
	return &p.config, nil
}

func (p *parser) json() {
	if at := strictjson.InvalidUTF8(p.doc); at >= 0 {
		p.problem(at, "parsing: not UTF-8; save the file as UTF-8")
		return
	}
	readable := true
	for _, f := range strictjson.Check(p.doc, maxFileDepth) {
		p.problem(f.Offset, "parsing: %s", f.Text)
		readable = readable && f.Kind == strictjson.Duplicate
	}
	if readable {
		p.halfCharacters()
		p.document()
	}
}

// halfCharacters finds \u escapes that stand for half of a character, with the other half missing. There is no UTF-8
// for them, and readers disagree: gjson swallows the escape behind one, encoding/json does not.
func (p *parser) halfCharacters() {
	for at := 0; ; {
		next := strings.IndexByte(p.doc[at:], '\\')
		if next < 0 {
			return
		}
		at += next
		first := escaped(p.doc[at:])
		switch {
		case !utf16.IsSurrogate(first):
			at += 2
		case utf16.DecodeRune(first, escaped(p.doc[at+6:])) != unicode.ReplacementChar:
			at += 12
		default:
			p.problem(at,
				"parsing: %s is half a character; write both halves, as \\ud83d\\ude00, or the character itself",
				p.doc[at:at+6])
			at += 6
		}
	}
}

// escaped reads a \u escape at the start of a text that strictjson found well-formed, and is 0 where there is none.
func escaped(text string) rune {
	if !strings.HasPrefix(text, `\u`) {
		return 0
	}
	r, _ := strconv.ParseUint(text[2:6], 16, 16)
	return rune(r)
}

package projecthooks

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

	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// MaxFileSize is how many bytes a hooks file may have.
const MaxFileSize = 1 << 20

const maxFileDepth = 64

// Loader reads hooks files. The zero Loader reads each by the rules of the client whose it is, as Load and the other
// functions do.
type Loader struct {
	// Dialect is whose rules a file is read by that is in a client's form, wherever it lies; "": the place says it, and
	// files of places that do not are Claude Code's. Files in other forms are not concerned.
	Dialect string
}

// Load reads the workspace's `.tenex-hooks.json`. FindProject says which folder that is; there is no file in the home
// directory. A missing file means no hooks; anything else that is wrong is an error of type Problems.
func Load(workspace string) (*Config, error) { return Loader{}.Load(workspace) }

// LoadFile reads a hooks file that somebody named: here a missing file is an error too.
func LoadFile(path string) (*Config, error) { return Loader{}.LoadFile(path) }

// LoadFiles reads several hooks files that somebody named, and adds each to those before it. The error has the problems
// of all.
func LoadFiles(paths ...string) (*Config, error) { return Loader{}.LoadFiles(paths...) }

// Parse reads the text of a hooks file. path is for messages, and its end tells MassGen's YAML and Codex's TOML from
// JSON.
func Parse(path string, doc []byte) (*Config, error) { return Loader{}.Parse(path, doc) }

// Load reads the file of a workspace, as the function does.
func (l Loader) Load(workspace string) (*Config, error) {
	path := filepath.Join(workspace, FileName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // by Lstat: a link to nothing is a gate that got lost
		if _, err := os.Stat(cmp.Or(workspace, ".")); err != nil {
			return nil, Problems{{File: path, Text: "loading the hooks of " + workspace + ": " + bare(err).Error()}}
		}
		return &Config{absent: []string{path}}, nil
	}
	return l.LoadFile(path)
}

// LoadFile reads one file, as the function does.
func (l Loader) LoadFile(path string) (*Config, error) {
	doc, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return l.Parse(path, doc)
}

// LoadFiles reads several files, as the function does.
func (l Loader) LoadFiles(paths ...string) (*Config, error) {
	loads := make([]func() (*Config, error), len(paths))
	for i, path := range paths {
		loads[i] = func() (*Config, error) { return l.LoadFile(path) }
	}
	return LoadAll(loads...)
}

// LoadAll does several loads and adds what each gives to those before it. The error has the problems of all.
func LoadAll(loads ...func() (*Config, error)) (*Config, error) {
	var all Config
	var problems Problems
	for _, load := range loads {
		cfg, err := load()
		var found Problems
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
		case err != nil:
			return nil, err
		default:
			all.Add(cfg)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return &all, nil
}

// ReadFile reads the text of a hooks file, as LoadFile does. An error is of type Problems.
func ReadFile(path string) ([]byte, error) {
	doc, err := readFile(path)
	if err != nil {
		return nil, Problems{{File: path, Text: err.Error()}}
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

// Parse reads a text, as the function does.
func (l Loader) Parse(path string, doc []byte) (*Config, error) {
	p := parser{file: path, as: l.Dialect, doc: string(bytes.TrimPrefix(doc, []byte("\ufeff")))}
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
	Problems(p.config.Warnings).Sort()
	p.config.Dialect = p.dialect.Name
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
			p.problem(at, "parsing: %s is half a character; write both halves, as \\ud83d\\ude00, or the character itself", p.doc[at:at+6])
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

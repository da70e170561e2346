package trust

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/files/atomic"
)

// Record is a Fingerprint with the time of the record.
type Record struct {
	Fingerprint
	Version int       `json:"version"` // 1
	Time    time.Time `json:"time"`
	// Repository: the workspace is in a git repository, so the hooks count in subfolders too.
	Repository bool `json:"repository,omitempty"`
	// AppliesInSubfolders: the workspace is in no repository, and the hooks count in each subfolder outside of any too.
	AppliesInSubfolders bool `json:"below,omitempty"`
	// Allowed: the session began with hooks that a person had allowed.
	Allowed bool `json:"allowed,omitempty"`
}

// key identifies the hooks of a record: by the workspace, and by the hooks files if --config named others.
func (f *Fingerprint) key() string {
	own := func(name string) bool { return name == hookfile.FileName || name == hookfile.LocalFileName }
	if !slices.ContainsFunc(f.hooksFiles, func(name string) bool { return !own(name) }) {
		return f.Workspace
	}
	return f.Workspace + "\x00" + strings.Join(f.hooksFiles, "\x00")
}

func newRecord(f *Fingerprint) *Record {
	r := &Record{Fingerprint: *f, Version: 1, Time: time.Now(), Repository: hookfile.InRepository(f.Workspace, "")}
	r.Users = f.users()
	r.AppliesInSubfolders = !r.Repository && hookfile.AppliesInSubfolders(f.Workspace)
	return r
}

// record reads a Record. The first line is the sum of the Fingerprint. If the sum equals the sum of f, the rest is not
// parsed, and the Record has f but no time.
func (s *Store) record(folder, key string, f *Fingerprint) (*Record, error) {
	text, err := s.read(folder, key, ".json")
	if text == nil || err != nil {
		return nil, err
	}
	sum, doc, _ := bytes.Cut(text, []byte("\n"))
	if f != nil && string(sum) == f.sum() {
		return &Record{Fingerprint: *f, Version: 1}, nil
	}
	r := &Record{}
	if err := json.Unmarshal(doc, r); err != nil || r.Version != 1 {
		return nil, fmt.Errorf("%s of the state folder %s cannot be read; remove it, and allow the hooks again",
			filepath.Join(folder, hashed(key)+".json"), s.folder)
	}
	return r, nil
}

// document returns the text of a Record for the state file.
func (r *Record) document() (string, error) {
	doc, err := json.Marshal(r)
	return r.sum() + "\n" + string(doc), err
}

// Allowed returns the record of the hooks allowed in the workspace, or nil.
func (s *Store) Allowed(f *Fingerprint) (*Record, error) {
	return s.record(allowedFolder, f.key(), nil)
}

// Allow records that a person allows the hooks. The Fingerprint must have its texts, for the next diff.
func (s *Store) Allow(f *Fingerprint) error {
	texts := map[string]string{}
	for i := range f.Files {
		switch file := &f.Files[i]; {
		case len(file.text) > maxShown:
		case utf8.ValidString(file.text):
			texts[file.Name] = file.text
		default: // a string of JSON keeps only UTF-8
			texts[inBase64+file.Name] = base64.StdEncoding.EncodeToString([]byte(file.text))
		}
	}
	doc, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	record, err := newRecord(f).document()
	if err != nil {
		return err
	}
	if err := s.write(allowedFolder, f.key(), ".texts", string(doc)); err != nil {
		return err
	}
	return s.write(allowedFolder, f.key(), ".json", record)
}

// inBase64 begins the key of a text in base64. No name of a file has it.
const inBase64 = "\x00"

// Texts returns the texts of the files allowed last, by name.
func (s *Store) Texts(f *Fingerprint) (texts map[string]string, err error) {
	doc, err := s.read(allowedFolder, f.key(), ".texts")
	if doc == nil || err != nil {
		return nil, err
	}
	err = json.Unmarshal(doc, &texts)
	for key, text := range texts {
		if name, is := strings.CutPrefix(key, inBase64); is {
			exact, errText := base64.StdEncoding.DecodeString(text)
			texts[name], err = string(exact), errors.Join(err, errText)
		}
	}
	return texts, err
}

// Deny removes the record of allowed hooks, and reports whether a record existed.
func (s *Store) Deny(f *Fingerprint) (was bool, err error) {
	for _, ending := range []string{".texts", ".json"} {
		existed, err := remove(filepath.Join(s.folder, allowedFolder, hashed(f.key())+ending))
		if err != nil {
			return was, err
		}
		was = was || ending == ".json" && existed
	}
	return was, nil
}

// remove removes a file, and reports whether the file existed.
func remove(path string) (existed bool, err error) {
	err = atomic.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) write(folder, key, ending, text string) error {
	path, err := s.path(folder, key, ending)
	if err != nil {
		return err
	}
	return atomic.WritePrivate(path, text)
}

// maxPin is how long a session's record is kept.
const maxPin = 30 * 24 * time.Hour

// readRecord reads the record in a file of either folder, or returns nil if the file has no record.
func readRecord(path string) (*Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Record{}
	if _, doc, _ := bytes.Cut(text, []byte("\n")); json.Unmarshal(doc, r) != nil {
		return nil, nil
	}
	return r, nil
}

// Prune removes the records of workspaces that are gone, and of sessions older than maxPin.
func (s *Store) Prune() (removed []string, err error) {
	files, err := filepath.Glob(filepath.Join(s.folder, allowedFolder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		r, err := readRecord(path)
		if err != nil || r == nil {
			continue
		}
		if _, err := os.Stat(r.Workspace); errors.Is(err, fs.ErrNotExist) {
			for _, path := range []string{strings.TrimSuffix(path, ".json") + ".texts", path} {
				if _, err := remove(path); err != nil {
					return removed, err
				}
			}
			removed = append(removed, r.Workspace)
		}
	}
	pins, err := filepath.Glob(filepath.Join(s.folder, sessionsFolder, "*.json"))
	if err != nil {
		return removed, err
	}
	for _, path := range pins {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > maxPin {
			if err := os.Remove(path); err != nil {
				return removed, err
			}
		}
	}
	return removed, nil
}

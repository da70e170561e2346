package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/owner"
)

// mark says which entries for several agents one of these has been given: those up to an id, but for the missing ones.
// nil: none.
type mark struct {
	upTo    string
	missing map[string]bool // by file name: entries whose matcher was for other tools, mostly
}

func (m *mark) has(n name) bool { return m != nil && n.id <= m.upTo && !m.missing[n.file] }

// mark reads the mark of an agent. agent is the name of its file. A mark that a crash of the system has emptied is
// none.
func (s *session) mark(agent string) (*mark, error) {
	path := s.in("marks", agent)
	text, err := atomic.Read(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &mark{missing: map[string]bool{}}
	var rest string
	m.upTo, rest, _ = strings.Cut(string(text), "\n")
	if len(m.upTo) != idLength {
		const text = "%s does not say what its agent has read: remove it, and the agent gets all of it again"
		return nil, fmt.Errorf(text, path)
	}
	for file := range strings.Lines(rest) {
		m.missing[strings.TrimSuffix(file, "\n")] = true
	}
	return m, nil
}

// marks reads the marks of all agents.
func (s *session) marks() (marks map[string]*mark, err error) {
	agents, err := s.names("marks")
	marks = map[string]*mark{}
	for _, agent := range agents {
		m, markErr := s.mark(agent)
		if err = errors.Join(err, markErr); m != nil {
			marks[agent] = m
		}
	}
	return marks, err
}

// replace writes a small file of the session, of which nobody sees a part. A crash of the system can empty it.
func (s *session) replace(folder, file, text string) error {
	if err := owner.MkdirAll(s.in(folder)); err != nil {
		return err
	}
	part := s.in(folder, "."+file+".new")
	if err := os.WriteFile(part, []byte(text), 0o600); err != nil {
		return err
	}
	reached("wrote " + part)
	return atomic.Rename(part, s.in(folder, file))
}

// mayReach reports whether an entry may be for the agent of a mark.
func (n name) mayReach(agent string) bool {
	return n.agents == unsaid || n.reaches(agent) || strings.HasPrefix(agent, hashed)
}

// got notes which entries agents were given, by their marks' names. Entries that all of their agents have are dropped,
// and broadcasts that were waiting go to the read ones. It can be killed at any point and called again.
func (s *session) got(given map[string][]name) error {
	if len(given) == 0 {
		return nil
	}
	there, err := s.shared()
	if err != nil {
		return err
	}
	for agent, names := range given {
		if err := s.advance(agent, names, there); err != nil {
			return err
		}
		reached("marked")
	}
	marks, err := s.marks()
	if err != nil {
		return err
	}
	waiting := map[string]name{}
	for _, n := range there {
		if n.folder == "entries" {
			waiting[n.file] = n
		}
	}
	var read []name
	for _, names := range given {
		for _, n := range names {
			n, waits := waiting[n.file]
			if !waits {
				continue // read before, cleared, or damaged
			}
			delete(waiting, n.file)
			n, err := s.complete(n)
			switch {
			case err != nil:
				return err
			case n.agents == broadcast:
				read = append(read, n)
			case !slices.ContainsFunc(n.targets(), func(target string) bool { return !marks[folder(target)].has(n) }):
				if err := s.drop(n); err != nil {
					return err
				}
			}
		}
	}
	return s.keep(read, marks)
}

// advance adds entries to what an agent has been given.
func (s *session) advance(agent string, names, there []name) error {
	m, err := s.mark(agent)
	if err != nil {
		return err
	}
	if m == nil {
		m = &mark{missing: map[string]bool{}}
	}
	before, given, left := m.upTo, map[string]bool{}, map[string]bool{}
	for _, n := range names {
		given[n.file] = true
		m.upTo = max(m.upTo, n.id)
	}
	if behind, err := s.behind(before); err != nil {
		return err
	} else if behind {
		read, err := s.entries("read")
		if err != nil {
			return err
		}
		there = slices.Concat(there, read)
	}
	for _, n := range there {
		if n.id > before && n.id <= m.upTo && !given[n.file] && n.mayReach(agent) {
			left[n.file] = true
		} else if m.missing[n.file] && !given[n.file] {
			left[n.file] = true
		}
	}
	for file := range m.missing {
		if _, err := os.Lstat(s.in("read", file)); err == nil && !given[file] {
			left[file] = true
		}
	}
	var text strings.Builder
	fmt.Fprintln(&text, m.upTo)
	for file := range left {
		fmt.Fprintln(&text, file)
	}
	return s.replace("marks", agent, text.String())
}

// entries lists the entries in one of the session's folders, in order.
func (s *session) entries(folder ...string) (entries []name, err error) {
	files, err := s.names(folder...)
	for _, file := range files {
		if n, ok := parseName(file); ok {
			n.folder = filepath.Join(folder...)
			entries = append(entries, n)
		}
	}
	return entries, err
}

// shared lists the entries for several agents that wait, or that a claim has taken as a whole, from where they may come
// back.
func (s *session) shared() ([]name, error) {
	all, err := s.entries("entries")
	if err != nil {
		return nil, err
	}
	claims, err := s.names("claims")
	for _, claim := range claims {
		if len(claim) == claimLength && err == nil {
			var held []name
			held, err = s.entries("claims", claim)
			all = append(all, held...)
		}
	}
	return slices.DeleteFunc(all, func(n name) bool { return !n.shared() }), err
}

// maxRead is how many broadcasts that agents have read are kept for agents that come later.
const maxRead = 1000

// read is what the hidden file of the folder read says: the last entry that was moved there, and how many were moved
// since it was thinned out.
type read struct {
	last  string
	moved int
}

func (s *session) lastRead() (r read, err error) {
	text, err := atomic.Read(s.in("read", readFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	_, _ = fmt.Sscan(string(text), &r.last, &r.moved)
	return r, err
}

const readFile = ".last"

// behind reports whether there may be read broadcasts after an id.
func (s *session) behind(id string) (bool, error) {
	r, err := s.lastRead()
	return r.last > id, err
}

// keep moves broadcasts that an agent has been given to the read ones.
func (s *session) keep(names []name, marks map[string]*mark) error {
	if len(names) == 0 {
		return nil
	}
	r, err := s.lastRead()
	if err != nil {
		return err
	}
	for _, n := range names {
		r.last, r.moved = max(r.last, n.id), r.moved+1
	}
	if r.moved >= maxRead {
		r.moved = 0
		defer s.thin(marks)
	}
	// First, so that nobody overlooks an entry that was moved.
	if err := s.replace("read", readFile, fmt.Sprintln(r.last, r.moved)); err != nil {
		return err
	}
	for _, n := range names {
		err := atomic.Rename(s.at(n), s.in("read", n.file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		reached("kept " + n.file)
	}
	return nil
}

// thin removes the oldest read broadcasts, beyond maxRead, that every agent has which read anything in the last maxAge.
// What it cannot remove stays.
func (s *session) thin(marks map[string]*mark) {
	kept, err := s.entries("read")
	if err != nil {
		return
	}
	for agent := range marks {
		if info, err := os.Lstat(s.in("marks", agent)); err == nil && now().Sub(info.ModTime()) > maxAge {
			delete(marks, agent)
		}
	}
	for i, n := range kept {
		all := true
		for _, m := range marks {
			all = all && m.has(n)
		}
		if n.expired(now()) || all && len(kept)-i > maxRead {
			_ = removeFile(s.at(n))
		}
	}
}

// convert takes over the marks of older versions: seen/AGENT has a file for each entry that the agent was given.
func (s *session) convert() error {
	agents, err := s.names("seen")
	if len(agents) == 0 || err != nil {
		return err
	}
	there, err := s.shared()
	if err != nil {
		return err
	}
	given := map[string][]name{}
	for _, agent := range agents {
		ids, err := s.names("seen", agent)
		if err != nil {
			return err
		}
		for _, n := range there {
			if _, has := slices.BinarySearch(ids, n.id); has {
				given[agent] = append(given[agent], n)
			}
		}
	}
	if err := s.got(given); err != nil {
		return err
	}
	return os.RemoveAll(s.in("seen"))
}

package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// mark records the entries given to an agent, among those for several agents: all up to an id, except the missing ones.
// A nil mark means no entries.
type mark struct {
	upTo    string
	missing map[string]bool // by file name; usually the matcher was for other tools
}

func (m *mark) has(n name) bool { return m != nil && n.id <= m.upTo && !m.missing[n.file] }

// mark reads the mark of an agent; agent is the mark's file name. A mark emptied by a system crash counts as missing.
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

// replace atomically writes a small file of the session. A crash of the system can leave the file empty.
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
	return n.agents == inFile || n.reaches(agent) || strings.HasPrefix(agent, hashed)
}

// markDelivered marks entries as given to agents; the keys are the marks' names. Entries that all their agents have are
// dropped, and waiting broadcasts move to the folder read. A killed call can be repeated at any point.
func (s *session) markDelivered(given map[string][]name) error {
	if len(given) == 0 {
		return nil
	}
	present, err := s.sharedEntries()
	if err != nil {
		return err
	}
	for agent, names := range given {
		if err := s.advance(agent, names, present); err != nil {
			return err
		}
		reached("marked")
	}
	marks, err := s.marks()
	if err != nil {
		return err
	}
	waiting := map[string]name{}
	for _, n := range present {
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
	return s.moveToRead(read, marks)
}

// advance adds entries to an agent's mark.
func (s *session) advance(agent string, names, present []name) error {
	m, err := s.mark(agent)
	if err != nil {
		return err
	}
	if m == nil {
		m = &mark{missing: map[string]bool{}}
	}
	before, given, missing := m.upTo, map[string]bool{}, map[string]bool{}
	for _, n := range names {
		given[n.file] = true
		m.upTo = max(m.upTo, n.id)
	}
	if behind, err := s.hasReadAfter(before); err != nil {
		return err
	} else if behind {
		read, err := s.entries("read")
		if err != nil {
			return err
		}
		present = slices.Concat(present, read)
	}
	for _, n := range present {
		if n.id > before && n.id <= m.upTo && !given[n.file] && n.mayReach(agent) {
			missing[n.file] = true
		} else if m.missing[n.file] && !given[n.file] {
			missing[n.file] = true
		}
	}
	for file := range m.missing {
		if _, err := os.Lstat(s.in("read", file)); err == nil && !given[file] {
			missing[file] = true
		}
	}
	var text strings.Builder
	fmt.Fprintln(&text, m.upTo)
	for file := range missing {
		fmt.Fprintln(&text, file)
	}
	return s.replace("marks", agent, text.String())
}

// entries returns the entries in one of the session's folders, in order.
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

// sharedEntries returns the entries for several agents that wait, or that a claim has taken whole and may put back.
func (s *session) sharedEntries() ([]name, error) {
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

// maxRead is the number of read broadcasts kept for later agents.
const maxRead = 1000

// readState is the content of read/.last: the last entry moved there, and the number of moves since the last trim.
type readState struct {
	last  string
	moved int
}

func (s *session) lastRead() (r readState, err error) {
	text, err := atomic.Read(s.in("read", readFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	_, _ = fmt.Sscan(string(text), &r.last, &r.moved)
	return r, err
}

const readFile = ".last"

// hasReadAfter reports whether read broadcasts after an id may exist.
func (s *session) hasReadAfter(id string) (bool, error) {
	r, err := s.lastRead()
	return r.last > id, err
}

// moveToRead moves broadcasts given to an agent to the folder read.
func (s *session) moveToRead(names []name, marks map[string]*mark) error {
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
		defer s.trimRead(marks)
	}
	// First, so readers never overlook a moved entry.
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

// trimRead removes expired read broadcasts, and the oldest ones beyond maxRead if all agents have them. Agents that
// read nothing in the last maxAge do not count. Files that cannot be removed stay.
func (s *session) trimRead(marks map[string]*mark) {
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

// convertMarks converts the marks of older versions: seen/AGENT has a file for each entry given to the agent.
func (s *session) convertMarks() error {
	agents, err := s.names("seen")
	if len(agents) == 0 || err != nil {
		return err
	}
	present, err := s.sharedEntries()
	if err != nil {
		return err
	}
	given := map[string][]name{}
	for _, agent := range agents {
		ids, err := s.names("seen", agent)
		if err != nil {
			return err
		}
		for _, n := range present {
			if _, has := slices.BinarySearch(ids, n.id); has {
				given[agent] = append(given[agent], n)
			}
		}
	}
	if err := s.markDelivered(given); err != nil {
		return err
	}
	return os.RemoveAll(s.in("seen"))
}

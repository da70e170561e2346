// Package stops counts how often in a row hooks have sent an agent back to work at the end of a turn, even if each call
// has a process of its own.
//
//	n, err := store.Blocked(key, level, reason, goesOn)
//	…
//	store.Prompted(key, prompt)
//
// Some clients send the reason of a block as the next prompt. So not every prompt begins a new turn: see Prompted.
//
// Each key has one file, with a line for each block. When a new file is made, files older than a month are removed.
package stops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/lib/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "stops"

const month = 30 * 24 * time.Hour

// Store holds the blocks in a row of each key. The zero Store holds them in memory.
type Store struct {
	Dir string // the user's state folder

	mu     sync.Mutex
	memory map[string]string
}

// maxKeys bounds the keys in memory. At the bound all counts start again.
const maxKeys = 10_000

// prompted is the line of a prompt that is not the reason of the last block.
const prompted = "prompt\n"

// Blocked adds a block, and returns how many blocks of its level there are now. goesOn is what the client says: a block
// began this turn.
func (s *Store) Blocked(key, level, reason string, goesOn bool) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := s.read(key)
	if err != nil {
		return 0, err
	}
	if strings.HasSuffix(text, "\n"+prompted) && !goesOn {
		s.remove(key)
	}
	level, reason = "block "+level+" ", trimmed(reason)
	if err = s.add(key, level+strings.ReplaceAll(reason[:min(head, len(reason))], "\n", "\r")+"\n"); err == nil {
		text, err = s.read(key) // another process may have added a block
	}
	return strings.Count("\n"+text, "\n"+level), err
}

// Prompted notes a prompt. The prompt begins a new turn, in which earlier blocks do not count, unless the prompt has
// the reason of the last block, or the client says at the end that a block began the turn. Both are needed: after a
// tool call Gemini CLI no longer says so, and Qwen Code sends an empty prompt, too.
func (s *Store) Prompted(key, prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, _ := s.read(key)
	lines := strings.Split(text, "\n")
	if len(lines) < 2 || strings.HasSuffix(text, "\n"+prompted) {
		return
	}
	_, reason, _ := strings.Cut(strings.TrimPrefix(lines[len(lines)-2], "block "), " ")
	reason = strings.ReplaceAll(reason, "\r", "\n")
	if len(reason) < head {
		reason += "\n"
	}
	if !strings.Contains("\n"+trimmed(prompt)+"\n", "\n"+reason) {
		_ = s.add(key, prompted)
	}
}

// Clear sets the counts of a key to 0. If the file cannot be removed, the next turn ends sooner.
func (s *Store) Clear(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(key)
}

// head is how much of a reason is kept, in bytes: a client may be sent a long one with its middle left out.
const head = 100

// trimmed returns a text without blanks at the ends of its lines. A client adds the texts of other hooks in lines of
// their own.
func trimmed(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (s *Store) path(key string) string { return filepath.Join(s.Dir, Folder, state.Hashed(key)) }

func (s *Store) read(key string) (string, error) {
	if s.Dir == "" {
		return s.memory[key], nil
	}
	text, err := os.ReadFile(s.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

func (s *Store) add(key, line string) error {
	if s.Dir == "" {
		if s.memory == nil || len(s.memory) >= maxKeys {
			s.memory = map[string]string{}
		}
		s.memory[key] += line
		return nil
	}
	return state.Append(s.path(key), line, month)
}

func (s *Store) remove(key string) {
	if delete(s.memory, key); s.Dir != "" {
		_ = os.Remove(s.path(key))
	}
}

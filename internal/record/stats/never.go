package stats

import (
	"path/filepath"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// Expect adds to the summary the configured hooks that no call has run.
func (s *Summary) Expect(cfg *hookfile.Config) {
	fired := map[hookKey]bool{}
	var paths canonical = map[string]string{}
	for _, h := range s.Hooks {
		fired[hookKey{h.Name, paths.of(h.File)}] = true
		for source := range h.sources {
			fired[hookKey{file: paths.of(file(source)) + source[len(file(source)):]}] = true
		}
	}
	hasRun := func(h *hook.Hook) bool {
		path := paths.of(h.File)
		return fired[hookKey{h.Name, path}] || fired[hookKey{file: path + h.Source()[len(h.File):]}]
	}
	same := map[string]bool{} // of equal hooks only one runs
	for i := range cfg.Hooks {
		if h := &cfg.Hooks[i]; h.DedupKey != "" && hasRun(h) {
			same[h.DedupKey] = true
		}
	}
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		if hasRun(h) || same[h.DedupKey] || h.Disabled != "" {
			continue
		}
		n := NeverFired{Name: h.Name, Source: h.Source(), Events: []string{}}
		for _, event := range h.Events {
			n.Events = append(n.Events, string(event))
		}
		s.NeverFired = append(s.NeverFired, n)
	}
}

// canonical caches the resolved path of each path, because a workspace may be reached through a link.
type canonical map[string]string

func (c canonical) of(path string) string {
	if path == "" {
		return ""
	}
	known, ok := c[path]
	if !ok {
		known = path
		if abs, err := filepath.Abs(path); err == nil {
			known = abs
		}
		if folder, err := filepath.EvalSymlinks(filepath.Dir(known)); err == nil { // an error: the folder is gone
			known = filepath.Join(folder, filepath.Base(known))
		}
		c[path] = known
	}
	return known
}

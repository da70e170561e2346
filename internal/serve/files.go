package serve

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/jsonrpc"
)

// reloaded is what reload answers with.
type reloaded struct {
	Files    []string          `json:"files"`
	Hooks    int               `json:"hooks"`
	Warnings []hook.Diagnostic `json:"warnings"`
}

// reload reads the hooks files again. If they have errors, the server keeps the hooks that it has. A file that is gone
// is no error: somebody may have taken it away on purpose. But its gates are gone with it, so there is a warning from
// then on.
func (s *Server) reload() (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cfg, err := s.options.Load()
	if err != nil {
		return nil, notReloaded(err)
	}
	err = s.options.Runner.Reload(cfg)
	if err != nil && !errors.Is(err, engine.ErrClosed) { // of a server that ends: no call will meet the hooks
		return nil, notReloaded(err)
	}
	s.snapshot = s.snapshot.Next(cfg)
	return reloaded{
		Files: cfg.Paths(), Hooks: len(cfg.Hooks),
		Warnings: append(append([]hook.Diagnostic{}, s.snapshot.Lost()...), cfg.Warned()...),
	}, nil
}

// notReloaded is the error for files that could not be loaded. Its data has every problem with its position.
func notReloaded(err error) error {
	failed := jsonrpc.Errorf(codeConfig, "nothing was reloaded: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	if problems, ok := errors.AsType[hook.Diagnostics](err); ok {
		data, err := json.Marshal(problems)
		if err != nil {
			return err
		}
		failed.Data = data
	}
	return failed
}

func (s *Server) check() (any, error) {
	report, err := s.options.Check()
	if err != nil {
		return nil, jsonrpc.Errorf(codeConfig, "%v", err)
	}
	return report, nil
}

package serve

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/jsonrpc"
)

// reloaded is the answer to reload.
type reloaded struct {
	Files    []string          `json:"files"`
	Hooks    int               `json:"hooks"`
	Warnings []hook.Diagnostic `json:"warnings"`
}

// reload reads the hooks files again. If they have errors, the server keeps the old hooks. A missing file is no error,
// because a person may have removed it on purpose. But the file's gates are gone too, so every call gets a warning from
// then on.
func (s *Server) reload() (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cfg, err := s.options.Load()
	if err != nil {
		return nil, notReloaded(err)
	}
	err = s.options.Runner.Reload(cfg)
	if err != nil && !errors.Is(err, engine.ErrClosed) { // the server is ending, so no call will use the hooks
		return nil, notReloaded(err)
	}
	s.snapshot = s.snapshot.Next(cfg)
	return reloaded{
		Files: cfg.Paths(), Hooks: len(cfg.Hooks),
		Warnings: append(append([]hook.Diagnostic{}, s.snapshot.LostFiles()...), cfg.Warned()...),
	}, nil
}

// notReloaded is the error for files that could not be loaded. Its data has every diagnostic with the position.
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

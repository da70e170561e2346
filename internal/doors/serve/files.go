package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// reloaded is the answer to reload.
type reloaded struct {
	Files    []string          `json:"files"`
	Hooks    int               `json:"hooks"`
	Warnings []hook.Diagnostic `json:"warnings"`
}

// reload reads the hooks files again. If they have errors, or if a file is gone, the server keeps the old hooks: an
// editor may have taken the file away for a moment. The param empty says that it is gone on purpose.
func (s *Server) reload(params string) (any, error) {
	empty, err := readEmpty(params)
	if err != nil {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cfg, err := s.options.Load()
	if err != nil {
		return nil, notReloaded(err)
	}
	if lost := s.options.Runner.Lost(cfg); len(lost) > 0 && !empty {
		for i := range lost {
			lost[i].Text += `; put it back, or reload with {"empty": true} if it is gone on purpose`
		}
		return nil, notReloaded(lost)
	}
	err = s.options.Runner.Reload(cfg)
	if err != nil && !errors.Is(err, engine.ErrClosed) { // the server is ending, so no call will use the hooks
		return nil, notReloaded(err)
	}
	if s.options.Loaded != nil {
		s.options.Loaded(cfg)
	}
	return reloaded{
		Files: cfg.Paths(), Hooks: len(cfg.Hooks), Warnings: append([]hook.Diagnostic{}, cfg.Warned()...),
	}, nil
}

// readEmpty reads the params of reload.
func readEmpty(params string) (empty bool, err error) {
	const want = `params must be {} or {"empty": true}`
	if params == "" || params == "null" {
		return false, nil
	}
	if !strings.HasPrefix(params, "{") {
		return false, errors.New(want)
	}
	for key, value := range strictjson.Members(params) {
		if strictjson.Text(key) != "empty" || value != "true" && value != "false" {
			return false, fmt.Errorf("%s, not %s: %s", want, spelling.Brief(key, 80), spelling.Brief(value, 80))
		}
		empty = value == "true"
	}
	return empty, nil
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

package hookfile

// Users of the module see a Config as the type of that name in package projecthooks, which has a few of its facts.
// Package projecthooks sets these two when it is initialized: Of returns what stands behind a *projecthooks.Config, nil
// for nil, and Public makes one.
var (
	Of     func(public any) *Config
	Public func(*Config) any
)

// Package qwen is the part of a hooks.Loader for Qwen Code.
package qwen

import (
	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/clients/named"
	"github.com/hookrun/hookrun/internal/clients/qwen"
)

// Part adds Qwen Code.
var Part = hooks.Part(named.Client(qwen.Client))

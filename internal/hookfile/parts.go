package hookfile

import (
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/rules"
)

// rules are the rules of "if" and of packs.
func (p *parser) rules() hook.Rules { return rules.All }

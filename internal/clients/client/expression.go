package client

import (
	"github.com/hookrun/hookrun/internal/clients/jsregexp"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// JavaScript compiles an expression in the syntax of JavaScript.
func JavaScript(text string) (dialect.Expression, error) {
	compiled, err := jsregexp.Compile(text)
	if err != nil { // a nil *Regexp would be an Expression
		return nil, err
	}
	return compiled, nil
}

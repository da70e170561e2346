//go:build !windows

package process

import "errors"

// SendBreak has nothing to do where there are signals.
func SendBreak(string) error { return errors.ErrUnsupported }

//go:build !windows

package process

import "errors"

// SendBreak returns errors.ErrUnsupported: systems other than Windows use signals.
func SendBreak(string) error { return errors.ErrUnsupported }

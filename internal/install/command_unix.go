//go:build !windows

package install

import "github.com/hookrun/hookrun/internal/dialect"

// HasShell says whether /bin/sh can run a script of an entry, so that Entry.ByName counts.
const HasShell = true

// form is how a command is written here: for sh.
func (c *Client) form() dialect.CommandForm { return dialect.CommandForm{} }

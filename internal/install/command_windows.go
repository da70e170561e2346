package install

import "github.com/hookrun/hookrun/internal/dialect"

// HasShell says whether /bin/sh can run a script of an entry, so that Entry.ByName counts. Most clients start another
// shell here.
const HasShell = false

// shell is the shell that a command is written for here.
func (c *Client) shell() dialect.Shell { return c.WindowsShell }

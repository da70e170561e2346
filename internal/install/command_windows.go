package install

import "github.com/hookrun/hookrun/internal/dialect"

// HasShell says whether /bin/sh can run a script of an entry, so that Entry.ByName counts. Most clients start another
// shell here.
const HasShell = false

// form is how a command is written here.
func (c *Client) form() dialect.CommandForm { return c.OnWindows }

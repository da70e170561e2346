package install

import "github.com/hookrun/hookrun/internal/dialect"

// HasShell says whether /bin/sh can run the script of an entry. If not, Entry.ByName has no effect. Most clients start
// another shell on Windows.
const HasShell = false

// shell returns the shell for which Install writes commands here.
func (c *Client) shell() dialect.Shell { return c.WindowsShell }

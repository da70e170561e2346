package cli

import (
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
)

// exitCode is an exit code of a command.
type exitCode struct {
	code  int
	means string
}

const failed = "hookrun could not do its work"

// exitsOfCall are the exit codes of the commands that run hooks for one call. The entry of a client has the last two.
var exitsOfCall = [...]exitCode{
	{exitOK, "continue; stdout has the texts for the model"},
	{exitFailed, failed + "; do not run the tool"},
	{exitBlock, "do not run the tool; stderr has the reason"},
	{exitStop, "end the loop; stderr has the reason"},
	{client.ExitNote, "continue; the client shows stderr"},
	{exitAnswered, "with --entry status: stdout has the client's answer"},
}

const ofEntry = 2

// exitCodes returns the exit codes of a command, in ascending order.
func (c *command) exitCodes() []exitCode {
	switch {
	case c.client:
		return exitsOfCall[:]
	case c.answers:
		return exitsOfCall[:len(exitsOfCall)-ofEntry]
	case c.exits == nil:
		return []exitCode{{exitOK, "done"}, {exitFailed, failed}}
	}
	return c.exits
}

// exitUsages returns the help of a command's exit codes; "" if they are those of every program.
func (c *command) exitUsages() string {
	if c.exits == nil && !c.answers {
		return ""
	}
	return "\nExit codes:\n" + listExits(c.exitCodes())
}

func listExits(codes []exitCode) string {
	var b strings.Builder
	for _, e := range codes {
		fmt.Fprintf(&b, "  %d  %s\n", e.code, e.means)
	}
	return b.String()
}

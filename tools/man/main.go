// Command man writes the man pages into a folder: go run ./tools/man DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/tools/man/manpage"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: go run ./tools/man DIR")
	}
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	pages, err := manpage.All()
	if err != nil {
		return err
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(args[0], name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}

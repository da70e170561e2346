package clients_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/launch"
)

// Package launch knows the variables of clients' folders by the ends of their names.
func TestFolderVariables(t *testing.T) {
	seen := 0
	for _, d := range clients.All().Forms() {
		for _, name := range d.Files.FolderVariables {
			require.True(t, launch.IsFolderVariable(name), "%s: %s", d.Name, name)
			seen++
		}
	}
	require.Positive(t, seen)
}

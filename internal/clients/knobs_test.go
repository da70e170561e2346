package clients_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// maxKnobs bounds the fields of a Dialect and its parts, and the methods of its interfaces. Each is something that
// whoever adds a client must know: what only one or two clients need is code in their folders, a method with a default
// in Base or BaseInstaller, or an optional interface of their Hooks or Reader.
const maxKnobs = 65

// maxNil bounds the comments that say what nil stands for.
const maxNil = 10

func hasDefault(method string) bool {
	_, ofHooks := reflect.TypeFor[dialect.Base]().MethodByName(method)
	_, ofInstaller := reflect.TypeFor[client.BaseInstaller]().MethodByName(method)
	return ofHooks || ofInstaller
}

// TestKnobs counts what there is to set about a client.
func TestKnobs(t *testing.T) {
	knobs := map[string][]string{}
	var walk func(reflect.Type)
	walk = func(s reflect.Type) {
		for s.Kind() == reflect.Pointer || s.Kind() == reflect.Slice {
			s = s.Elem()
		}
		if s.Kind() != reflect.Struct && s.Kind() != reflect.Interface ||
			s.PkgPath() != "github.com/hookrun/hookrun/internal/core/dialect" || knobs[s.Name()] != nil {
			return
		}
		knobs[s.Name()] = []string{}
		if s.Kind() == reflect.Interface {
			for i := range s.NumMethod() {
				if name := s.Method(i).Name; !hasDefault(name) {
					knobs[s.Name()] = append(knobs[s.Name()], name)
				}
			}
			return
		}
		for i := range s.NumField() {
			if f := s.Field(i); f.Type != reflect.TypeFor[*dialect.Dialect]() {
				knobs[s.Name()] = append(knobs[s.Name()], f.Name)
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[dialect.Dialect]())
	n := 0
	for _, fields := range knobs {
		n += len(fields)
	}
	require.LessOrEqual(t, n, maxKnobs, "%v", knobs)

	files, err := filepath.Glob("../core/dialect/*.go")
	require.NoError(t, err)
	ofClients, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	found := 0
	for _, path := range append(files, ofClients...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.HasSuffix(path, "_test.go") {
			found += len(regexp.MustCompile(`//.*\bnil: `).FindAll(text, -1))
		}
	}
	require.NotEmpty(t, files)
	require.LessOrEqual(t, found, maxNil)
}

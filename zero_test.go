package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/testsupport/testhome"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
	"github.com/hookrun/hookrun/runner"
)

func TestMain(m *testing.M) { testhome.Main(m) }

// zeros has every exported type of the public packages.
var zeros = []any{
	protocol.API(""), protocol.Call{}, protocol.Cause(""), protocol.Decision(0), protocol.Event(""),
	protocol.Milliseconds(0), protocol.Outcome{}, protocol.Report{}, protocol.Text{},
	hooks.Config{}, hooks.Diagnostic{}, hooks.Diagnostics(nil), hooks.HookInfo{}, hooks.Loader{}, hooks.LoadOptions{},
	hooks.Part{},
	runner.Answer{}, runner.CallError{}, runner.Hook{}, runner.Options{}, runner.Output{}, runner.Result{},
	runner.Runner{}, runner.ToolFunc(nil), runner.Trust(""),
	queue.Claim{}, queue.Entry{}, queue.Queue{},
}

// TestZeroValues calls every method of every exported type on its zero value and, if it takes a pointer, on nil: none
// panics, and no Outcome that comes back lets a call pass. The words of protocol are plain values, which are never nil.
func TestZeroValues(t *testing.T) {
	api, err := os.ReadFile("testdata/api.txt")
	require.NoError(t, err)
	var known []string
	for _, zero := range zeros {
		known = append(known, reflect.TypeOf(zero).String())
		callMethods(t, reflect.TypeOf(zero))
	}
	var public []string
	for _, section := range strings.Split(string(api), "package ")[1:] {
		name, rest, _ := strings.Cut(section, "\n")
		for _, found := range regexp.MustCompile(`(?m)^type (\w+) [^=]`).FindAllStringSubmatch(rest, -1) {
			public = append(public, name+"."+found[1])
		}
	}
	require.ElementsMatch(t, public, known)
	require.Equal(t, protocol.Block, protocol.Outcome{}.Decision)
}

func callMethods(t *testing.T, of reflect.Type) {
	t.Helper()
	receivers := map[string]reflect.Value{"zero ": reflect.New(of)}
	if !strings.HasPrefix(of.String(), "protocol.") {
		receivers["nil "] = reflect.Zero(reflect.PointerTo(of))
	}
	for what, receiver := range receivers {
		for i := range receiver.NumMethod() {
			method := receiver.Type().Method(i)
			_, ofValue := of.MethodByName(method.Name)
			if ofValue && what == "nil " || strings.Contains(method.Type.String(), "hookfile.") { // of hookrun's own
				continue
			}
			call := fmt.Sprint(what, of, ".", method.Name)
			var args []reflect.Value
			kind := receiver.Method(i).Type()
			for n := range kind.NumIn() {
				switch in := kind.In(n); {
				case in == reflect.TypeFor[context.Context]():
					args = append(args, reflect.ValueOf(t.Context()))
				case !kind.IsVariadic() || n < kind.NumIn()-1:
					args = append(args, reflect.Zero(in))
				}
			}
			var results []reflect.Value
			require.NotPanics(t, func() { results = receiver.Method(i).Call(args) }, call)
			for _, result := range results {
				switch o := result.Interface().(type) {
				case protocol.Outcome:
					require.Equal(t, protocol.Block, o.Decision, call)
				case *protocol.Outcome:
					require.True(t, o == nil || o.Decision == protocol.Block, call)
				}
			}
		}
	}
}

package crash_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/crash"
)

// run calls do, and returns what it panics with as an error.
func run(do func() error) (err error) {
	defer crash.Catch(&err)
	return do()
}

func TestCatch(t *testing.T) {
	require.NoError(t, run(func() error { return nil }))
	failed := errors.New("failed")
	require.Equal(t, failed, run(func() error { return failed }), "no panic")
	var list []int
	const where = `\(crash_test\.TestCatch\.func\d, crash_test\.go:\d+\); this is a bug of hookrun: please report it$`
	err := run(func() error { list[len(list)]++; return nil })
	const fault = `runtime error: index out of range \[0\] with length 0 `
	require.Regexp(t, `^hookrun itself failed: `+fault+where, err.Error())
	err = run(func() error { panic("what?") })
	require.Regexp(t, `^hookrun itself failed: what\? `+where, err.Error())
	require.Equal(t, err, run(func() error { panic(err) }), "it was caught before")
}

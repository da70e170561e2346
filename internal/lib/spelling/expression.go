package spelling

import (
	"errors"
	"regexp/syntax"
	"strconv"
)

// fixes returns the advice for each error of package regexp.
func fixes() map[syntax.ErrorCode]string {
	return map[syntax.ErrorCode]string{
		syntax.ErrInvalidEscape:       `; RE2 has no back references, and \\ is the character itself`,
		syntax.ErrInvalidNamedCapture: "; a name is of ASCII letters, digits and _, and RE2 has no look-behind",
		syntax.ErrInvalidPerlOp: "; RE2 has (?:…), (?P<name>…) and the flags i, m, s and U, as (?i), " +
			"but no look-around",
		syntax.ErrInvalidRepeatOp:   "; put (?:…) around the inner repetition",
		syntax.ErrInvalidRepeatSize: "; a count is at most 1000, and the smaller one comes first",
		syntax.ErrTrailingBackslash: `; write \\ for the character itself`,
	}
}

// Expression describes an error of regexp.Compile, and how to fix the regular expression.
func Expression(err error) string {
	fault, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return err.Error()
	}
	return fault.Code.String() + ": " + strconv.Quote(Brief(fault.Expr, 40)) + fixes()[fault.Code]
}

// Package assert checks values in conformance cases, with the names of testify's assert. The cases
// are also part of the command, which testify would make larger: it imports net/http.
package assert

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// T is what a check reports to: a test, or the report of the command.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// check reports a failure with the message that the caller gave, and returns ok.
func check(t T, ok bool, message []any, format string, args ...any) bool {
	if ok {
		return true
	}
	t.Helper()
	text := fmt.Sprintf(format, args...)
	if len(message) > 0 {
		text += " (" + fmt.Sprintf(message[0].(string), message[1:]...) + ")"
	}
	t.Errorf("%s", text)
	return false
}

// equal compares as reflect.DeepEqual does, with nil and empty bytes equal.
func equal(want, got any) bool {
	w, ok := want.([]byte)
	if g, bytewise := got.([]byte); ok && bytewise {
		return bytes.Equal(w, g)
	}
	return reflect.DeepEqual(want, got)
}

// length returns the length of a string, slice, map or channel.
func length(v any) int { return reflect.ValueOf(v).Len() }

func zero(v any) bool { return v == nil || reflect.ValueOf(v).IsZero() }

// Equal checks that two values of a type are deeply equal.
func Equal(t T, want, got any, message ...any) bool {
	t.Helper()
	return check(t, equal(want, got), message, "got %#v, want %#v", got, want)
}

// NotEqual checks that two values are not deeply equal.
func NotEqual(t T, unwanted, got any, message ...any) bool {
	t.Helper()
	return check(t, !equal(unwanted, got), message, "got %#v, want another", got)
}

// True checks that a condition holds.
func True(t T, got bool, message ...any) bool {
	t.Helper()
	return check(t, got, message, "got false, want true")
}

// False checks that a condition does not hold.
func False(t T, got bool, message ...any) bool {
	t.Helper()
	return check(t, !got, message, "got true, want false")
}

// Zero checks for the zero value of a type.
func Zero(t T, got any, message ...any) bool {
	t.Helper()
	return check(t, zero(got), message, "got %#v, want the zero value", got)
}

// NotZero checks for any value but the zero value.
func NotZero(t T, got any, message ...any) bool {
	t.Helper()
	return check(t, !zero(got), message, "got %#v, want another", got)
}

// Empty checks for a length of 0.
func Empty(t T, got any, message ...any) bool {
	t.Helper()
	return check(t, length(got) == 0, message, "got %#v, want nothing", got)
}

// NotEmpty checks for a length above 0.
func NotEmpty(t T, got any, message ...any) bool {
	t.Helper()
	return check(t, length(got) > 0, message, "got nothing")
}

// Len checks a length.
func Len(t T, got any, n int, message ...any) bool {
	t.Helper()
	return check(t, length(got) == n, message, "got %d elements, want %d: %#v", length(got), n, got)
}

// Contains checks that a string contains another, or a list an element.
func Contains[L string | []string](t T, all L, part string, message ...any) bool {
	t.Helper()
	found := false
	switch all := any(all).(type) {
	case string:
		found = strings.Contains(all, part)
	case []string:
		for _, s := range all {
			found = found || s == part
		}
	}
	return check(t, found, message, "got %q, want one with %q", all, part)
}

// Less checks that a is less than b.
func Less[V cmp.Ordered](t T, a, b V, message ...any) bool {
	t.Helper()
	return check(t, a < b, message, "%v is not less than %v", a, b)
}

// LessOrEqual checks that a is at most b.
func LessOrEqual[V cmp.Ordered](t T, a, b V, message ...any) bool {
	t.Helper()
	return check(t, a <= b, message, "%v is more than %v", a, b)
}

// GreaterOrEqual checks that a is at least b.
func GreaterOrEqual[V cmp.Ordered](t T, a, b V, message ...any) bool {
	t.Helper()
	return check(t, a >= b, message, "%v is less than %v", a, b)
}

// InDelta checks that two numbers differ by at most delta.
func InDelta(t T, want, got, delta float64, message ...any) bool {
	t.Helper()
	return check(t, math.Abs(want-got) <= delta, message, "got %v, want %v, give or take %v", got, want, delta)
}

// NoError checks for no error.
func NoError(t T, err error, message ...any) bool {
	t.Helper()
	return check(t, err == nil, message, "unexpected error: %v", err)
}

// Error checks for any error.
func Error(t T, err error, message ...any) bool {
	t.Helper()
	return check(t, err != nil, message, "no error")
}

// ErrorIs checks that an error wraps another.
func ErrorIs(t T, err, kind error, message ...any) bool {
	t.Helper()
	return check(t, errors.Is(err, kind), message, "got the error %v, want %v", err, kind)
}

// ErrorAs checks that an error wraps one of the type that target points to, and stores it there.
func ErrorAs(t T, err error, target any, message ...any) bool {
	t.Helper()
	want := reflect.TypeOf(target).Elem()
	return check(t, errors.As(err, target), message, "got the error %v, want a %v", err, want)
}

// ErrorContains checks for an error that contains a text.
func ErrorContains(t T, err error, part string, message ...any) bool {
	t.Helper()
	ok := err != nil && strings.Contains(err.Error(), part)
	return check(t, ok, message, "got the error %v, want one with %q", err, part)
}

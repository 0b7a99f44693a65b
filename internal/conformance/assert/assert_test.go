package assert

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// noted is a T that records failures.
type noted []string

func (*noted) Helper() {}

func (n *noted) Errorf(format string, args ...any) { *n = append(*n, fmt.Sprintf(format, args...)) }

// TestChecks has each check pass, and fail with its text.
func TestChecks(t *testing.T) {
	err := fmt.Errorf("outer: %w", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrExist})
	var path *fs.PathError
	var number *numberError
	for _, c := range []struct {
		text string
		run  func(t T, pass bool) bool
	}{
		{"got 2, want 1 (of 3)", func(t T, pass bool) bool { return Equal(t, 1, pick(pass, 1, 2), "of %d", 3) }},
		{"got []byte{0x1}, want []byte{}",
			func(t T, pass bool) bool { return Equal(t, []byte{}, pick(pass, nil, []byte{1})) }},
		{"got 1, want another", func(t T, pass bool) bool { return NotEqual(t, 1, pick(pass, 2, 1)) }},
		{"got false, want true", func(t T, pass bool) bool { return True(t, pass) }},
		{"got true, want false", func(t T, pass bool) bool { return False(t, !pass) }},
		{"got 1, want the zero value", func(t T, pass bool) bool { return Zero(t, pick(pass, 0, 1)) }},
		{"got 0, want another", func(t T, pass bool) bool { return NotZero(t, pick(pass, 1, 0)) }},
		{`got "a", want nothing`, func(t T, pass bool) bool { return Empty(t, pick(pass, "", "a")) }},
		{"got nothing", func(t T, pass bool) bool { return NotEmpty(t, pick(pass, "a", "")) }},
		{"got 1 elements, want 2: []int{1}",
			func(t T, pass bool) bool { return Len(t, pick(pass, []int{1, 2}, []int{1}), 2) }},
		{`got "abc", want one with "d"`, func(t T, pass bool) bool { return Contains(t, "abc", pick(pass, "c", "d")) }},
		{`got ["ab" "c"], want one with "b"`,
			func(t T, pass bool) bool { return Contains(t, []string{"ab", "c"}, pick(pass, "c", "b")) }},
		{"2 is not less than 2", func(t T, pass bool) bool { return Less(t, pick(pass, 1, 2), 2) }},
		{"3 is more than 2", func(t T, pass bool) bool { return LessOrEqual(t, pick(pass, 2, 3), 2) }},
		{"1 is less than 2", func(t T, pass bool) bool { return GreaterOrEqual(t, pick(pass, 2, 1), 2) }},
		{"got 2, want 1, give or take 0.5", func(t T, pass bool) bool { return InDelta(t, 1, pick(pass, 1.5, 2), 0.5) }},
		{"unexpected error: outer: open x: file already exists",
			func(t T, pass bool) bool { return NoError(t, pick(pass, nil, err)) }},
		{"no error", func(t T, pass bool) bool { return Error(t, pick(pass, err, nil)) }},
		{"got the error other, want file already exists",
			func(t T, pass bool) bool { return ErrorIs(t, pick(pass, err, errors.New("other")), fs.ErrExist) }},
		{"got the error outer: open x: file already exists, want a *assert.numberError",
			func(t T, pass bool) bool { return ErrorAs(t, err, pick[any](pass, &path, &number)) }},
		{`got the error <nil>, want one with "outer"`,
			func(t T, pass bool) bool { return ErrorContains(t, pick(pass, err, nil), "outer") }},
	} {
		var n noted
		if !c.run(&n, true) || len(n) > 0 {
			t.Errorf("%s: failed what holds: %q", c.text, n)
		}
		if c.run(&n, false) || len(n) != 1 || n[0] != c.text {
			t.Errorf("got %q, want %q", n, c.text)
		}
	}
}

type numberError struct{}

func (*numberError) Error() string { return "" }

func pick[V any](first bool, a, b V) V {
	if first {
		return a
	}
	return b
}

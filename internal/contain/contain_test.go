package contain

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCall: an error is returned as it is; a panic and the end of the goroutine are an *Error.
func TestCall(t *testing.T) {
	what := func() string { return "the function" }
	boom := errors.New("boom")
	require.NoError(t, Call(what, func() error { return nil }))
	require.Equal(t, boom, Call(what, func() error { return boom }))
	for want, misbehave := range map[string]func(){
		"the function panicked: boom":                 func() { panic(boom) },
		"the function panicked: " + ErrExited.Error(): runtime.Goexit,
	} {
		err := Call(what, func() error { misbehave(); return nil })
		var p *Error
		require.ErrorAs(t, err, &p)
		assert.ErrorContains(t, err, want)
		assert.NotEmpty(t, p.Stack)
	}
	require.ErrorIs(t, Call(what, func() error { panic(boom) }), boom)
}

// stubborn is a log handler none of whose methods returns.
type stubborn func()

func (s stubborn) Enabled(context.Context, slog.Level) bool  { s(); return true }
func (s stubborn) Handle(context.Context, slog.Record) error { s(); return nil }
func (s stubborn) WithAttrs([]slog.Attr) slog.Handler        { s(); return s }
func (s stubborn) WithGroup(string) slog.Handler             { s(); return s }

// TestLogger: no method of a handler stops who logs.
func TestLogger(t *testing.T) {
	for _, misbehave := range []func(){func() { panic("boom") }, runtime.Goexit} {
		Logger(stubborn(misbehave)).With("a", 1).WithGroup("g").Info("a record")
	}
}

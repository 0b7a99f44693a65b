package compute

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/sanitizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// misbehaviors are what functions of a program do instead of returning.
var misbehaviors = map[string]func(){"panic": func() { panic("boom") }, "exit": runtime.Goexit}

// requirePanicOf expects a *PanicError of a function.
func requirePanicOf(t *testing.T, err error, what string) {
	t.Helper()
	var p *PanicError
	require.ErrorAs(t, err, &p)
	assert.Contains(t, p.What, what)
}

// TestContainedObservers: no callback of an observer stops what it observes. Its failure is that of
// the stream, or of the accelerator.
func TestContainedObservers(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			a := accelerator(t, WithObserver(&observe.Observer{
				Record: func(observe.RecordEvent) { misbehave() }, Encode: func(observe.EncodeEvent) { misbehave() },
				Commit: func(observe.CommitEvent) { misbehave() }, Complete: func(observe.CompleteEvent) { misbehave() },
				Compile: func(observe.CompileEvent) { misbehave() }, Cache: func(observe.CacheEvent) { misbehave() },
				Transfer: func(observe.TransferEvent) { misbehave() }, Rent: func(observe.RentEvent) { misbehave() },
				Return: func(observe.ReturnEvent) { misbehave() }, Recover: func(observe.RecoverEvent) { misbehave() },
				OperationStart: func(observe.OperationEvent) { misbehave() },
				OperationEnd:   func(observe.OperationEvent) { misbehave() },
			}))
			within, end := a.Operation(ctx, "operation")
			k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
			x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 10)
			require.NoError(t, s.Launch(within, k, Threads1D(1), x, y, float32(2)))
			end()
			a.Recovered(observe.RecoverEvent{})
			x.Close()
			failed := a.Sync(ctx)
			for _, event := range []string{"Record", "Encode", "Commit", "Complete", "Compile", "Cache", "Transfer", "Rent",
				"Recover", "OperationStart", "OperationEnd"} {
				assert.ErrorContains(t, failed, "an observer's "+event+" panicked")
			}
			requirePanicOf(t, failed, "an observer's")
			got, err := y.Data()
			require.NoError(t, err)
			assert.Equal(t, []float32{12}, got)
			x.Close()
		})
	}
}

// TestContainedFindings: the function for findings does not stop the kernel, and the stream has its
// failure.
func TestContainedFindings(t *testing.T) {
	softwareOnly(t, "has a sanitizer")
	plantsMistakes(t)
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			a := accelerator(t, WithSanitizer(sanitizer.All, func(*sanitizer.Finding) { misbehave() }))
			k, s := kernels(t, a, `kernel void past(device uint *x, uint i [[thread_position_in_grid]]) { x[i + 1] = 1; }`)(
				"past"), newStream(t, a)
			x := bufferOf[uint32](t, a, 0)
			require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x))
			requirePanicOf(t, s.Sync(t.Context()), "findings")
			require.NoError(t, s.Sync(t.Context()))
		})
	}
}

// TestContainedFree: the function that frees adopted memory does not stop who closes the buffer.
func TestContainedFree(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			a := accelerator(t)
			data := stream.SliceOf[uint32](pages(t, 1))
			require.Len(t, data, os.Getpagesize()/4)
			x, err := Adopt(a, data, BufferOptions{}, misbehave)
			require.NoError(t, err)
			x.Close()
			requirePanicOf(t, a.Sync(t.Context()), "frees adopted memory")
			require.NoError(t, a.Sync(t.Context()))
		})
	}
}

// stubbornHandler is a log handler that does not return.
type stubbornHandler struct {
	slog.Handler
	misbehave func()
}

func (h stubbornHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (h stubbornHandler) Handle(context.Context, slog.Record) error { h.misbehave(); return nil }
func (h stubbornHandler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h stubbornHandler) WithGroup(string) slog.Handler             { return h }

// TestContainedLogs: a log handler stops neither Open nor the report of a failure.
func TestContainedLogs(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			a := accelerator(t, WithLogger(slog.New(stubbornHandler{slog.DiscardHandler, misbehave})))
			s := newStream(t, a)
			boom := errors.New("boom")
			require.NoError(t, s.Callback(t.Context(), func(error) { panic(boom) }))
			ran := make(chan struct{})
			require.NoError(t, s.Callback(t.Context(), func(error) { close(ran) }))
			<-ran
			require.ErrorIs(t, s.Sync(t.Context()), boom)
		})
	}
}

package resilience

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// misbehaviors are what functions of a program do instead of returning.
var misbehaviors = map[string]func(){"panic": func() { panic("boom") }, "exit": runtime.Goexit}

// badly are delays whose computation does not return.
type badly func()

func (b badly) NextBackOff() time.Duration { b(); return 0 }
func (b badly) Reset()                     {}

// badLog is a log handler that does not return.
type badLog func()

func (h badLog) Enabled(context.Context, slog.Level) bool  { h(); return true }
func (h badLog) Handle(context.Context, slog.Record) error { h(); return nil }
func (h badLog) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h badLog) WithGroup(string) slog.Handler             { return h }

// returns calls fn on a goroutine of its own, which must not end before fn has returned, and gives
// back its error.
func returns(t *testing.T, fn func() error) error {
	t.Helper()
	result := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine has ended, or fn has panicked")
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("the function's panic reached the caller: %v", p)
			}
			result <- err
		}()
		err = fn()
	}()
	return <-result
}

// requirePanicOf expects a *compute.PanicError of a function.
func requirePanicOf(t *testing.T, err error, what string) {
	t.Helper()
	var p *compute.PanicError
	require.ErrorAs(t, err, &p)
	assert.Contains(t, p.What, what)
}

// TestContainedOpen: an opener that does not return fails New; later, that of a lost device fails
// the work, and the manager goes on once the opener returns again.
func TestContainedOpen(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			f := newFaulty(t, 0)
			good := f.opener(0)
			bad := true
			o := Options{Logger: quiet, Attempts: 1, Open: func(ctx context.Context) (*compute.Accelerator, error) {
				if bad {
					misbehave()
				}
				return good(ctx)
			}}
			requirePanicOf(t, returns(t, func() error {
				_, err := New(t.Context(), o)
				return err
			}), "Options.Open")

			bad = false
			m := manager(t, o)
			s, add, x := streamOf(t, m), kernelOf(t, m, "add"), bufferOf(t, m, true, 1)
			work := func() error {
				return errors.Join(s.Launch(t.Context(), add, compute.Threads1D(1), x, uint32(1)), s.Sync(t.Context()))
			}
			bad = true
			f.inject(failing(1, mtl.CommandBufferErrorDeviceRemoved))
			requirePanicOf(t, returns(t, work), "Options.Open")
			bad = false
			require.NoError(t, returns(t, work))
			assert.Equal(t, []uint32{2}, dataOf(t, x))
		})
	}
}

// TestContainedOptions: no function of the options stops the manager. What it is called for fails
// with its panic, or goes on without it.
func TestContainedOptions(t *testing.T) {
	for name, misbehave := range misbehaviors {
		for what, set := range map[string]func(*Options){
			"Backoff": func(o *Options) { o.Backoff = func() backoff.BackOff { misbehave(); return nil } },
			"Delay":   func(o *Options) { o.Backoff = func() backoff.BackOff { return badly(misbehave) } },
			"Sleep":   func(o *Options) { o.Sleep = func(context.Context, time.Duration) error { misbehave(); return nil } },
			"Machine": func(o *Options) {
				o.Machine = func() (objc.ProcessInfo, error) { misbehave(); return objc.ProcessInfo{}, nil }
			},
			"Observer": func(*Options) {},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				f := newFaulty(t, 0)
				o := Options{Open: f.opener(0)}
				if what == "Observer" {
					o.Open = f.opener(0, compute.WithObserver(&observe.Observer{
						Recover: func(observe.RecoverEvent) { misbehave() }}))
				}
				set(&o)
				m := manager(t, o)
				s, add, x := streamOf(t, m), kernelOf(t, m, "add"), bufferOf(t, m, true, 1)
				work := func() error {
					return errors.Join(s.Launch(t.Context(), add, compute.Threads1D(1), x, uint32(1)), s.Sync(t.Context()))
				}
				f.inject(failing(2, mtl.CommandBufferErrorInternal))
				failures := 0
				for range 4 {
					err := returns(t, work)
					if err == nil {
						continue
					}
					failures++
					require.ErrorIs(t, err, ErrExhausted)
					requirePanicOf(t, err, "Options.")
				}
				f.inject(softmetal.Faults{})
				assert.Equal(t, what != "Machine" && what != "Observer", failures > 0)
				require.NoError(t, returns(t, work))
				assert.Equal(t, []uint32{uint32(6 - failures)}, dataOf(t, x))
				if what == "Observer" {
					requirePanicOf(t, m.Accelerator().Sync(t.Context()), "an observer's Recover")
				}
			})
		}
	}
}

// TestContainedLogger: a log handler that does not return stops neither work nor Close.
func TestContainedLogger(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			f := newFaulty(t, 0)
			m, err := New(t.Context(), Options{Open: f.opener(0), Logger: slog.New(badLog(misbehave))})
			require.NoError(t, err)
			s, add, x := streamOf(t, m), kernelOf(t, m, "add"), bufferOf(t, m, true, 1)
			f.inject(failing(1, mtl.CommandBufferErrorDeviceRemoved)) // the opener mends it
			require.NoError(t, returns(t, func() error {
				return errors.Join(s.Launch(t.Context(), add, compute.Threads1D(1), x, uint32(1)), s.Sync(t.Context()))
			}))
			assert.Equal(t, []uint32{2}, dataOf(t, x))
			require.NoError(t, returns(t, func() error { return m.Close(t.Context()) }))
		})
	}
}

// TestContainedDo: what a function has added before it does not return is not executed by the next
// call, which gets the same stream.
func TestContainedDo(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			m := manager(t, Options{Open: newFaulty(t, 0).opener(0)})
			add, x := kernelOf(t, m, "add"), bufferOf(t, m, true, 1)
			do := func(after func()) error {
				return m.Do(t.Context(), 0, func(ctx context.Context, s *compute.Stream) error {
					err := s.Launch(ctx, add, compute.Threads1D(1), x, uint32(1))
					after()
					return err
				})
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				requirePanicOf(t, do(misbehave), "Do") // runtime.Goexit ends this goroutine
			}()
			<-ended
			require.NoError(t, do(func() {}))
			assert.Equal(t, []uint32{2}, dataOf(t, x))
		})
	}
}

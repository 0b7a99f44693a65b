package compute

import (
	"context"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// setDoor gives the packages above this one what they reach of its types, before there is an
// accelerator; see door.go of package stream.
var setDoor = sync.OnceFunc(func() {
	stream.DeviceOf = func(accelerator any) *stream.Device {
		if a := accelerator.(*Accelerator); !a.missing() {
			return &a.core
		}
		return nil
	}
	stream.KernelOf = func(kernel any) *stream.Kernel {
		if k := kernel.(*Kernel); !k.missing() {
			return &k.core
		}
		return nil
	}
	stream.LaunchOf = func(launch any) *stream.Launch { return &launch.(*Launch).core }
	stream.BufferOf = func(buffer any) (v stream.View) {
		if b := buffer.(AnyBuffer); !b.missing() {
			v, _, _ = b.asArgument()
		}
		return v
	}
	stream.QueueOf = func(s any) stream.Queue {
		if s := s.(*Stream); !s.missing() {
			return (*queue)(s)
		}
		return nil
	}
	stream.NewRecorder = func(accelerator any, label string, to *stream.Capture) any {
		s := &Stream{acc: accelerator.(*Accelerator), label: label}
		s.capture.Store(to)
		return s
	}
	stream.EachAccess = func(d *stream.Device, access []any, add func(stream.RangeAccess) error) error {
		return eachAccess(d.Accelerator.(*Accelerator), access, add)
	}
	stream.LaunchError = func(k *stream.Kernel, argument string, err error) error {
		return &LaunchError{Kernel: k.Name, Argument: argument, Err: err}
	}
	stream.BindlessOf = func(ctx context.Context, kernel any) (stream.Bindless, error) {
		b, err := kernel.(*Kernel).bindless(ctx)
		return &b, err
	}
	stream.CompileSource = func(ctx context.Context, accelerator, options any,
		read func() (*stream.Source, error)) (any, error) {
		return accelerator.(*Accelerator).compileRead(ctx, options.(CompileOptions), read)
	}
	stream.Refresh = refresh
	stream.Missing = isMissing
	stream.Ordinary = ordinary
})

// queue is a stream as the packages above see it.
type queue Stream

func (q *queue) Device() *stream.Device   { return &q.acc.core }
func (q *queue) Label() string            { return q.label }
func (q *queue) Capture() *stream.Capture { return q.capture.Load() }

func (q *queue) SetCapture(old, next *stream.Capture) bool {
	return q.capture.CompareAndSwap(old, next)
}

func (q *queue) Record(ctx context.Context, w stream.Work) error { return (*Stream)(q).record(ctx, w) }

func (q *queue) RecordAll(ctx context.Context, works []stream.Work) (uint64, error) {
	return (*Stream)(q).recordAll(ctx, works)
}

func (q *queue) Launch(ctx context.Context, launch any, site uintptr) error {
	return (*Stream)(q).launchAt(ctx, launch.(*Launch), false, site)
}

func (q *queue) Share(works []stream.Work) { (*Stream)(q).share(works) }

func (q *queue) WaitNumber(ctx context.Context, number uint64, what string) error {
	return (*Stream)(q).waitNumber(ctx, number, what)
}

func (q *queue) RecordEvent(ctx context.Context, event any) error {
	return (*Stream)(q).recordWith(ctx, nil, event.(*Event))
}

func (q *queue) WaitFor(ctx context.Context, event any) error {
	return (*Stream)(q).waitFor(ctx, event.(*Event))
}

package otel

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// tracer makes spans of an accelerator's work.
type tracer struct {
	tracer     trace.Tracer
	operations sync.Map // trace.Span by the operation's number

	mu      sync.Mutex
	streams map[uint64]*stream
}

// stream has what is needed of commands that have not ended.
type stream struct {
	contexts map[uint64]context.Context // of the commands that began a trace, by number
	commits  map[uint64]time.Time       // of command buffers
}

// Trace makes spans until stop is called: one for each operation ([compute.Accelerator.Operation]),
// in the span of its context, and one for each command buffer, from its commit to its end, in the
// operation or span of its first command that has one. Failures are recorded in the span.
func Trace(acc *compute.Accelerator, provider trace.TracerProvider) (stop func(), err error) {
	if provider == nil {
		return nil, fmt.Errorf("otel: Trace: nil provider: %w", compute.ErrNil)
	}
	t := &tracer{tracer: provider.Tracer(scope), streams: map[uint64]*stream{}}
	return acc.Observe(&observe.Observer{Record: t.record, Commit: t.commit, Complete: t.complete,
		OperationStart: t.begin, OperationEnd: t.end})
}

// begin begins the span of an operation.
func (t *tracer) begin(e observe.OperationEvent) {
	_, span := t.tracer.Start(t.within(e.Ctx, e.ID.Parent), e.ID.Name, trace.WithTimestamp(e.At))
	t.operations.Store(e.ID.Number, span)
}

func (t *tracer) end(e observe.OperationEvent) {
	if span, ok := t.operations.LoadAndDelete(e.ID.Number); ok {
		span.(trace.Span).End(trace.WithTimestamp(e.At))
	}
}

// within returns a context in the span of an operation, or the context itself.
func (t *tracer) within(ctx context.Context, operation uint64) context.Context {
	if span, ok := t.operations.Load(operation); ok {
		return trace.ContextWithSpan(ctx, span.(trace.Span))
	}
	return ctx
}

func (t *tracer) stream(id observe.StreamID) *stream {
	s := t.streams[id.Number]
	if s == nil {
		s = &stream{map[uint64]context.Context{}, map[uint64]time.Time{}}
		t.streams[id.Number] = s
	}
	return s
}

func (t *tracer) record(e observe.RecordEvent) {
	ctx := e.Ctx
	if id, ok := compute.OperationOf(ctx); ok {
		ctx = t.within(ctx, id.Number)
	}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream(e.Stream).contexts[e.Number] = ctx
}

func (t *tracer) commit(e observe.CommitEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream(e.Buffer.Stream).commits[e.Buffer.Number] = e.At
}

// complete makes the span of a command buffer.
func (t *tracer) complete(e observe.CompleteEvent) {
	parent := context.Background()
	t.mu.Lock()
	s := t.stream(e.Buffer.Stream)
	began, committed := s.commits[e.Buffer.Number]
	delete(s.commits, e.Buffer.Number)
	first := uint64(0)
	for number, ctx := range s.contexts {
		if number > e.Buffer.Last {
			continue
		}
		if number >= e.Buffer.First && (first == 0 || number < first) {
			first, parent = number, ctx
		}
		delete(s.contexts, number)
	}
	if len(s.contexts) == 0 && len(s.commits) == 0 {
		delete(t.streams, e.Buffer.Stream.Number)
	}
	t.mu.Unlock()
	if !committed {
		began = e.At
	}
	_, span := t.tracer.Start(parent, "command buffer", trace.WithTimestamp(began), trace.WithAttributes(
		attribute.String("puremetal.stream", e.Buffer.Stream.Label),
		attribute.Int("puremetal.commands", e.Buffer.Commands),
		attribute.Float64("puremetal.device_seconds", e.DeviceEnd-e.DeviceStart)))
	if e.Err != nil {
		span.RecordError(e.Err, trace.WithTimestamp(e.At))
		span.SetStatus(codes.Error, compute.ClassOf(e.Err).String())
	}
	span.End(trace.WithTimestamp(e.At))
}

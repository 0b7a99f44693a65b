package compute

import (
	"context"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
)

// operationKey is the context key of an operation.
type operationKey struct{}

// operations counts the operations of the process.
var operations atomic.Uint64

// Operation names what a program does, for metrics and profiles: the commands recorded with the
// returned context, and its compilations, belong to the operation. Operations nest. The program
// calls end, once, when it has recorded the last command; the device may still execute them. A nil
// context counts as [context.Background].
//
//	ctx, end := acc.Operation(ctx, "attention")
//	defer end()
func (a *Accelerator) Operation(ctx context.Context, name string) (within context.Context, end func()) {
	if ctx == nil {
		ctx = context.Background()
	}
	id := observe.OperationID{Name: name, Number: operations.Add(1)}
	if around, ok := OperationOf(ctx); ok {
		id.Parent = around.Number
	}
	ctx = context.WithValue(ctx, operationKey{}, id)
	if a.missing() {
		return ctx, func() {}
	}
	stream.Notify(a.core.Observers(), a.stray, "OperationStart", observe.OperationEvent{Ctx: ctx, At: a.now(), ID: id},
		func(o *observe.Observer) func(observe.OperationEvent) { return o.OperationStart })
	return ctx, func() {
		stream.Notify(a.core.Observers(), a.stray, "OperationEnd", observe.OperationEvent{Ctx: ctx, At: a.now(), ID: id},
			func(o *observe.Observer) func(observe.OperationEvent) { return o.OperationEnd })
	}
}

// OperationOf returns the innermost operation of a context; ok is false if there is none.
func OperationOf(ctx context.Context) (id observe.OperationID, ok bool) {
	if ctx == nil {
		return id, false
	}
	id, ok = ctx.Value(operationKey{}).(observe.OperationID)
	return id, ok
}

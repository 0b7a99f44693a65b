package compute

import (
	"context"
	"sync/atomic"
	"time"
)

// operationKey is the context key of an operation.
type operationKey struct{}

// OperationID identifies a running operation.
type OperationID struct {
	Name   string
	Number uint64 // unique in the process
	Parent uint64 // Number of the operation around it; 0 for none
}

// OperationEvent is the start or end of an operation.
type OperationEvent struct {
	Ctx context.Context // of the operation; never nil
	At  time.Time
	ID  OperationID
}

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
	id := OperationID{Name: name, Number: operations.Add(1)}
	if around, ok := OperationOf(ctx); ok {
		id.Parent = around.Number
	}
	ctx = context.WithValue(ctx, operationKey{}, id)
	if a.missing() {
		return ctx, func() {}
	}
	observe(a, nil, 0, a.observers(), "OperationStart", OperationEvent{Ctx: ctx, At: a.now(), ID: id},
		func(o *Observer) func(OperationEvent) { return o.OperationStart })
	return ctx, func() {
		observe(a, nil, 0, a.observers(), "OperationEnd", OperationEvent{Ctx: ctx, At: a.now(), ID: id},
			func(o *Observer) func(OperationEvent) { return o.OperationEnd })
	}
}

// OperationOf returns the innermost operation of a context; ok is false if there is none.
func OperationOf(ctx context.Context) (id OperationID, ok bool) {
	if ctx == nil {
		return id, false
	}
	id, ok = ctx.Value(operationKey{}).(OperationID)
	return id, ok
}

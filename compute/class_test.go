package compute

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
)

// TestClassOf: each kind of error has its class, also when it is wrapped, and the worst of several
// decides.
func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Class
	}{
		{nil, ClassNone}, {errors.New("?"), ClassInternal}, {ErrExecution, ClassInternal},
		{ErrDeviceLost, ClassDeviceLost},
		{ErrOutOfMemory, ClassOutOfMemory}, {ErrTimeout, ClassTimeout}, {ErrPageFault, ClassPageFault},
		{ErrBusy, ClassTransient},
		{ErrCanceled, ClassCanceled}, {stream.CanceledBy(canceled()), ClassCanceled}, {ErrOption, ClassInvalid},
		{&LaunchError{Err: ErrRange}, ClassInvalid},
		{&LaunchError{Err: fmt.Errorf("%w", ErrOutOfMemory)}, ClassOutOfMemory},
		{&CompileError{}, ClassInvalid}, {errors.Join(ErrExecution, ErrDeviceLost), ClassDeviceLost},
		{errors.Join(ErrTimeout, ErrOutOfMemory), ClassOutOfMemory},
	} {
		assert.Equal(t, c.want, ClassOf(c.err), "%v", c.err)
		assert.Equal(t, c.want, ClassOf(wrapped(c.err)), "%v", c.err)
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("wrapped: %w", err)
}

// TestClassOfCommandBuffers: each of Metal's codes for a command buffer has its class.
func TestClassOfCommandBuffers(t *testing.T) {
	a := accelerator(t)
	s, x := newStream(t, a), bufferOf[uint32](t, a, 0)
	for code, want := range map[mtl.CommandBufferError]Class{
		mtl.CommandBufferErrorInternal: ClassInternal, mtl.CommandBufferErrorTimeout: ClassTimeout,
		mtl.CommandBufferErrorPageFault: ClassPageFault, mtl.CommandBufferErrorAccessRevoked: ClassDeviceLost,
		mtl.CommandBufferErrorNotPermitted: ClassTransient, mtl.CommandBufferErrorOutOfMemory: ClassOutOfMemory,
		mtl.CommandBufferErrorInvalidResource: ClassInvalid, mtl.CommandBufferErrorDeviceRemoved: ClassDeviceLost,
		mtl.CommandBufferErrorStackOverflow: ClassInvalid,
	} {
		failOn(t, a, softmetal.Faults{CommandEvery: 1, CommandCode: int(code)})
		assert.NoError(t, Fill(t.Context(), s, x, 1))
		assert.Equal(t, want, ClassOf(s.Sync(t.Context())), "%v", code)
	}
	failOn(t, a, softmetal.Faults{})
}

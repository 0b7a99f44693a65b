package compute

import (
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
)

// metal holds a stream's queue, command-buffer descriptor and fence. It is empty while the stream
// has been idle for a long time; see retirement.
//
// While submission.submitting is set, the submitting goroutine owns it; otherwise Stream.mu guards
// it.
type metal struct {
	queue      mtl.CommandQueue
	descriptor mtl.CommandBufferDescriptor
	fence      mtl.Fence // orders the stream's encoders
	order      stream.EncoderOrder
}

// cancel cancels the queue's committed command buffers on the software device. Metal cannot do
// that.
func (m *metal) cancel(a *Accelerator, cause error) {
	if !a.info.Software || m.queue.IsNil() {
		return
	}
	client.SendText(&extension.Cancel, m.queue.ID(), "canceled: "+cause.Error())
}

// acquire creates the objects if they do not exist.
func (m *metal) acquire(s *Stream) (err error) {
	if !m.queue.IsNil() {
		return nil
	}
	a, label, p := s.acc, s.label, s.priority
	device := a.device
	var n metal
	if n.queue, err = device.NewCommandQueue(); err == nil {
		n.descriptor, err = mtl.NewCommandBufferDescriptor()
	}
	if err == nil {
		if n.fence = device.NewFence(); n.fence.IsNil() {
			err = fmt.Errorf("the device made no fence: %w", ErrOutOfMemory)
		}
	}
	if err != nil {
		n.release()
		return fmt.Errorf("compute: stream %q: %w", label, err)
	}
	n.queue.SetLabel(label)
	if a.info.Software {
		if p != NormalPriority {
			client.Send(&extension.SetPriority, n.queue.ID(), uintptr(p))
		}
		if a.timeout != nil {
			client.Send(&extension.SetTimeout, n.queue.ID(), uintptr(*a.timeout))
		}
		if a.work > 0 {
			client.Send(&extension.SetFuel, n.queue.ID(), uintptr(a.work))
		}
	}
	if a.isolated {
		client.Send(&extension.Isolate, n.queue.ID())
	}
	s.quiet(n.queue)
	n.descriptor.SetErrorOptions(mtl.CommandBufferErrorOptionEncoderExecutionStatus)
	*m = n
	return nil
}

// release releases the objects.
func (m *metal) release() {
	m.queue.Release()
	m.descriptor.Release()
	m.fence.Release()
	m.order.Event.Release()
	*m = metal{}
}

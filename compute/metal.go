package compute

import (
	"fmt"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// metal holds a stream's queue, command-buffer descriptor and fence. It is empty while the stream
// is idle for long; see retirement.
//
// The goroutine that submits owns it while submission.submitting is set; otherwise Stream.mu guards
// it.
type metal struct {
	queue      mtl.CommandQueue
	descriptor mtl.CommandBufferDescriptor
	fence      mtl.Fence // orders the stream's encoders
}

// setPriority tells a queue of the software device its priority. Metal's queues have none.
var setPriority = objc.Method{Class: "PMSoftCommandQueue", Selector: "setPriority:", Encoding: "v@:q"}

// isolate confines the kernels of a queue of the software device to what launches bind.
var isolate = objc.Method{Class: "PMSoftCommandQueue", Selector: "isolate", Encoding: "v@:"}

// acquire creates the objects unless they exist.
func (m *metal) acquire(a *Accelerator, label string, p Priority) (err error) {
	if !m.queue.IsNil() {
		return nil
	}
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
	if a.info.Software && p != NormalPriority {
		setPriority.Call(n.queue.ID(), uintptr(p))
	}
	if a.isolated {
		isolate.Call(n.queue.ID())
	}
	n.descriptor.SetErrorOptions(mtl.CommandBufferErrorOptionEncoderExecutionStatus)
	*m = n
	return nil
}

// release releases the objects.
func (m *metal) release() {
	m.queue.Release()
	m.descriptor.Release()
	m.fence.Release()
	*m = metal{}
}

package metal4

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// commitFeedback is the state of an MTL4CommitFeedback.
type commitFeedback struct {
	driver     *device.Driver
	err        *command.Error // nil: the commit has completed
	start, end uint64

	mu      sync.Mutex
	nsError objcsoft.ID // created on first use
}

func feedbackClass() adapter.Class {
	return adapter.Class{
		Name: "PMSoftCommitFeedback4", Protocols: []string{"MTL4CommitFeedback"},
		Methods: adapter.Methods{
			"GPUStartTime": adapter.Method(func(f *commitFeedback, c *objcsoft.Call) { c.ReturnF64(device.Seconds(f.start)) }),
			"GPUEndTime":   adapter.Method(func(f *commitFeedback, c *objcsoft.Call) { c.ReturnF64(device.Seconds(f.end)) }),
			"error":        adapter.Method((*commitFeedback).error),
		},
		Dealloc: adapter.DeallocHook(func(f *commitFeedback, o *objcsoft.Object) { o.Drop(f.nsError) }),
	}
}

func (f *commitFeedback) error(c *objcsoft.Call) {
	if f.err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nsError == 0 {
		text := f.driver.RT.NewString(f.err.Error())
		f.nsError = f.driver.RT.NewErrorInfo(metal.QueueErrorDomain4, queueCode4(f.err.Code),
			map[string]objcsoft.ID{"NSLocalizedDescription": text})
		adapter.Release(f.driver.RT, text)
	}
	c.ReturnShared(f.nsError)
}

// queueCode4 returns the MTL4CommandQueueError of a failure. Metal 4 has fewer: what is none of the
// others is internal.
func queueCode4(code command.Code) int64 {
	switch code {
	case command.CodeTimeout:
		return metal.MTL4CommandQueueErrorTimeout
	case command.CodeNotPermitted:
		return metal.MTL4CommandQueueErrorNotPermitted
	case command.CodeOutOfMemory:
		return metal.MTL4CommandQueueErrorOutOfMemory
	case command.CodeDeviceRemoved:
		return metal.MTL4CommandQueueErrorDeviceRemoved
	case command.CodeAccessRevoked:
		return metal.MTL4CommandQueueErrorAccessRevoked
	}
	return metal.MTL4CommandQueueErrorInternal
}

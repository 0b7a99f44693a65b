package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// commitFeedback is the state of an MTL4CommitFeedback.
type commitFeedback struct {
	driver     *driver
	err        *command.Error // nil: the commit has completed
	start, end uint64

	mu      sync.Mutex
	nsError objcsoft.ID // made when it is first asked for
}

func feedbackClass() adapter.Class {
	return adapter.Class{
		Name: "PMSoftCommitFeedback4", Protocols: []string{"MTL4CommitFeedback"},
		Methods: adapter.Methods{
			"GPUStartTime": adapter.Method(func(f *commitFeedback, c *objcsoft.Call) { c.ReturnF64(seconds(f.start)) }),
			"GPUEndTime":   adapter.Method(func(f *commitFeedback, c *objcsoft.Call) { c.ReturnF64(seconds(f.end)) }),
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
		f.nsError = f.driver.RT.NewErrorInfo(queueErrorDomain4, queueCode4(f.err.Code), map[string]objcsoft.ID{"NSLocalizedDescription": text})
		adapter.Release(f.driver.RT, text)
	}
	c.ReturnShared(f.nsError)
}

// queueCode4 returns the MTL4CommandQueueError of a failure. Metal 4 has fewer: what is none of the others is internal.
func queueCode4(code command.Code) int64 {
	switch code {
	case command.CodeTimeout:
		return mtl4CommandQueueErrorTimeout
	case command.CodeNotPermitted:
		return mtl4CommandQueueErrorNotPermitted
	case command.CodeOutOfMemory:
		return mtl4CommandQueueErrorOutOfMemory
	case command.CodeDeviceRemoved:
		return mtl4CommandQueueErrorDeviceRemoved
	case command.CodeAccessRevoked:
		return mtl4CommandQueueErrorAccessRevoked
	}
	return mtl4CommandQueueErrorInternal
}

package objcsoft

import (
	"runtime"
	"unsafe"
)

// pinned is memory whose address has been given out. It does not move until the object that owns it
// is gone, or that object's runtime is.
type pinned struct {
	bytes []byte
	pin   *runtime.Pinner
	stop  runtime.Cleanup
}

// pinBytes pins b, which must not be empty.
func pinBytes(b []byte) *pinned {
	p := &pinned{bytes: b, pin: new(runtime.Pinner)}
	p.pin.Pin(unsafe.SliceData(b))
	// A runtime that is dropped with live objects frees nothing, and it is fatal for the garbage
	// collector to find a pinner that was not released. So a cleanup releases it.
	p.stop = runtime.AddCleanup(p, (*runtime.Pinner).Unpin, p.pin)
	return p
}

func (p *pinned) address() uintptr {
	if p == nil {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(p.bytes)))
}

// unpin unpins the memory; its address is no longer valid.
func (p *pinned) unpin() {
	if p == nil {
		return
	}
	p.stop.Stop()
	p.pin.Unpin()
}

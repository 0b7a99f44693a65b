package objcsoft

import (
	"runtime"
	"unsafe"
)

// pinned is memory whose address is handed out. It stays where it is until the
// object that owns it is gone, or the runtime that owns that.
type pinned struct {
	bytes []byte
	pin   *runtime.Pinner
	stop  runtime.Cleanup
}

// pinBytes pins b, which must not be empty.
func pinBytes(b []byte) *pinned {
	p := &pinned{bytes: b, pin: new(runtime.Pinner)}
	p.pin.Pin(unsafe.SliceData(b))
	// A runtime that is dropped with objects in it frees nothing; a pinner that
	// the collector finds unreleased is fatal. So the collector releases it.
	p.stop = runtime.AddCleanup(p, (*runtime.Pinner).Unpin, p.pin)
	return p
}

func (p *pinned) address() uintptr {
	if p == nil {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(p.bytes)))
}

// unpin lets the memory go; its address means nothing any more.
func (p *pinned) unpin() {
	if p == nil {
		return
	}
	p.stop.Stop()
	p.pin.Unpin()
}

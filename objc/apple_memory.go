//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// applePool is Apple's side of an autorelease pool.
type applePool struct {
	token   uintptr
	handles []uint32 // handles that end with the pool
}

func (a *appleRuntime) pushPool() applePool { return applePool{token: ccall.CallC(a.poolPush)} }

// popPool drains the innermost pool.
func (a *appleRuntime) popPool(p *applePool) {
	// Handles first: draining may free the objects, and another thread may reuse their addresses at
	// once.
	for _, i := range p.handles {
		a.handles.unpool(i)
	}
	p.handles = nil
	ccall.CallC(a.poolPop, p.token)
}

func (a *appleRuntime) retainObject(id ID) error {
	ptr, err := a.handles.addRef(id)
	if err != nil {
		return err
	}
	ccall.CallC(a.retain, ptr)
	return nil
}

func (a *appleRuntime) releaseObject(id ID) error {
	ptr, err := a.handles.dropRef(id)
	if err != nil {
		return err
	}
	ccall.CallC(a.release, ptr)
	return nil
}

func (a *appleRuntime) autoreleaseObject(id ID) error {
	p := openPools.top()
	ptr, i, err := a.handles.poolRef(id, p == nil)
	if err != nil {
		return err
	}
	if p != nil {
		p.apple.handles = append(p.apple.handles, i)
	}
	ccall.CallC(a.autorelease, ptr)
	if p == nil {
		a.debugUnpooled(ptr)
	}
	return nil
}

func (a *appleRuntime) liveObjects() int { return int(a.handles.owned.Load()) }

func (a *appleRuntime) leaks() []Leak {
	var ls []Leak
	a.handles.each(func(id ID, class uintptr, refs int) {
		ls = append(ls, Leak{ID: id, Class: a.className(class), Refs: refs})
	})
	return ls
}

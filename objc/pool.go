package objc

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// AutoreleasePool is an open autorelease pool. Apple's pools belong to a thread, so with Apple's
// driver the goroutine that opened the pool stays on its thread until Drain. Prefer [Pool], which
// cannot be left open.
type AutoreleasePool struct {
	driver   *activeDriver
	key      uintptr // goroutine
	soft     objcsoft.Token
	apple    applePool
	parent   *AutoreleasePool
	promoted []ID // results to move to the enclosing pool
	site     string
	drained  bool
}

// Pool runs f inside an autorelease pool: +0 objects that f receives live until f returns, unless
// they are retained. With Apple's driver the goroutine stays on its thread meanwhile, so keep f
// short, and do not wait in it for other goroutines that need the pool's objects. The pool is
// drained even if f panics.
func Pool(f func()) {
	p := pushPool()
	defer p.drain()
	f()
}

// NewAutoreleasePool opens a pool. The same goroutine must drain it, and pools must be drained in
// reverse order of creation.
func NewAutoreleasePool() (*AutoreleasePool, error) {
	if _, err := current(); err != nil {
		return nil, err
	}
	p := pushPool()
	debugPool(p)
	return p, nil
}

// Drain closes the pool and any pools opened inside it. Draining from a goroutine other than the
// one that opened the pool is an error wrapping [ErrThread] and leaves the pool open; draining
// twice is an error too.
func (p *AutoreleasePool) Drain() error {
	if p.drained {
		return fmt.Errorf("objc: autorelease pool drained twice: %w", ErrThread)
	}
	if key := objcsoft.GoroutineKey(); key != p.key {
		return fmt.Errorf("objc: autorelease pool opened by one goroutine, drained by another: %w", ErrThread)
	}
	p.drain()
	return nil
}

// pushPool opens a pool. Without a usable driver it returns a pool that does nothing: the messages
// inside report the reason.
func pushPool() *AutoreleasePool {
	d, err := current()
	if err != nil {
		return &AutoreleasePool{}
	}
	p := &AutoreleasePool{driver: d, key: objcsoft.GoroutineKey()}
	if d.soft != nil { // its pools belong to goroutines: a thread held would make every wait inside a switch of threads
		p.soft = d.soft.PushPool()
	} else {
		runtime.LockOSThread()
		p.apple = d.apple.pushPool()
	}
	p.parent = openPools.swap(p.key, p)
	return p
}

// drain closes p, after any pools inside it that were left open.
func (p *AutoreleasePool) drain() {
	if p.drained || p.driver == nil {
		return
	}
	for q := openPools.top(); q != nil && q != p; q = openPools.top() {
		q.drainSelf()
	}
	p.drainSelf()
}

// drainSelf closes the innermost pool of the goroutine.
func (p *AutoreleasePool) drainSelf() {
	p.drained = true
	for _, id := range p.promoted {
		Retain(id)
	}
	openPools.swap(p.key, p.parent)
	if p.driver.soft != nil {
		if err := p.driver.soft.PopPool(p.soft); err != nil {
			report("autorelease pool", err)
		}
	} else {
		p.driver.apple.popPool(&p.apple)
		defer runtime.UnlockOSThread()
	}
	for _, id := range p.promoted {
		Autorelease(id)
	}
	debugPoolDrained(p)
}

// promote moves a +0 object of this pool to the enclosing pool when this one is drained.
func (p *AutoreleasePool) promote(id ID) { p.promoted = append(p.promoted, id) }

// openPools are the pools that have not been drained.
var openPools poolStacks

// poolStacks holds the innermost pool of every goroutine that has one.
type poolStacks struct {
	shards [64]struct {
		sync.Mutex
		top map[uintptr]*AutoreleasePool
	}
}

// swap makes p the innermost pool of the goroutine key, or removes it if p is nil, and returns the
// previous one.
func (s *poolStacks) swap(key uintptr, p *AutoreleasePool) *AutoreleasePool {
	sh := &s.shards[(key>>8^key>>14)&63]
	sh.Lock()
	defer sh.Unlock()
	old := sh.top[key]
	if p == nil {
		delete(sh.top, key)
		return old
	}
	if sh.top == nil {
		sh.top = map[uintptr]*AutoreleasePool{}
	}
	sh.top[key] = p
	return old
}

// top returns this goroutine's innermost pool, or nil.
func (s *poolStacks) top() *AutoreleasePool {
	key := objcsoft.GoroutineKey()
	sh := &s.shards[(key>>8^key>>14)&63]
	sh.Lock()
	defer sh.Unlock()
	return sh.top[key]
}

// Package execmem maps memory that holds machine code. Pages are writable while the code is copied,
// and readable and executable from then on until it is freed, never writable and executable at
// once.
//
// On linux and darwin the calls are mmap and mprotect, on windows VirtualAlloc, VirtualProtect and
// FlushInstructionCache, all on amd64 only: package amd64 is the only encoder there is, and arm64
// also has to flush the instruction cache, which Go has no call for.
package execmem

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrUnsupported is in errors on systems where this package cannot map executable memory.
var ErrUnsupported = errors.New("executable memory is not supported on " + runtime.GOOS + "/" + runtime.GOARCH)

// Mem is machine code in executable memory. It must be reachable (runtime.KeepAlive) as long as the
// code runs, because memory that nothing refers to is freed.
type Mem struct {
	size    int // of the code
	cleanup runtime.Cleanup
	pages   atomic.Pointer[pages] // nil once freed; each call of the code reads it
}

// trap is the instruction INT3, which fills the last page behind the code.
const trap = 0xcc

// Alloc copies code to executable memory. An error says which call the system refused and why; it
// wraps ErrUnsupported where there is no such call.
func Alloc(code []byte) (*Mem, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, errors.New("execmem: no code")
	}
	var p pages
	err := call("map", func() (err error) {
		p, err = take(len(code))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("execmem: map %d bytes: %w", len(code), err)
	}
	if tail := p.memory[copy(p.memory, code):]; len(tail) > 0 {
		tail[0] = trap
		for n := 1; n < len(tail); n *= 2 { // much faster than one by one
			copy(tail[n:], tail[:n])
		}
	}
	if err := call("protect", func() error { return protect(p.memory, true) }); err != nil {
		err = fmt.Errorf("execmem: make %d bytes executable: %w", len(p.memory), err)
		return nil, errors.Join(err, p.give())
	}
	m := &Mem{size: len(code)}
	m.pages.Store(&p)
	m.cleanup = runtime.AddCleanup(m, func(p pages) { _ = p.clear() }, p)
	return m, nil
}

// clear gives back pages with code that does not run any more.
func (p pages) clear() error {
	if err := protect(p.memory, false); err != nil {
		return fmt.Errorf("execmem: make %d bytes writable: %w", len(p.memory), err)
	}
	if err := p.give(); err != nil {
		return fmt.Errorf("execmem: unmap %d bytes: %w", len(p.of.memory), err)
	}
	return nil
}

// Len returns the size of the code in bytes.
func (m *Mem) Len() int { return m.size }

// Entry returns the address of a byte of the code, or 0 if the code has no such byte or was freed.
func (m *Mem) Entry(offset int) uintptr {
	p := m.pages.Load()
	if p == nil || offset < 0 || offset >= m.size {
		return 0
	}
	return address(p.memory) + uintptr(offset)
}

// Free frees the memory of the code, which must not be running. A second call does nothing.
func (m *Mem) Free() error {
	p := m.pages.Swap(nil)
	if p == nil {
		return nil
	}
	m.cleanup.Stop()
	return p.clear()
}

// Available returns why code cannot be mapped, or nil if it can. It maps a page the first time.
func Available() error {
	if refuse.Load() != nil {
		return probe()
	}
	return available()
}

var available = sync.OnceValue(probe)

func probe() error {
	m, err := Alloc([]byte{trap})
	if err != nil {
		return err
	}
	return m.Free()
}

// refuse, if not nil, decides for tests whether a call fails.
var refuse atomic.Pointer[func(call string) error]

// Refuse makes calls to the system fail in a test: f is asked before each "map", also if there are
// free pages, and before each "protect", and an error of it is the call's. The returned function
// ends that.
func Refuse(f func(call string) error) (restore func()) {
	old := refuse.Swap(&f)
	return func() { refuse.Store(old) }
}

// call makes a call to the system unless a test refuses it.
func call(name string, f func() error) error {
	if r := refuse.Load(); r != nil {
		if err := (*r)(name); err != nil {
			return err
		}
	}
	return f()
}

// Package execmem maps memory that holds machine code. Pages are writable while the code is copied,
// and readable and executable from then on, never writable and executable at once.
//
// On linux and darwin the calls are mmap and mprotect, on windows VirtualAlloc, VirtualProtect and
// FlushInstructionCache, all on amd64 only: package amd64 is the only encoder there is, and arm64
// also has to flush the instruction cache, which Go has no call for.
package execmem

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/sysmem"
)

// ErrUnsupported is in errors on systems where this package cannot map executable memory.
var ErrUnsupported = errors.New("executable memory is not supported on " + runtime.GOOS + "/" + runtime.GOARCH)

// Mem is machine code in executable memory. It must be reachable (runtime.KeepAlive) as long as the
// code runs, because memory that nothing refers to is unmapped.
type Mem struct {
	size    int // of the code
	cleanup runtime.Cleanup
	pages   atomic.Pointer[[]byte] // nil once freed; each call of the code reads it
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
	page := os.Getpagesize()
	var pages []byte
	err := call("map", func() (err error) {
		pages, err = sysmem.Map((len(code) + page - 1) / page * page)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("execmem: map %d bytes: %w", len(code), err)
	}
	for n := copy(pages, code); n < len(pages); n++ {
		pages[n] = trap
	}
	if err := call("protect", func() error { return protect(pages) }); err != nil {
		return nil, errors.Join(fmt.Errorf("execmem: make %d bytes executable: %w", len(pages), err), unmap(pages))
	}
	m := &Mem{size: len(code)}
	m.pages.Store(&pages)
	m.cleanup = runtime.AddCleanup(m, func(pages []byte) { _ = unmap(pages) }, pages)
	return m, nil
}

func unmap(pages []byte) error {
	if err := sysmem.Unmap(pages); err != nil {
		return fmt.Errorf("execmem: unmap %d bytes: %w", len(pages), err)
	}
	return nil
}

// Len returns the size of the code in bytes.
func (m *Mem) Len() int { return m.size }

// Entry returns the address of a byte of the code, or 0 if the code has no such byte or was freed.
func (m *Mem) Entry(offset int) uintptr {
	pages := m.pages.Load()
	if pages == nil || offset < 0 || offset >= m.size {
		return 0
	}
	return address(*pages) + uintptr(offset)
}

// Free unmaps the code, which must not be running. A second call does nothing.
func (m *Mem) Free() error {
	pages := m.pages.Swap(nil)
	if pages == nil {
		return nil
	}
	m.cleanup.Stop()
	return unmap(*pages)
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

// Refuse makes calls to the system fail in a test: f is asked before each "map" and "protect", and
// an error of it is the call's. The returned function ends that.
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

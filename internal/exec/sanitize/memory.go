package sanitize

import (
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// Undefined is which bytes of a device's memory are undefined: memory that has been allocated, and
// not written since. It has the addresses of the process. All memory is defined until Allocated
// says otherwise.
type Undefined struct {
	some atomic.Bool // any bytes have been undefined; else nobody need look

	mu    sync.RWMutex
	pages map[uintptr]*byteSet
}

// Allocated makes bytes undefined.
func (u *Undefined) Allocated(address, n uintptr) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pages == nil {
		u.pages = map[uintptr]*byteSet{}
	}
	u.some.Store(true)
	eachPage(address, n, func(page uintptr, first, n int) {
		s := u.pages[page]
		if s == nil {
			s = new(byteSet)
			u.pages[page] = s
		}
		s.add(first, n)
	})
}

// Written makes bytes defined.
func (u *Undefined) Written(address, n uintptr) {
	if !u.some.Load() {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	eachPage(address, n, u.write)
}

func (u *Undefined) write(page uintptr, first, n int) {
	s := u.pages[page]
	if s == nil {
		return
	}
	if n < bytesPage {
		s.remove(first, n)
	}
	if n == bytesPage || s.empty() {
		delete(u.pages, page)
	}
}

// First returns the position of the first byte that is undefined, or -1.
func (u *Undefined) First(address, n uintptr) int {
	found := -1
	if !u.some.Load() {
		return found
	}
	u.mu.RLock()
	defer u.mu.RUnlock()
	eachPage(address, n, func(page uintptr, first, n int) {
		if s := u.pages[page]; s != nil && found < 0 {
			if i := s.first(first, n); i >= 0 {
				found = int(page*bytesPage + uintptr(i) - address)
			}
		}
	})
	return found
}

// Copied gives bytes what is known of others, as a copy does.
func (u *Undefined) Copied(to, from, n uintptr) {
	if !u.some.Load() {
		return
	}
	for n > 0 {
		k := n
		i := u.First(from, n)
		switch {
		case i > 0:
			k = uintptr(i)
			fallthrough
		case i < 0:
			u.Written(to, k)
		default:
			k = u.run(from, n)
			u.Allocated(to, k)
		}
		to, from, n = to+k, from+k, n-k
	}
}

// run returns how many bytes from an address on are undefined; the first one is.
func (u *Undefined) run(address, n uintptr) (k uintptr) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	for k = 1; k < n; k++ {
		s := u.pages[(address+k)/bytesPage]
		if s == nil || !s.has(int((address+k)%bytesPage)) {
			break
		}
	}
	return k
}

// access checks and follows an access of a kernel to device memory. It calls undefined with the
// first lane that reads what is undefined.
func (u *Undefined) access(space *exec.Space, a *hook.Access, m mode, undefined func(lane int)) {
	if !u.some.Load() || a.Space != ir.Device && a.Space != ir.Constant || a.Size == 0 {
		return
	}
	var object uint64
	var base, size uintptr
	reported := false
	for l := range a.Lanes.All {
		if a.Out.Has(l) {
			continue
		}
		if o := a.Addrs[l] >> exec.OffsetBits; o != object {
			if object = o; o >= exec.FirstGlobal {
				base = 0
			} else {
				data := space.Object(o).Data
				base, size = addressOf(data), uintptr(len(data))
			}
		}
		at := uintptr(a.Addrs[l] & exec.OffsetMask)
		if base == 0 || at+uintptr(a.Size) > size {
			continue
		}
		if m&reads != 0 && a.Kind != ir.Void && !reported && u.First(base+at, uintptr(a.Size)) >= 0 {
			reported = true
			undefined(l)
		}
		if m&writes != 0 {
			u.Written(base+at, uintptr(a.Size))
		}
	}
}

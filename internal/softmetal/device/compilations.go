package device

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
)

// compilations are those that programs have announced, because Metal's interface has no contexts.
// One stops once all who have announced it have canceled it. Apple's driver always finishes.
type compilations struct {
	mu      sync.Mutex
	jobs    map[string]*compilation // by extension.CompilationKey; created at first use
	tickets map[uint64]*ticket      // of the announcements; created at first use
	last    uint64                  // ticket
}

// compilation is an announced compilation.
type compilation struct {
	calls  int // announcements that have not ended
	wanted int // of these, those that are not canceled
	ctx    context.Context
	cancel context.CancelFunc
}

// ticket is an announcement.
type ticket struct {
	key      string
	of       *compilation
	canceled bool
}

// begin announces a compilation and returns a ticket, which is not 0.
func (c *compilations) begin(key string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.jobs == nil {
		c.jobs, c.tickets = map[string]*compilation{}, map[uint64]*ticket{}
	}
	j := c.jobs[key]
	if j == nil || j.wanted == 0 { // a stopped compilation cannot be resumed
		j = &compilation{}
		j.ctx, j.cancel = context.WithCancel(context.Background())
		c.jobs[key] = j
	}
	j.calls++
	j.wanted++
	c.last++
	c.tickets[c.last] = &ticket{key: key, of: j}
	return c.last
}

// cancel cancels an announcement, and reports whether there is one.
func (c *compilations) cancel(n uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tickets[n]
	if t != nil {
		t.cancel()
	}
	return t != nil
}

// cancel counts once. The lock is held.
func (t *ticket) cancel() {
	if t.canceled {
		return
	}
	t.canceled = true
	if t.of.wanted--; t.of.wanted == 0 {
		t.of.cancel()
	}
}

// end ends an announcement, and reports whether there is one.
func (c *compilations) end(n uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tickets[n]
	if t == nil {
		return false
	}
	delete(c.tickets, n)
	t.cancel()
	if t.of.calls--; t.of.calls == 0 && c.jobs[t.key] == t.of {
		delete(c.jobs, t.key)
	}
	return true
}

// CompilationContext returns the context of what a message to a device or library compiles: source
// text, or a function by its name. Without an announcement it never ends.
func (d *Device) CompilationContext(receiver objcsoft.ID, what string) context.Context {
	c := &d.compilations
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.jobs) > 0 {
		if j := c.jobs[extension.CompilationKey(uintptr(receiver), what)]; j != nil {
			return j.ctx
		}
	}
	return context.Background()
}

// trusted are the archives whose compiled code is used: those whose content somebody in this
// process knows to be this user's own work. Content is named by its hash, so a file that changes
// after somebody has checked it is not trusted.
type trusted struct {
	mu    sync.Mutex
	known map[string]int // by SHA-256 in hexadecimal digits: how many trust it; created at first use
}

// add adds one who trusts the content, or removes one. It reports whether there was one to remove.
func (t *trusted) add(sum string, n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[string]int{}
	}
	if t.known[sum]+n < 0 {
		return false
	}
	if t.known[sum] += n; t.known[sum] == 0 {
		delete(t.known, sum)
	}
	return true
}

// Trusts reports whether somebody trusts content.
func (d *Device) Trusts(content []byte) bool {
	sum := sha256.Sum256(content)
	d.trusted.mu.Lock()
	defer d.trusted.mu.Unlock()
	return d.trusted.known[hex.EncodeToString(sum[:])] > 0
}

// text calls f with a string argument.
func text(c *objcsoft.Call, f func(string)) {
	if s, err := c.RT.GoString(c.ID(0)); err != nil {
		c.Fail(err)
	} else {
		f(s)
	}
}

func compilationClasses() []adapter.Class {
	known := func(c *objcsoft.Call, ok bool) {
		if !ok {
			adapter.Misuse(c, "no compilation has the ticket %d", c.Uint(0))
		}
	}
	return []adapter.Class{{Name: "PMSoftDevice", Methods: adapter.Methods{
		"beginCompilation:": adapter.Method(func(d *Device, c *objcsoft.Call) {
			text(c, func(key string) { c.ReturnUint(d.compilations.begin(key)) })
		}),
		"cancelCompilation:": adapter.Method(func(d *Device, c *objcsoft.Call) {
			known(c, d.compilations.cancel(c.Uint(0)))
		}),
		"endCompilation:": adapter.Method(func(d *Device, c *objcsoft.Call) {
			known(c, d.compilations.end(c.Uint(0)))
		}),
		"trustArchive:": adapter.Method(func(d *Device, c *objcsoft.Call) {
			text(c, func(sum string) { d.trusted.add(sum, 1) })
		}),
		"distrustArchive:": adapter.Method(func(d *Device, c *objcsoft.Call) {
			text(c, func(sum string) {
				if !d.trusted.add(sum, -1) {
					adapter.Misuse(c, "nobody trusts the content %.100q", sum)
				}
			})
		}),
	}}}
}

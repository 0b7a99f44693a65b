package device

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// commandChecks is what the sanitizer knows of earlier commands and of memory; nil while nothing is
// sanitized.
type commandChecks struct {
	atomic.Pointer[sanitize.Commands]
}

// lost is what the sanitizer knows of buffers that kernels must not use any more, by object number.
type lost struct {
	mu    sync.RWMutex
	what  map[uint64]string
	freed []uint64    // the last ones, in order
	taken atomic.Bool // some are of buffers that live, and that nobody may use
}

// maxFreed is how many freed buffers are remembered.
const maxFreed = 1 << 12

func (l *lost) add(object uint64, what string, freed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.what == nil {
		l.what = map[uint64]string{}
	}
	l.what[object] = what
	if !freed {
		l.taken.Store(true)
		return
	}
	if l.freed = append(l.freed, object); len(l.freed) > maxFreed {
		delete(l.what, l.freed[0])
		l.freed = l.freed[1:]
	}
}

func (l *lost) get(object uint64) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.what[object]
}

func (l *lost) drop(object uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.what, object)
}

// Made tells the sanitizer that an object has come into being.
func (d *Device) Made(object uint32) {
	if d.checks.Load() != nil {
		d.lost.drop(uint64(object))
	}
}

// Freed tells the sanitizer that a buffer has gone.
func (d *Device) Freed(object uint32, label string, n int) {
	if d.checks.Load() != nil {
		d.lost.add(uint64(object), fmt.Sprintf("%s of %d bytes, which has been freed", bufferName(label), n), true)
	}
}

// GivenBack tells the sanitizer that a buffer has gone back to the pool that it is rented from.
func (d *Device) GivenBack(object uint32, label string, n int) {
	if d.checks.Load() != nil {
		if used := d.used(uint64(object)); used >= 0 {
			n = used
		}
		d.lost.add(uint64(object), fmt.Sprintf("%s of %d bytes, which has been closed", bufferName(label), n), false)
	}
}

// Taken tells the sanitizer that another resource has taken the memory of an aliasable buffer.
func (d *Device) Taken(object uint32, label, by string) {
	if d.checks.Load() != nil {
		d.lost.add(uint64(object), fmt.Sprintf("%s, which is aliasable and whose memory %s has taken", bufferName(label), by),
			false)
	}
}

func bufferName(label string) string {
	if label == "" {
		return "a buffer"
	}
	return fmt.Sprintf("buffer %q", label)
}

// turn is a command's place in the order, as package sanitize has it.
type turn struct{ *command.Turn }

func (t turn) Before(o sanitize.Turn, tracked bool, address uintptr, textures, buffers bool) bool {
	var through command.Scope
	if textures {
		through |= command.Textures
	}
	if buffers {
		through |= command.Buffers
	}
	return t.Turn.Before(o.(turn).Turn, tracked, address, through)
}

func (t turn) Missing(o sanitize.Turn) (what, advice string) { return t.Turn.Missing(o.(turn).Turn) }

// turnOf returns nil for a command whose place is not known.
func turnOf(t *command.Turn) sanitize.Turn {
	if t == nil {
		return nil
	}
	return turn{t}
}

// observeCommands has a sanitizer observe launches and copies; nil ends that. validated means
// launches of the pipelines only that ask for validation. The lock of the sanitizers is held.
func (d *Device) observeCommands(gpu *command.GPU, s *sanitize.Sanitizer, validated bool) {
	if s == nil {
		gpu.Observe(nil)
		gpu.ObserveOrder(nil)
		d.checks.Store(nil)
		return
	}
	if d.checks.Load() == nil {
		d.checks.Store(&sanitize.Commands{History: sanitize.NewHistory(d), Undefined: &sanitize.Undefined{},
			Lost: d.lost.get, Taken: d.lost.taken.Load, MarkOf: gpu.MarkOf})
	}
	c := *d.checks.Load()
	gpu.ObserveOrder(func(x *command.Copied) {
		s.CopyIn(c, turnOf(x.Turn), &sanitize.Copy{Call: x.Call, To: x.To, From: x.From, Untracked: x.Untracked})
	})
	gpu.Observe(func(l *command.Launched) (hook.Hook, func(error)) {
		if v := l.Pipeline.Validation; v == metal.ShaderValidationDisabled ||
			validated && v != metal.ShaderValidationEnabled {
			return nil, nil
		}
		h, ended := s.LaunchIn(c, turnOf(l.Turn), l.Launch)
		return h, func(error) { ended() }
	})
}

// TextureTracked reports whether the device orders accesses to the texture of a handle by itself.
func (d *Device) TextureTracked(handle uint64) bool {
	x, ok := d.Residents.At(ir.ArgTexture, handle).(interface{ HazardTracked() bool })
	return !ok || x.HazardTracked()
}

// inMemory is a resource that has bytes of its own.
type inMemory interface {
	Memory() []byte
	HazardTracked() bool
	Labeled() *adapter.Label
}

// Tracked reports whether the device orders accesses to an object by itself.
func (d *Device) Tracked(object uint64) bool {
	x, ok := d.Residents.At(ir.ArgBuffer, exec.Address(uint32(object), 0)).(inMemory)
	return !ok || x.HazardTracked()
}

// Holder returns what is at an address.
func (d *Device) Holder(address uintptr) (h sanitize.Holder) {
	d.Residents.mu.RLock()
	defer d.Residents.mu.RUnlock()
	for _, r := range d.Residents.objects {
		if x, ok := r.(inMemory); ok {
			m := x.Memory()
			if at := address - memory.AddressOf(m); at < uintptr(len(m)) {
				_, h.Commands = x.(interface{ Commands() bool })
				h.Label, h.Offset = x.Labeled().Text(), uint64(at)
				break
			}
		}
	}
	return h
}

// labelOf returns the label of the buffer that is an object.
func (d *Device) labelOf(object uint64) string {
	if x, ok := d.Residents.At(ir.ArgBuffer, exec.Address(uint32(object), 0)).(inMemory); ok {
		return x.Labeled().Text()
	}
	return ""
}

// Renewed tells the sanitizer that memory is given to a new resource, with what it holds by then.
func (d *Device) Renewed(m []byte) {
	if c := d.checks.Load(); c != nil && len(m) > 0 {
		c.History.Forget(memory.AddressOf(m), uintptr(len(m)))
		c.Undefined.Written(memory.AddressOf(m), uintptr(len(m)))
	}
}

// Undefined tells the sanitizer that the memory of a resource has not been written yet.
func (d *Device) Undefined(m []byte) {
	if c := d.checks.Load(); c != nil && len(m) > 0 {
		c.Undefined.Allocated(memory.AddressOf(m), uintptr(len(m)))
	}
}

// Written tells the sanitizer that the program has written memory, or may write it from now on.
func (d *Device) Written(m []byte) {
	if c := d.checks.Load(); c != nil && len(m) > 0 {
		c.Undefined.Written(memory.AddressOf(m), uintptr(len(m)))
	}
}

// SeenUses tells the sanitizer that the program has seen the end of the commands that have accessed
// memory.
func (d *Device) SeenUses(m []byte) {
	if c := d.checks.Load(); c != nil && len(m) > 0 {
		c.History.Users(memory.AddressOf(m), uintptr(len(m)), func(t sanitize.Turn) { d.GPU().SeenTurn(t.(turn).Turn) })
	}
}

// seenQueue answers a program that has seen the end of what has ended on a queue, by the number
// that quietHandlers returned.
func (d *Device) seenQueue(c *objcsoft.Call) { d.GPU().Seen(c.Uint(0)) }

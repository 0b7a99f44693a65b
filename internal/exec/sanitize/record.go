package sanitize

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// class is a kind of memory that barriers order.
type class uint8

const (
	deviceMemory class = iota
	threadgroupMemory
	textureMemory
	classes
)

// classOf returns the kind of a space.
func classOf(s ir.Space) class {
	if s == ir.Threadgroup {
		return threadgroupMemory
	}
	return deviceMemory
}

// other returns device memory for textures, and textures for device memory.
func (c class) other() class {
	return [...]class{deviceMemory: textureMemory, threadgroupMemory: threadgroupMemory, textureMemory: deviceMemory}[c]
}

// flag is the barriers' flag for a kind of memory.
func (c class) flag() ir.MemMask {
	switch c {
	case threadgroupMemory:
		return ir.MemThreadgroup
	case textureMemory:
		return ir.MemTexture
	}
	return ir.MemDevice
}

func (c class) String() string { return [...]string{"device", "threadgroup", "texture"}[c] }

// record is an instruction executed by a strip at a time: what the stamps of its accesses refer to.
// Times are counted separately for the kinds of memory.
type record struct {
	group  *groupID
	instr  *ir.Instr
	first  int    // index of the thread in lane 0
	round  uint32 // barriers of the threadgroup so far
	era    uint32 // fences of the threadgroup so far that release, or for textures any
	phase  uint32 // grid barriers so far
	simd   [simds]uint32
	atomic bool
	kind   ir.Kind // of an element
	class  class
	cross  uint32 // the round of the other class, if buffers may be the memory of textures
}

// groupID identifies a threadgroup.
type groupID struct {
	fn       *ir.Func
	position [3]int
	shape    [3]int
}

const simds = hook.MaxLanes / 32

// records are the records of a launch, by number from 1.
type records struct {
	mu     sync.Mutex
	next   uint64
	chunks atomic.Pointer[[]*[recordChunk]record]
}

const (
	recordChunk = 1024
	recordShare = 32 // that a threadgroup takes at a time
)

// take returns the first of recordShare numbers.
func (r *records) take() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == 0 {
		r.next = recordShare
	}
	n := r.next
	r.next += recordShare
	var chunks []*[recordChunk]record
	if p := r.chunks.Load(); p != nil {
		chunks = *p
	}
	if int(n/recordChunk) >= len(chunks) {
		more := append(chunks[:len(chunks):len(chunks)], new([recordChunk]record))
		r.chunks.Store(&more)
	}
	return n
}

func (r *records) at(n uint64) *record { return &(*r.chunks.Load())[n/recordChunk][n%recordChunk] }

// met is a barrier of a simdgroup: when it was, and which lanes met.
type met struct {
	time  uint32
	lanes uint32
}

// clock counts the barriers of a simdgroup and keeps those that may order accesses.
type clock struct {
	time uint32
	past []met // the last one of each set of lanes; the last with all lanes supersedes the earlier ones
}

// tick records a barrier.
func (c *clock) tick(lanes, all uint32) {
	c.time++
	if lanes == all {
		c.past = c.past[:0]
	}
	for i := range c.past {
		if c.past[i].lanes == lanes {
			c.past[i].time = c.time
			return
		}
	}
	c.past = append(c.past, met{c.time, lanes})
}

// since reports whether two lanes have met since a time.
func (c *clock) since(time uint32, a, b int) bool {
	for _, m := range c.past {
		if m.time > time && m.lanes>>a&1 != 0 && m.lanes>>b&1 != 0 {
			return true
		}
	}
	return false
}

// clone returns a copy, which stays as it is.
func (c *clock) clone() *clock { return &clock{c.time, slices.Clone(c.past)} }

// Package journal keeps the log messages of kernels until their command buffer has run. As on a
// GPU, the buffer has a fixed size: once a message does not fit, it and all later ones are dropped.
package journal

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/ir"
)

// Sizes of a journal's buffer.
const (
	MinSize     = 1 << 10
	MaxSize     = 1 << 30
	DefaultSize = 1 << 20
)

// The bytes that a message takes in the buffer, and those for each number in it.
const (
	messageBytes = 32
	wordBytes    = 8
)

// Journal is a buffer that several command buffers may share. It is safe for concurrent use.
type Journal struct {
	level ir.LogLevel
	size  int64
	used  atomic.Int64
}

// New returns a journal of messages of a level and above, with a buffer of size bytes.
func New(level ir.LogLevel, size int64) *Journal { return &Journal{level: level, size: size} }

// Size returns how many bytes the buffer has.
func (j *Journal) Size() int64 { return j.size }

// reserve takes up to n bytes of the buffer, and returns how many.
func (j *Journal) reserve(n int64) int64 {
	for {
		used := j.used.Load()
		n = min(n, max(j.size-used, 0))
		if j.used.CompareAndSwap(used, used+n) {
			return n
		}
	}
}

// Entry is a message for people.
type Entry struct {
	Log   ir.Log
	Level ir.LogLevel
	Text  string
	File  string // the source location; "" and 0 if unknown
	Line  int

	Thread [3]int // position in the grid
}

// Recorder collects what the kernels of one command buffer write. Messages are in the order of
// dispatches, and within a dispatch in the order of threadgroups in the grid, whatever the order in
// which they run. Dispatches that could run at the same time run one after the other: Begin waits
// for the End of another.
type Recorder struct {
	turn    sync.Mutex // of the dispatch that runs
	j       *Journal
	entries []Entry
	held    int64 // bytes of the journal
	full    bool
	dropped int64

	// Of the dispatch that runs.
	mu     sync.Mutex
	room   int64 // bytes that are left of the journal
	bytes  int64 // of all groups
	groups map[int64]*group
	beyond int64 // messages of threadgroups from this on will not fit
}

// group is what a threadgroup has written.
type group struct {
	list    []record
	bytes   int64
	dropped int64
}

type record struct {
	entry Entry
	print *ir.Instr
	words []uint64
}

func (r *record) size() int64 { return messageBytes + wordBytes*int64(len(r.words)) }

// NewRecorder returns a recorder for a command buffer.
func NewRecorder(j *Journal) *Recorder { return &Recorder{j: j} }

// Begin marks the start of a dispatch.
func (r *Recorder) Begin() {
	r.turn.Lock()
	r.room = max(r.j.size-r.j.used.Load(), 0)
	if r.full {
		r.room = 0
	}
	r.bytes, r.beyond = 0, 1<<63-1
	if r.groups == nil {
		r.groups = map[int64]*group{}
	}
}

// Message records a message of the dispatch. Several goroutines may call it, each for different
// threadgroups.
func (r *Recorder) Message(m *message.Message) {
	if m.Level() < r.j.level {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x := record{entry: Entry{Level: m.Level(), Log: m.Name(), File: m.File(), Line: int(m.Print.Loc.Line),
		Thread: m.Thread}, print: m.Print}
	n := messageBytes + wordBytes*int64(len(m.Words))
	g := r.groups[m.Group]
	switch {
	case m.Group >= r.beyond:
		r.dropped++
		return
	case g == nil:
		g = &group{}
		r.groups[m.Group] = g
	}
	if g.dropped > 0 || g.bytes+n > r.room {
		if g.dropped++; g.dropped == 1 {
			r.cut(m.Group + 1)
		}
		return
	}
	x.words = append(x.words, m.Words...)
	g.list = append(g.list, x)
	g.bytes += n
	if r.bytes += n; r.bytes > 2*r.room {
		r.prune()
	}
}

// prune forgets the messages of threadgroups that those before leave no room for.
func (r *Recorder) prune() {
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(r.groups))) {
		g := r.groups[n]
		if r.bytes-g.bytes < r.room {
			return
		}
		r.forget(n)
		r.beyond = n
	}
}

// cut forgets the messages of threadgroups from n on: one before them has dropped a message.
func (r *Recorder) cut(n int64) {
	for i := range r.groups {
		if i >= n {
			r.forget(i)
		}
	}
	r.beyond = min(r.beyond, n)
}

// forget drops the messages of a threadgroup.
func (r *Recorder) forget(n int64) {
	g := r.groups[n]
	r.bytes -= g.bytes
	r.dropped += int64(len(g.list)) + g.dropped
	delete(r.groups, n)
}

// End marks the end of the dispatch.
func (r *Recorder) End() {
	defer r.turn.Unlock()
	room := r.j.reserve(min(r.bytes, r.room))
	r.held += room
	for _, n := range slices.Sorted(maps.Keys(r.groups)) {
		g := r.groups[n]
		for i := range g.list {
			x := &g.list[i]
			if size := x.size(); r.full || size > room {
				r.full = true
				r.dropped++
			} else {
				room -= size
				x.entry.Text = message.Text(x.print, x.words)
				r.entries = append(r.entries, x.entry)
			}
		}
		r.dropped += g.dropped
		r.full = r.full || g.dropped > 0
	}
	r.full = r.full || r.dropped > 0
	clear(r.groups)
}

// Take returns the messages and how many were dropped, and frees the buffer.
func (r *Recorder) Take() (entries []Entry, dropped int64) {
	entries, dropped = r.entries, r.dropped
	r.j.used.Add(-r.held)
	r.entries, r.held, r.full, r.dropped = nil, 0, false, 0
	return entries, dropped
}

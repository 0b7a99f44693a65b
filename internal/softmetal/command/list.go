package command

import (
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// list is the commands of a buffer, which are kept for the next one when it has ended.
type list struct {
	ops    []op
	words  []uint64 // arguments of dispatches
	pieces []*piece // of inline bytes
	passes []pass
	uses   []Use // declared by encoders, of an isolated buffer
	table  table
}

func (l *list) reset() {
	clear(l.ops)
	clear(l.pieces)
	clear(l.passes)
	l.ops, l.words, l.pieces, l.passes, l.uses = l.ops[:0], l.words[:0], l.pieces[:0], l.passes[:0], l.uses[:0]
}

type opKind uint8

const (
	opBegin    opKind = iota // of pass n
	opEnd                    // of pass n
	opDispatch               // kernel over grid and group
	opIndirect               // as opDispatch, with the grid in memory
	opExecute                // commands of an indirect command buffer
	opDo                     // fn
	opBarrier                // what comes after it in a concurrent encoder waits for what came before
	opWait                   // for event
	opSignal                 // event
	opFence                  // order of encoders, recorded only where somebody wants to know it
)

// op is one command.
type op struct {
	kind     opKind
	flags    uint8
	args     args
	n        int32 // pass, or number of commands
	first    int32 // first command
	grid     [3]uint32
	group    [3]uint32
	pipeline *dispatch.Pipeline
	call     string // the method that encoded it
	fn       func() error
	copies   func(*Copies) error // or, of an opDo
	event    *Event
	value    uint64 // of an event; address of an indirect dispatch or range
	icb      *Indirect
	uses     span // declarations that hold for it
	fence    *Fence
	orders   *BarrierOf // of an opBarrier that does not order all memory
	at       uint32     // position from 1, set where the order is recorded
}

// Flags of an op.
const (
	// the memory of an indirect dispatch holds threads and the size of threadgroups, not threadgroups
	threadsInMemory uint8 = 1 << iota
	rangeInMemory         // of commands
)

// The flags of an opFence say what it does.
const (
	fenceWait uint8 = iota
	fenceUpdate
	queueBefore // later commands wait for the encoders before this one
	queueAfter  // later encoders wait for the commands before it
)

// args are the arguments of a dispatch: their position in words, and the number of each kind.
type args struct {
	at                                  int32
	buffers, textures, samplers, memory uint8
}

// table is the argument table of an encoder.
type table struct {
	buffers  [limits.MaxBuffers]uint64
	textures [limits.MaxTextures]uint64
	samplers [limits.MaxSamplers]uint64
	memory   [limits.MaxMemory]uint64
	counts   args
	changed  bool // since it was last written to words
}

func (t *table) clear() { *t = table{changed: true} }

func (t *table) bindings() dispatch.Bindings {
	c := t.counts
	return dispatch.Bindings{
		Buffers: t.buffers[:c.buffers], Textures: t.textures[:c.textures], Samplers: t.samplers[:c.samplers],
		Memory: t.memory[:c.memory],
	}
}

// snapshot appends the table to the words, unless it is already there.
func (l *list) snapshot() args {
	t := &l.table
	if t.changed {
		t.changed = false
		t.counts.at = int32(len(l.words))
		b := t.bindings()
		l.words = append(l.words, b.Buffers...)
		l.words = append(l.words, b.Textures...)
		l.words = append(l.words, b.Samplers...)
		l.words = append(l.words, b.Memory...)
	}
	return t.counts
}

// at returns the arguments of a dispatch.
func (l *list) at(a args) dispatch.Bindings {
	w := l.words[a.at:]
	var b dispatch.Bindings
	b.Buffers, w = w[:a.buffers:a.buffers], w[a.buffers:]
	b.Textures, w = w[:a.textures:a.textures], w[a.textures:]
	b.Samplers, w = w[:a.samplers:a.samplers], w[a.samplers:]
	b.Memory = w[:a.memory:a.memory]
	return b
}

// pass is everything between the beginning and the end of an encoder.
type pass struct {
	kind       PassKind
	concurrent bool
	label      string
	signposts  []signpost
	samples    []Boundary
	uses       int32 // the first of its declarations
}

type signpost struct {
	op   int // index of the command that comes after it
	text string
}

// Boundary has counters sampled at the beginning and the end of an encoder; DontSample leaves one
// out.
type Boundary struct {
	Samples    *Samples
	Start, End uint64
}

// DontSample is the index that takes no sample.
const DontSample = ^uint64(0)

// PassKind is what an encoder encodes.
type PassKind uint8

// The kinds.
const (
	Compute PassKind = iota
	Blit
)

// String returns "compute" or "blit".
func (k PassKind) String() string {
	if k == Blit {
		return "blit"
	}
	return "compute"
}

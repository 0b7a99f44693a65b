package command

// list is the commands of a buffer, which are kept for the next one when it has ended.
type list struct {
	ops    []op
	words  []uint64 // arguments of dispatches
	pieces []*piece // of inline bytes
	passes []pass
	table  table
}

func (l *list) reset() {
	clear(l.ops)
	clear(l.pieces)
	clear(l.passes)
	l.ops, l.words, l.pieces, l.passes = l.ops[:0], l.words[:0], l.pieces[:0], l.passes[:0]
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
)

// op is one command.
type op struct {
	kind   opKind
	flags  uint8
	args   args
	n      int32 // pass, or number of commands
	first  int32 // first command
	grid   [3]uint32
	group  [3]uint32
	kernel *Kernel
	call   string // the method that encoded it
	fn     func() error
	event  *Event
	value  uint64 // of an event; address of an indirect dispatch or range
	icb    *Indirect
}

// Flags of an op.
const (
	threadsInMemory uint8 = 1 << iota // the memory of an indirect dispatch holds threads and the size of threadgroups, not threadgroups
	rangeInMemory                     // of commands
)

// args are the arguments of a dispatch: where they stand in words, and how many of each kind.
type args struct {
	at                                  int32
	buffers, textures, samplers, memory uint8
}

// Numbers of slots.
const (
	MaxBuffers  = 31
	MaxTextures = 128
	MaxSamplers = 16
	MaxMemory   = 31
)

// table is the argument table of an encoder.
type table struct {
	buffers  [MaxBuffers]uint64
	textures [MaxTextures]uint64
	samplers [MaxSamplers]uint64
	memory   [MaxMemory]uint64
	counts   args
	changed  bool // since it was last written to words
}

func (t *table) clear() { *t = table{changed: true} }

// bindings is what a table or an indirect command has bound, by slot.
type bindings struct {
	buffers, textures, samplers, memory []uint64
}

func (t *table) bindings() bindings {
	c := t.counts
	return bindings{t.buffers[:c.buffers], t.textures[:c.textures], t.samplers[:c.samplers], t.memory[:c.memory]}
}

// snapshot writes the table behind the words, unless it stands there already.
func (l *list) snapshot() args {
	t := &l.table
	if t.changed {
		t.changed = false
		t.counts.at = int32(len(l.words))
		b := t.bindings()
		l.words = append(l.words, b.buffers...)
		l.words = append(l.words, b.textures...)
		l.words = append(l.words, b.samplers...)
		l.words = append(l.words, b.memory...)
	}
	return t.counts
}

// at returns the arguments of a dispatch.
func (l *list) at(a args) bindings {
	w := l.words[a.at:]
	var b bindings
	b.buffers, w = w[:a.buffers:a.buffers], w[a.buffers:]
	b.textures, w = w[:a.textures:a.textures], w[a.textures:]
	b.samplers, w = w[:a.samplers:a.samplers], w[a.samplers:]
	b.memory = w[:a.memory:a.memory]
	return b
}

// pass is what stands between the beginning and the end of an encoder.
type pass struct {
	kind       PassKind
	concurrent bool
	label      string
	signposts  []signpost
	samples    []Boundary
}

type signpost struct {
	op   int // index of the command that comes after it
	text string
}

// Boundary has counters sampled at the beginning and the end of an encoder; DontSample leaves one out.
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

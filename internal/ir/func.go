package ir

// Module is the result of one compilation: entry points and the data they share. A pass that
// rewrites one function does not affect the others, so the functions of a module may be processed
// concurrently.
type Module struct {
	Files   []string // names of source files; Loc.File counts from 1
	Globals []*Global
	Funcs   []*Func
	Visible []VisibleFunction // referenced by entries of visible function tables, from 1
	Logs    []Log             // referenced by log handles, from 1
}

// Func returns the entry point of that name, or nil.
func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Global is program data in the constant space.
type Global struct {
	Name  string
	Align int
	Data  []byte
}

// Func is an entry point with every call inlined.
type Func struct {
	Name   string // the name used by hosts
	Module *Module

	Args        []Arg              // arguments that the host binds, indexed by OpArg
	Constants   []FunctionConstant // function constants that the body or an argument's condition uses
	Threadgroup []Memory           // variables in the threadgroup space that the program declares
	Samplers    []SamplerState     // samplers that the program declares
	Attributes  Attributes
	Inlined     []Inline // inlined calls; Loc.Scope counts from 1
	Pos         Loc

	Body *Region

	nextValue int32
	slab      slab
}

// Inline is an inlined call.
type Inline struct {
	Func string // the callee
	At   Loc    // the call site; its Scope is the enclosing call, if any
}

// Loc is a source location. The zero Loc is unknown.
type Loc struct {
	File  uint16 // 1 + index into Module.Files
	Col   uint16
	Line  uint32
	Scope uint32 // 1 + index into Func.Inlined, or 0 in the entry point's own text
}

// Value is the result of an instruction or a parameter of a region.
type Value struct {
	Type   Type
	ID     int32   // unique within the function; no other meaning
	Index  int32   // index in Def.Results or Region.Params
	Def    *Instr  // nil for a parameter
	Region *Region // nil for a result
}

// Instr is an instruction. The operation's row in the table (see OpInfo) says which fields it uses.
type Instr struct {
	Op      Op
	Order   Order   // of atomics and fences
	Flags   Flags   // see Flags
	Mem     MemMask // what a barrier or fence orders
	Loc     Loc
	Imm     int64     // a constant operand
	Args    []*Value  // operands
	Results []*Value  // none, one or, for some operations, more
	Regions []*Region // of If, Loop and Block
	Target  *Instr    // of Break and Continue: the enclosing Loop or Block they refer to
	Bits    []uint64  // lanes of a vector Const, or the lanes selected by a Swizzle
	Name    string    // for people: a variable's name or a log message
	Parent  *Region   // the region it is in
}

// Result returns the result if there is exactly one, or nil.
func (in *Instr) Result() *Value {
	if len(in.Results) == 1 {
		return in.Results[0]
	}
	return nil
}

// Lane returns the bits of lane i of a Const. Bits above the kind's width are zero.
func (in *Instr) Lane(i int) uint64 {
	if len(in.Bits) > 0 {
		return in.Bits[i]
	}
	return uint64(in.Imm)
}

// Aligned returns the Imm of a load or store that says that, in a correct program, its address
// minus at is a multiple of to: a power of two up to 4096. It is for sanitizers only.
func Aligned(to, at int64) int64 {
	if to <= 1 {
		return 0
	}
	return to | at%to<<alignmentBits
}

// Alignment returns what was passed to Aligned, or 0 if nothing is known about the address.
func (in *Instr) Alignment() (to, at int64) {
	return in.Imm & (1<<alignmentBits - 1), in.Imm >> alignmentBits
}

// Region is a list of instructions that ends with a terminator, together with its parameters.
type Region struct {
	Params []*Value
	Instrs []*Instr
	Owner  *Instr // nil for a function's body
}

// Terminator returns the last instruction if it is a terminator, or nil.
func (r *Region) Terminator() *Instr {
	if n := len(r.Instrs); n > 0 && r.Instrs[n-1].Op.Info().Has(Terminator) {
		return r.Instrs[n-1]
	}
	return nil
}

// Walk calls visit for each instruction of r and nested regions in text order, an instruction
// before its regions, until visit returns false.
func (r *Region) Walk(visit func(*Instr) bool) bool {
	for _, in := range r.Instrs {
		if !visit(in) {
			return false
		}
		for _, sub := range in.Regions {
			if !sub.Walk(visit) {
				return false
			}
		}
	}
	return true
}

// Flags are properties of one instruction.
type Flags uint8

const (
	// Fast allows a cheaper, less exact result for a mathematical function (metal::fast, or the
	// default under a relaxed math mode). It never allows reassociation or contraction.
	Fast Flags = 1 << iota
	// Transposed makes a MatLoad or MatStore exchange rows and columns.
	Transposed
	// Volatile keeps a load or store from being removed, merged or moved.
	Volatile
	allFlags = Fast | Transposed | Volatile
)

// Order is the memory order of an atomic operation or fence.
type Order uint8

// The memory orders.
const (
	Relaxed Order = iota
	Acquire
	Release
	AcqRel
	SeqCst
	numOrders
)

var orderNames = [numOrders]string{"relaxed", "acquire", "release", "acq_rel", "seq_cst"}

func (o Order) String() string {
	if o < numOrders {
		return orderNames[o]
	}
	return "order?"
}

// MemMask says which memory a barrier or fence orders: Metal's mem_flags.
type MemMask uint8

// The memories that a barrier can order.
const (
	MemDevice MemMask = 1 << iota
	MemThreadgroup
	MemTexture
	MemThreadgroupImageblock
	MemObjectData
	allMem MemMask = 1<<iota - 1
)

// FenceThreadgroup is the Imm of a Fence that orders accesses among the threads of a threadgroup
// only.
const FenceThreadgroup = 1

// BarrierActive is the Imm of a SimdBarrier for the active lanes only: the program may reach it in
// a branch that only some lanes of the simdgroup take.
const BarrierActive = 1

// TexReadAtomic is the Imm of a TexRead that is an atomic operation.
const TexReadAtomic = 1

// NewFunc adds an entry point with an empty body to the module. Unlike work on existing functions,
// it is not safe for concurrent use.
func (m *Module) NewFunc(name string) *Func {
	f := &Func{Name: name, Module: m, Body: &Region{}}
	m.Funcs = append(m.Funcs, f)
	return f
}

// NumValues returns a number greater than all value IDs, to size tables indexed by ID.
func (f *Func) NumValues() int { return int(f.nextValue) }

// Bytes returns approximately how much memory has been allocated for the function's instructions,
// values and regions, including those dropped by passes. It is cheap to call.
func (f *Func) Bytes() int64 { return f.slab.bytes + int64(len(f.Inlined))*inlineBytes }

// Sizes of a function's parts on 64-bit platforms. A test compares them with the types.
const (
	instrBytes  = 160 + 2*refBytes // and its slot in a region's list, which grows by doubling
	valueBytes  = 32
	refBytes    = 8
	regionBytes = 56 + 2*refBytes
	inlineBytes = 32
)

// slab allocates instructions and values in larger chunks.
type slab struct {
	instrs []Instr
	values []Value
	refs   []*Value
	bytes  int64 // of the chunks and the regions
}

func (s *slab) instr() *Instr {
	if len(s.instrs) == 0 {
		s.instrs = make([]Instr, 64)
		s.bytes += 64 * instrBytes
	}
	in := &s.instrs[0]
	s.instrs = s.instrs[1:]
	return in
}

func (s *slab) list(vs ...*Value) []*Value {
	n := len(vs)
	if n == 0 {
		return nil
	}
	if len(s.refs) < n {
		s.refs = make([]*Value, max(128, n))
		s.bytes += int64(len(s.refs)) * refBytes
	}
	out := s.refs[:n:n]
	s.refs = s.refs[n:]
	copy(out, vs)
	return out
}

// newValue creates a value of this function.
func (f *Func) newValue(t Type) *Value {
	if len(f.slab.values) == 0 {
		f.slab.values = make([]Value, 64)
		f.slab.bytes += 64 * valueBytes
	}
	v := &f.slab.values[0]
	f.slab.values = f.slab.values[1:]
	v.Type, v.ID = t, f.nextValue
	f.nextValue++
	return v
}

// AddResult adds a result to an instruction.
func (f *Func) AddResult(in *Instr, t Type) *Value {
	v := f.newValue(t)
	v.Def, v.Index = in, int32(len(in.Results))
	if in.Results == nil {
		in.Results = f.slab.list(v)
	} else {
		in.Results = append(in.Results, v)
	}
	return v
}

// AddParam adds a parameter to a region.
func (f *Func) AddParam(r *Region, t Type) *Value {
	v := f.newValue(t)
	v.Region, v.Index = r, int32(len(r.Params))
	r.Params = append(r.Params, v)
	f.slab.bytes += 2 * refBytes
	return v
}

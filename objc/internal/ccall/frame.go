//go:build (darwin || linux) && (amd64 || arm64)

package ccall

// A frame is one call as the trampoline reads it: words of memory, the first of
// them a fixed header. Offsets here are in words; the assembly takes them from
// here and multiplies by eight.
const (
	frameFn      = 0  // the C function
	frameFlags   = 1  // flags, and from bit 32 the number of stack words, an even number
	frameStackAt = 2  // byte offset of the stack words in the frame
	frameX8      = 3  // arm64: address for an indirect result
	frameRet     = 4  // two words: rax and rdx, x0 and x1
	frameInts    = 8  // eight words: the integer registers
	frameShort   = 16 // size of a frame without floats, stack and scratch

	// With floats only:
	frameFloatRet = 16 // four times two words: xmm0 and xmm1, v0 to v3
	frameFloats   = 24 // eight times two words: the float registers
	frameLong     = 40 // size up to here
)

// Flags.
const (
	flagFloatArgs = 1 << iota // load the float registers
	flagFloatRet              // store the float results
	stackShift    = 32
)

// argOp fills a part of the frame from the argument words.
type argOp struct {
	kind     opKind
	bits     uint8  // narrow: size of the value
	fromBit  uint8  // narrow: its first bit in the source word
	toBit    uint8  // store: its first bit in the frame word
	src, dst uint16 // words
	n        uint16 // copy: words
}

type opKind uint8

const (
	opCopy  opKind = iota // n words
	opZero                // zero-extend bits to a word
	opSign                // sign-extend bits to a word
	opBool                // 0 or 1 to a word, from the low byte
	opStore               // bits into part of a word
	opAddr                // the address of the frame's word src
	opClear               // zero n words
)

// resultOp makes a part of the result's words from the frame.
type resultOp struct {
	kind  opKind // opCopy (one word), opZero, opSign, opBool
	bits  uint8
	toBit uint8 // first bit in the result word; over 0, the word has been begun
	src   uint16
	dst   uint16
}

// fill writes the header and the arguments that follow the head into a frame
// at address base.
func (p *Plan) fill(mem []uintptr, base uintptr, fn uintptr, args []uintptr) {
	if len(args) < p.argWords-p.head {
		args = pad(args, p.argWords-p.head)
	}
	h := (*[frameShort]uintptr)(mem)
	h[frameFn] = fn
	h[frameFlags] = p.flags
	h[frameStackAt] = p.stackAt
	if p.retPtr != 0 {
		mem[p.retPtr] = base + uintptr(p.result)*8
		clear(mem[p.result : p.result+p.retWords])
	}
	for i := range p.ops {
		op := &p.ops[i]
		switch op.kind {
		case opCopy:
			// Not copy, which for a few words costs more than this.
			src := args[op.src : op.src+op.n]
			dst := mem[op.dst : op.dst+op.n]
			for i := range min(len(src), len(dst)) {
				dst[i] = src[i]
			}
		case opAddr:
			mem[op.dst] = base + uintptr(op.src)*8
		default:
			op.put(mem, args[op.src])
		}
	}
}

// fillPlain is fill for a method whose arguments are all whole words in integer
// registers, and whose result is found where the trampoline stores it: most
// methods there are. args must have no more words than the plan.
func fillPlain(h *[frameShort]uintptr, fn, self, cmd uintptr, args []uintptr) {
	h[frameFn] = fn
	h[frameFlags] = 0
	h[frameInts] = self
	h[frameInts+1] = cmd
	for i := range args {
		h[(frameInts+2+i)%frameShort] = args[i]
	}
}

// put writes a narrow part of an argument word.
func (op *argOp) put(mem []uintptr, w uintptr) {
	w >>= op.fromBit
	if op.kind == opStore {
		mask := uintptr(1)<<op.bits - 1
		mem[op.dst] = mem[op.dst]&^(mask<<op.toBit) | w&mask<<op.toBit
		return
	}
	mem[op.dst] = narrow(op.kind, op.bits, w)
}

// pad is for the caller that gave too few words: the rest are zero.
//
//go:noinline
func pad(args []uintptr, n int) []uintptr {
	padded := make([]uintptr, n)
	copy(padded, args)
	return padded
}

// narrow takes the low bits of a word.
func narrow(kind opKind, bits uint8, w uintptr) uintptr {
	up := 64 - bits
	switch kind {
	case opSign:
		return uintptr(int64(w) << up >> up)
	case opBool:
		if w&0xff != 0 {
			return 1
		}
		return 0
	}
	return w << up >> up
}

// decode makes the result's words from a frame that has run.
func (p *Plan) decode(mem, ret []uintptr) {
	if p.direct {
		copy(ret, mem[p.result:p.result+p.retWords])
		return
	}
	for i := range p.rets {
		op := &p.rets[i]
		if int(op.dst) >= len(ret) {
			continue
		}
		w := mem[op.src]
		if op.kind != opCopy {
			w = narrow(op.kind, op.bits, w)
		}
		if op.toBit > 0 {
			w = ret[op.dst] | w<<op.toBit
		}
		ret[op.dst] = w
	}
}

//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import "github.com/puremetal/puremetal/internal/typeenc"

// compile turns placements into the frame's size and the operations that fill
// and read it.
func (p *Plan) compile() {
	floats := p.usesFloats()
	at := frameShort
	if floats {
		at = frameLong
	}
	stackWords := roundUp(p.layout.stackBytes, 16) / 8
	p.flags |= uintptr(stackWords) << stackShift
	p.stackAt = uintptr(at) * 8
	stack := at
	at += stackWords

	c := compiler{plan: p, stack: stack, scratch: at}
	p.head = p.headLen()
	word := 0
	for i := range p.sig.Args {
		t, pl := &p.sig.Args[i], p.layout.args[i]
		if i < p.head {
			p.headAt[i] = frameInts + pl.Locs[0].Index
		} else {
			c.arg(t, pl, word-p.head)
		}
		word += typeenc.Words(*t)
	}
	c.result()
	p.size = roundUp(c.scratch, 2) // so that frames in a row stay 16-byte aligned
	p.plain = p.size == frameShort && p.head == 2 &&
		(len(p.ops) == 0 || len(p.ops) == 1 && p.ops[0].kind == opCopy)
}

// usesFloats sets the float flags and reports whether either is set.
func (p *Plan) usesFloats() bool {
	for _, a := range p.layout.args {
		for _, l := range a.Locs {
			if l.Kind == InFloat {
				p.flags |= flagFloatArgs
			}
		}
	}
	for _, l := range p.layout.ret.Locs {
		if l.Kind == InFloat {
			p.flags |= flagFloatRet
		}
	}
	return p.flags&(flagFloatArgs|flagFloatRet) != 0
}

// headLen returns 2 where the first two arguments are a register each, as self
// and _cmd are.
func (p *Plan) headLen() int {
	if len(p.sig.Args) < 2 {
		return 0
	}
	for i := range 2 {
		t := &p.sig.Args[i]
		if t.Size != 8 || t.IsAggregate() || t.IsFloat() || t.Kind == typeenc.Vector {
			return 0
		}
	}
	return 2
}

type compiler struct {
	plan    *Plan
	stack   int // the frame's first stack word
	scratch int // the frame's first free word
}

// alloc takes scratch words at the alignment that a value of align bytes needs.
func (c *compiler) alloc(words, align int) int {
	at := roundUp(c.scratch, max(1, align/8))
	c.scratch = at + words
	return at
}

// place returns the word and bit of a place in the frame.
func (c *compiler) place(l Loc) (word, bit int) {
	switch l.Kind {
	case InInt:
		return frameInts + l.Index, 0
	case InFloat:
		return frameFloats + 2*l.Index, 0
	case ResultPtr:
		return frameX8, 0
	}
	return c.stack + l.Index/8, l.Index % 8 * 8
}

func (c *compiler) arg(t *typeenc.Type, pl Placement, word int) {
	if pl.Indirect {
		n := typeenc.Words(*t)
		at := c.alloc(n, t.Align)
		c.copy(word, at, n)
		dst, _ := c.place(pl.Locs[0])
		c.emit(argOp{kind: opAddr, src: uint16(at), dst: uint16(dst)})
		return
	}
	for _, l := range pl.Locs {
		dst, toBit := c.place(l)
		src, fromBit := word+l.Offset/8, l.Offset%8*8
		packed := l.Kind == OnStack && c.plan.arch == "arm64"
		switch {
		case t.Size < 4 && !t.IsAggregate() && t.Kind != typeenc.Vector && !packed:
			c.emit(argOp{kind: extension(t), bits: uint8(t.Size * 8), src: uint16(src), dst: uint16(dst)})
		case packed && (l.Size < 8 || l.Size%8 != 0 || toBit != 0):
			c.pieces(l.Size, src*64+fromBit, dst*64+toBit)
		case l.Size < 8 && fromBit != 0: // a float in the upper half of a struct's word
			c.emit(argOp{kind: opZero, bits: uint8(l.Size * 8), fromBit: uint8(fromBit), src: uint16(src), dst: uint16(dst)})
		default:
			c.copy(src, dst, (l.Size+7)/8)
		}
	}
}

// pieces stores a value of size bytes, from bit to bit of args and frame, in
// parts that cross no word: whole if it is small, else in floats.
func (c *compiler) pieces(size, from, to int) {
	for step := min(size, 4); size > 0; size -= step {
		c.emit(argOp{
			kind: opStore, bits: uint8(step * 8),
			src: uint16(from / 64), fromBit: uint8(from % 64),
			dst: uint16(to / 64), toBit: uint8(to % 64),
		})
		from += step * 8
		to += step * 8
	}
}

// copy emits a copy of n words, as one with the last where they adjoin.
func (c *compiler) copy(src, dst, n int) {
	ops := c.plan.ops
	if i := len(ops) - 1; i >= 0 && ops[i].kind == opCopy && int(ops[i].src+ops[i].n) == src &&
		int(ops[i].dst+ops[i].n) == dst {
		ops[i].n += uint16(n)
		return
	}
	c.emit(argOp{kind: opCopy, src: uint16(src), dst: uint16(dst), n: uint16(n)})
}

func (c *compiler) emit(op argOp) { c.plan.ops = append(c.plan.ops, op) }

// extension returns how a narrow scalar becomes a word.
func extension(t *typeenc.Type) opKind {
	switch {
	case t.Kind == typeenc.Bool:
		return opBool
	case t.IsSigned():
		return opSign
	}
	return opZero
}

// result decides where the result's words are found.
func (c *compiler) result() {
	p := c.plan
	t, pl := &p.sig.Ret, p.layout.ret
	if p.retWords == 0 {
		p.direct = true
		return
	}
	if pl.Indirect {
		p.result = c.alloc(p.retWords, t.Align)
		p.retPtr, _ = c.place(pl.Locs[0])
		p.direct = true
		return
	}
	p.direct = true
	for _, l := range pl.Locs {
		op := resultOp{kind: opCopy, bits: uint8(min(8, l.Size) * 8), dst: uint16(l.Offset / 8),
			toBit: uint8(l.Offset % 8 * 8)}
		switch {
		case l.Kind == InInt:
			op.src = uint16(frameRet + l.Index)
			p.direct = p.direct && l.Size == 8 && l.Offset == 8*l.Index
		default:
			op.src = uint16(frameFloatRet + 2*l.Index)
			p.direct = false
		}
		if l.Size < 8 {
			op.kind = opZero
			if !t.IsAggregate() && t.Kind != typeenc.Vector {
				op.kind = extension(t)
			}
		}
		p.rets = append(p.rets, op)
		if l.Size == 16 {
			op.src++
			op.dst++
			p.rets = append(p.rets, op)
		}
	}
	if p.direct {
		p.result, p.rets = frameRet, nil
		return
	}
	p.result = c.alloc(p.retWords, 8)
}

package vm

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A chain is a sequence of f32 operations on columns, each of which is the only one to read the
// result of the one before. One assembly loop executes all of them for a few lanes at a time, so
// that the values between them stay in registers.

// link is one operation of a chain. The last link has the code 0.
type link struct {
	code int32
	b, c int32 // places of the operation's other operands
}

// linkForm says what the operands of a link are, one of which is the result of the link before.
type linkForm uint8

const (
	linkAlone   linkForm = iota // an operation on one operand
	linkUniform                 // a uniform operand is the second
	uniformLink                 // or the first
	linkColumn                  // a column is the second operand
	columnLink

	// What a comparison selects if it is true; the other one if it is false.
	chooseUniform linkForm = 1 << 4
	chooseLink    linkForm = 1 << 5

	// A function under fast math.
	linkFast linkForm = 1 << 6
)

// twoBlocks is the number of lanes of an iteration.
const twoBlocks = 32

// chains joins chains of operations to one, and returns which operations that makes superfluous.
func (p *program) chains(reads []int32, target []bool) (drop []bool) {
	drop = make([]bool, len(p.ops))
	if p.lir.Lanes%twoBlocks != 0 { // columns may have no room for whole iterations
		return drop
	}
	for i := 0; i < len(p.ops); i++ {
		n := p.chain(i, reads, target)
		for range n - 1 {
			drop[i] = true
			i++
		}
	}
	return drop
}

// chain joins the operations from pc on in the last of them, and returns how many these are: 0 for
// none.
func (p *program) chain(pc int, reads []int32, target []bool) int {
	in := p.ops[pc].in
	if c := p.ops[pc].compare; c != nil {
		in = c
	}
	value := in.A
	if value == 0 {
		return 0
	}
	if p.lir.Var(value).Class != lir.Lane {
		value = in.B
	}
	from := p.lir.Var(value)
	if from.Class != lir.Lane {
		return 0
	}
	var links []link
	for i := pc; i < len(p.ops) && (i == pc || !target[i]); i++ {
		l, n := p.link(&p.ops[i], value)
		if l.code == 0 || i > pc && reads[value] != n {
			break
		}
		links, value = append(links, l), p.ops[i].in.D
	}
	if len(links) < 2 {
		return 0
	}
	last := &p.ops[pc+len(links)-1]
	last.a, last.chain, last.fn = from.Off, append(links, link{}), vectorChain
	return len(links)
}

// link returns an operation as a link after the one that computes value, and how often it reads
// that. The code is 0 if it cannot be a link.
func (p *program) link(o *op, value lir.Ref) (l link, reads int32) {
	in := o.in
	if c := o.compare; c != nil {
		in = c
	}
	if o.per != lir.Lane || in.Kind != ir.F32 || in.From != ir.Void || in.A == in.B {
		return link{}, 0
	}
	other, form, fast := in.B, linkUniform, linkForm(0)
	if o.fast() {
		fast = linkFast
	}
	switch {
	case in.B == 0 && in.A == value:
		return link{code: chainCode(in.Op.IR(), linkAlone|fast)}, 1
	case in.B == value:
		other, form = in.A, uniformLink
	case in.A != value:
		return link{}, 0
	}
	with := p.lir.Var(other)
	l.b = with.Off
	if o.compare == nil {
		switch {
		case o.in.C != 0:
			return link{}, 0
		case with.Class == lir.Lane:
			form += linkColumn - linkUniform
		case with.Class != lir.Once:
			return link{}, 0
		}
		l.code = chainCode(in.Op.IR(), form|fast)
		return l, 1
	}
	chosen, choice := o.in.C, chooseLink
	if o.in.C == value {
		chosen, choice = o.in.B, chooseUniform
	} else if o.in.B != value {
		return link{}, 0
	}
	if with.Class != lir.Once || p.lir.Var(chosen).Class != lir.Once {
		return link{}, 0
	}
	l.c = p.lir.Var(chosen).Off
	l.code = chainCode(in.Op.IR(), form|choice)
	return l, 2
}

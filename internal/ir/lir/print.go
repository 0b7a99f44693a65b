package lir

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// String returns the program as text, for people and for tests.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %q shape %d,%d,%d lanes %d strips %d\n", p.Name, p.Shape[0], p.Shape[1], p.Shape[2], p.Lanes,
		p.Strips)
	targets := map[int32]bool{}
	for i := range p.Code {
		if p.Code[i].Op.IsJump() {
			targets[p.Code[i].Target] = true
		}
	}
	for i := range p.Code {
		if targets[int32(i)] {
			fmt.Fprintf(&b, "L%d:\n", i)
		}
		b.WriteString("  " + p.inst(&p.Code[i]) + "\n")
	}
	return b.String()
}

// name formats a variable as its class's letter and its number, and a constant as its value.
func (p *Program) name(r Ref) string {
	v := p.Var(r)
	if v.Const {
		if v.Kind.IsFloat() {
			return fmt.Sprintf("%g:%v", ir.BitsFloat(v.Kind, v.Bits), v.Kind)
		}
		return fmt.Sprintf("%d:%v", int64(v.Bits), v.Kind)
	}
	return fmt.Sprintf("%c%d", "osavm"[v.Class], r)
}

// Text returns an instruction as String does.
func (p *Program) Text(pc int) string { return p.inst(&p.Code[pc]) }

func (p *Program) inst(in *Inst) string {
	var b strings.Builder
	var results []string
	in.Writes(func(r Ref) { results = append(results, p.name(r)) })
	if len(results) > 0 {
		b.WriteString(strings.Join(results, ", ") + " = ")
	}
	b.WriteString(in.Op.String())
	if in.From != ir.Void {
		fmt.Fprintf(&b, " %v>%v", in.From, in.Kind)
	} else if in.Kind != ir.Void {
		fmt.Fprintf(&b, " %v", in.Kind)
	}
	if in.Op.IR() != ir.OpInvalid && in.Per != Once {
		fmt.Fprintf(&b, "/%v", in.Per)
	}
	switch {
	case in.Space != ir.NoSpace:
		fmt.Fprintf(&b, " %v [%s", in.Space, p.name(in.A))
		if in.B != 0 {
			fmt.Fprintf(&b, " + %s%s*%d", extNames[in.Ext], p.name(in.B), in.Scale)
		}
		if in.Disp != 0 {
			fmt.Fprintf(&b, " + %d", in.Disp)
		}
		b.WriteString("]")
		if in.C != 0 {
			b.WriteString(", " + p.name(in.C))
		}
	default:
		for i, r := range [...]Ref{in.A, in.B, in.C} {
			if r != 0 {
				b.WriteString([...]string{" ", ", ", ", "}[i] + p.name(r))
			}
		}
	}
	for _, r := range in.More {
		b.WriteString(", " + p.name(r))
	}
	if in.Imm != 0 {
		fmt.Fprintf(&b, " #%d", in.Imm)
	}
	if in.Op.IsJump() {
		fmt.Fprintf(&b, " L%d", in.Target)
	}
	if in.Mask != 0 {
		b.WriteString(" if " + p.name(in.Mask))
	}
	return b.String()
}

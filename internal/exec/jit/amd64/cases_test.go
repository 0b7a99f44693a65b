package amd64

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// formCases are instructions of one Op in one encoding.
type formCases struct {
	op    Op
	form  encoding
	cases []encoded
}

// encoded is an instruction as the assembler reads it, and its bytes.
type encoded struct {
	text string
	code []byte
}

// allCases returns, for every Op, encoding and vector length: registers of all classes in all
// operands, addresses of all forms, masks, zeroing and broadcasts.
func allCases(t *testing.T) []formCases {
	var all []formCases
	for op := range opCount {
		r := &rows[op]
		for _, f := range []encoding{legacy, vex, evex} {
			if [...]code{legacy: r.legacy, vex: r.vex, evex: r.evex}[f] == 0 {
				continue
			}
			c := formCases{op: op, form: f}
			for _, bits := range []int{128, 256, 512} {
				if r.checkLength(f, bits) != nil || bits > 128 && (f == legacy || r.is&(length0|length1) != 0) {
					continue
				}
				v := newVariants(r, f, bits)
				v.all()
				for _, x := range v.list {
					c.cases = append(c.cases, assembled(t, f, bits, op, x))
				}
			}
			require.NotEmpty(t, c.cases, "%s", op)
			all = append(all, c)
		}
	}
	return all
}

// assembled encodes one instruction behind a label 0, to which addresses in code refer.
func assembled(t *testing.T, f encoding, bits int, op Op, x Args) encoded {
	a := New(bits)
	a.VEX = f == vex
	a.Bind(a.NewLabel())
	a.Emit(op, x)
	text := a.text(bits, op, x)
	b, err := a.Bytes()
	require.NoError(t, err)
	if before, after, ok := strings.Cut(text, "rip + L0"); ok {
		_, after, _ = strings.Cut(after, "]")
		text = fmt.Sprintf("%srip + %d]%s", before, int64(x.Y.disp)-int64(len(b)), after)
	}
	if f == evex {
		text = "{evex} " + text
	}
	return encoded{text, b}
}

// variants makes operands for one row, encoding and vector length.
type variants struct {
	rng  *rand.Rand
	row  *row
	form encoding
	bits int
	list []Args
}

// newVariants seeds by the row alone, so that a change of one row leaves the cases of the others.
func newVariants(r *row, f encoding, bits int) *variants {
	h := fnv.New64a()
	fmt.Fprint(h, r.name, r.args, bits)
	return &variants{rng: rand.New(rand.NewPCG(h.Sum64(), uint64(f))), row: r, form: f, bits: bits}
}

// registerClasses are combinations of register numbers for D, X and Y: 0 to 7, 8 to 15, 16 to 31.
var registerClasses = [][3]int{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {0, 0, 1},
	{0, 1, 0}, {1, 0, 0}, {0, 0, 2}, {0, 2, 0}, {2, 0, 0}}

func (v *variants) all() {
	r := v.row
	for _, class := range registerClasses {
		if y, ok := v.yRegister(class[2]); ok {
			v.masked(v.registers(class, y))
		}
	}
	if r.memory() && !(v.form == vex && r.is&regVEX != 0) || r.indexes() {
		for n, y := range v.addresses() {
			v.masked(v.registers(registerClasses[n%len(registerClasses)], y))
			if v.form == evex && r.element != 0 && n%2 == 0 {
				v.masked(v.registers(registerClasses[n/2%len(registerClasses)], y.Broadcast()))
			}
		}
	}
}

// memory reports whether an operand may be in memory.
func (r *row) memory() bool {
	for _, g := range r.args {
		if g.canMemory() {
			return true
		}
	}
	return false
}

// number returns the number of a register of a class.
func (v *variants) number(g arg, class int) uint8 {
	switch {
	case g.kind() == mask:
		return uint8(v.rng.IntN(8))
	case g.vecBits(128) != 0 && v.form == evex && class == 2:
		return uint8(16 + v.rng.IntN(16))
	}
	return uint8(min(class, 1)*8 + v.rng.IntN(8))
}

// yRegister returns a register for Y, or none if the row has no Y; not ok if Y is memory alone.
func (v *variants) yRegister(class int) (y Operand, ok bool) {
	for _, g := range v.row.args {
		switch k := g.kind(); {
		case g == 0 || g.field() != inY:
		case k == memory || k == indexFull || k == indexHalf:
			return Operand{}, false
		case k == mask:
			return K(Mask(v.number(g, class))), true
		case g.regBits() != 0:
			return G(Reg(v.number(g, class))), true
		default:
			return V(Vec(v.number(g, class))), true
		}
	}
	return Operand{}, true
}

// registers returns operands with a given Y.
func (v *variants) registers(class [3]int, y Operand) Args {
	x := Args{Y: y}
	for {
		for _, g := range v.row.args {
			switch {
			case g == 0:
			case g.field() == inD:
				x.D = v.number(g, class[0])
			case g.field() == inX:
				x.X = v.number(g, class[1])
			case g.field() == inImm:
				x.Imm = v.immediate(g)
			}
		}
		if v.row.checkDistinct(v.form, x) == nil {
			return x
		}
	}
}

// immediate returns an immediate. It avoids 1, for which the assembler shifts without one.
func (v *variants) immediate(g arg) int64 {
	r := v.rng
	switch g.kind() {
	case imm8:
		return 2 + r.Int64N(5)*31
	case imm16:
		return []int64{2, 0x7f, 0x80, -0x8000, 0x7fff}[r.IntN(5)]
	case imm32, immShort:
		return []int64{2, 127, -128, 128, -129, math.MaxInt32, math.MinInt32, r.Int64N(1 << 31)}[r.IntN(8)]
	case imm64:
		return []int64{math.MaxInt64, math.MinInt64, 1 << 32, r.Int64N(math.MaxInt64-1<<32) + 1<<32}[r.IntN(4)]
	case immVec, immCond:
		return int64(r.IntN(16))
	}
	return 0
}

// addresses returns memory operands with every kind of base, index and displacement.
func (v *variants) addresses() (list []Operand) {
	unit := int32(max(v.row.size.bytes(v.bits), 1))
	if v.row.unit != 0 {
		unit = int32(v.row.unit)
	}
	disps := []int32{0, 1, -1, 127, 128, -128, -129, unit, -unit, 127 * unit, 128 * unit, -128 * unit, -129 * unit,
		3*unit + 1, math.MaxInt32, math.MinInt32, 4, 8 * 127, v.rng.Int32()}
	for n, d := range disps {
		base := []Reg{RAX, RSP, RBP, R12, R13, RDI, R15, Reg(v.rng.IntN(16))}[n%8]
		index := uint8(v.rng.IntN(16))
		scale := uint8(1) << v.rng.IntN(4)
		switch {
		case v.row.indexes() && v.form == evex:
			list = append(list, VIndex(base, Vec(index+16*uint8(n&1)), scale, d))
		case v.row.indexes():
			list = append(list, VIndex(base, Vec(index), scale, d))
		default:
			if Reg(index) == RSP {
				index = uint8(R12)
			}
			list = append(list, At(base, d), Index(base, Reg(index), scale, d))
		}
	}
	if !v.row.indexes() {
		list = append(list, Code(0, 0), Code(0, 1000), Code(0, -70000))
	}
	return list
}

// masked adds operands without and with write masks, as far as the row has them.
func (v *variants) masked(x Args) {
	none := x
	x.K = Mask(1 + v.rng.IntN(7))
	zero := x
	zero.Zero = true
	for _, m := range []Args{none, x, zero} {
		if v.row.checkMask(v.form, m) == nil {
			v.list = append(v.list, m)
		}
	}
}

package fast

import (
	"fmt"
	"math"
)

// Type is the type of a value.
type Type uint8

// The types of values. Floats and integers of 32 bits are the same thing to most vector units, but
// not to Go.
const (
	Float  Type = iota // f32
	Word               // 32 bits
	Double             // f64
	Truth
)

// Op is an operation of a program.
type Op uint8

// The operations. Arithmetic rounds to nearest, ties to even; words wrap.
const (
	Const Op = iota

	Add  // f32
	Sub  //
	Mul  //
	Div  //
	Sqrt //
	Min  // the first operand if it is less, otherwise the second: also for a NaN
	Max  // the first operand if it is greater, otherwise the second

	And     // bits
	Xor     //
	ShiftL  // by Imm bits
	ShiftRA // by Imm bits, with the sign
	AddW    // words
	SubW    //

	Less     // of f32; false for a NaN
	Equal    //
	Negative // the sign bit of a word is set
	Select   // the second operand where the first is true, otherwise the third

	Truncate // an f32 to a signed word. Its absolute value is at most 2^24.
	ToFloat  // a signed word to f32
	Scale    // the first operand times 2**n, for an integer n from -252 to 254, rounded once

	Widen  // f32 to f64
	Narrow // f64 to f32
	Low    // the lower word of an f64's bits
	AddD   // f64
	SubD   //
	MulD   //
	MinD   // as Min
	MaxD   //
	DivD   // in functions of Exact only, as those that follow
	SqrtD  //
	PowerD // 2**n, for the integer n that is in the last bits of an f64's fraction

	NumOps
)

// Step is an operation. Its operands are the numbers of steps before it; those below 0 are the
// program's arguments: ^0 is the first one, ^1 the second.
type Step struct {
	Op      Op
	Type    Type // of the result
	Args    [3]int
	Imm     int    // of shifts
	Bits    uint64 // of a constant: of an f32, a word or an f64, as Type says
	Operand int    // the number of operands
}

// Program is a function: its result is that of the last step.
type Program struct {
	Name   string  // in Go
	About  string  // what it computes
	Units  float64 // the largest error, in units in the last place, of a result that is not denormal
	Within string  // where that holds, if not everywhere
	Args   int
	Steps  []Step
}

// Uses returns for each step how many operands refer to it.
func (p *Program) Uses() []int {
	uses := make([]int, len(p.Steps))
	for _, s := range p.Steps {
		for _, a := range s.Args[:s.Operand] {
			if a >= 0 {
				uses[a]++
			}
		}
	}
	return uses
}

// LastUses returns for each step the last one that has it as an operand, and the same for the
// arguments.
func (p *Program) LastUses() (steps []int, args [2]int) {
	steps = make([]int, len(p.Steps))
	for i, s := range p.Steps {
		for _, a := range s.Args[:s.Operand] {
			if a >= 0 {
				steps[a] = i
			} else {
				args[^a] = i
			}
		}
	}
	return steps, args
}

// builder writes a program.
type builder struct {
	Program
	constants map[Step]value
}

// value is an operand.
type value int

func (b *builder) step(op Op, t Type, imm int, args ...value) value {
	s := Step{Op: op, Type: t, Imm: imm, Operand: len(args)}
	for i, a := range args {
		s.Args[i] = int(a)
	}
	b.Steps = append(b.Steps, s)
	return value(len(b.Steps) - 1)
}

func (b *builder) constant(t Type, bits uint64) value {
	s := Step{Op: Const, Type: t, Bits: bits}
	v, ok := b.constants[s]
	if !ok {
		b.Steps = append(b.Steps, s)
		v = value(len(b.Steps) - 1)
		b.constants[s] = v
	}
	return v
}

func (b *builder) float(x float32) value        { return b.constant(Float, uint64(math.Float32bits(x))) }
func (b *builder) word(x uint32) value          { return b.constant(Word, uint64(x)) }
func (b *builder) double(x float64) value       { return b.constant(Double, math.Float64bits(x)) }
func (b *builder) add(x, y value) value         { return b.step(Add, Float, 0, x, y) }
func (b *builder) sub(x, y value) value         { return b.step(Sub, Float, 0, x, y) }
func (b *builder) mul(x, y value) value         { return b.step(Mul, Float, 0, x, y) }
func (b *builder) div(x, y value) value         { return b.step(Div, Float, 0, x, y) }
func (b *builder) sqrt(x value) value           { return b.step(Sqrt, Float, 0, x) }
func (b *builder) min(x, y value) value         { return b.step(Min, Float, 0, x, y) }
func (b *builder) max(x, y value) value         { return b.step(Max, Float, 0, x, y) }
func (b *builder) and(x, y value) value         { return b.step(And, Word, 0, x, y) }
func (b *builder) xor(x, y value) value         { return b.step(Xor, Word, 0, x, y) }
func (b *builder) addW(x, y value) value        { return b.step(AddW, Word, 0, x, y) }
func (b *builder) subW(x, y value) value        { return b.step(SubW, Word, 0, x, y) }
func (b *builder) less(x, y value) value        { return b.step(Less, Truth, 0, x, y) }
func (b *builder) equal(x, y value) value       { return b.step(Equal, Truth, 0, x, y) }
func (b *builder) negative(x value) value       { return b.step(Negative, Truth, 0, x) }
func (b *builder) truncate(x value) value       { return b.step(Truncate, Word, 0, x) }
func (b *builder) toFloat(x value) value        { return b.step(ToFloat, Float, 0, x) }
func (b *builder) scale(x, n value) value       { return b.step(Scale, Float, 0, x, n) }
func (b *builder) widen(x value) value          { return b.step(Widen, Double, 0, x) }
func (b *builder) narrow(x value) value         { return b.step(Narrow, Float, 0, x) }
func (b *builder) low(x value) value            { return b.step(Low, Word, 0, x) }
func (b *builder) addD(x, y value) value        { return b.step(AddD, Double, 0, x, y) }
func (b *builder) subD(x, y value) value        { return b.step(SubD, Double, 0, x, y) }
func (b *builder) mulD(x, y value) value        { return b.step(MulD, Double, 0, x, y) }
func (b *builder) minD(x, y value) value        { return b.step(MinD, Double, 0, x, y) }
func (b *builder) maxD(x, y value) value        { return b.step(MaxD, Double, 0, x, y) }
func (b *builder) divD(x, y value) value        { return b.step(DivD, Double, 0, x, y) }
func (b *builder) sqrtD(x value) value          { return b.step(SqrtD, Double, 0, x) }
func (b *builder) powerD(x value) value         { return b.step(PowerD, Double, 0, x) }
func (b *builder) shiftL(x value, n int) value  { return b.step(ShiftL, Word, n, x) }
func (b *builder) shiftRA(x value, n int) value { return b.step(ShiftRA, Word, n, x) }

// choose returns yes where the truth value is true, otherwise no.
func (b *builder) choose(truth, yes, no value) value { return b.step(Select, Float, 0, truth, yes, no) }

func (b *builder) nan() value      { return b.constant(Float, 0x7fc00000) }
func (b *builder) infinity() value { return b.constant(Float, 0x7f800000) }

// abs clears the sign.
func (b *builder) abs(x value) value { return b.and(x, b.word(1<<31-1)) }

// sign returns the sign bit alone.
func (b *builder) sign(x value) value { return b.and(x, b.word(1<<31)) }

// polynomial returns c[0] + x*(c[1] + x*(c[2] + ...)).
func (b *builder) polynomial(x value, c ...float32) value {
	last := len(c) - 1
	p := b.float(c[last])
	for i := last - 1; i >= 0; i-- {
		p = b.add(b.mul(p, x), b.float(c[i]))
	}
	return p
}

// define returns the program that f writes.
func define(name, about string, units float64, within string, args int,
	f func(b *builder, x, y value) value) *Program {
	b := &builder{Program: Program{Name: name, About: about, Units: units, Within: within, Args: args},
		constants: map[Step]value{}}
	if last := f(b, ^value(0), ^value(1)); int(last) != len(b.Steps)-1 {
		panic(fmt.Sprintf("fast: the result of %s is step %d, not the last", name, last))
	}
	return &b.Program
}

// Float returns a constant of type Float.
func (s *Step) Float() float32 { return math.Float32frombits(uint32(s.Bits)) }

// Double returns a constant of type Double.
func (s *Step) Double() float64 { return math.Float64frombits(s.Bits) }

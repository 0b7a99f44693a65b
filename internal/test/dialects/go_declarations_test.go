package dialects

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// goKernel is a random kernel: its source, and the slices and numbers that it takes.
type goKernel struct {
	name, source string
	params       []goParam
}

type goParam struct {
	t     *goType
	slice bool
	each  int // elements that each thread writes, 0 if it reads only
}

// goPrelude is what all random kernels use.
const goPrelude = `package random

import (
	"iter"
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

var _, _, _, _ = math.Pi, bits.UintSize, kernel.Index{}, simd.Half(0)
var _ iter.Seq[int]

type integer interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | int | uint
}

func at[T any](s []T, k uint32) T { return s[k%uint32(len(s))] }

func apply[T any](f func(T) T, x T) T { return f(f(x)) }

func pick[T any](first bool, x, y T) T {
	if first {
		return x
	}
	return y
}

func toInt[T int32 | uint32 | int64 | uint64 | int | uint](x float32) T {
	if x > -1 && x < 1e6 {
		return T(x)
	}
	return 3
}

func bitsOf(x float32) uint32 {
	if math.IsNaN(float64(x)) {
		return 0x7fc00000
	}
	return math.Float32bits(x)
}

func step[T integer](p *T, d T) T { *p = *p*3 + d; return *p }

func upTo[T integer](n T) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for i := T(0); i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func all[T any](s []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := 0; i < len(s) && yield(i, s[i]); i++ {
		}
	}
}

func only[T any](seq iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range seq {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

func triple[T integer](x T) T { return 3*x + 1 }

func plus[T integer](d T) func(T) T { return func(x T) T { return x*x + d } }

func after[T any](f, g func(T) T) func(T) T { return func(x T) T { return g(f(x)) } }

type adder[T integer] struct{ d T }

func (a adder[T]) add(x T) T { return x + a.d }

func (a *adder[T]) bump(x T) T { a.d = a.d*5 + x; return a.d }

func (a adder[T]) times(yield func(T) bool) {
	for i := a.d & 3; yield(i) && i > 0; i-- {
	}
}

`

// newGoKernel returns the kernel of a seed.
func newGoKernel(seed uint64) *goKernel {
	g := &goGen{Rand: rand.New(rand.NewPCG(seed, 38)), seed: seed, used: map[string]bool{}}
	k := &goKernel{name: fmt.Sprintf("K%d", seed)}
	g.declareTypes()
	g.declareTables()
	for i := range g.IntN(5) {
		g.function(i)
	}
	g.kernel(k)
	k.source = g.b.String()
	return k
}

func (g *goGen) declareTypes() {
	for i := range g.IntN(3) {
		t := &goType{name: fmt.Sprintf("[%d]", 1+g.IntN(8)), kind: 'a', elem: g.scalar(), eq: true}
		if i == 1 && g.chance(2) {
			t.elem = g.arrays[0]
		}
		fmt.Sscanf(t.name, "[%d]", &t.n)
		t.name += t.elem.name
		if !slices.ContainsFunc(g.arrays, func(o *goType) bool { return o.name == t.name }) {
			g.arrays = append(g.arrays, t)
		}
	}
	for i := range g.IntN(3) {
		t := &goType{name: fmt.Sprintf("S%d_%d", g.seed, i), kind: 's', eq: true}
		g.line("type %s struct {", t.name)
		if i == 1 && g.chance(2) {
			t.fields = append(t.fields, goField{"", g.structs[0]})
			g.line("\t%s", g.structs[0].name)
		}
		for k := range 1 + g.IntN(4) {
			f := goField{fmt.Sprintf("%c%d_%d", "FGXy"[g.IntN(4)], k, i), g.anyType()}
			if g.chance(3) && i == 1 {
				f.name = "F0_0" // hides that of an embedded one
				if slices.ContainsFunc(t.fields, func(o goField) bool { return o.name == f.name }) {
					continue
				}
			}
			t.fields = append(t.fields, f)
			g.line("\t%s %s", f.name, f.t.name)
		}
		g.line("}\n")
		g.structs = append(g.structs, t)
	}
}

func (g *goGen) declareTables() {
	for i := range g.IntN(3) {
		t := g.anyType()
		v := goVar{name: fmt.Sprintf("table%d_%d", g.seed, i), t: t, only: true, slice: g.chance(2)}
		if v.slice {
			var parts []string
			for range 1 + g.IntN(5) {
				parts = append(parts, g.literal(t))
			}
			g.line("var %s = []%s{%s}\n", v.name, t.name, strings.Join(parts, ", "))
		} else {
			g.line("var %s %s = %s\n", v.name, t.name, g.literal(t))
		}
		g.tables = append(g.tables, v)
	}
}

// function writes a function or a method.
func (g *goGen) function(i int) {
	f := goFunc{name: fmt.Sprintf("f%d_%d", g.seed, i), pure: true}
	if g.chance(5) {
		g.genericFunction(f)
		return
	}
	g.scopes = [][]goVar{nil}
	head := "func "
	params := []string{"t *kernel.Thread"}
	if len(g.structs) > 0 && g.chance(3) {
		f.recv = g.structs[g.IntN(len(g.structs))]
		if f.ptr = g.chance(2); f.ptr {
			head, f.pure = fmt.Sprintf("func (r *%s) ", f.recv.name), false
			g.declare(goVar{name: "(*r)", t: f.recv})
			if g.chance(2) { // through the pointer itself
				g.scopes[0][0].name = "r"
				g.scopes[0][0].only = true
				for _, fld := range f.recv.fields {
					name := fld.name
					if name == "" {
						name = fld.t.name
					}
					g.declare(goVar{name: "r." + name, t: fld.t})
				}
				g.scopes[0] = g.scopes[0][1:]
			}
		} else {
			head = fmt.Sprintf("func (r %s) ", f.recv.name)
			g.declare(goVar{name: "r", t: f.recv})
		}
	} else if g.chance(3) {
		t := g.anyType()
		f.params, f.pure = append(f.params, t), false
		if f.ptr = g.chance(2); f.ptr {
			params = append(params, "p *"+t.name)
			g.declare(goVar{name: "(*p)", t: t})
		} else {
			f.slice = true
			params = append(params, "s []"+t.name)
			g.declare(goVar{name: "s", t: t, slice: true})
		}
	}
	for k := range g.IntN(4) {
		t := g.anyType()
		name := fmt.Sprintf("a%d", k)
		params = append(params, name+" "+t.name)
		g.declare(goVar{name: name, t: t})
		f.params = append(f.params, t)
	}
	var results []string
	g.named = g.chance(2)
	n := 1
	if g.chance(3) {
		n = g.IntN(4)
	}
	for k := range n {
		t := g.anyType()
		f.results = append(f.results, t)
		if g.named {
			name := fmt.Sprintf("q%d", k)
			g.declare(goVar{name: name, t: t})
			results = append(results, name+" "+t.name)
		} else {
			results = append(results, t.name)
		}
	}
	g.line("%s%s(%s) (%s) {", head, f.name, strings.Join(params, ", "), strings.Join(results, ", "))
	g.results, g.helper = f.results, true
	g.size = 2 + g.IntN(6)
	g.body()
	g.funcs = append(g.funcs, f)
}

// genericFunction writes a function that takes any integers.
func (g *goGen) genericFunction(f goFunc) {
	t := goInt("T", 1, false)
	g.scopes = [][]goVar{{{name: "x", t: t}, {name: "y", t: t}, {name: "n", t: goInts[1]}}}
	g.line("func %s[T integer](t *kernel.Thread, x, y T, n uint8) T {", f.name)
	g.results, g.named, g.helper = []*goType{t}, false, true
	g.size = 1 + g.IntN(5)
	g.body()
	for range 2 {
		of := g.integer()
		f.params, f.results = []*goType{of, of, goInts[1]}, []*goType{of}
		if g.chance(2) {
			own := f
			own.name += "[" + of.name + "]"
			g.funcs = append(g.funcs, own)
			continue
		}
		own := f // a call in which Go infers T from a variable
		own.name = "call" + f.name + of.name
		g.line("func %s(t *kernel.Thread, x, y %s, n uint8) %s { return %s(t, x, y, n) }\n", own.name, of.name,
			of.name, f.name)
		if !slices.ContainsFunc(g.funcs, func(o goFunc) bool { return o.name == own.name }) {
			g.funcs = append(g.funcs, own)
		} else {
			text := strings.TrimSuffix(g.b.String(),
				fmt.Sprintf("func %s(t *kernel.Thread, x, y %s, n uint8) %s { return %s(t, x, y, n) }\n\n",
					own.name, of.name, of.name, f.name))
			g.b.Reset()
			g.b.WriteString(text)
		}
	}
}

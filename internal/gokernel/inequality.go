package gokernel

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
	"strings"
)

// Conditions are inequalities between sums, as at+w < len(x) is. An index is valid if that follows
// from one or two of them and from the ranges of variables.

// quantity is an integer that does not change while facts about it hold: a variable, the length of
// a slice, or a component of a member of the thread, as t.Global.X.
type quantity struct {
	v    types.Object
	part string // "" is the variable itself, "len" the length of the slice
}

// monomial is one quantity, or two that are multiplied. The second is empty if there is one.
type monomial [2]quantity

// polynomial is a sum of products, each times a number, and of a constant. It is a number of any
// size: it does not wrap.
type polynomial struct {
	constant int64
	times    map[monomial]int64 // none is 0
}

// The limits of what is looked at: products of a sum, inequalities that are known at a place, and
// how many of them are used together.
const (
	maxProducts     = 8
	maxInequalities = 64
	maxTogether     = 2
)

// polynomialOf returns an integer expression as a sum. Operations in it must be known not to wrap.
func (in *instance) polynomialOf(x ast.Expr) (polynomial, bool) {
	x = ast.Unparen(x)
	b, ok := in.under(x).(*types.Basic)
	if _, fixed := in.together[x]; fixed || !ok || b.Info()&types.IsInteger == 0 {
		return polynomial{}, false
	}
	if in.pkg.info.Types[x].Value != nil {
		r, exact := in.rangeOf(x)
		return polynomial{constant: r.lo}, exact
	}
	if q, ok := in.quantityOf(x); ok {
		return polynomial{times: map[monomial]int64{{q}: 1}}, true
	}
	switch x := x.(type) {
	case *ast.CallExpr:
		if len(x.Args) == 1 && in.pkg.info.Types[x.Fun].IsType() && in.keepsValue(x) {
			return in.polynomialOf(x.Args[0])
		}
	case *ast.BinaryExpr:
		l, ok1 := in.polynomialOf(x.X)
		r, ok2 := in.polynomialOf(x.Y)
		if !ok1 || !ok2 {
			return polynomial{}, false
		}
		var s polynomial
		switch x.Op {
		case token.ADD:
			s, ok = l.plus(r, 1)
		case token.SUB:
			s, ok = l.plus(r, -1)
		case token.MUL:
			s, ok = l.multiplied(r)
		default:
			return polynomial{}, false
		}
		return s, ok && in.fitsType(s, b)
	}
	return polynomial{}, false
}

// fitsType reports whether a sum is known to be a number of an integer type.
func (in *instance) fitsType(s polynomial, b *types.Basic) bool {
	whole, bounded := typeRange(b)
	if n, ok := in.bound(s, false); !ok || n < whole.lo {
		if low, ok := (polynomial{constant: whole.lo}).plus(s, -1); !ok || !in.notPositive(low, maxTogether) {
			return false
		}
	}
	if n, ok := in.bound(s, true); bounded && (!ok || n > whole.hi) {
		high, ok := s.plus(polynomial{constant: whole.hi}, -1)
		return ok && in.notPositive(high, maxTogether)
	}
	return true
}

// quantityOf returns the quantity that an expression is.
func (in *instance) quantityOf(x ast.Expr) (quantity, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		v := in.variableOf(x)
		return quantity{v: v}, v != nil
	case *ast.CallExpr:
		if in.isBuiltin(x.Fun, "len") {
			v := in.variableOf(x.Args[0])
			return quantity{v, "len"}, v != nil
		}
	case *ast.SelectorExpr:
		if of, ok := ast.Unparen(x.X).(*ast.SelectorExpr); ok && isKernelIndex(in.typeOf(of)) {
			v := in.variableOf(of.X)
			return quantity{v, of.Sel.Name + "." + x.Sel.Name}, v != nil && isThread(in.typeOf(of.X))
		}
	}
	return quantity{}, false
}

// plus returns s + by*o, unless that is too large.
func (s polynomial) plus(o polynomial, by int64) (polynomial, bool) {
	out := polynomial{times: maps.Clone(s.times)}
	if out.times == nil {
		out.times = map[monomial]int64{}
	}
	c, ok := multiply(o.constant, by)
	if !ok {
		return polynomial{}, false
	}
	over := false
	if out.constant, over = addOverflows(s.constant, c); over {
		return polynomial{}, false
	}
	for p, n := range o.times {
		n, ok := multiply(n, by)
		if !ok {
			return polynomial{}, false
		}
		if out.times[p], over = addOverflows(out.times[p], n); over {
			return polynomial{}, false
		}
		if out.times[p] == 0 {
			delete(out.times, p)
		}
	}
	return out, len(out.times) <= maxProducts
}

// multiplied returns the product of two sums, unless it is too large or has products of three
// quantities.
func (s polynomial) multiplied(o polynomial) (out polynomial, ok bool) {
	if out, ok = s.scaled(o.constant); !ok {
		return polynomial{}, false
	}
	rest, ok := polynomial{times: o.times}.scaled(s.constant)
	if !ok {
		return polynomial{}, false
	}
	if out, ok = out.plus(rest, 1); !ok {
		return polynomial{}, false
	}
	for p, n := range s.times {
		for q, m := range o.times {
			nm, ok := multiply(n, m)
			if !ok || p[1].v != nil || q[1].v != nil {
				return polynomial{}, false
			}
			both := monomial{p[0], q[0]}
			slices.SortFunc(both[:], quantity.compare)
			if out, ok = out.plus(polynomial{times: map[monomial]int64{both: nm}}, 1); !ok {
				return polynomial{}, false
			}
		}
	}
	return out, true
}

func (s polynomial) scaled(by int64) (polynomial, bool) { return polynomial{}.plus(s, by) }

// compare orders quantities by where the variables are declared; none is first.
func (q quantity) compare(o quantity) int {
	place := func(q quantity) token.Pos {
		if q.v == nil {
			return token.NoPos
		}
		return q.v.Pos()
	}
	return cmp.Or(cmp.Compare(place(q), place(o)), cmp.Compare(q.part, o.part))
}

// products returns the products of a sum in an order that is always the same.
func (s polynomial) products() []monomial {
	return slices.SortedFunc(maps.Keys(s.times), func(p, q monomial) int {
		return cmp.Or(p[0].compare(q[0]), p[1].compare(q[1]))
	})
}

func multiply(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	return p, p/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}

// most returns the greatest value that a sum can have, if there is a limit.
func (in *instance) most(s polynomial) (total int64, ok bool) {
	total = s.constant
	for _, p := range s.products() {
		n := s.times[p]
		r, bounded := in.productRange(p)
		end := r.hi
		if n < 0 {
			end, bounded = r.lo, true
		}
		part, fits := multiply(end, n)
		if !bounded || !fits {
			return 0, false
		}
		over := false
		if total, over = addOverflows(total, part); over {
			return 0, false
		}
	}
	return total, true
}

// productRange returns the values of a product, and whether there is an upper limit.
func (in *instance) productRange(p monomial) (r interval, bounded bool) {
	if r, bounded = in.quantityRange(p[0]); p[1].v == nil {
		return r, bounded
	}
	o, limited := in.quantityRange(p[1])
	whole := interval{math.MinInt64, math.MaxInt64}
	if !bounded || !limited {
		if r.lo >= 0 && o.lo >= 0 {
			whole.lo = 0
		}
		return whole, false
	}
	r, ok := r.multiplied(o)
	if !ok {
		return whole, false // which makes the sum too large for either sign
	}
	return r, true
}

// quantityRange returns the values of a quantity, and whether there is an upper limit.
func (in *instance) quantityRange(q quantity) (interval, bool) {
	switch q.part {
	case "":
		return in.variableRange(q.v)
	case "len":
		return interval{0, maxLength}, true
	}
	member, component, _ := strings.Cut(q.part, ".")
	return in.componentRange(member, component)
}

// multiplied returns the products of numbers of two ranges, unless they are too large.
func (r interval) multiplied(o interval) (out interval, ok bool) {
	out = interval{math.MaxInt64, math.MinInt64}
	for _, a := range []int64{r.lo, r.hi} {
		for _, b := range []int64{o.lo, o.hi} {
			p, fits := multiply(a, b)
			if !fits {
				return interval{}, false
			}
			out = interval{min(out.lo, p), max(out.hi, p)}
		}
	}
	return out, true
}

// notPositive reports whether a sum is known to be 0 or less: by the ranges of its quantities, or
// because it is not greater than another one of which that is known.
func (in *instance) notPositive(s polynomial, together int) bool {
	if most, ok := in.most(s); ok && most <= 0 {
		return true
	}
	if together == 0 {
		return false
	}
	s = s.reduced()
	for _, f := range in.facts.notPositive {
		if !f.helps(s) {
			continue
		}
		if rest, ok := s.plus(f, -1); ok && in.notPositive(rest, together-1) {
			return true
		}
	}
	return false
}

// reduced returns a sum of the same sign, divided by what divides all of it.
func (s polynomial) reduced() polynomial {
	g := uint64(0)
	for _, n := range s.times {
		g = divisor(g, magnitude(n))
	}
	if g = divisor(g, magnitude(s.constant)); g <= 1 || g > math.MaxInt64 {
		return s
	}
	out := polynomial{s.constant / int64(g), map[monomial]int64{}}
	for p, n := range s.times {
		out.times[p] = n / int64(g)
	}
	return out
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func divisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// helps reports whether an inequality has a product with the sign that it has in a sum.
func (s polynomial) helps(o polynomial) bool {
	for p, n := range s.times {
		if m := o.times[p]; m != 0 && (m > 0) == (n > 0) {
			return true
		}
	}
	return false
}

// has reports whether a variable, or its length, is part of a sum.
func (s polynomial) has(v types.Object) bool {
	for p := range s.times {
		if p[0].v == v || p[1].v == v {
			return true
		}
	}
	return false
}

// note adds that a sum is 0 or less. Variables in it get narrower ranges from those of the others.
func (in *instance) note(s polynomial) {
	if len(s.times) == 0 {
		return
	}
	in.facts.add(s)
	for _, p := range s.products() {
		n := s.times[p]
		if p[1].v != nil || p[0].part != "" || n != 1 && n != -1 {
			continue
		}
		rest := polynomial{s.constant, maps.Clone(s.times)}
		delete(rest.times, p)
		if n == 1 { // it is at most -rest
			rest, _ = rest.scaled(-1)
		}
		v := p[0].v
		r, ok := in.variableRange(v)
		end, bounded := in.bound(rest, n == 1)
		switch {
		case !bounded:
		case n == 1 && (!ok || end < r.hi) && end >= r.lo:
			in.facts.ranges[v] = interval{r.lo, end}
		case n == -1 && ok && end > r.lo && end <= r.hi:
			in.facts.ranges[v] = interval{end, r.hi}
		}
	}
}

// bound returns the greatest value that a sum can have, or the least.
func (in *instance) bound(s polynomial, greatest bool) (int64, bool) {
	if greatest {
		return in.most(s)
	}
	negative, ok := s.scaled(-1)
	if !ok {
		return 0, false
	}
	n, ok := in.most(negative)
	return -n, ok && n != math.MinInt64
}

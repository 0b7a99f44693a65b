package gokernel

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
)

// facts are what is known of variables at a place in a function. They tell which indices need no
// check and which sums do not wrap.
type facts struct {
	ranges      map[types.Object]interval
	notPositive []polynomial // known to be 0 or less
}

// interval holds the integers from lo to hi.
type interval struct{ lo, hi int64 }

// within reports whether all integers of a range are in another one.
func (r interval) within(of interval) bool { return r.lo >= of.lo && r.hi <= of.hi }

func newFacts() facts {
	return facts{ranges: map[types.Object]interval{}}
}

func (f facts) clone() facts { return facts{maps.Clone(f.ranges), slices.Clip(f.notPositive)} }

// add adds an inequality. Of too many, the oldest are forgotten.
func (f *facts) add(s polynomial) {
	if n := len(f.notPositive); n == maxInequalities {
		f.notPositive = slices.Clone(f.notPositive[n/2:])
	}
	f.notPositive = append(f.notPositive, s)
}

// kill forgets what is known of a variable.
func (f *facts) kill(v types.Object) {
	delete(f.ranges, v)
	f.notPositive = slices.DeleteFunc(slices.Clone(f.notPositive), func(s polynomial) bool { return s.has(v) })
}

// maxLength is the greatest length of a slice, and the greatest size of a grid: both are numbers of
// 31 bits, so that an index is an int32.
const maxLength = math.MaxInt32

// rangeOf returns the values that an integer expression can have. Where nothing is known, it is the
// range of its type; that of 64 bits without a sign is cut off at the greatest int64, and ok is
// false.
func (in *instance) rangeOf(x ast.Expr) (r interval, ok bool) {
	x = ast.Unparen(x)
	b, isBasic := in.under(x).(*types.Basic)
	if !isBasic || b.Info()&types.IsInteger == 0 {
		return interval{}, false
	}
	whole, known := typeRange(b)
	if r, fixed := in.together[x]; fixed {
		if r == nil {
			return whole, false
		}
		return *r, true
	}
	if v := in.pkg.info.Types[x].Value; v != nil {
		n, exact := constant.Int64Val(constant.ToInt(v))
		return interval{n, n}, exact
	}
	fits := func(r interval, ok bool) (interval, bool) {
		if ok && r.within(whole) {
			return r, true
		}
		return whole, known
	}
	switch x := x.(type) {
	case *ast.Ident:
		if v := in.object(x); !in.volatile[v] {
			if r, ok := in.variableRange(v); ok {
				return r, true
			}
		}
	case *ast.SelectorExpr:
		if r, ok := in.indexRange(x); ok {
			return r, true
		}
	case *ast.CallExpr:
		if in.pkg.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			return fits(in.rangeOf(x.Args[0]))
		}
		if in.isBuiltin(x.Fun, "len") {
			if a, ok := arrayOf(in.typeOf(x.Args[0])); ok {
				return interval{a.Len(), a.Len()}, true
			}
			return interval{0, maxLength}, true
		}
		if least := in.isBuiltin(x.Fun, "min"); least || in.isBuiltin(x.Fun, "max") {
			out, ok := in.rangeOf(x.Args[0])
			for _, a := range x.Args[1:] {
				r, known := in.rangeOf(a)
				ok = ok && known
				if least {
					out = interval{min(out.lo, r.lo), min(out.hi, r.hi)}
				} else {
					out = interval{max(out.lo, r.lo), max(out.hi, r.hi)}
				}
			}
			return fits(out, ok)
		}
	case *ast.BinaryExpr:
		a, ok1 := in.rangeOf(x.X)
		b, ok2 := in.rangeOf(x.Y)
		if x.Op == token.AND && ok2 && b.lo >= 0 { // whatever the other is
			return interval{0, b.hi}, true
		}
		if !ok1 || !ok2 {
			return whole, known
		}
		switch x.Op {
		case token.ADD, token.SUB, token.MUL:
			return fits(a.combined(x.Op, b))
		case token.QUO:
			if a.lo >= 0 && b.lo >= 1 {
				return interval{a.lo / b.hi, a.hi / b.lo}, true
			}
		case token.REM:
			if a.lo >= 0 && b.lo >= 1 {
				return interval{0, min(a.hi, b.hi-1)}, true
			}
		case token.AND:
			if a.lo >= 0 {
				return interval{0, a.hi}, true
			}
		case token.SHR:
			if a.lo >= 0 && b.lo >= 0 && b.lo < 63 {
				return interval{0, a.hi >> b.lo}, true
			}
		}
	}
	return whole, known
}

// combined returns the sums, differences or products of numbers of two ranges, unless they are too
// large.
func (r interval) combined(op token.Token, o interval) (interval, bool) {
	switch op {
	case token.MUL:
		return r.multiplied(o)
	case token.SUB:
		if o.lo == math.MinInt64 || o.hi == math.MinInt64 {
			return interval{}, false
		}
		o = interval{-o.hi, -o.lo}
	}
	lo, o1 := addOverflows(r.lo, o.lo)
	hi, o2 := addOverflows(r.hi, o.hi)
	return interval{lo, hi}, !o1 && !o2
}

func addOverflows(a, b int64) (sum int64, over bool) {
	sum = a + b
	return sum, (sum > a) != (b > 0) && b != 0
}

// typeRange returns the values of an integer type.
func typeRange(b *types.Basic) (interval, bool) {
	switch b.Kind() {
	case types.Int8:
		return interval{math.MinInt8, math.MaxInt8}, true
	case types.Uint8:
		return interval{0, math.MaxUint8}, true
	case types.Int16:
		return interval{math.MinInt16, math.MaxInt16}, true
	case types.Uint16:
		return interval{0, math.MaxUint16}, true
	case types.Int32, types.UntypedRune:
		return interval{math.MinInt32, math.MaxInt32}, true
	case types.Uint32:
		return interval{0, math.MaxUint32}, true
	case types.Uint, types.Uint64, types.Uintptr:
		return interval{0, math.MaxInt64}, false
	}
	return interval{math.MinInt64, math.MaxInt64}, true
}

// indexRange returns the range of a member of the thread, such as t.Local.X.
func (in *instance) indexRange(x *ast.SelectorExpr) (interval, bool) {
	switch {
	case isThread(in.typeOf(x.X)):
		switch x.Sel.Name {
		case "Lane":
			return interval{0, 31}, true
		case "Lanes":
			return interval{32, 32}, true
		case "Simdgroup":
			return interval{0, 31}, true
		case "Simdgroups":
			return interval{1, 32}, true
		}
	case isKernelIndex(in.typeOf(x.X)):
		of, ok := ast.Unparen(x.X).(*ast.SelectorExpr)
		if !ok || !isThread(in.typeOf(of.X)) {
			return interval{}, false
		}
		return in.componentRange(of.Sel.Name, x.Sel.Name)
	}
	return interval{}, false
}

// componentRange returns the range of a component of a member of the thread.
func (in *instance) componentRange(member, component string) (interval, bool) {
	dim := map[string]int{"X": 0, "Y": 1, "Z": 2}[component]
	most := int64(1024)
	if in.kernel != nil && in.kernel.Group[dim] > 0 {
		most = int64(in.kernel.Group[dim])
	}
	switch member {
	case "Local":
		return interval{0, most - 1}, true
	case "GroupSize":
		return interval{1, most}, true
	case "GridSize", "Groups":
		return interval{1, maxLength}, true
	}
	return interval{0, maxLength - 1}, true
}

// inRange reports whether an index of an array, a pointer to one, or a slice is known to be valid.
func (in *instance) inRange(x, index ast.Expr) bool {
	r, ok := in.rangeOf(index)
	if a, isArray := arrayOf(in.typeOf(x)); isArray {
		return ok && r.lo >= 0 && r.hi < a.Len()
	}
	s := in.variableOf(x)
	i, known := in.polynomialOf(index)
	if s == nil || !known {
		return false
	}
	negative, ok1 := i.scaled(-1)
	beyond, ok2 := i.beyond(s)
	return ok1 && ok2 && in.notPositive(negative, maxTogether) && in.notPositive(beyond, maxTogether)
}

// beyond returns by how much more than the last index of a slice a sum is.
func (s polynomial) beyond(slice types.Object) (polynomial, bool) {
	return s.plus(polynomial{constant: -1, times: map[monomial]int64{{{slice, "len"}}: 1}}, -1)
}

// variableOf returns the variable that an expression is, or nil.
func (in *instance) variableOf(x ast.Expr) types.Object {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		if v, ok := in.object(id).(*types.Var); ok && !in.volatile[v] {
			return v
		}
	}
	return nil
}

// indexVariable returns the variable whose value an index is: conversions that keep the value do
// not matter.
func (in *instance) indexVariable(x ast.Expr) types.Object {
	x = ast.Unparen(x)
	if call, ok := x.(*ast.CallExpr); ok && len(call.Args) == 1 && in.pkg.info.Types[call.Fun].IsType() {
		if !in.keepsValue(call) {
			return nil
		}
		return in.indexVariable(call.Args[0])
	}
	return in.variableOf(x)
}

// arrayOf returns the array that an expression of a type indexes, itself or through a pointer.
func arrayOf(t types.Type) (*types.Array, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	a, ok := t.Underlying().(*types.Array)
	return a, ok
}

// learn adds what a condition says if it is true, or if it is false.
func (in *instance) learn(x ast.Expr, holds bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			in.learn(x.X, !holds)
		}
	case *ast.BinaryExpr:
		switch op := x.Op; op {
		case token.LAND, token.LOR:
			if holds == (op == token.LAND) {
				in.learn(x.X, holds)
				in.learn(x.Y, holds)
			}
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
			if !holds {
				op = map[token.Token]token.Token{token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ,
					token.GEQ: token.LSS, token.EQL: token.NEQ, token.NEQ: token.EQL}[op]
			}
			switch op {
			case token.LSS:
				in.less(x.X, x.Y, 1)
			case token.LEQ:
				in.less(x.X, x.Y, 0)
			case token.GTR:
				in.less(x.Y, x.X, 1)
			case token.GEQ:
				in.less(x.Y, x.X, 0)
			case token.EQL:
				in.less(x.X, x.Y, 0)
				in.less(x.Y, x.X, 0)
			}
		}
	}
}

// less notes that a+d <= b.
func (in *instance) less(a, b ast.Expr, d int64) {
	if call, ok := ast.Unparen(b).(*ast.CallExpr); ok && in.isBuiltin(call.Fun, "min") {
		for _, b := range call.Args {
			in.less(a, b, d)
		}
		return
	}
	if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && in.isBuiltin(call.Fun, "max") {
		for _, a := range call.Args {
			in.less(a, b, d)
		}
		return
	}
	ra, ok1 := in.rangeOf(a)
	rb, ok2 := in.rangeOf(b)
	va, vb := in.indexVariable(a), in.indexVariable(b)
	if va != nil && ok2 && rb.hi != math.MinInt64 {
		if r, ok := in.variableRange(va); ok && rb.hi-d < r.hi {
			in.facts.ranges[va] = interval{r.lo, rb.hi - d}
		}
	}
	if vb != nil && ok1 && ra.lo != math.MaxInt64 {
		if r, ok := in.variableRange(vb); ok && ra.lo+d > r.lo {
			in.facts.ranges[vb] = interval{ra.lo + d, r.hi}
		}
	}
	in.noteLess(a, b, d)
}

// noteLess notes that a+d <= b if both are sums.
func (in *instance) noteLess(a, b ast.Expr, d int64) {
	sa, ok1 := in.polynomialOf(a)
	sb, ok2 := in.polynomialOf(b)
	if !ok1 || !ok2 {
		return
	}
	if s, ok := sa.plus(sb, -1); ok {
		if s, ok = s.plus(polynomial{constant: d}, 1); ok {
			in.note(s)
		}
	}
}

func (in *instance) variableRange(v types.Object) (interval, bool) {
	if r, ok := in.facts.ranges[v]; ok {
		return r, true
	}
	if x := in.vars[v]; x != nil && x.narrow != "" {
		return whole32(x.narrow), true
	}
	if b, ok := in.concrete(v.Type()).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		return typeRange(b)
	}
	return interval{}, false
}

// object returns what an identifier is.
func (in *instance) object(id *ast.Ident) types.Object { return in.pkg.info.ObjectOf(id) }

func (in *instance) isBuiltin(x ast.Expr, name string) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := in.pkg.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}

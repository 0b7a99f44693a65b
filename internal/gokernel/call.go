package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// nameOf returns the name of the function or method that an expression is, or nil.
func nameOf(fun ast.Expr) *ast.Ident {
	fun = ast.Unparen(fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch x := fun.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

// function returns the function or method that an expression names, or nil.
func (in *instance) function(fun ast.Expr) *types.Func {
	id := nameOf(fun)
	if id == nil {
		return nil
	}
	f, _ := in.object(id).(*types.Func)
	return f
}

// typeArgs returns the type arguments of a function that an expression names.
func (in *instance) typeArgs(fun ast.Expr) (list []types.Type) {
	args := in.pkg.info.Instances[nameOf(fun)].TypeArgs
	for i := range args.Len() {
		list = append(list, in.concrete(args.At(i)))
	}
	return list
}

// call returns a call.
func (in *instance) call(x *ast.CallExpr) val {
	if tv := in.pkg.info.Types[x.Fun]; tv.IsType() {
		return in.conversion(x)
	} else if tv.IsBuiltin() {
		return in.builtin(x)
	}
	f := in.function(x.Fun)
	if sel := in.selection(x.Fun); f == nil || sel != nil && sel.Kind() == types.MethodExpr {
		sig, ok := in.under(x.Fun).(*types.Signature)
		if !ok {
			in.refuse(x.Fun, "%s: %s", in.code(x.Fun), in.whyInvalid(x.Fun))
		}
		name := in.callable(x.Fun)
		in.effects = true // it may write the variables that it sees
		return val{name + "(" + strings.Join(in.args(x.Args, in.paramTypes(sig)), ", ") + ")", primary}
	}
	if f.Pkg() != nil {
		switch f.Pkg().Path() {
		case kernelPath:
			return in.kernelCall(x, f)
		case "math", "math/bits", "sync/atomic":
			return in.libraryCall(x, f)
		case simdPath:
			return in.simdCall(x, f)
		}
	}
	return in.userCall(x, f)
}

func (in *instance) paramTypes(sig *types.Signature) (list []types.Type) {
	for i := range sig.Params().Len() {
		list = append(list, in.concrete(sig.Params().At(i).Type()))
	}
	return list
}

// args returns the arguments of a call, evaluated from left to right.
func (in *instance) args(list []ast.Expr, t []types.Type) []string {
	texts := make([]string, len(list))
	calls := 0
	for _, x := range list {
		calls += in.calls(x)
	}
	hoisted := make([]bool, len(list))
	hoist := func(i int) {
		if hoisted[i] || in.stable(list[i]) || isThread(in.typeOf(list[i])) {
			return
		}
		name := in.temp("arg")
		in.line("%s = %s;", in.fixedDeclaration(list[i], types.Default(t[i]), in.spaceOf(list[i]), name), texts[i])
		texts[i], hoisted[i] = name, true
	}
	for i, x := range list {
		statements := in.capture(func() {
			if _, ok := t[i].Underlying().(*types.Signature); ok {
				texts[i] = in.callable(x)
			} else {
				texts[i] = in.value(x, t[i]).s
			}
		})
		if statements != "" {
			for k := range i {
				hoist(k)
			}
			in.b.WriteString(statements)
		}
		if calls > 1 && in.calls(x) > 0 && i+1 < len(list) {
			hoist(i)
		}
	}
	return texts
}

// userCall returns a call of a function of the program.
func (in *instance) userCall(x *ast.CallExpr, f *types.Func) val {
	if f.Type().(*types.Signature).Recv() != nil { // type arguments may make it one of these packages
		if _, _, m := in.method(x.Fun, f); m.Pkg() != nil {
			switch m.Pkg().Path() {
			case simdPath:
				return in.simdCall(x, m)
			case kernelPath:
				return in.kernelCall(x, m)
			}
		}
	}
	if in.isFunction(x) {
		in.refuse(x, "the function that %s returns as a value; declare a variable with it, pass it to a function "+
			"that calls it, or range over it", f.Name())
	}
	c, args := in.prepare(x, f)
	return c.invoke(texts(args))
}

// argument is one of a call, or a receiver.
type argument struct {
	text string
	t    types.Type
	s    space
	x    ast.Expr
}

func texts(list []argument) (texts []string) {
	for _, a := range list {
		texts = append(texts, a.text)
	}
	return texts
}

func (in *instance) invoke(texts []string) val {
	return val{in.name + "(" + strings.Join(texts, ", ") + ")", primary}
}

// prepare evaluates the receiver and the arguments of a call, and returns what it calls.
func (in *instance) prepare(x *ast.CallExpr, f *types.Func) (c *instance, args []argument) {
	sig := f.Type().(*types.Signature)
	if x.Ellipsis.IsValid() || sig.Variadic() {
		in.refuse(x, "a call with a variable number of arguments; pass a slice")
	}
	var recvType types.Type
	var spaces []space
	if sig.Recv() != nil {
		sel, index, method := in.method(x.Fun, f)
		f, sig = method, method.Type().(*types.Signature)
		var v val
		var s space
		v, recvType, s = in.receiver(sel, index, f)
		args, spaces = append(args, argument{v.s, recvType, s, sel.X}), append(spaces, s)
	}
	called := sig
	if s, ok := in.pkg.info.TypeOf(x.Fun).(*types.Signature); ok { // with its type arguments
		called = s
	}
	params := in.paramTypes(called)
	var list []string
	statements := in.capture(func() { list = in.args(x.Args, params) })
	if sig.Recv() != nil {
		r := &args[0]
		r.text = in.before(r.x, val{r.text, primary}, r.t, r.s, statements, x.Args).s
	}
	in.b.WriteString(statements)
	for i, a := range x.Args {
		args = append(args, argument{list[i], params[i], in.spaceOf(a), a})
		spaces = append(spaces, in.spaceOf(a))
	}
	c = in.callee(x, f, in.typeArgs(x.Fun), recvType, spaces)
	in.resolved[x] = c
	return c, args
}

// before returns a receiver as it is before the arguments of its call are evaluated, which may need
// statements.
func (in *instance) before(x ast.Expr, v val, t types.Type, s space, statements string, args []ast.Expr) val {
	calls := 0
	for _, a := range args {
		calls += in.calls(a)
	}
	if statements == "" && (calls == 0 || in.calls(x) == 0) || in.stable(x) {
		return v
	}
	if _, variable := ast.Unparen(x).(*ast.Ident); variable && isPointer(t.Underlying()) && !isPointer(in.under(x)) {
		return v // where the variable is does not change
	}
	name := in.temp("receiver")
	in.line("%s = %s;", in.fixedDeclaration(x, t, s, name), v.s)
	return val{name, primary}
}

// method returns the method that an expression names, which the type arguments may tell, and the
// path to it.
func (in *instance) method(fun ast.Expr, f *types.Func) (*ast.SelectorExpr, []int, *types.Func) {
	sel, _ := ast.Unparen(fun).(*ast.SelectorExpr)
	s := in.pkg.info.Selections[sel]
	if s == nil {
		in.refuse(fun, "the method %s as a function; call it as v.%s", f.Name(), f.Name())
	}
	index := s.Index()
	if _, param := types.Unalias(s.Recv()).(*types.TypeParam); param {
		m, path, _ := types.LookupFieldOrMethod(in.concrete(s.Recv()), true, in.pkg.types, f.Name())
		if method, ok := m.(*types.Func); ok {
			f, index = method, path
		}
	}
	if types.IsInterface(f.Type().(*types.Signature).Recv().Type()) {
		in.refuse(fun, "a method of an interface; use type parameters")
	}
	return sel, index, f
}

// receiver returns the receiver of a method call, its type, and what it points to.
func (in *instance) receiver(sel *ast.SelectorExpr, index []int, f *types.Func) (val, types.Type, space) {
	t := in.typeOf(sel.X)
	_, wantsPointer := f.Type().(*types.Signature).Recv().Type().(*types.Pointer)
	path := index[:len(index)-1]
	pointer := isPointer(t.Underlying())
	sp := in.spaceOf(sel.X)
	var v val
	switch {
	case pointer && len(path) == 0:
		v = in.expr(sel.X)
		if !wantsPointer { // the text loads the value
			v, t, sp = val{"*" + v.in(unary), unary}, in.concrete(t.Underlying().(*types.Pointer).Elem()), ""
		}
		return v, t, sp
	case pointer:
		v = in.expr(sel.X)
	case wantsPointer:
		p := in.place(sel.X)
		in.require(sel.X, p.checks)
		v, sp = p.val, in.placeSpace(sel.X)
	default:
		v = in.expr(sel.X)
	}
	if len(path) > 0 {
		v, t = in.path(v, t, path)
		if !wantsPointer {
			sp = ""
		}
	}
	if wantsPointer {
		return val{"&" + v.in(unary), unary}, types.NewPointer(t), sp.or(thread)
	}
	return v, t, sp
}

// conversion returns T(x).
func (in *instance) conversion(x *ast.CallExpr) val {
	to := in.typeOf(x)
	from := in.typeOf(x.Args[0])
	if v, ok := in.smallConversion(x, to, from); ok {
		return v
	}
	tb, ok1 := to.Underlying().(*types.Basic)
	fb, ok2 := from.Underlying().(*types.Basic)
	if !ok1 || !ok2 {
		v := in.expr(x.Args[0])
		a, b := in.typ(x, to, in.spaceOf(x.Args[0])), in.typ(x.Args[0], from, in.spaceOf(x.Args[0]))
		if a != b {
			in.refuse(x, "a conversion from %s to %s; make the new value from the fields of the old one", in.named(from),
				in.named(to))
		}
		return v
	}
	switch {
	case (fb.Kind() == types.Float64 || fb.Kind() == types.UntypedFloat) && tb.Kind() == types.Float32:
		return in.double(x.Args[0])
	case in.asFloat(x, fb), in.asFloat(x, tb):
	case fb.Kind() == types.Float64 || fb.Kind() == types.UntypedFloat:
		in.refuse(x, "a conversion from float64; use float32")
	case tb.Kind() == types.Float64:
		in.refuse(x, "float64: Metal has no such type; use float32")
	case tb.Info()&types.IsString != 0 || fb.Info()&types.IsString != 0:
		in.typ(x, to, "")
		in.typ(x.Args[0], from, "")
	}
	a := in.typ(x, to, "")
	v, b := in.shortest(x.Args[0])
	if a == b {
		return v
	}
	return val{a + "(" + v.s + ")", primary}
}

// exactly are the functions of math that are the same in float32: of a float32 they give one.
var exactly = sync.OnceValue(func() map[string]string {
	return map[string]string{"Abs": "metal::fabs", "Ceil": "metal::ceil", "Floor": "metal::floor",
		"Trunc": "metal::trunc", "RoundToEven": "metal::rint", "Round": "metal::round", "Copysign": "metal::copysign",
		"Sqrt": "metal::precise::sqrt", "Max": "go::fmax", "Min": "go::fmin", "FMA": "metal::fma", "Mod": "metal::fmod"}
})

// nearly are those whose result, rounded to float32, is computed in float32.
var nearly = sync.OnceValue(func() map[string]string {
	return map[string]string{"Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh", "Atan": "atan",
		"Atan2": "atan2", "Atanh": "atanh", "Cos": "cos", "Cosh": "cosh", "Exp": "exp", "Exp2": "exp2", "Log": "log",
		"Log10": "log10", "Log2": "log2", "Pow": "pow", "Sin": "sin", "Sinh": "sinh", "Tan": "tan", "Tanh": "tanh"}
})

// roundsIn64 reports whether the result of a function of math may have more bits than a float32.
func roundsIn64(name string) bool {
	switch name {
	case "Inf", "NaN":
		return false
	case "Sqrt", "FMA":
		return true
	}
	return exactly()[name] == ""
}

// double returns the float32 that an expression in float64 is rounded to.
func (in *instance) double(x ast.Expr) val {
	x = ast.Unparen(x)
	if v := in.pkg.info.Types[x].Value; v != nil {
		f, _ := constant.Float32Val(v)
		return floatText(float64(f))
	}
	switch x := x.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			return val{"-" + in.double(x.X).in(primary), unary}
		}
	case *ast.CallExpr:
		if in.pkg.info.Types[x.Fun].IsType() {
			if b, ok := in.under(x.Args[0]).(*types.Basic); ok && b.Kind() == types.Float32 {
				return in.expr(x.Args[0])
			}
			break
		}
		f := in.function(x.Fun)
		if f == nil || f.Pkg() == nil || f.Pkg().Path() != "math" {
			break
		}
		switch f.Name() {
		case "Inf":
			sign := in.value(x.Args[0], types.Typ[types.Int])
			if in.pkg.info.Types[x.Args[0]].Value != nil {
				if strings.HasPrefix(sign.s, "-") {
					return val{"-INFINITY", unary}
				}
				return val{"INFINITY", primary}
			}
			return val{sign.in(relation) + " >= 0 ? INFINITY : -INFINITY", conditional}
		case "NaN":
			return val{"NAN", primary}
		}
		name, exact := exactly()[f.Name()]
		if !exact {
			if name = nearly()[f.Name()]; name == "" {
				in.refuse(x, "math.%s: Metal has no such function", f.Name())
			}
			name = "metal::precise::" + name
		}
		if strings.HasPrefix(name, "go::") {
			in.t.helpers[name[4:]] = true
		}
		var texts []string
		for _, a := range x.Args {
			if v := in.pkg.info.Types[a].Value; v != nil {
				if f32, same := constant.Float32Val(v); !same && !in.asFloat(a, types.Typ[types.Float64]) {
					f64, _ := constant.Float64Val(v)
					if float64(f32) != f64 {
						in.refuse(a, "the constant %s is no float32, and math.%s computes in float64; convert it to "+
							"float32 first", in.code(a), f.Name())
					}
				}
			} else if inner, ok := ast.Unparen(a).(*ast.CallExpr); ok && !in.pkg.info.Types[inner.Fun].IsType() {
				if g := in.function(inner.Fun); g != nil && roundsIn64(g.Name()) && !in.asFloat(a, types.Typ[types.Float64]) {
					in.refuse(a, "the result of math.%s stays in float64 here; convert it to float32 first", g.Name())
				}
			}
			texts = append(texts, in.double(a).s)
		}
		return val{name + "(" + strings.Join(texts, ", ") + ")", primary}
	}
	if in.asFloat(x, in.typeOf(x)) {
		return in.expr(x)
	}
	in.refuse(x, "%s is a float64: Metal has no such type; compute in float32", in.code(x))
	return val{}
}

// libraryCall returns a call of a function of math, math/bits or sync/atomic.
func (in *instance) libraryCall(x *ast.CallExpr, f *types.Func) val {
	name := f.Name()
	arg := func(i int) val {
		t := f.Type().(*types.Signature).Params().At(i).Type()
		return in.value(x.Args[i], t)
	}
	switch f.Pkg().Path() {
	case "math":
		switch name {
		case "Float32bits":
			return val{"as_type<uint>(" + arg(0).s + ")", primary}
		case "Float32frombits":
			return val{"as_type<float>(uint(" + arg(0).s + "))", primary}
		case "IsNaN":
			return val{"metal::isnan(" + in.double(x.Args[0]).s + ")", primary}
		case "IsInf":
			v := in.double(x.Args[0])
			sign := in.value(x.Args[1], types.Typ[types.Int])
			in.t.helpers["isinf"] = true
			return val{fmt.Sprintf("go::isinf(%s, %s)", v.s, sign.s), primary}
		case "Signbit":
			return val{"metal::signbit(" + in.double(x.Args[0]).s + ")", primary}
		}
		if in.asFloat(x, in.typeOf(x)) {
			return in.double(x)
		}
		in.refuse(x, "math.%s gives a float64: Metal has no such type; write float32(math.%s(float64(x)))", name, name)
	case "math/bits":
		base := strings.TrimRight(name, "0123456789")
		t := f.Type().(*types.Signature).Params().At(0).Type()
		typ := in.typ(x, t, "")
		width := in.t.sizes.Sizeof(t) * 8
		v := typ + "(" + arg(0).s + ")"
		switch base {
		case "LeadingZeros":
			return val{"long(metal::clz(" + v + "))", primary}
		case "TrailingZeros":
			return val{"long(metal::ctz(" + v + "))", primary}
		case "OnesCount":
			return val{"long(metal::popcount(" + v + "))", primary}
		case "Len":
			return val{fmt.Sprintf("(%d - long(metal::clz(%s)))", width, v), primary}
		case "Reverse":
			return val{"metal::reverse_bits(" + v + ")", primary}
		case "RotateLeft":
			in.t.helpers["rotl"] = true
			return val{fmt.Sprintf("go::rotl<%s>(%s, %s)", typ, v, arg(1).s), primary}
		case "ReverseBytes":
			in.t.helpers["bytes"] = true
			return val{fmt.Sprintf("go::bytes<%s>(%s)", typ, v), primary}
		}
		in.refuse(x, "bits.%s: kernels do not have it", name)
	case "sync/atomic":
		op := strings.TrimSuffix(strings.TrimSuffix(name, "Uint32"), "Int32")
		return in.atomic(x, op, map[string]string{"Add": "new"}[op])
	}
	return val{}
}

// atomic returns an atomic operation on *x.Args[0]. Gives is "new" if it returns the new value.
func (in *instance) atomic(x *ast.CallExpr, op, gives string) val {
	in.effects = true
	p := in.typeOf(x.Args[0]).Underlying().(*types.Pointer)
	elem := in.typ(x.Args[0], in.concrete(p.Elem()), "")
	s := in.spaceOf(x.Args[0])
	if s == thread || s == constantSpace {
		in.refuse(x.Args[0], "an atomic operation on a variable of the function; use one on a slice or on Shared memory")
	}
	if s == "" {
		s = device
	}
	var ptr string
	if u, ok := ast.Unparen(x.Args[0]).(*ast.UnaryExpr); ok && u.Op == token.AND {
		place := in.place(u.X)
		if len(place.checks) > 0 { // an element that is not there: nothing happens
			in.require(x, place.checks)
		}
		ptr = "&" + place.s
	} else {
		ptr = in.expr(x.Args[0]).in(unary)
	}
	object := fmt.Sprintf("(%s metal::atomic<%s>*)%s", s, elem, ptr)
	args := in.args(x.Args[1:], slices.Repeat([]types.Type{in.concrete(p.Elem())}, len(x.Args)-1))
	relaxed := "metal::memory_order_relaxed"
	call := func(f string, more ...string) val {
		args := strings.Join(append(append([]string{object}, more...), relaxed), ", ")
		return val{fmt.Sprintf("metal::atomic_%s_explicit(%s)", f, args), primary}
	}
	switch op {
	case "Load":
		return call("load")
	case "Store":
		return call("store", args[0])
	case "Swap", "Exchange":
		return call("exchange", args[0])
	case "CompareAndSwap":
		in.t.helpers["swap"] = true
		return val{fmt.Sprintf("go::swap(%s, %s, %s)", object, in.as(elem, args[0]), in.as(elem, args[1])), primary}
	}
	if !slices.Contains([]string{"Add", "Min", "Max", "And", "Or", "Xor"}, op) {
		in.refuse(x, "the atomic operation %s", op)
	}
	f := "fetch_" + strings.ToLower(op)
	if gives != "new" {
		return call(f, args[0])
	}
	old := call(f, args[0])
	switch op {
	case "Add":
		if elem == "int" {
			return val{fmt.Sprintf("int(uint(%s) + uint(%s))", old.s, args[0]), primary}
		}
		return operation("+", old, val{args[0], conditional})
	case "Min", "Max":
		return val{fmt.Sprintf("metal::%s(%s, %s)", strings.ToLower(op), old.s, in.as(elem, args[0])), primary}
	}
	return operation(map[string]string{"And": "&", "Or": "|", "Xor": "^"}[op], old, val{args[0], conditional})
}

func (in *instance) as(typ, text string) string { return typ + "(" + text + ")" }

// kernelCall returns a call of a function or method of package kernel.
func (in *instance) kernelCall(x *ast.CallExpr, f *types.Func) val {
	name := f.Name()
	if recv := f.Type().(*types.Signature).Recv(); recv != nil {
		if !isThread(recv.Type()) {
			return in.textureCall(x, f)
		}
		const memory = "(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup" + sharedMark + ")"
		switch name {
		case "Barrier":
			in.effects = true
			return val{"metal::threadgroup_barrier" + memory, primary}
		case "GridBarrier":
			in.effects, in.t.cooperative = true, true
			return val{"puremetal::this_grid().sync()", primary}
		case "SimdgroupBarrier":
			in.effects = true
			return val{"metal::simdgroup_barrier" + memory, primary}
		}
		in.refuse(x, "the method %s of a thread: the translator does not know it", name)
	}
	if op, ok := strings.CutPrefix(name, "Atomic"); ok {
		gives := "new"
		if op == "Exchange" || op == "Load" {
			gives = "old"
		}
		return in.atomic(x, op, gives)
	}
	if op, ok := strings.CutPrefix(name, "Simd"); ok {
		f := map[string]string{"Sum": "sum", "PrefixInclusiveSum": "prefix_inclusive_sum",
			"PrefixExclusiveSum": "prefix_exclusive_sum", "Min": "min", "Max": "max",
			"Shuffle": "shuffle", "ShuffleDown": "shuffle_down", "ShuffleUp": "shuffle_up",
			"ShuffleXor": "shuffle_xor", "Broadcast": "broadcast", "All": "all", "Any": "any", "Ballot": "ballot"}[op]
		if f != "" {
			in.effects = true // it waits for the other lanes
			sig := in.typeOf(x.Fun).(*types.Signature)
			texts := in.args(x.Args[1:], in.paramTypes(sig)[1:])
			if len(texts) == 2 {
				texts[1] = "ushort(" + texts[1] + ")"
			}
			if len(texts) > 0 && in.pkg.info.Types[x.Args[1]].Value != nil {
				texts[0] = in.as(in.typ(x, in.paramTypes(sig)[1], ""), texts[0])
			}
			v := val{"metal::simd_" + f + "(" + strings.Join(texts, ", ") + ")", primary}
			if f == "ballot" {
				v = val{"ulong(" + v.s + ")", primary}
			}
			return v
		}
	}
	switch name {
	case "Printf":
		return in.printf(x)
	case "Shared", "SharedSlice":
		in.refuse(x, "%s within an expression; declare a variable with it, at the beginning of the kernel: "+
			"v := kernel.%s[T](t)", name, name)
	}
	in.refuse(x, "kernel.%s: the translator does not know it", name)
	return val{}
}

// sharing returns kernel.Shared or kernel.SharedSlice if that is what an expression calls, else
// nil.
func (in *instance) sharing(x ast.Expr) *types.Func {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return nil
	}
	f := in.function(call.Fun)
	if f == nil || f.Pkg() == nil || f.Pkg().Path() != kernelPath || f.Name() != "Shared" && f.Name() != "SharedSlice" {
		return nil
	}
	return f
}

// sharesAll declares the variables of an assignment if all of them are memory of the threadgroup.
func (in *instance) sharesAll(s *ast.AssignStmt) bool {
	for _, x := range s.Rhs {
		if in.sharing(x) == nil {
			return false
		}
	}
	for i, x := range s.Rhs {
		in.shares(s.Lhs[i].(*ast.Ident), ast.Unparen(x).(*ast.CallExpr))
	}
	return true
}

// shares declares a variable of the threadgroup, given the call of kernel.Shared or SharedSlice.
func (in *instance) shares(id *ast.Ident, call *ast.CallExpr) {
	f := in.function(call.Fun)
	obj := in.pkg.info.Defs[id]
	if in.kernel == nil || in.indent != 1 || obj == nil {
		in.refuse(call, "%s is for statements of the kernel itself, outside of its blocks; pass what it gives to "+
			"functions", f.Name())
	}
	elem := in.typeArgs(call.Fun)[0]
	typ := in.typ(call, elem, "")
	size, align := in.layout(call, elem)
	unit, per := "uchar", int64(1)
	if align >= 4 {
		unit, per = "uint", 4
	}
	v := in.declare(obj, threadgroup)
	in.t.helpers["zero"] = true
	in.zeroes = true
	if f.Name() == "Shared" {
		store := in.fresh(v.name + "_shared")
		in.line("threadgroup %s %s;", typ, store)
		in.line("go::zero((threadgroup %s*)&%s, %d, _index, _count);", unit, store, max(size, 1)/per)
		in.line("threadgroup %s* %s = &%s;", typ, v.name, store)
		return
	}
	v.length = in.fresh(v.name + "_len")
	index := 0
	for _, a := range in.kernel.Args {
		if a.Kind == "threadgroup" {
			index++
		}
	}
	in.kernel.Args = append(in.kernel.Args, Arg{Name: id.Name, As: v.name, Kind: "threadgroup", Index: index, Type: typ},
		Arg{Name: "len(" + id.Name + ")", As: v.length, Kind: "length", Of: id.Name, Index: in.buffers(), Type: "uint"})
	in.shared = append(in.shared, fmt.Sprintf("threadgroup %s* %s [[threadgroup(%d)]]", typ, v.name, index),
		fmt.Sprintf("constant uint& %s [[buffer(%d)]]", v.length, in.buffers()-1))
	in.line("go::zero((threadgroup %s*)%s, %s * %d, _index, _count);", unit, v.name, v.length, max(size, 1)/per)
}

// buffers returns how many buffers the arguments so far are.
func (in *instance) buffers() (n int) {
	for _, a := range in.kernel.Args {
		if a.Kind == "buffer" || a.Kind == "value" || a.Kind == "length" {
			n++
		}
	}
	return n
}

// builtin returns a call of a predeclared function.
func (in *instance) builtin(x *ast.CallExpr) val {
	name := ""
	switch f := ast.Unparen(x.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = "unsafe." + f.Sel.Name
	}
	switch name {
	case "len", "cap":
		if a, ok := arrayOf(in.typeOf(x.Args[0])); ok {
			return val{fmt.Sprint(a.Len()), primary}
		}
		if name == "cap" {
			in.refuse(x, "cap; use len")
		}
		return val{"long(" + in.length(x.Args[0]) + ")", primary}
	case "min", "max":
		t := in.typeOf(x)
		in.noBits(x, t)
		typ := in.typ(x, t, "")
		texts := in.args(x.Args, slices.Repeat([]types.Type{t}, len(x.Args)))
		out := in.as(typ, texts[0])
		f := "metal::" + name
		if typ == "float" {
			in.t.helpers[name] = true
			f = "go::" + name
		}
		for _, s := range texts[1:] {
			out = fmt.Sprintf("%s(%s, %s)", f, out, in.as(typ, s))
		}
		return val{out, primary}
	case "copy":
		in.effects = true
		to, from := in.spaceOf(x.Args[0]), in.spaceOf(x.Args[1])
		if to == constantSpace {
			in.refuse(x, "copy to a table of the package; use an array")
		}
		helper := "copy"
		if to == from {
			helper = "move"
		}
		in.t.helpers[helper], in.t.helpers["slice"] = true, true
		return val{fmt.Sprintf("go::%s(%s, %s)", helper, in.expr(x.Args[0]).s, in.expr(x.Args[1]).s), primary}
	case "clear":
		in.effects = true
		in.t.helpers["clear"] = true
		in.t.helpers["slice"] = true
		return val{fmt.Sprintf("go::clear(%s)", in.expr(x.Args[0]).s), primary}
	case "append", "make", "new", "delete", "close", "complex", "real", "imag", "print", "println", "recover":
		remedy := map[string]string{"append": "kernels cannot make slices longer; use an array and a count",
			"make": "kernels have no memory to take; use an array or a slice that is a parameter",
			"new":  "kernels have no memory to take; declare a variable", "print": "use kernel.Printf",
			"println": "use kernel.Printf",
			"recover": "kernels do not panic", "delete": "kernels have no maps", "close": "kernels have no channels",
			"complex": "use two numbers", "real": "use two numbers", "imag": "use two numbers"}[name]
		in.refuse(x, "%s: %s", name, remedy)
	case "panic":
		in.refuse(x, "panic; return, or write to a slice that something is wrong")
	}
	in.refuse(x, "%s: kernels do not have it", name)
	return val{}
}

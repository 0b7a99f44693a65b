package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// infers reports whether the program's language has no address spaces, so that they are inferred.
func (c *checker) infers() bool { return c.opts.Dialect.Host() }

// ownName reports whether the dialect's library has a name.
func (c *checker) ownName(name string) bool {
	return c.library != nil && c.library.Has(name) && !c.inHeaderText()
}

// inHeaderText reports whether the current scope is in a header of this compiler, written in Metal.
func (c *checker) inHeaderText() bool {
	for s := c.sc; s != nil; s = s.parent {
		if s.kind == nsScope && s.name == "puremetal" && s.parent == c.global {
			return true
		}
	}
	return false
}

// isBuiltinVar reports whether a name is a variable of the language that is a function of its
// library, such as threadIdx.
func (c *checker) isBuiltinVar(name string, y *sym) bool {
	switch name {
	case "threadIdx", "blockIdx", "blockDim", "gridDim":
		return !y.empty() && y.val == nil && len(y.fns) > 0 && y.fns[0].scope == c.own
	}
	return false
}

// spaceArg returns the address space that a template parameter of the dialect stands for.
func (c *checker) spaceArg(name string) types.AddrSpace {
	if y := c.lookup(name); y != nil {
		if t, ok := y.typ.(*typeName); ok {
			return t.q.Space
		}
	}
	return types.None
}

// space deduces the address space of a pointer or reference.
func (d *deducer) space(p *ast.QualType, s types.AddrSpace) bool {
	if p.SpaceParam == "" || d.names[p.SpaceParam] == nil {
		return true
	}
	return d.bind(p.SpaceParam, arg{kind: argType, q: Q{Type: types.Void, Space: s.Or(types.Thread)}})
}

// ordering reports whether a type stands for a template parameter in the partial order of
// templates, so that only a template parameter matches it.
func (d *deducer) ordering(a Q) bool {
	s, ok := a.Type.(*types.Struct)
	return ok && d.c.infers() && strings.HasPrefix(s.Name, "order:")
}

// inferredSpace returns the pointer or reference whose address space is inferred.
func inferredSpace(t ast.TypeExpr) bool {
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	switch p := t.(type) {
	case *ast.PointerType:
		t = p.Elem
	case *ast.ReferenceType:
		t = p.Elem
	default:
		return false
	}
	q, ok := t.(*ast.QualType)
	return ok && q.Space == ast.Inferred && q.SpaceParam == ""
}

// takeSpace gives a pointer or reference that is declared as t the address space of what e points
// to or is.
func (c *checker) takeSpace(q *Q, t ast.TypeExpr, e typed.Expr) {
	if !c.infers() || !inferredSpace(t) {
		return
	}
	defer func() { c.recordSpace(t, *q) }()
	switch r := q.Type.(type) {
	case *types.Pointer:
		if s := c.pointedSpace(e); s != types.None {
			q.Type = c.u.Pointer(withSpace(r.Elem, s))
		} else if b, ok := e.Type().(*types.Basic); ok && b.IsInteger() && b.Size() == 8 && !isZero(e) {
			q.Type = c.u.Pointer(withSpace(r.Elem, types.Device)) // an address that was a number
		}
	case *types.Reference:
		b := e.Base()
		switch {
		case !b.LValue:
		case r.Elem.Const && r.Elem.Type != b.Typ && !c.hasAuto(r.Elem): // to a copy of another type
		default:
			q.Type = c.u.Reference(withSpace(r.Elem, b.Space.Or(types.Thread)), r.RValue)
		}
	}
}

func withSpace(q Q, s types.AddrSpace) Q {
	q.Space = s
	return q
}

// pointedSpace returns the address space of the object that an expression points to, or None.
func (c *checker) pointedSpace(e typed.Expr) types.AddrSpace {
	switch t := e.Type().(type) {
	case *types.Pointer:
		return t.Elem.Space.Or(types.Thread)
	case *types.Array:
		return e.Base().Space.Or(types.Thread)
	}
	return types.None
}

// openSpace reports whether a variable is a pointer whose address space its first assignment gives:
// it has no initializer, or that is null.
func openSpace(d *ast.VarDecl, q Q, init typed.Expr) bool {
	if _, ok := q.Type.(*types.Pointer); !ok || !inferredSpace(d.Type) {
		return false
	}
	for {
		switch e := init.(type) {
		case *typed.Convert:
			init = e.X
			continue
		case nil, *typed.Zero:
			return true
		}
		return isZero(init) || isNullConst(init)
	}
}

// isNullConst reports whether an expression is a null pointer. A text is a constant pointer too.
func isNullConst(e typed.Expr) bool {
	k, ok := e.(*typed.Const)
	if !ok {
		return false
	}
	_, ok = k.Typ.(*types.Pointer)
	return ok && k.Value.Ref == nil
}

// pendingVar returns the variable that an expression names if its address space is open.
func (c *checker) pendingVar(x ast.Expr) *variable {
	if n, ok := x.(*ast.NameExpr); ok && c.infers() {
		if y := c.lookup(n.Name.Simple()); y != nil {
			if v, ok := y.val.(*variable); ok && v.pending {
				return v
			}
		}
	}
	return nil
}

// settle gives a pointer its address space. One that is read before it is assigned points to device
// memory.
func (c *checker) settle(v *variable, s types.AddrSpace) {
	p, ok := v.q.Type.(*types.Pointer)
	if v.pending = false; !ok || v.v == nil {
		return
	}
	if s == types.None {
		s = types.Device
	}
	v.q.Type = c.u.Pointer(withSpace(p.Elem, s))
	c.setVar(v.v, v.q)
	if v.written != nil {
		c.recordSpace(v.written, v.q)
	}
	if v.null != nil && v.null.Init != nil {
		v.null.Init = &typed.Zero{Info: rvAt(v.null.Init.Pos(), v.q.Type)}
	}
}

// hostVar declares a variable that the host sets, or whose length the host gives, as an argument of
// the kernels that use it. It returns false for any other variable.
func (c *checker) hostVar(v *variable, d *ast.VarDecl) bool {
	if !c.infers() || c.sc == c.own || c.inPrelude {
		return false
	}
	q := memoryOf(d.Type)
	if q == nil {
		return c.handleVar(v, d)
	}
	switch q.Space {
	case ast.Constant:
		if d.InitKind != ast.NoInit {
			return false
		}
	case ast.Device:
		if d.InitKind != ast.NoInit && (q.Const || d.Spec.Constexpr || !zeroInit(d.Init)) {
			// It keeps its value where kernels cannot change it: an assignment is an error.
			c.kept = c.kept || !q.Const && !d.Spec.Constexpr
			q.Space, q.Const = ast.Constant, true
			return false
		}
	case ast.Threadgroup:
		if !d.Spec.Extern {
			return false
		}
	default:
		return false
	}
	t := c.typ(d.Type)
	v.state = stateDone
	if c.isBad(t.Type) {
		v.q = t
		return true
	}
	name := d.Name.Last().Ident
	if t.Space == types.Threadgroup {
		c.sharedVar(v, name, t, d)
		return true
	}
	if !c.need(t.Type, d) {
		v.q = c.badQ()
		return true
	}
	t.Const = t.Const || t.Space == types.Constant
	v.q = Q{Type: c.u.Reference(t, false)}
	v.v = c.varOf(name, v.q, typed.Param, d)
	v.v.ID = -1
	c.hostVars[v.v] = v
	return true
}

// handleVar declares a texture or sampler of the program.
func (c *checker) handleVar(v *variable, d *ast.VarDecl) bool {
	n, ok := d.Type.(*ast.NamedType)
	if !ok || n.Name.Parts[0].Ident != "metal" {
		return false
	}
	v.q = c.typ(d.Type)
	v.state = stateDone
	if !isHandle(v.q.Type) {
		return false
	}
	v.v = c.varOf(d.Name.Last().Ident, v.q, typed.Param, d)
	v.v.ID = -1
	c.hostVars[v.v] = v
	return true
}

// keptNote explains why a variable that has a value cannot be changed.
func (c *checker) keptNote() string {
	if !c.kept {
		return ""
	}
	return "; a '__device__' variable with an initializer keeps its value: the host must set one that kernels change"
}

// doubleLiteral warns, once, that literals without a suffix are float.
func (c *checker) doubleLiteral(x *ast.FloatLit) {
	if c.floatsSaid || c.trap != nil || !c.infers() || c.inLibrary() || c.inHeaderText() {
		return
	}
	c.floatsSaid = true
	c.warnf(diag.DialectLiteral, x, "'%s' has no suffix: such literals are float in this file, not double", x.Text)
}

// conversionOfBFloat is an implicit conversion of CUDA C++ from or to bfloat16, a class there.
func conversionOfBFloat(from, to types.Type) conv {
	a, ok := from.(*types.Basic)
	b, both := to.(*types.Basic)
	if !ok || !both || !a.IsArithmetic() || !b.IsArithmetic() {
		return conv{}
	}
	std := types.Explicit(from, to)
	std.Rank = types.Converted
	return conv{ok: std.OK(), std: std, rank: rankUser, inC: true}
}

// convertedInCUDA converts a number. A device of NVIDIA converts to integers of 32 bits first,
// which saturates, if the type has 8 or 16, and what is not a number to the least of 64 bits.
func (c *checker) convertedInCUDA(v typed.Expr, to types.Type) typed.Expr {
	a, ok := v.Type().(*types.Basic)
	b, both := to.(*types.Basic)
	if !ok || !both || !a.IsFloat() || !b.IsInteger() || c.inLibrary() {
		return c.converted(v, typed.ConvArith, to)
	}
	how := castInCUDA(b)
	switch {
	case how.To != nil:
		c.recordCast(v, how)
		v = c.converted(v, typed.ConvArith, how.To)
	case how.Call != "" && c.trap == nil:
		if _, constant := v.(*typed.Const); constant {
			break
		}
		c.recordCast(v, how)
		if v.Type() != types.Type(types.Float) {
			v = c.converted(v, typed.ConvArith, types.Float)
		}
		return c.ownCall(how.Call, at{v.Pos()}, v)
	}
	return c.converted(v, typed.ConvArith, to)
}

// castInCUDA returns how a number becomes an integer: by a conversion to a type on the way, or by a
// function of the library. The zero Cast is Metal's conversion.
func castInCUDA(to *types.Basic) Cast {
	switch {
	case to == types.Bool:
	case to.Size() < 4 && to.IsSigned():
		return Cast{To: types.Int}
	case to.Size() < 4:
		return Cast{To: types.UInt}
	case to.Size() == 8 && to.IsSigned():
		return Cast{Call: "__float_to_long"}
	case to.Size() == 8:
		return Cast{Call: "__float_to_ulong"}
	}
	return Cast{}
}

// narrowed is a op= b where the result is a number and a is an integer to which CUDA C++ converts
// otherwise than Metal; nil means to go on.
func (c *checker) narrowed(op types.Op, a, b typed.Expr, x ast.Node) typed.Expr {
	to, ok := a.Type().(*types.Basic)
	if !ok || !c.infers() || c.inLibrary() || !to.IsInteger() || castInCUDA(to) == (Cast{}) {
		return nil
	}
	if r, ok := types.BinaryOperands(op, to, b.Type()).Result.(*types.Basic); !ok || !r.IsFloat() {
		return nil
	}
	y, ok := x.(*ast.AssignExpr)
	if !ok || ast.HasEffects(y.X) {
		c.errorf(diag.DialectFeature, x, "an integer of %d bits that a number changes in place must be a variable or "+
			"a member, without a call in it: write the assignment in full", to.Size()*8)
		return c.badExpr(x)
	}
	sum := c.binaryExpr(op, a, b, x)
	if c.isBad(sum.Type()) {
		return sum
	}
	if r := c.opts.Record; r != nil && c.trap == nil {
		how := castInCUDA(to)
		how.Mixed = c.inTypeTemplate()
		r.Narrowed[y] = how
	}
	i := *a.Base()
	i.At = x.Pos()
	return &typed.Assign{Info: i, X: a, Y: c.load(c.convertedInCUDA(sum, to))}
}

// zeroInit reports whether an initializer gives what memory has that is not initialized.
func zeroInit(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.IntLit:
		return strings.Trim(e.Text, "0uUlLxX") == ""
	case *ast.FloatLit:
		return strings.Trim(e.Text, "0.fF") == ""
	case *ast.BoolLit:
		return !e.Value
	case *ast.NullptrLit:
		return true
	case *ast.InitList:
		for _, x := range e.Elems {
			if !zeroInit(x) {
				return false
			}
		}
		return true
	}
	return false
}

// memoryOf returns the qualifiers of a variable's objects.
func memoryOf(t ast.TypeExpr) *ast.QualType {
	for {
		switch e := t.(type) {
		case *ast.ArrayType:
			t = e.Elem
		case *ast.QualType:
			return e
		default:
			return nil
		}
	}
}

// sharedVar declares threadgroup memory whose length the host gives. All such variables of a
// program are the same memory. An argument has the name in its kernel, or that of the first.
func (c *checker) sharedVar(v *variable, name string, t Q, d *ast.VarDecl) {
	a, ok := t.Type.(*types.Array)
	if !ok || a.Len != types.Unsized {
		c.errorf(diag.BadArray, d, "'extern __shared__' variable '%s' must be an array without a length", name)
		v.q = c.badQ()
		return
	}
	v.q = Q{Type: c.u.Pointer(Q{Type: a.Elem, Space: types.Threadgroup, Const: t.Const, Volatile: t.Volatile})}
	if c.fn != nil && c.fn.out != nil {
		if c.sharedNames[c.fn.out] == "" {
			c.sharedNames[c.fn.out] = name
		}
	}
	first := c.shared[""]
	if first == nil {
		v.v = c.varOf(name, v.q, typed.Param, d)
		v.v.ID = -1
		c.hostVars[v.v] = v
		c.shared[""] = v
		return
	}
	if first.q.Type == v.q.Type {
		v.v = first.v
		return
	}
	v.bind = &typed.Convert{Info: rv(d, v.q.Type), Kind: typed.ConvPointer, X: c.load(c.varRef(first, d.Pos()))}
}

// hostArg makes a variable of the program an argument of a kernel that uses it.
func (c *checker) hostArg(k *typed.Kernel, v *typed.Var) {
	h := c.hostVars[v]
	if h == nil {
		return
	}
	a := &typed.Arg{Kind: typed.ArgBuffer, Var: v, Count: 1, Host: true}
	switch t := h.q.Type.(type) {
	case *types.Reference:
		a.Elem, a.ByRef, a.ReadOnly = t.Elem.Type, true, t.Elem.Const
	case *types.Texture:
		a.Kind, a.Elem = typed.ArgTexture, t
	case *types.Opaque:
		a.Kind, a.Elem = typed.ArgSampler, t
	case *types.Pointer:
		a.Kind, a.Elem, a.Name = typed.ArgThreadgroup, t.Elem.Type, c.sharedNames[k.Func]
	}
	for _, b := range k.Args {
		if b.Kind != typed.ArgBuiltin && slotOf(b.Kind) == slotOf(a.Kind) {
			a.Index = max(a.Index, b.Index+b.Count)
		}
	}
	if limit := slotLimits[a.Kind]; a.Index >= limit {
		c.errorAt(diag.IndexLimit, v.Pos, diag.NoPos, "argument '%s' has no %s index left: there are %d", v.Name,
			a.Kind, limit)
		return
	}
	k.Args = append(k.Args, a)
}

// twoSpaces reports a pointer that is assigned pointers into two address spaces.
func (c *checker) twoSpaces(a, b typed.Expr, x *ast.AssignExpr) bool {
	p, ok := a.Type().(*types.Pointer)
	s := c.pointedSpace(b)
	if !ok || s == types.None || types.SameSpace(p.Elem.Space, s) {
		return false
	}
	c.errorf(diag.SpaceMismatch, x, "'%s' would point into the address space '%s' here and '%s' elsewhere",
		ast.ExprString(x.X), s, p.Elem.Space.Or(types.Thread))
	return true
}

// spec is an explicit specialization of a function template that has parameters for address spaces.
// It is used for all instances with these arguments, whatever their address spaces are.
type spec struct {
	key  string // of the arguments
	decl *ast.FuncDecl
}

// argsKey returns a key of the arguments of a template's parameters but those for address spaces.
func (c *checker) argsKey(f *function, args []arg) string {
	var list []arg
	for i, a := range args {
		if i >= len(f.tparams) || !dialect.IsSpace(f.tparams[i]) {
			list = append(list, a)
		}
	}
	return c.key(list)
}

// specializedFunc returns the declaration of an instance of a function template.
func (c *checker) specializedFunc(f *function, args []arg) *ast.FuncDecl {
	if len(f.specs) > 0 {
		key := c.argsKey(f, args)
		for _, s := range f.specs {
			if s.key == key {
				return s.decl
			}
		}
	}
	return f.decl
}

// specializeSpaces notes an explicit specialization of a template with parameters for address
// spaces. It returns false if the declaration is none of this template.
func (c *checker) specializeSpaces(f *function, d *ast.FuncDecl) bool {
	spaces := newScope(c.sc, bindScope, f.name)
	any := false
	for _, p := range f.tparams {
		if dialect.IsSpace(p) {
			any = true
			spaces.sym(p.Ident.Name).typ = &typeName{q: Q{Type: types.Void, Space: types.Thread}}
		}
	}
	if !any {
		return false
	}
	var g *function
	c.in(spaces, func() { g = c.matchSpec(f, d) })
	if g == nil {
		return false
	}
	key := c.argsKey(f, g.args)
	for k, old := range f.insts {
		if old == nil || c.argsKey(f, old.args) != key {
			continue
		}
		if old.queued {
			c.errorf(diag.LateSpecialization, d, "explicit specialization of '%s' after instantiation", f.name)
		}
		delete(f.insts, k)
	}
	for i, s := range f.specs {
		switch {
		case s.key != key:
			continue
		case s.decl.Body != nil && d.Body != nil:
			c.errorf(diag.Redefinition, d, "redefinition of the specialization of '%s'", f.name)
		case d.Body != nil:
			f.specs[i].decl = d
		}
		return true
	}
	f.specs = append(f.specs, spec{key, d})
	return true
}

// parameterTypes tells an overload of a kernel from others: the types of its parameters, as CUDA
// C++ writes them.
func (c *checker) parameterTypes(f *function) string {
	var list []string
	for _, p := range f.params {
		if r, ok := p.Type.(*types.Reference); ok && r.Elem.Space == types.Constant { // passed by value
			p = Q{Type: r.Elem.Type}
		}
		list = append(list, strings.NewReplacer("device ", "", " *", "*").Replace(p.String()))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// pointerResult returns the pointer type that the program writes for a result whose address space
// is deduced, or nil.
func pointerResult(t ast.TypeExpr) ast.TypeExpr {
	if a, ok := t.(*ast.AutoType); ok && a.Pointer != nil {
		return a.Pointer
	}
	return nil
}

// ofDouble are the functions of numbers that are double in CUDA C++ if an argument is an integer.
const ofDouble = " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 " +
	"fabs fdim floor fma fmax fmin fmod hypot lgamma log log10 log1p log2 logb nearbyint nextafter pow remainder rint " +
	"round rsqrt sin sinh sqrt tan tanh tgamma trunc "

// doubleOfInteger warns of a call that computes in float what CUDA C++ computes in double, for an
// argument is an integer.
func (c *checker) doubleOfInteger(f *function, args []typed.Expr, x ast.Node) {
	if !c.infers() || f.scope != c.own || c.inLibrary() || c.trap != nil || c.doubles[x.Pos()] ||
		!strings.Contains(ofDouble, " "+f.name+" ") {
		return
	}
	for _, a := range args {
		if b, ok := a.Type().(*types.Basic); ok && (b.IsInteger() || b == types.Bool) {
			c.doubles[x.Pos()] = true
			c.warnf(diag.DialectFloat, x, "'%s' of an integer is double in CUDA C++, and float here", f.name)
			return
		}
	}
}

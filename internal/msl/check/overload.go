package check

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [over.match]: candidates are viable ([over.match.viable]) if they take the number of arguments
// and each argument converts to its parameter. [over.match.best]: a viable function is better than
// another if none of its conversions is worse and one is better; or, with equal conversions, if it
// is no template and the other one is, or if its template is more specialized. The best one must be
// better than all others.

// match is a candidate that accepts the arguments of a call.
type match struct {
	fn    *function         // a function of the program, or
	lib   *builtin.Instance // one of the library
	convs []conv
	obj   int // rank of the object: fewer added qualifiers are better
}

// resolve picks the best candidate for a call. It reports a failure unless quietly is set.
func (c *checker) resolve(o *overload, args []typed.Expr, n ast.Node, quietly bool) *match {
	for _, a := range args {
		if _, ok := a.(*badExpr); ok {
			c.failed()
			return nil
		}
	}
	if len(o.fns) == 0 {
		if l := exact(o.lib, args); l != nil {
			return &match{lib: l, convs: identities(len(args))}
		}
	}
	var found []*match
	for _, f := range o.fns {
		if m := c.candidate(f, o, args); m != nil {
			found = append(found, m)
		}
	}
	for _, l := range o.lib {
		if m := c.libCandidate(l, args); m != nil {
			found = append(found, m)
		}
	}
	best, tie := c.pick(found, len(args))
	if best == nil {
		if !quietly {
			c.noMatch(o, args, n)
		}
		return nil
	}
	if tie != nil && !o.metal && !strings.HasPrefix(o.name, "__metal_") {
		if !quietly && best.lib != nil && best.lib.Fn.Flags.Has(builtin.Convergent) {
			c.noMatch(o, args, n) // overloads for some types only, without conversions
			return nil
		}
		if !quietly {
			d := diag.Errorf(diag.AmbiguousCall, n.Pos(), n.End(), "call to '%s' is ambiguous for arguments of types (%s)",
				o.name, argTypes(args))
			for _, m := range []*match{best, tie} {
				if m.fn != nil {
					d = d.WithNote(m.fn.decl.Pos(), diag.NoPos, "candidate function '%s'", m.fn.out.Linkage)
				} else {
					d = d.WithNote(diag.NoPos, diag.NoPos, "candidate library function '%s'", libSignature(m.lib))
				}
			}
			c.report(d)
		}
		return nil
	}
	if best.fn != nil && best.fn.decl.Deleted {
		if !quietly {
			c.deletedFunction(o.name, best.fn, args, n)
		}
		return nil
	}
	return best
}

func (c *checker) deletedFunction(name string, f *function, args []typed.Expr, n ast.Node) {
	c.report(diag.Errorf(diag.DeletedFunction, n.Pos(), n.End(),
		"call to deleted function '%s' with arguments of types (%s)", name, argTypes(args)).
		WithNote(f.decl.Pos(), diag.NoPos, "explicitly deleted here"))
}

func argTypes(args []typed.Expr) string {
	var parts []string
	for _, a := range args {
		switch a := a.(type) {
		case *initList:
			parts = append(parts, "{...}")
		case *overload:
			parts = append(parts, "function "+a.name)
		default:
			q := qOf(a)
			if q.Space == types.Thread {
				q.Space = types.None
			}
			parts = append(parts, q.String())
		}
	}
	return strings.Join(parts, ", ")
}

func (c *checker) noMatch(o *overload, args []typed.Expr, n ast.Node) {
	if c.library != nil && c.wideAtomic(o.name, args, n) {
		return
	}
	if len(o.fns)+len(o.lib) == 1 && len(o.fns) == 1 && !o.fns[0].isTemplate() && c.signature(o.fns[0]) {
		f := o.fns[0]
		if len(args) > len(f.params) && !f.decl.Variadic {
			c.report(diag.Errorf(diag.ArgumentCount, n.Pos(), n.End(),
				"too many arguments to '%s': %d given, %d expected", o.name,
				len(args), len(f.params)).
				WithNote(f.decl.Pos(), diag.NoPos, "'%s' is declared here", o.name))
			return
		}
		if need := required(f); len(args) < need {
			c.report(diag.Errorf(diag.ArgumentCount, n.Pos(), n.End(),
				"too few arguments to '%s': %d given, %d expected", o.name,
				len(args), need).
				WithNote(f.decl.Pos(), diag.NoPos, "'%s' is declared here", o.name))
			return
		}
		if o.obj == nil || c.objectFits(o.obj, f) {
			for i, a := range args {
				if i < len(f.params) && !c.classify(a, f.params[i]).ok {
					c.noConversion(a, f.params[i], "parameter")
					return
				}
			}
		}
	}
	d := diag.Errorf(diag.NoMatchingFunction, n.Pos(), n.End(),
		"no matching function for call to '%s' with arguments of types (%s)", o.name, argTypes(args))
	if o.obj != nil {
		q := qOf(o.obj)
		d.Message += " on an object of type '" + q.String() + "'"
	}
	c.report(c.withCandidates(d, o, args))
}

// required returns the minimum number of arguments of a function.
func required(f *function) int {
	n := len(f.params)
	if len(f.decl.Params) != n {
		return n
	}
	for n > 0 && f.decl.Params[n-1].Default != nil {
		n--
	}
	return n
}

// candidate tries a function or function template.
func (c *checker) candidate(f *function, o *overload, args []typed.Expr) *match {
	return c.candidateUser(f, o, args, true)
}

// candidateUser is candidate; it ignores user-defined conversions unless user is set.
func (c *checker) candidateUser(f *function, o *overload, args []typed.Expr, user bool) *match {
	c.step()
	if f.isTemplate() {
		if !arityFits(f.decl, len(args)) {
			need, most := arity(f.decl)
			c.because("%s", wrongCount(need, most, len(args)))
			return nil
		}
		if f = c.deduceCall(f, o.targs, args, o.scope); f == nil {
			return nil
		}
	} else if len(o.targs) > 0 || !c.signature(f) {
		c.because("it is not a template")
		return nil
	}
	if f.decl.Deleted && (f.decl.Ctor || c.explaining()) {
		c.because("it is deleted")
		return nil
	}
	if len(args) > len(f.params) && !f.decl.Variadic || len(args) < required(f) {
		c.because("%s", wrongCount(required(f), len(f.params), len(args)))
		return nil
	}
	m := &match{fn: f}
	if f.isMethod() && o.obj != nil {
		if f.decl.Ctor {
			if !types.SameSpace(f.space, o.obj.Base().Space) {
				return nil
			}
		} else {
			if !c.objectFits(o.obj, f) {
				c.because("it takes an object of type '%s', not '%s'", Q{Type: f.class.st, Const: f.konst, Space: f.space},
					qOf(o.obj))
				return nil
			}
			if f.konst && !o.obj.Base().Const {
				m.obj++
			}
		}
	}
	var ok bool
	if m.convs, ok = c.convs(f.params, args, user); !ok {
		return nil
	}
	return m
}

func arityFits(d *ast.FuncDecl, n int) bool {
	need := 0
	for _, p := range d.Params {
		if _, ok := p.Type.(*ast.PackType); ok {
			return n >= need
		}
		if p.Default == nil {
			need++
		}
	}
	return n >= need && (n <= len(d.Params) || d.Variadic)
}

func (c *checker) libCandidate(l *builtin.Instance, args []typed.Expr) *match {
	if len(args) > len(l.Params) && !l.Fn.Variadic || len(args) < l.Required() {
		return nil
	}
	c.step()
	list, ok := c.convs(l.Params, args, true)
	if !ok {
		return nil
	}
	return &match{lib: l, convs: list}
}

// exact returns the first library function whose parameter types equal the argument types: no other
// can be better.
func exact(list []*builtin.Instance, args []typed.Expr) *builtin.Instance {
	for _, a := range args {
		switch a.(type) {
		case *initList, *overload, *typeOperand:
			return nil
		}
		switch a.Type().(type) {
		case *types.Basic, *types.Vector:
		default:
			return nil
		}
	}
next:
	for _, l := range list {
		if len(l.Params) != len(args) {
			continue
		}
		for i, a := range args {
			if a.Type() != l.Params[i].Type {
				continue next
			}
		}
		return l
	}
	return nil
}

// identities returns n identity conversions.
func identities(n int) []conv {
	list := make([]conv, n)
	for i := range list {
		list[i] = conv{ok: true, std: types.Conversion{Kind: types.Identity}}
	}
	return list
}

// convs returns the conversions of arguments to parameters, or false if one cannot be converted, as
// for most candidates.
func (c *checker) convs(params []Q, args []typed.Expr, user bool) ([]conv, bool) {
	base := len(c.scratch)
	defer func() { c.scratch = c.scratch[:base] }()
	for i, a := range args {
		if i >= len(params) {
			c.scratch = append(c.scratch, conv{ok: true, rank: rankEllipsis})
			continue
		}
		k := c.classifyUser(a, params[i], user)
		c.scratch = append(c.scratch, k)
		if !k.ok {
			if c.explaining() {
				c.because("argument %d of type '%s' does not convert to '%s'", i+1, argTypes(args[i:i+1]), spell(params[i]))
			}
			return nil, false
		}
	}
	return slices.Clone(c.scratch[base:]), true
}

// pick finds the candidate that is better than all others; tie is one that it does not beat.
func (c *checker) pick(list []*match, n int) (best, tie *match) {
	c.spend(2*len(list), 0)
	for _, m := range list {
		if best == nil || c.better(m, best, n) {
			best = m
		}
	}
	for _, m := range list {
		if m != best && !c.better(best, m, n) && !sameLib(m, best) {
			return best, m
		}
	}
	return best, nil
}

// sameLib reports whether two library entries have the same parameters; the first is then used.
func sameLib(a, b *match) bool {
	return a.lib != nil && b.lib != nil && sameParams(a.lib.Params, b.lib.Params)
}

func (c *checker) better(a, b *match, n int) bool {
	wins := false
	if a.obj != b.obj {
		if a.obj > b.obj {
			return false
		}
		wins = true
	}
	for i := range a.convs {
		switch k := a.convs[i].compare(b.convs[i]); {
		case k > 0:
			return false
		case k < 0:
			wins = true
		}
	}
	if wins {
		return true
	}
	if a.fn == nil || b.fn == nil {
		// A non-template function of the program beats the library's functions, some of which are
		// templates; a template loses to those that are not.
		if a.fn != nil {
			return b.fn == nil && a.fn.tmpl == nil
		}
		return b.fn != nil && b.fn.tmpl != nil && !libTemplateFunc(a.lib.Fn.Name)
	}
	switch {
	case a.fn.tmpl == nil && b.fn.tmpl != nil:
		return true
	case a.fn.tmpl != nil && b.fn.tmpl != nil:
		return c.functionOrder(a.fn.tmpl, b.fn.tmpl, n)
	}
	return false
}

// libTemplateFunc reports whether a function is a template in Metal's own headers; math functions
// are ordinary overloads.
func libTemplateFunc(name string) bool {
	for _, prefix := range []string{"simd_", "quad_", "atomic_", "simdgroup_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// resolveCtor picks a constructor for an object in an address space.
func (c *checker) resolveCtor(fns []*function, args []typed.Expr, space types.AddrSpace, noUser bool) (*match, *match) {
	var found []*match
	o := &overload{obj: &badExpr{typed.Info{LValue: true, Space: space}}, scope: c.sc}
	for _, f := range fns {
		if noUser && len(args) == 1 && f.isTemplate() && c.depth > 64 {
			continue
		}
		m := c.ctorCandidate(f, o, args, noUser)
		if m != nil {
			found = append(found, m)
		}
	}
	return c.pick(found, len(args))
}

// ctorCandidate is candidate for a constructor. Within an implicit conversion, the constructor's
// argument cannot undergo another user-defined conversion.
func (c *checker) ctorCandidate(f *function, o *overload, args []typed.Expr, noUser bool) *match {
	if noUser {
		if c.ctorDepth > 4 {
			return nil
		}
		c.ctorDepth++
		defer func() { c.ctorDepth-- }()
	}
	m := c.candidateUser(f, o, args, !noUser)
	if m == nil {
		return nil
	}
	for _, k := range m.convs {
		if noUser && k.rank == rankUser {
			return nil
		}
	}
	return m
}

func libSignature(l *builtin.Instance) string {
	var parts []string
	for _, p := range l.Params {
		parts = append(parts, p.String())
	}
	return l.Fn.Name + "(" + strings.Join(parts, ", ") + ")"
}

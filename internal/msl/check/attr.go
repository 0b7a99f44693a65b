package check

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// inputAttrs are the attributes of system-supplied kernel arguments, with the largest vector each
// allows.
var inputAttrs = [...]struct {
	name string
	most int
}{
	{"thread_position_in_grid", 3},
	{"thread_position_in_threadgroup", 3},
	{"threadgroup_position_in_grid", 3},
	{"threads_per_grid", 3},
	{"threads_per_threadgroup", 3},
	{"threadgroups_per_grid", 3},
	{"dispatch_threads_per_threadgroup", 3},
	{"grid_origin", 3},
	{"grid_size", 3},
	{"thread_index_in_threadgroup", 1},
	{"thread_index_in_simdgroup", 1},
	{"thread_index_in_quadgroup", 1},
	{"simdgroup_index_in_threadgroup", 1},
	{"quadgroup_index_in_threadgroup", 1},
	{"simdgroups_per_threadgroup", 1},
	{"quadgroups_per_threadgroup", 1},
	{"threads_per_simdgroup", 1},
	{"thread_execution_width", 1},
	{"dispatch_simdgroups_per_threadgroup", 1},
	{"dispatch_quadgroups_per_threadgroup", 1},
}

// inputAttr returns the largest vector an attribute allows, or 0 if it is not one of inputAttrs.
func inputAttr(name string) int {
	for i := range inputAttrs {
		if inputAttrs[i].name == name {
			return inputAttrs[i].most
		}
	}
	return 0
}

// renderInputs are argument attributes that only render stages have.
var renderInputs = [...]string{"vertex_id", "instance_id", "base_vertex", "base_instance", "position", "front_facing",
	"point_coord", "point_size", "sample_id",
	"sample_mask", "primitive_id", "barycentric_coord", "render_target_array_index", "viewport_array_index",
	"amplification_id", "amplification_count", "patch_id",
	"position_in_patch", "color", "depth", "stencil", "clip_distance", "attribute"}

// bindsArgument reports whether an attribute says where an entry point's argument comes from.
func bindsArgument(name string) bool {
	switch name {
	case "buffer", "texture", "sampler", "threadgroup", "stage_in":
		return true
	}
	return inputAttr(name) > 0
}

// slots are the argument indices of one kind that are taken.
type slots struct {
	used map[int]*ast.Param
	next int
}

var slotLimits = [...]int{typed.ArgBuffer: 31, typed.ArgTexture: 128, typed.ArgSampler: 16, typed.ArgThreadgroup: 31,
	typed.ArgVisibleFunctionTable: 31}

// kernelArgs resolves the argument attributes of an entry point.
func (c *checker) kernelArgs(k *typed.Kernel, f *function) {
	var space [4]slots
	for i := range space {
		space[i].used = make(map[int]*ast.Param)
	}
	i := 0
	var params []*ast.Param
	c.in(f.bscope, func() {
		for _, p := range f.decl.Params {
			c.attrVersions(p.Attrs)
			if pt, ok := p.Type.(*ast.PackType); ok {
				if len(c.packsIn(pt.Elem)) > 0 {
					c.expand(pt.Elem, p, func() { params = append(params, p) })
				}
				continue
			}
			params = append(params, p)
		}
	})
	var open []*typed.Arg
	var first *variable // first input that is a position or size
	for _, p := range params {
		if i >= len(f.vars) {
			break
		}
		v := f.vars[i]
		a := c.kernelArg(p, v, f)
		i++
		if a != nil && a.Kind == typed.ArgBuiltin && inputAttr(a.Builtin) == 3 {
			if _, vector := v.q.Type.(*types.Vector); !vector || strings.HasPrefix(a.Builtin, "grid_") {
				// It is an open question whether scalars may be mixed with vectors, so they are
				// accepted.
			} else if first == nil {
				first = v
			} else if types.LenOf(first.q.Type) != types.LenOf(v.q.Type) {
				c.report(diag.Errorf(diag.AttributeType, p.Pos(), p.End(),
					"vector positions and sizes must have the same length, but '%s' is '%s' and '%s' is '%s'",
					first.name, first.q, v.name, v.q).WithNote(first.v.Pos, diag.NoPos, "'%s' is declared here", first.name))
			}
		}
		if a == nil {
			continue
		}
		k.Args = append(k.Args, a)
		if a.Kind == typed.ArgBuiltin || a.Kind == typed.ArgStageIn {
			continue
		}
		if a.Index < 0 {
			open = append(open, a)
			continue
		}
		s := &space[slotOf(a.Kind)]
		for n := a.Index; n < a.Index+a.Count; n++ {
			if old := s.used[n]; old != nil && a.Condition == nil {
				c.report(diag.Errorf(diag.IndexClash, p.Pos(), p.End(), "%s index %d is used by two arguments", a.Kind, n).
					WithNote(old.Pos(), diag.NoPos, "the other argument is here"))
			}
			if a.Condition == nil {
				s.used[n] = p
			}
		}
	}
	for _, a := range open {
		s := &space[slotOf(a.Kind)]
		for s.used[s.next] != nil {
			s.next++
		}
		a.Index = s.next
		if limit := slotLimits[a.Kind]; a.Index+a.Count > limit {
			c.errorAt(diag.IndexLimit, a.Var.Pos, diag.NoPos, "argument '%s' has no %s index left: there are %d", a.Var.Name,
				a.Kind, limit)
			return
		}
		for n := range a.Count {
			s.used[s.next+n] = params[0]
		}
	}
}

func slotOf(k typed.ArgKind) int {
	switch k {
	case typed.ArgTexture:
		return 1
	case typed.ArgSampler:
		return 2
	case typed.ArgThreadgroup:
		return 3
	}
	return 0
}

func (c *checker) kernelArg(p *ast.Param, v *variable, f *function) *typed.Arg {
	a := &typed.Arg{Var: v.v, Index: -1, Count: 1, Elem: v.q.Type}
	var given *ast.Attr
	c.in(f.bscope, func() {
		for _, at := range p.Attrs {
			if at.Name == "function_constant" {
				c.argCondition(a, at)
				continue
			}
			if bindsArgument(at.Name) {
				if given != nil {
					c.errorf(diag.AttributeClash, at, "'%s' and '%s' attributes are not compatible", given.Name, at.Name)
				}
				given = at
				continue
			}
			a.Attrs = append(a.Attrs, at.Name)
		}
	})
	if given != nil {
		if most := inputAttr(given.Name); most > 0 {
			a.Kind, a.Builtin = typed.ArgBuiltin, given.Name
			c.inputType(v, given, most)
			return a
		}
	}
	for _, at := range p.Attrs {
		if !at.GNU && slices.Contains(renderInputs[:], at.Name) {
			c.errorf(diag.AttributeType, at, "'%s' attribute does not apply to an argument of a kernel", at.Name)
			return nil
		}
	}
	if given != nil && given.Name == "stage_in" {
		a.Kind = typed.ArgStageIn
		c.errorf(diag.UnsupportedStageIn, given, "not supported: [[stage_in]] arguments of kernels")
		return a
	}
	if !c.argType(a, p, v, given) {
		return nil
	}
	if given == nil {
		return a
	}
	want := a.Kind.String()
	if a.Kind == typed.ArgVisibleFunctionTable {
		want = "buffer"
	}
	if given.Name != want {
		c.errorf(diag.AttributeType, given, "'%s' attribute does not apply to an argument of type '%s'", given.Name, v.q)
		return a
	}
	if len(given.Args) != 1 {
		c.errorf(diag.AttributeArgs, given, "'%s' attribute takes one argument", given.Name)
		return a
	}
	c.in(f.bscope, func() {
		n, ok := c.constInt(given.Args[0], "index")
		if !ok {
			return
		}
		if limit := slotLimits[a.Kind]; n < 0 || int(n)+a.Count > limit {
			c.errorf(diag.IndexLimit, given, "%s index %d is not between 0 and %d", given.Name, n, limit-1)
			return
		}
		a.Index = int(n)
	})
	return a
}

// argCondition resolves the function constant that decides whether an argument is present.
func (c *checker) argCondition(a *typed.Arg, at *ast.Attr) {
	if len(at.Args) != 1 {
		c.errorf(diag.AttributeArgs, at, "'function_constant' attribute takes one argument")
		return
	}
	e := c.expr(at.Args[0])
	if c.isBad(e.Type()) {
		return
	}
	if v, ok := e.(*typed.VarRef); ok && (v.Var.Kind == typed.FunctionConstant || v.Var.Kind == typed.SpecConstant) {
		if v.Var.Type != types.Type(types.Bool) {
			c.errorf(diag.AttributeType, at, "function constant '%s' of a condition must be bool, not '%s'", v.Var.Name,
				v.Var.Type)
		}
		a.Condition = v.Var
		return
	}
	c.errorf(diag.AttributeArgs, at, "'function_constant' attribute of an argument must name a function constant")
}

// inputType checks the type of a system-supplied argument.
func (c *checker) inputType(v *variable, at *ast.Attr, most int) {
	e, n := types.ElemOf(v.q.Type), types.LenOf(v.q.Type)
	if len(at.Args) > 0 {
		c.errorf(diag.AttributeArgs, at, "'%s' attribute takes no arguments", at.Name)
	}
	if _, packed := v.q.Type.(*types.Packed); packed {
		e = nil
	}
	if e == nil || n == 0 || n > most || e != types.UInt && e != types.UShort {
		want := "'uint' or 'ushort'"
		if most > 1 {
			want = "'uint', 'ushort' or a vector of up to three of them"
		}
		c.errorf(diag.AttributeType, at, "argument with '%s' attribute must be %s, not '%s'", at.Name, want, v.q)
	}
}

// argType determines from its type what an argument is bound to.
func (c *checker) argType(a *typed.Arg, p *ast.Param, v *variable, given *ast.Attr) bool {
	q := v.q
	var elem Q
	switch t := q.Type.(type) {
	case *types.Pointer:
		elem = t.Elem
	case *types.Reference:
		elem = t.Elem
		a.ByRef = true
		if isHandle(t.Elem.Type) {
			break
		}
	}
	if elem.Type == nil {
		return c.handleArg(a, p, q.Type, given)
	}
	if _, ok := elem.Type.(*types.Func); ok {
		c.errorf(diag.ArgumentType, p, "argument '%s' of a kernel cannot point to a function", v.name)
		return false
	}
	a.Elem = elem.Type
	if a.ByRef && types.SameSpace(elem.Space, types.Thread) && isHandle(elem.Type) {
		return c.handleArg(a, p, elem.Type, given)
	}
	switch elem.Space {
	case types.Device:
		a.Kind = typed.ArgBuffer
		a.ReadOnly = elem.Const
	case types.Constant:
		a.Kind = typed.ArgBuffer
		a.ReadOnly = true
	case types.Threadgroup:
		a.Kind = typed.ArgThreadgroup
	default:
		c.errorf(diag.ArgumentSpace, p,
			"argument '%s' of a kernel must point to 'device', 'constant' or 'threadgroup' memory, not '%s'", v.name, elem.Space)
		return false
	}
	if _, ok := elem.Type.(*types.Pointer); ok && a.Kind == typed.ArgBuffer {
		advice := ""
		if c.infers() {
			advice = ": pass one buffer with the offsets of its parts, or an argument for each"
		}
		c.errorf(diag.ArgumentType, p, "argument '%s' of a kernel cannot point to a pointer%s", v.name, advice)
		return false
	}
	if a.ByRef {
		c.need(elem.Type, p)
	}
	return true
}

func isHandle(t types.Type) bool {
	switch t := t.(type) {
	case *types.Texture, *types.Opaque:
		return true
	case *types.Struct:
		if t.Template == "metal::array" {
			return isHandle(t.Args[0].Type.Type)
		}
	}
	return false
}

func (c *checker) handleArg(a *typed.Arg, p *ast.Param, t types.Type, given *ast.Attr) bool {
	if s, ok := t.(*types.Struct); ok && s.Template == "metal::array" && isHandle(t) {
		n, _ := s.Args[1].Value.Int()
		a.Count = int(n)
		t = s.Args[0].Type.Type
	}
	switch t := t.(type) {
	case *types.Texture:
		a.Kind = typed.ArgTexture
		return true
	case *types.Opaque:
		switch t.Name {
		case "sampler":
			a.Kind = typed.ArgSampler
		case "visible_function_table":
			a.Kind = typed.ArgVisibleFunctionTable
		default:
			a.Kind = typed.ArgBuffer
		}
		return true
	}
	name := ""
	if p.Ident != nil {
		name = p.Ident.Name
	}
	if s, ok := t.(*types.Struct); ok && s.Template == "metal::array_ref" {
		c.errorf(diag.UnsupportedType, p, "not supported: arguments of type '%s'", t)
		return false
	}
	if given == nil && len(p.Attrs) > 0 && len(a.Attrs) == len(p.Attrs) {
		at := p.Attrs[0]
		meant := ""
		inputs := func(yield func(string) bool) {
			for i := range inputAttrs {
				if !yield(inputAttrs[i].name) {
					return
				}
			}
		}
		if m := diag.Suggest(at.Name, inputs); m != "" {
			meant = "; did you mean '" + m + "'?"
		}
		c.errorf(diag.ArgumentType, at, "'%s' attribute does not say what argument '%s' of a kernel is bound to%s", at.Name,
			name, meant)
		return false
	}
	if given == nil {
		c.report(diag.Errorf(diag.ArgumentType, p.Pos(), p.End(), "argument '%s' of a kernel needs an "+
			"attribute, or to be a pointer, reference, texture or sampler, not '%s'", name, t).WithNote(p.Pos(), p.End(),
			"write 'constant %s &%s' for a value that the host sets, or add an attribute such as "+
				"[[thread_position_in_grid]]", t, name))
	} else {
		c.errorf(diag.AttributeType, given, "'%s' attribute does not apply to an argument of type '%s'", given.Name, t)
	}
	return false
}

package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

var texQueries = [...]ir.TexProperty{
	builtin.OpTexWidth: ir.TexWidth, builtin.OpTexHeight: ir.TexHeight, builtin.OpTexDepth: ir.TexDepth,
	builtin.OpTexArraySize: ir.TexArraySize, builtin.OpTexMipLevels: ir.TexMipLevels, builtin.OpTexSamples: ir.TexSamples,
}

// texture lowers texture methods and creates samplers.
func (c *libCall) texture() val {
	switch c.e.Op {
	case builtin.OpSamplerConstruct:
		return c.leaf(c.sampler())
	case builtin.OpSamplerIsNull:
		return c.leaf(c.isNull(c.args[0].v))
	}
	a := &texArgs{libCall: c, next: 1}
	a.recv()
	switch c.e.Op {
	case builtin.OpTexIsNull:
		return c.leaf(c.isNull(a.tex))
	case builtin.OpTexFence:
		c.b.Op(ir.OpTexFence, a.tex)
		return val{typ: c.e.Typ}
	case builtin.OpTexRead:
		at, layer := a.texel()
		v := c.b.Op(ir.OpTexRead, a.tex, at, layer, a.word())
		return a.result(v)
	case builtin.OpTexWrite:
		color := a.arg()
		at, layer := a.texel()
		c.b.Op(ir.OpTexWrite, a.tex, at, layer, a.word(), color.v)
		return val{typ: c.e.Typ}
	case builtin.OpTexSample, builtin.OpTexSampleCompare, builtin.OpTexGather, builtin.OpTexGatherCompare:
		return a.sample()
	case builtin.OpTexAtomicLoad, builtin.OpTexAtomicStore, builtin.OpTexAtomic, builtin.OpTexAtomicMinMax,
		builtin.OpTexAtomicCompareExchange:
		return a.atomic()
	case builtin.OpTexWidth, builtin.OpTexHeight, builtin.OpTexDepth, builtin.OpTexArraySize, builtin.OpTexMipLevels,
		builtin.OpTexSamples:
		v := c.b.OpImm(ir.OpTexQuery, ir.TVoid, int64(texQueries[c.e.Op]), a.tex, a.word())
		return c.leaf(c.convKind(v, types.UInt, types.ElemOf(c.e.Typ)))
	}
	panic(c.noCase())
}

// isNull reports whether an address or handle is null.
func (l *lowerer) isNull(v *ir.Value) *ir.Value {
	if v.Type != ir.TI64 {
		v = l.b.Op(ir.OpPtrToInt, v)
	}
	return l.b.Op(ir.OpEq, v, l.b.Int(ir.TI64, 0))
}

// texArgs reads the arguments of a texture method in order.
type texArgs struct {
	*libCall
	next int
	typ  *types.Texture
	tex  *ir.Value
}

func (a *texArgs) recv() {
	v := a.args[0]
	if v.v != nil && v.v.Type.Kind == ir.Pointer {
		v = a.loadAt(v.v, pointeeOf(v.typ).Type, false)
	}
	t, ok := v.typ.(*types.Texture)
	if !ok || v.v == nil {
		a.unsupported(a.e.At, "'%s' on '%s'", a.e.Fn.Name, v.typ)
	}
	a.typ, a.tex = t, v.v
}

func (a *texArgs) more() bool { return a.next < len(a.args) }

func (a *texArgs) arg() val {
	v := a.args[a.next]
	a.next++
	return v
}

// word reads an integer; the default is 0.
func (a *texArgs) word() *ir.Value {
	if !a.more() {
		return a.b.Int(ir.TI32, 0)
	}
	v := a.arg()
	return a.convKind(v.v, types.ElemOf(v.typ), types.UInt)
}

// texel reads the coordinates of a texel and its layer.
func (a *texArgs) texel() (at, layer *ir.Value) {
	at = a.word()
	layer = a.b.Int(ir.TI32, 0)
	if a.typ.Kind.IsCube() {
		layer = a.word()
	}
	if a.typ.Kind.IsArray() {
		index := a.word()
		if a.typ.Kind.IsCube() {
			index = a.b.Op(ir.OpMul, index, a.b.Int(ir.TI32, 6))
		}
		layer = a.b.Op(ir.OpAdd, index, layer)
	}
	return at, layer
}

// result is the result of a read or sample: for a depth texture, only the depth.
func (a *texArgs) result(v *ir.Value) val {
	if types.LenOf(a.e.Typ) == 1 {
		v = a.b.Extract(v, 0)
	}
	return a.leaf(v)
}

func (a *texArgs) sample() val {
	b := a.b
	smp := a.arg().v
	pos := a.arg().v
	layer := b.Int(ir.TI32, 0)
	if a.typ.Kind.IsArray() {
		layer = a.word()
		if a.typ.Kind.IsCube() {
			layer = b.Op(ir.OpMul, layer, b.Int(ir.TI32, 6))
		}
	}
	var reference *ir.Value
	if a.e.Op == builtin.OpTexSampleCompare || a.e.Op == builtin.OpTexGatherCompare {
		reference = a.arg().v
	}
	offsetType := ir.Vector(ir.I32, textureDims[a.typ.Kind].TexelCoords())
	lod, offset := b.Float(ir.TF32, 0), b.Const(offsetType, 0)
	var least *ir.Value
	atLeast := func(lod *ir.Value) *ir.Value { return lod }
	var grad []val
	component := int64(0)
	for a.more() {
		v := a.arg()
		switch t := v.typ.(type) {
		case *types.Struct:
			switch t.Name {
			case "level", "bias": // without derivatives, a bias adds to level 0
				lod = v.parts[0].v
			case "min_lod_clamp":
				least = v.parts[0].v
				atLeast = func(lod *ir.Value) *ir.Value { return b.Op(ir.OpFMax, lod, least) }
			default:
				if len(v.parts) != 2 {
					a.unsupported(a.e.At, "the option '%s'", t.Name)
				}
				grad = v.parts
			}
		case *types.Enum:
			component = a.libCall.word(a.next-1, "a component")
		default:
			offset = v.v
		}
	}
	switch a.e.Op {
	case builtin.OpTexGather:
		return a.leaf(b.OpImm(ir.OpTexGather, ir.TVoid, component, a.tex, smp, pos, layer, offset))
	case builtin.OpTexGatherCompare:
		return a.leaf(b.Op(ir.OpTexGatherCompare, a.tex, smp, pos, layer, reference, offset))
	case builtin.OpTexSampleCompare:
		if grad != nil {
			lod = b.Op(ir.OpTexLOD, a.tex, smp, pos, grad[0].v, grad[1].v)
		}
		lod = atLeast(lod)
		return a.leaf(b.Op(ir.OpTexCompare, a.tex, smp, pos, layer, reference, lod, offset))
	}
	if grad != nil {
		if least == nil {
			least = b.Float(ir.TF32, 0)
		}
		return a.result(b.Op(ir.OpTexSampleGrad, a.tex, smp, pos, layer, grad[0].v, grad[1].v, least, offset))
	}
	return a.result(b.Op(ir.OpTexSample, a.tex, smp, pos, layer, atLeast(lod), offset))
}

// sampler creates a sampler from constant properties.
func (c *libCall) sampler() *ir.Value {
	var s ir.SamplerState
	for _, arg := range c.e.Args {
		c.property(&s, arg)
	}
	i := slices.Index(c.f.Samplers, s)
	if i < 0 {
		i = len(c.f.Samplers)
		c.f.Samplers = append(c.f.Samplers, s)
	}
	return c.b.OpImm(ir.OpSamplerConst, ir.TVoid, int64(i))
}

func (c *libCall) property(s *ir.SamplerState, arg typed.Expr) {
	if st, ok := arg.Type().(*types.Struct); ok {
		c.numericProperty(s, st, arg)
		return
	}
	k, isConst := arg.(*typed.Const)
	e, isEnum := arg.Type().(*types.Enum)
	if !isConst || !isEnum {
		c.unsupported(arg.Pos(), "a sampler property of type '%s' that is not a constant", arg.Type())
	}
	word := ""
	for _, v := range e.Values {
		if v.Value.Bits() == k.Value.Bits() {
			word = v.Name
		}
	}
	linear := word == "linear"
	if word == "bicubic" {
		c.unsupported(arg.Pos(), "bicubic filters")
	}
	switch e.Name {
	case "coord":
		s.Unnormalized = word == "pixel"
	case "address":
		s.Address = [3]string{word, word, word}
	case "s_address":
		s.Address[0] = word
	case "t_address":
		s.Address[1] = word
	case "r_address":
		s.Address[2] = word
	case "border_color":
		s.Border = word
	case "filter":
		s.MagLinear, s.MinLinear = linear, linear
	case "mag_filter":
		s.MagLinear = linear
	case "min_filter":
		s.MinLinear = linear
	case "mip_filter":
		s.Mip = word
	case "reduction":
		s.Reduction = word
	case "compare_func":
		s.Compare = word
		if word == "none" {
			s.Compare = "never"
		}
	default:
		c.unsupported(arg.Pos(), "the sampler property '%s'", e.Name)
	}
}

func (c *libCall) numericProperty(s *ir.SamplerState, t *types.Struct, arg typed.Expr) {
	numbers := c.constNumbers(arg)
	switch {
	case t.Name == "max_anisotropy" && len(numbers) == 1:
		s.Anisotropy = int(numbers[0])
	case t.Name == "lod_clamp" && len(numbers) == 2:
		s.LODClamp = [2]float32{float32(numbers[0]), float32(numbers[1])}
		if s.LODClamp == [2]float32{} {
			s.LODClamp[0] = -1 // equivalent for LODs, and distinct from no clamp, which is both zero
		}
	case t.Name == "lod_bias" && len(numbers) == 1:
		s.LODBias = float32(numbers[0])
	default:
		c.unsupported(arg.Pos(), "the sampler property '%s'", t.Name)
	}
}

// constNumbers returns the members of a library struct built from constants.
func (c *libCall) constNumbers(e typed.Expr) (out []float64) {
	switch e := e.(type) {
	case *typed.Const:
		for _, v := range e.Value.Elems {
			out = append(out, v.Float())
		}
		if len(e.Value.Elems) == 0 {
			out = append(out, e.Value.Float())
		}
	case *typed.Builtin:
		for _, a := range e.Args {
			out = append(out, c.constNumbers(a)...)
		}
	case *typed.Aggregate:
		for _, a := range e.Elems {
			out = append(out, c.constNumbers(a)...)
		}
	}
	return out
}

package ir

import (
	"math"
	"slices"
)

// ValueType returns the type of OpArg for an argument, or TVoid if the argument is invalid.
func (a *Arg) ValueType() Type {
	switch a.Kind {
	case ArgBuffer:
		switch a.Space {
		case "device", "":
			return PointerTo(Device)
		case "constant":
			return PointerTo(Constant)
		}
	case ArgFunctionTable:
		return PointerTo(Constant)
	case ArgThreadgroup:
		return PointerTo(Threadgroup)
	case ArgTexture:
		if t, err := ParseType(a.Texture); err == nil && t.Kind == Texture {
			return t
		}
	case ArgSampler:
		return TSampler
	}
	return TVoid
}

var (
	addressModes = []string{"", "clamp_to_edge", "clamp_to_zero", "clamp_to_border", "repeat", "mirrored_repeat"}
	mipFilters   = []string{"", "none", "nearest", "linear"}
	borderColors = []string{"", "transparent_black", "opaque_black", "opaque_white"}
	reductions   = []string{"", "weighted_average", "minimum", "maximum"}
	compareFuncs = []string{"", "never", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "always"}
)

// maxThreadgroup is the maximum size of a variable in the threadgroup space and of any other number
// in the attributes: far more than a device has.
const maxThreadgroup = 1 << 30

// attributes checks the function's requirements for launches.
func (v *verifier) attributes() {
	a := &v.f.Attributes
	for _, n := range [...]int{a.MaxTotalThreads, a.ThreadgroupStatic, a.RequiredThreads[0], a.RequiredThreads[1],
		a.RequiredThreads[2]} {
		if n < 0 || n > maxThreadgroup {
			v.errorf("attribute value %d is not from 0 to %d", n, maxThreadgroup)
		}
	}
	if a.Native != "" {
		if err := v.f.checkNative(); err != nil {
			v.errorf("%v", err)
		}
	}
}

// data checks everything in a function except its body.
func (v *verifier) data() {
	f := v.f
	if f.Name == "" {
		v.errorf("has no name")
	}
	for i := range f.Args {
		a := &f.Args[i]
		if a.ValueType() == TVoid {
			v.errorf("argument %d %q: kind %q, space %q, texture %q are not those of an argument", i, a.Name, a.Kind, a.Space,
				a.Texture)
		}
		if a.Index < 0 || a.Count < 0 || a.Size < 0 || !validAlign(a.Align) {
			v.errorf("argument %d %q: index %d, count %d, size %d or alignment %d is out of range", i, a.Name, a.Index, a.Count,
				a.Size, a.Align)
		}
		if a.Access != "" && !slices.Contains(accessNames[Read:], a.Access) {
			v.errorf("argument %d %q: there is no access %q", i, a.Name, a.Access)
		}
		if a.Condition != "" && !slices.ContainsFunc(f.Constants,
			func(c FunctionConstant) bool { return c.Name == a.Condition }) {
			v.errorf("argument %d %q: its condition %q is not a function constant", i, a.Name, a.Condition)
		}
	}
	for i := range f.Args {
		if err := checkCondition(f, f.Args[i].When); err != nil {
			v.errorf("argument %d %q: its condition %q is not valid: %v", i, f.Args[i].Name, f.Args[i].When, err)
		}
	}
	for i, c := range f.Constants {
		if t, err := ParseType(c.Type); err != nil || t.Kind < I1 || t.Kind > F32 || c.Index < 0 {
			v.errorf("function constant %d %q: type %q or index %d is invalid", i, c.Name, c.Type, c.Index)
		}
	}
	for i, m := range f.Threadgroup {
		if m.Size < 0 || m.Size > maxThreadgroup || !validAlign(m.Align) {
			v.errorf("threadgroup variable %d %q: size %d or alignment %d is out of range", i, m.Name, m.Size, m.Align)
		}
	}
	v.attributes()
	for i, s := range f.Samplers {
		ok := slices.Contains(mipFilters, s.Mip) && slices.Contains(borderColors, s.Border) && slices.Contains(compareFuncs,
			s.Compare) &&
			slices.Contains(reductions, s.Reduction) && !math.IsNaN(float64(s.LODBias)) && !math.IsInf(float64(s.LODBias), 0)
		for _, a := range s.Address {
			ok = ok && slices.Contains(addressModes, a)
		}
		for _, l := range s.LODClamp {
			ok = ok && !math.IsNaN(float64(l)) && !math.IsInf(float64(l), 0)
		}
		if !ok {
			v.errorf("sampler %d has an invalid word or number", i)
		}
	}
	for i, in := range f.Inlined {
		if int(in.At.Scope) > i {
			v.errorf("inlined call %d is inside call %d, which does not precede it", i, in.At.Scope)
		}
	}
}

// message checks a log message.
func (v *verifier) message(in *Instr) {
	if in.Imm < 1 || in.Imm >= int64(numLogLevels) {
		v.errorf("level %d is not from 1 to %d", in.Imm, numLogLevels-1)
	}
	if len(in.Args) == 0 || in.Args[0].Type != TI32 {
		v.errorf("the first operand is not a log handle, an i32")
		return
	}
	args := in.Args[1:]
	for _, p := range LogPieces(in.Name) {
		k := p.Conversion
		switch {
		case k == nil:
			continue
		case !k.Valid() || k.Letter == 's':
			v.errorf("%q is not a valid conversion", k.Text)
			return
		case len(args) == 0:
			v.errorf("there is no operand for %q", k.Text)
			return
		case !k.takes(args[0].Type):
			v.errorf("operand %d has type %v, which %q does not accept", len(in.Args)-len(args), args[0].Type, k.Text)
		}
		args = args[1:]
	}
	if len(args) > 0 {
		v.errorf("has %d operands more than the format has conversions", len(args))
	}
}

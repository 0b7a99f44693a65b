package mslprint

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// matrix prints an operation on simdgroup matrices.
func (p *printer) matrix(in *ir.Instr) {
	ulong := func(i int) string { return bare(p.arg(in, i)) }
	declare := func() string {
		v := in.Result()
		name := p.temp(v.Type)
		p.line("%s %s;", p.typ(v.Type), name)
		p.texts[v] = name
		return name
	}
	transposed := in.Flags&ir.Transposed != 0
	switch in.Op {
	case ir.OpMatFill:
		p.define(in, fmt.Sprintf("make_filled_simdgroup_matrix<%s, 8, 8>(%s)", kindNames[in.Result().Type.Elem],
			bare(p.arg(in, 0))))
	case ir.OpMatDiag:
		p.define(in, fmt.Sprintf("make_diagonal_simdgroup_matrix<%s, 8, 8>(%s)", kindNames[in.Result().Type.Elem],
			bare(p.arg(in, 0))))
	case ir.OpMatLoad:
		name := declare()
		p.line("simdgroup_load(%s, %s, %s, ulong2(%s, %s), %t);", name,
			p.cast(in.Args[0], kindNames[in.Result().Type.Elem]), ulong(1), ulong(2), ulong(3), transposed)
	case ir.OpMatStore:
		p.line("simdgroup_store(%s, %s, %s, ulong2(%s, %s), %t);", p.arg(in, 0),
			p.cast(in.Args[1], kindNames[in.Args[0].Type.Elem]), ulong(2), ulong(3), ulong(4), transposed)
	case ir.OpMatGet:
		p.define(in, fmt.Sprintf("%s(%s.thread_elements())", typeName(in.Result().Type), p.named(in.Args[0])))
	case ir.OpMatSet:
		value := bare(p.arg(in, 0))
		p.line("%s.thread_elements() = %s;", declare(), value)
	case ir.OpMatMul:
		a, b := p.arg(in, 0), p.arg(in, 1)
		p.line("simdgroup_multiply(%s, %s, %s);", declare(), a, b)
	case ir.OpMatMac:
		a, b, c := p.arg(in, 0), p.arg(in, 1), p.arg(in, 2)
		p.line("simdgroup_multiply_accumulate(%s, %s, %s, %s);", declare(), a, b, c)
	}
}

// constant returns the number that all lanes of a constant have.
func constant(v *ir.Value) (uint64, bool) {
	if v.Def == nil || v.Def.Op != ir.OpConst {
		return 0, false
	}
	x := v.Def.Lane(0)
	for i := range v.Type.Lanes() {
		if v.Def.Lane(i) != x {
			return 0, false
		}
	}
	return x, true
}

func isZero(v *ir.Value) bool {
	x, ok := constant(v)
	return ok && x == 0
}

// layer returns the arguments for a layer: the face of a cube and the index in an array.
func (p *printer) layer(d ir.TextureDim, v *ir.Value, faces bool) (args []string) {
	text := p.value(v)
	switch {
	case d.IsCube() && d.IsArray() && faces:
		return []string{text + " % 6u", text + " / 6u"}
	case d.IsCube() && d.IsArray():
		return []string{text + " / 6u"}
	case d.IsCube() && faces, d.IsArray():
		return []string{bare(text)}
	case !isZero(v):
		p.unsupported("a layer of a %v texture", d)
	}
	return nil
}

// level returns the arguments for a level of detail or a sample of a texel.
func (p *printer) level(d ir.TextureDim, v *ir.Value) []string {
	if isZero(v) && !d.IsMultisample() {
		return nil
	}
	return []string{bare(p.value(v))}
}

// textures prints an operation on a texture.
func (p *printer) textures(in *ir.Instr) {
	tex := p.arg(in, 0)
	d := in.Args[0].Type.Dim
	var args []string
	call := func(method string) string { return fmt.Sprintf("%s.%s(%s)", tex, method, strings.Join(args, ", ")) }
	four := func(text string) string {
		if d.IsDepth() {
			return fmt.Sprintf("%s(%s)", typeName(in.Result().Type), text)
		}
		return text
	}
	switch in.Op {
	case ir.OpTexRead:
		args = append([]string{bare(p.arg(in, 1))}, p.layer(d, in.Args[2], true)...)
		if in.Imm == ir.TexReadAtomic {
			p.define(in, call("atomic_load"))
			return
		}
		args = append(args, p.level(d, in.Args[3])...)
		p.define(in, four(call("read")))
	case ir.OpTexWrite:
		args = append([]string{bare(p.arg(in, 4)), bare(p.arg(in, 1))}, p.layer(d, in.Args[2], true)...)
		args = append(args, p.level(d, in.Args[3])...)
		p.line("%s;", call("write"))
	case ir.OpTexSample, ir.OpTexGather:
		args = append([]string{bare(p.arg(in, 1)), bare(p.arg(in, 2))}, p.layer(d, in.Args[3], false)...)
		offset := in.Args[4]
		if in.Op == ir.OpTexSample {
			if offset = in.Args[5]; !isZero(in.Args[4]) {
				args = append(args, fmt.Sprintf("level(%s)", bare(p.arg(in, 4))))
			}
		}
		gather := in.Op == ir.OpTexGather && in.Imm != 0
		if !isZero(offset) || gather && !d.IsCube() {
			args = append(args, fmt.Sprintf("%s(%s)", signedName(offset.Type), bare(p.value(offset))))
		}
		if gather {
			args = append(args, "component::"+letter(int(in.Imm)))
		}
		if in.Op == ir.OpTexGather {
			p.define(in, call("gather"))
		} else {
			p.define(in, four(call("sample")))
		}
	case ir.OpTexCompare:
		args = append([]string{bare(p.arg(in, 1)), bare(p.arg(in, 2))}, p.layer(d, in.Args[3], false)...)
		if args = append(args, bare(p.arg(in, 4))); !isZero(in.Args[5]) {
			args = append(args, fmt.Sprintf("level(%s)", bare(p.arg(in, 5))))
		}
		if !isZero(in.Args[6]) {
			args = append(args, fmt.Sprintf("%s(%s)", signedName(in.Args[6].Type), bare(p.arg(in, 6))))
		}
		p.define(in, call("sample_compare"))
	case ir.OpTexQuery:
		method := map[ir.TexProperty]string{ir.TexWidth: "get_width", ir.TexHeight: "get_height",
			ir.TexDepth: "get_depth", ir.TexArraySize: "get_array_size", ir.TexMipLevels: "get_num_mip_levels",
			ir.TexSamples: "get_num_samples"}[ir.TexProperty(in.Imm)]
		if in.Imm <= int64(ir.TexDepth) {
			args = p.level(ir.NoTexture, in.Args[1])
		}
		p.define(in, fmt.Sprintf("uint(%s)", call(method)))
	case ir.OpTexFence:
		p.line("%s;", call("fence"))
	default:
		p.unsupported("operation %v", in.Op)
	}
}

// samplerName declares a sampler of the program, once, and returns its name.
func (p *printer) samplerName(i int) string {
	s := p.f.Samplers[i]
	if name := p.samplers[s]; name != "" {
		return name
	}
	var props []string
	if s.Unnormalized {
		props = append(props, "coord::pixel")
	}
	for axis, mode := range s.Address {
		if mode != "" {
			props = append(props, fmt.Sprintf("%c_address::%s", "str"[axis], mode))
		}
	}
	filter := map[bool]string{true: "linear", false: "nearest"}
	props = append(props, "mag_filter::"+filter[s.MagLinear], "min_filter::"+filter[s.MinLinear])
	if s.Mip != "" {
		props = append(props, "mip_filter::"+s.Mip)
	}
	if s.Border != "" {
		props = append(props, "border_color::"+s.Border)
	}
	if s.Compare != "" {
		props = append(props, "compare_func::"+s.Compare)
	}
	if s.LODClamp != [2]float32{} || s.LODBias != 0 || s.Anisotropy > 1 || s.Reduction != "" {
		p.unsupported("a sampler with a clamp or bias of its level, anisotropy or reduction")
	}
	name := p.file.name("smp")
	fmt.Fprintf(&p.head, "constexpr sampler %s(%s);\n", name, strings.Join(props, ", "))
	p.samplers[s] = name
	return name
}

package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// maxTextures is how many textures a kernel may have in Metal.
const maxTextures = 128

// textureType returns Metal's name of a type of textures.
func textureType(t types.Type) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != kernelPath || n.TypeArgs().Len() != 1 {
		return "", false
	}
	access := ""
	switch n.Obj().Name() {
	case "Texture2D":
	case "WriteTexture2D":
		access = ", metal::access::write"
	case "ReadWriteTexture2D":
		access = ", metal::access::read_write"
	default:
		return "", false
	}
	texel, ok := types.Unalias(n.TypeArgs().At(0)).(*types.Named)
	if !ok {
		return "", false
	}
	vector, ok := vectorType(texel)
	return "metal::texture2d<" + strings.TrimSuffix(vector, "4") + access + ">", ok
}

// handleType returns Metal's name of a texture's or a sampler's type. They are parameters, and
// samplers also constants; there is no other memory for them.
func handleType(t types.Type) (string, bool) {
	if isKernel(t, "Sampler") {
		return "metal::sampler", true
	}
	return textureType(t)
}

// noHandle refuses textures and samplers where they would be values like others.
func (in *instance) noHandle(n ast.Node, t types.Type) {
	switch _, texture := textureType(t); {
	case texture:
		in.refuse(n, "%s as a value: a texture is only a parameter; use it under that name, and pass each as a parameter of "+
			"its own", in.named(t))
	case isKernel(t, "Sampler"):
		in.refuse(n, "a kernel.Sampler as a value: it is a parameter of functions, or a composite literal in a variable "+
			"that nothing assigns, which a statement of its own declares")
	case isKernel(t, "Image"):
		in.refuse(n, "a kernel.Image: kernels have textures of it; use a kernel.Texture2D")
	}
}

// parameter returns the declaration of a parameter of a function, with a name.
func (in *instance) parameter(n ast.Node, t types.Type, s space, name string) string {
	if typ, ok := handleType(t); ok {
		return typ + " " + name
	}
	return in.declaration(n, t, s, name)
}

// texture returns the parameter of a kernel for a texture.
func (in *instance) texture(at ast.Node, v *types.Var, typ, name string) string {
	index := 0
	for _, a := range in.kernel.Args {
		if a.Kind == "texture" {
			index++
		}
	}
	if index == maxTextures {
		in.refuse(at, "the kernel has more than %d textures, as many as Metal has", maxTextures)
	}
	in.kernel.Args = append(in.kernel.Args, Arg{Name: v.Name(), As: name, Kind: "texture", Index: index,
		Type: strings.ReplaceAll(typ, "metal::", "")})
	return fmt.Sprintf("%s %s [[texture(%d)]]", typ, name, index)
}

// textureCall returns a call of a method of a texture.
func (in *instance) textureCall(x *ast.CallExpr, f *types.Func) val {
	sel, _, f := in.method(x.Fun, f)
	t := in.typeOf(sel.X)
	typ, ok := textureType(t)
	if !ok { // a pointer, or a structure that embeds it
		in.typ(sel.X, t, "")
		in.refuse(sel.X, "%s has the methods of a texture; pass the texture as a parameter of its own", in.named(t))
	}
	texture := in.expr(sel.X).in(primary)
	list := in.paramTypes(f.Type().(*types.Signature))
	texts := in.args(x.Args, list)
	writes := isKernel(t, "ReadWriteTexture2D")
	switch f.Name() {
	case "Width":
		return val{texture + ".get_width()", primary}
	case "Height":
		return val{texture + ".get_height()", primary}
	case "Read":
		in.t.shares = in.t.shares || writes
		return val{fmt.Sprintf("%s.read(uint2(%s, %s))", texture, texts[0], texts[1]), primary}
	case "Write":
		in.effects = true
		v := val{fmt.Sprintf("%s.write(%s, uint2(%s, %s))", texture, texts[0], texts[1], texts[2]), primary}
		if writes { // this thread may read it
			in.line("%s;", v.s)
			v.s = texture + ".fence()"
		}
		return v
	case "Sample":
		if strings.Contains(typ, "int") && in.linear(x.Args[0]) {
			in.refuse(x, "the filter is Linear, but texels of %s are integers; use Nearest", in.named(t))
		}
		return val{fmt.Sprintf("%s.sample(%s, %s)", texture, texts[0], texts[1]), primary}
	}
	in.refuse(x, "the method %s of a texture: the translator does not know it", f.Name())
	return val{}
}

// samplerLit returns the literal of a sampler, nil for one without. It refuses other expressions.
func (in *instance) samplerLit(x ast.Expr) *ast.CompositeLit {
	lit, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok {
		in.noHandle(x, in.typeOf(x))
	}
	return lit
}

// sampler returns the declaration of a constant sampler. A nil literal is the zero Sampler.
func (in *instance) sampler(name string, lit *ast.CompositeLit) string {
	fields := map[string]int64{}
	if lit != nil {
		of := in.under(lit).(*types.Struct)
		for i, e := range lit.Elts {
			field := of.Field(i).Name()
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				field, e = kv.Key.(*ast.Ident).Name, kv.Value
			}
			switch v := in.pkg.info.Types[e].Value; {
			case v == nil:
				in.refuse(e, "the field %s of a kernel.Sampler is no constant; write a sampler for each value", field)
			case v.Kind() == constant.Bool && constant.BoolVal(v):
				fields[field] = 1
			case v.Kind() == constant.Int:
				fields[field], _ = constant.Int64Val(v)
			}
		}
	}
	word := func(field string, words ...string) string {
		n := fields[field]
		if n < 0 || n >= int64(len(words)) {
			in.refuse(lit, "the field %s of a kernel.Sampler is %d; use the constants of package kernel", field, n)
		}
		return words[n]
	}
	list := []string{"metal::filter::" + word("Filter", "nearest", "linear")}
	pixel := word("Texels", "normalized", "pixel") == "pixel"
	modes := []string{"clamp_to_edge", "clamp_to_zero", "clamp_to_border", "repeat", "mirrored_repeat"}
	s, t := word("S", modes...), word("T", modes...)
	if pixel && (strings.HasSuffix(s, "repeat") || strings.HasSuffix(t, "repeat")) {
		in.refuse(lit, "a sampler that counts Texels and repeats, which Metal does not have; use positions from 0 to 1")
	}
	border := word("Border", "transparent_black", "opaque_black", "opaque_white")
	if s != modes[0] {
		list = append(list, "metal::s_address::"+s)
	}
	if t != modes[0] {
		list = append(list, "metal::t_address::"+t)
	}
	if pixel {
		list = append(list, "metal::coord::pixel")
	}
	if s == "clamp_to_border" || t == "clamp_to_border" {
		list = append(list, "metal::border_color::"+border)
	}
	return fmt.Sprintf("constexpr metal::sampler %s(%s);", name, strings.Join(list, ", "))
}

// linear reports whether a sampler is known to have the filter Linear.
func (in *instance) linear(x ast.Expr) bool {
	lit, _ := ast.Unparen(x).(*ast.CompositeLit)
	p := in.pkg
	if v := in.variableNamed(x); v != nil {
		lit = v.sampler
	} else if v := in.tableNamed(x); v != nil && v.value != nil {
		lit, p = in.samplerLit(v.value), v.pkg
	}
	if lit == nil {
		return false
	}
	of := lit.Elts
	for i, e := range of {
		name := ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			name, e = kv.Key.(*ast.Ident).Name, kv.Value
		}
		if name == "Filter" || name == "" && i == 0 {
			n, _ := constant.Int64Val(p.info.Types[e].Value)
			return n == 1
		}
	}
	return false
}

// declareSampler declares a sampler of the function.
func (in *instance) declareSampler(id *ast.Ident, lit *ast.CompositeLit) {
	v := in.declare(in.pkg.info.Defs[id], "")
	v.sampler = lit
	in.line("%s", in.sampler(v.name, lit))
}

package gokernel

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/token"
	msltypes "github.com/puremetal/puremetal/internal/msl/types"
)

// space is the address space of what a pointer points to or a slice holds.
type space string

const (
	thread        space = "thread"
	device        space = "device"
	threadgroup   space = "threadgroup"
	constantSpace space = "constant"
)

// structure is a Go structure in the text.
type structure struct {
	name   string
	fields []string // declarations
	wanted bool
	needs  []*structure
}

// scalarOf returns Metal's name of one of Go's numbers, "" if it has none.
func scalarOf(k types.BasicKind) string {
	switch k {
	case types.Bool, types.UntypedBool:
		return "bool"
	case types.Int8:
		return "char"
	case types.Uint8:
		return "uchar"
	case types.Int16:
		return "short"
	case types.Uint16:
		return "ushort"
	case types.Int32, types.UntypedRune:
		return "int"
	case types.Uint32:
		return "uint"
	case types.Int64, types.Int, types.UntypedInt:
		return "long"
	case types.Uint64, types.Uint:
		return "ulong"
	case types.Float32:
		return "float"
	}
	return ""
}

// unsignedOf returns the type in which sums of integers wrap.
func unsignedOf(name string) string {
	if name == "long" || name == "ulong" {
		return "ulong"
	}
	return "uint"
}

// typ returns Metal's name of a type. Pointers and slices are of a space.
func (in *instance) typ(n ast.Node, t types.Type, s space) string {
	if elem := pointed(t); elem != nil && pointed(elem) != nil {
		in.refuse(n, "%s holds pointers or slices itself; pass each as a parameter of its own", in.named(t))
	}
	switch u := types.Unalias(t).(type) {
	case *types.Basic:
		if name := scalarOf(u.Kind()); name != "" {
			return name
		}
		if in.asFloat(n, u) {
			return "float"
		}
		switch u.Kind() {
		case types.Float64, types.UntypedFloat:
			in.refuse(n, "float64: Metal has no such type; use float32")
		case types.String, types.UntypedString:
			in.refuse(n, "a string: kernels have only the formats of kernel.Printf; use numbers")
		case types.Invalid:
			in.refuse(n, "%s: %s", in.code(exprOf(n)), in.whyInvalid(n))
		}
	case *types.Pointer:
		return string(s.or(device)) + " " + in.typ(n, u.Elem(), "") + "*"
	case *types.Slice:
		in.t.helpers["slice"] = true
		return "go::slice<" + string(s.or(device)) + " " + in.typ(n, u.Elem(), "") + "*>"
	case *types.Array:
		if size := in.t.sizes.Sizeof(u); size < 0 || size > maxValue {
			in.refuse(n, "%s has more than %d bytes; use a slice that is a parameter", in.named(t), maxValue)
		}
		return fmt.Sprintf("metal::array<%s, %d>", in.typ(n, u.Elem(), s), max(u.Len(), 1))
	case *types.Named:
		if name, ok := vectorType(u); ok {
			return name
		}
		if name, ok := smallType(u); ok {
			return name
		}
		in.noHandle(n, u)
		if isKernel(u, "Thread") {
			return in.refuse(n, "a kernel.Thread by value; pass the *kernel.Thread")
		}
		if _, ok := u.Underlying().(*types.Struct); ok {
			s := in.structure(n, u)
			in.structs = append(in.structs, s)
			return s.name
		}
		return in.typ(n, u.Underlying(), s)
	case *types.Struct:
		s := in.structure(n, u)
		in.structs = append(in.structs, s)
		return s.name
	case *types.Tuple:
		return in.tuple(n, u)
	}
	return in.refuse(n, "%s: kernels have numbers, bool, arrays, structures, slices and pointers", in.named(t))
}

// pointed returns what a pointer points to or a slice holds, or nil. Of arrays of them, too.
func pointed(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return pointed(u.Elem())
	}
	return nil
}

// maxValue is how many bytes an array may have.
const maxValue = 1 << 24

func (s space) or(other space) space {
	if s == "" {
		return other
	}
	return s
}

// vectorType returns Metal's name of a vector of package simd or of an index.
func vectorType(t *types.Named) (string, bool) {
	if isKernel(t, "Index") { // has Go's layout
		return "packed_uint3", true
	}
	obj := t.Obj()
	if obj.Pkg() == nil || obj.Pkg().Path() != simdPath {
		return "", false
	}
	if n := obj.Name(); strings.HasPrefix(n, "Float") || strings.HasPrefix(n, "Bool") {
		return strings.ToLower(n), true
	}
	if t.TypeArgs().Len() != 1 {
		return "", false
	}
	name, ok := smallType(t.TypeArgs().At(0))
	if elem, basic := types.Unalias(t.TypeArgs().At(0)).(*types.Basic); basic {
		name, ok = scalarOf(elem.Kind()), elem.Kind() != types.Bool // Metal has no packed bools
	}
	if !ok {
		return "", false
	}
	n := obj.Name()
	switch {
	case strings.HasPrefix(n, "Vec"):
		return name + n[3:], true
	case strings.HasPrefix(n, "Small"):
		return name + n[5:], true
	case strings.HasPrefix(n, "Packed"):
		return "packed_" + name + n[6:], true
	}
	return "", false
}

// isKernel reports whether a type is one of package kernel.
func isKernel(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == kernelPath && n.Obj().Name() == name
}

// isThread reports whether a type is *kernel.Thread.
func isThread(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && isKernel(p.Elem(), "Thread")
}

// structure returns a structure of the text.
func (in *instance) structure(n ast.Node, t types.Type) *structure {
	key := types.TypeString(t, nil)
	if s := in.t.structs[key]; s != nil {
		return s
	}
	base := "tuple"
	if named, ok := t.(*types.Named); ok {
		base = named.Obj().Name()
		if p := named.Obj().Pkg(); p != nil && p != in.t.pkg.types {
			base = p.Name() + "_" + base
		}
		for i := range named.TypeArgs().Len() {
			base += "_" + in.typeWord(n, named.TypeArgs().At(i))
		}
	}
	s := &structure{}
	of := t.Underlying().(*types.Struct)
	var fields []*types.Var
	for i := range of.NumFields() {
		fields = append(fields, of.Field(i))
	}
	offsets := in.t.sizes.Offsetsof(fields)
	at := int64(0)
	outer := in.structs
	in.structs = nil
	for i, f := range fields {
		switch types.Unalias(f.Type()).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			in.refuse(n, "field %s of %s is a pointer or a slice; pass it as a parameter of its own", f.Name(), in.named(t))
		}
		size, align := in.layout(n, f.Type())
		at = (at + align - 1) / align * align
		if at != offsets[i] && !hasDouble(t) {
			in.refuse(n, "field %s of %s is at byte %d in Go and at byte %d in Metal, which aligns it to %d; add "+
				"padding before it", f.Name(), in.named(t), offsets[i], at, align)
		}
		at += size
		s.fields = append(s.fields, in.typ(n, f.Type(), "")+" "+field(f, i)+";")
	}
	inGo := in.t.sizes.Sizeof(t)
	if size, _ := in.layout(n, t); size != inGo && !hasDouble(t) {
		in.refuse(n, "%s has %d bytes in Go and %d in Metal; add padding at its end", in.named(t), inGo, size)
	}
	s.needs = in.structs
	in.structs = outer
	s.name = in.t.unique(base)
	in.t.structs[key] = s
	in.t.types = append(in.t.types, s)
	return s
}

// field returns the name of a member.
func field(f *types.Var, i int) string {
	if f.Name() == "_" {
		return fmt.Sprintf("_%d", i)
	}
	if p := f.Pkg(); f.Embedded() || p != nil && isType(p.Scope().Lookup(f.Name())) {
		return f.Name() + "_" // it would hide the type from the members that follow
	}
	return safe(f.Name())
}

func isType(obj types.Object) bool { _, ok := obj.(*types.TypeName); return ok }

// layout returns the size and the alignment of a type in Metal.
func (in *instance) layout(n ast.Node, t types.Type) (size, align int64) {
	switch u := types.Unalias(t).(type) {
	case *types.Basic:
		if u.Kind() == types.Float64 {
			return 4, 4
		}
	case *types.Array:
		size, align = in.layout(n, u.Elem())
		return size * u.Len(), align
	case *types.Named:
		if name, ok := vectorType(u); ok {
			size := in.t.sizes.Sizeof(u)
			if strings.HasPrefix(name, "packed_") {
				return size, in.t.sizes.Alignof(u)
			}
			return size, size
		}
		return in.layout(n, u.Underlying())
	case *types.Struct:
		at, most := int64(0), int64(1)
		for i := range u.NumFields() {
			s, a := in.layout(n, u.Field(i).Type())
			at = (at+a-1)/a*a + s
			most = max(most, a)
		}
		return (at + most - 1) / most * most, most
	}
	return in.t.sizes.Sizeof(t), in.t.sizes.Alignof(t)
}

// tuple returns the structure of several results.
func (in *instance) tuple(n ast.Node, t *types.Tuple) string {
	key := "("
	var fields []string
	outer := in.structs
	in.structs = nil
	for i := range t.Len() {
		typ := in.typ(n, t.At(i).Type(), "")
		key += typ + ","
		fields = append(fields, fmt.Sprintf("%s r%d;", typ, i))
	}
	needs := in.structs
	in.structs = outer
	s := in.t.structs[key]
	if s == nil {
		s = &structure{name: in.t.unique("results_" + word(strings.Trim(key, "(,"))), fields: fields, needs: needs}
		in.t.structs[key] = s
		in.t.types = append(in.t.types, s)
	}
	in.structs = append(in.structs, s)
	return s.name
}

// named returns a type as the program writes it.
func (in *instance) named(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == in.pkg.types {
			return ""
		}
		return p.Name()
	})
}

// word makes a name of a type's.
func word(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, strings.ReplaceAll(s, "metal::", "")), "_")
}

// typeWord returns a part of a name for a type argument.
func (in *instance) typeWord(n ast.Node, t types.Type) string {
	if _, ok := t.Underlying().(*types.Signature); ok {
		return "func"
	}
	if typ, ok := handleType(t); ok {
		return word(typ)
	}
	return word(in.typ(n, t, ""))
}

// unique returns a name that nothing outside of functions has yet.
func (t *translation) unique(base string) string {
	name := safe(base)
	for i := 2; t.names[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	t.names[name] = true
	return name
}

// safe returns a name that Metal does not reserve.
func safe(name string) string {
	var metal *dialect.Dialect
	ascii := strings.Map(func(r rune) rune {
		if r < 128 {
			return r
		}
		return -1
	}, name)
	if ascii != name {
		name = fmt.Sprintf("%s_u%x", ascii, []rune(name)[0])
	}
	switch {
	case metal.Keyword(name) != token.Ident, msltypes.Predeclared(name), msltypes.Reserved(name),
		name == "metal", name == "go", name == "Thread", name == "main", name == "half", name == "uint", name == "size_t":
		return name + "_"
	}
	return name
}

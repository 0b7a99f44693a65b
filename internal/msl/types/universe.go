package types

import (
	"fmt"
	"strings"
)

// Universe creates the derived types of one compilation, each once.
type Universe struct {
	pointers   map[Qualified]*Pointer
	references map[Reference]*Reference
	arrays     map[Array]*Array
	textures   map[Texture]*Texture
	funcs      map[string][]*Func
	opaques    map[string]*Opaque
	metalArr   map[metalArrayKey]*Struct
}

type metalArrayKey struct {
	elem Qualified
	len  int
	ref  bool
}

// NewUniverse returns an empty universe.
func NewUniverse() *Universe {
	return &Universe{
		pointers:   make(map[Qualified]*Pointer),
		references: make(map[Reference]*Reference),
		arrays:     make(map[Array]*Array),
		textures:   make(map[Texture]*Texture),
		funcs:      make(map[string][]*Func),
		opaques:    make(map[string]*Opaque),
		metalArr:   make(map[metalArrayKey]*Struct),
	}
}

func intern[K comparable, V any](m map[K]*V, k K, make func() *V) *V {
	if v, ok := m[k]; ok {
		return v
	}
	v := make()
	m[k] = v
	return v
}

// inThread sets the default address space: unqualified pointers and references point to thread
// memory.
func inThread(q Qualified) Qualified {
	if _, ok := q.Type.(*Func); !ok {
		q.Space = q.Space.Or(Thread)
	}
	return q
}

// Pointer returns the pointer type to elem, in thread memory by default.
func (u *Universe) Pointer(elem Qualified) *Pointer {
	elem = inThread(elem)
	return intern(u.pointers, elem, func() *Pointer { return &Pointer{elem} })
}

// Reference returns the reference type to elem, or elem && if rvalue is set, in thread memory by
// default. A reference to a reference collapses.
func (u *Universe) Reference(elem Qualified, rvalue bool) *Reference {
	if r, ok := elem.Type.(*Reference); ok {
		if rvalue || !r.RValue {
			return r
		}
		return u.Reference(r.Elem, false)
	}
	k := Reference{inThread(elem), rvalue}
	return intern(u.references, k, func() *Reference { return &k })
}

// Array returns the array type of n elements; n may be Unsized.
func (u *Universe) Array(elem Type, n int) *Array {
	k := Array{elem, n}
	return intern(u.arrays, k, func() *Array { return &k })
}

// Vector returns the vector type of n elements, or nil if there is none.
func (u *Universe) Vector(elem *Basic, n int) *Vector { return VectorOf(elem, n) }

// Texture returns the texture type.
func (u *Universe) Texture(kind TextureKind, elem *Basic, access Access, coherent bool) *Texture {
	k := Texture{kind, elem, access, coherent}
	return intern(u.textures, k, func() *Texture { return &k })
}

// Func returns the function type. Top-level qualifiers of parameters are ignored.
func (u *Universe) Func(result Qualified, params []Qualified, variadic bool) *Func {
	var key strings.Builder
	fmt.Fprintf(&key, "%p%v%v%v", result.Type, result.Const, result.Space, variadic)
	plain := make([]Qualified, len(params))
	for i, p := range params {
		plain[i] = p.Unqualified()
		fmt.Fprintf(&key, ",%p", p.Type)
	}
	for _, f := range u.funcs[key.String()] {
		if f.Result == result {
			return f
		}
	}
	f := &Func{Params: plain, Result: result, Variadic: variadic}
	u.funcs[key.String()] = append(u.funcs[key.String()], f)
	return f
}

// Opaque returns the library type with a name and template arguments. Handles have eight bytes.
func (u *Universe) Opaque(name string, args ...TemplateArg) *Opaque {
	if name == "sampler" && len(args) == 0 {
		return Sampler
	}
	var key strings.Builder
	key.WriteString(name)
	for _, a := range args {
		fmt.Fprintf(&key, ",%p%s", a.Type.Type, a)
	}
	return intern(u.opaques, key.String(), func() *Opaque { return &Opaque{Name: name, Args: args, size: 8} })
}

// NewStruct returns a new incomplete record.
func (u *Universe) NewStruct(kind RecordKind, name string) *Struct {
	return &Struct{Kind: kind, Name: name}
}

// NewEnum returns a new enum without enumerators; its underlying type is int unless changed.
func (u *Universe) NewEnum(name string, scoped bool) *Enum {
	return &Enum{Name: name, Scoped: scoped, Underlying: Int}
}

// MetalArray returns metal::array<elem, n>: a record with one member, an array named __elems.
func (u *Universe) MetalArray(elem Qualified, n int) *Struct {
	return intern(u.metalArr, metalArrayKey{elem, n, false}, func() *Struct {
		length := TemplateArg{Value: IntValue(ULong, int64(n))}
		s := u.instance("array", TemplateArg{Type: elem}, length)
		s.Complete([]Field{{Name: "__elems",
			Type: Qualified{Type: u.Array(elem.Type, max(n, 0)), Const: elem.Const, Volatile: elem.Volatile}}})
		return s
	})
}

// MetalArrayRef returns metal::array_ref<elem>: a pointer named __elems and a length named __size.
func (u *Universe) MetalArrayRef(elem Qualified) *Struct {
	return intern(u.metalArr, metalArrayKey{elem, 0, true}, func() *Struct {
		s := u.instance("array_ref", TemplateArg{Type: elem})
		s.Complete([]Field{{Name: "__elems", Type: Q(u.Pointer(elem))}, {Name: "__size", Type: Q(ULong)}})
		return s
	})
}

func (u *Universe) instance(template string, args ...TemplateArg) *Struct {
	var b strings.Builder
	b.WriteString(template)
	writeArgs(&b, args)
	return &Struct{Kind: StructRecord, Name: b.String(), Template: "metal::" + template, Args: args}
}

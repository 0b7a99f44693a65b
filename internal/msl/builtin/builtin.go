package builtin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// Version is a language version in the form of __METAL_VERSION__: 310 is Metal 3.1.
type Version uint16

// String formats the version as in "3.1".
func (v Version) String() string {
	return strconv.Itoa(int(v/100)) + "." + strconv.Itoa(int(v/10%10))
}

// Flags are the properties of a function besides its result.
type Flags uint32

// The flags of functions.
const (
	Pure         Flags = 1 << iota // the result depends only on the arguments
	Convergent                     // exchanges values or waits: all participating threads must call it together
	Uniform                        // the result is the same in all participating threads
	Reads                          // reads memory
	Writes                         // writes memory
	AtomicOp                       // atomic: has a memory order
	Fast                           // the variant of metal::fast
	Precise                        // the variant of metal::precise
	Special                        // resolved by the checker by its Op, not by its overloads
	Unsupported                    // known, but rejected with "not supported"
	ConstMember                    // a const member function
	Constructor                    // constructs an object of the class it is a member of
	Static                         // a static member function
	NeedSample                     // a member of textures with access::sample only
	NeedRead                       // a member of textures with access::sample, read or read_write only
	NeedWrite                      // a member of textures with access::write or read_write only
	Logging                        // printf-like: takes a format and any arguments
	NeedAtomic                     // a member of textures of int or uint with access::read_write only
	NeedAtomic64                   // a member of textures of ulong with access::read_write only
	numFlags     = iota
)

// Has reports whether all flags in g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }

var flagNames = [numFlags]string{"pure", "convergent", "uniform", "reads", "writes", "atomic", "fast", "precise",
	"special", "unsupported", "const",
	"constructor", "static", "needsample", "needread", "needwrite", "logging",
	"needatomic", "needatomic64"}

func (f Flags) String() string {
	var s []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			s = append(s, n)
		}
	}
	return strings.Join(s, " ")
}

// Refuses explains why the member function does not apply to a texture: "a texture with
// access::read". It returns "" if it does.
func (f *Func) Refuses(t *types.Texture) string {
	fl := f.Flags
	atomic := fl.Has(NeedAtomic) || fl.Has(NeedAtomic64)
	switch {
	case fl.Has(NeedSample) && t.Access != types.AccessSample, fl.Has(NeedRead) && !t.Access.CanRead(),
		fl.Has(NeedWrite) && !t.Access.CanWrite(), (atomic || f.Op == OpTexFence) && t.Access != types.AccessReadWrite:
		return "a texture with access::" + t.Access.String()
	case fl.Has(NeedAtomic) && t.Elem != types.Int && t.Elem != types.UInt, fl.Has(NeedAtomic64) && t.Elem != types.ULong:
		return "a texture of '" + t.Elem.String() + "'"
	}
	return ""
}

// Func is one entry of the library: overloads that differ only in the types substituted for its
// variables.
type Func struct {
	Name      string
	Namespace string // "metal", "metal::fast", ..., "" for the global namespace
	Recv      string // the class of a member function: "texture2d", "simd_vote"; "" for free functions
	Op        Op
	Flags     Flags
	Since     Version
	Vars      []Var
	Params    []Param
	Result    Pattern
	Variadic  bool
}

// Var is a type variable and the types it ranges over.
type Var struct {
	Name  string
	Types []string // spellings; or address spaces
}

// Param is a parameter.
type Param struct {
	Name       string
	Type       Pattern
	HasDefault bool
	Default    int64 // converted to the parameter's type: splat, or an enum's value
}

// Refer says whether a pattern is a pointer or a reference.
type Refer uint8

// The ways to refer.
const (
	ByValue Refer = iota
	ByPointer
	ByReference
	ByRValue
)

// Pattern is a type that may contain variables.
type Pattern struct {
	Name     string // a type's spelling, or a variable's name
	Sel      string // what is derived from it: "elem", "int", "bool", "4", "column"...; "" for the type itself
	Args     []Pattern
	Const    bool
	Volatile bool
	Space    string // an address space or a variable of spaces
	Refer    Refer
}

// String returns the spelling of the pattern in stdlib.def.
func (p Pattern) String() string {
	var b strings.Builder
	if p.Const {
		b.WriteString("const ")
	}
	if p.Volatile {
		b.WriteString("volatile ")
	}
	if p.Space != "" {
		b.WriteString(p.Space + " ")
	}
	b.WriteString(p.Name)
	if len(p.Args) > 0 {
		b.WriteByte('<')
		for i, a := range p.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(a.String())
		}
		b.WriteByte('>')
	}
	if p.Sel != "" {
		b.WriteString("." + p.Sel)
	}
	b.WriteString([...]string{"", "*", "&", "&&"}[p.Refer])
	return b.String()
}

// Signature returns the spelling of the function in stdlib.def, without the namespace.
func (f *Func) Signature() string {
	var b strings.Builder
	if f.Recv != "" {
		b.WriteString(f.Recv + ".")
	}
	b.WriteString(f.Name + "(")
	for i, p := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimSpace(p.Type.String() + " " + p.Name))
		if p.HasDefault {
			b.WriteString(" = " + strconv.FormatInt(p.Default, 10))
		}
	}
	if f.Variadic {
		if len(f.Params) > 0 {
			b.WriteString(", ")
		}
		b.WriteString("...")
	}
	b.WriteString(")")
	if !f.Flags.Has(Constructor) {
		b.WriteString(" -> " + f.Result.String())
	}
	return b.String()
}

// Required returns the minimum number of arguments.
func (f *Func) Required() int {
	n := 0
	for _, p := range f.Params {
		if !p.HasDefault {
			n++
		}
	}
	return n
}

// All returns every entry, sorted by name.
func All() []Func { return zfuncs[:] }

// Lookup returns the free functions of a name in all namespaces. They point into the table and must
// not be modified.
func Lookup(name string) []*Func {
	return collect(name, func(f *Func) bool { return f.Recv == "" })
}

// LookupIn returns the free functions of a name in one namespace, where "" is the global one.
// Looking in metal does not search metal::simd and the like.
func LookupIn(namespace, name string) []*Func {
	return collect(name, func(f *Func) bool { return f.Recv == "" && f.Namespace == namespace })
}

// LookupMember returns the member functions of a class, given by its template's name such as
// "texture2d"; constructors have the name of the class.
func LookupMember(class, name string) []*Func {
	return collect(name, func(f *Func) bool { return f.Recv == class })
}

func collect(name string, keep func(*Func) bool) (found []*Func) {
	i, _ := slices.BinarySearchFunc(zfuncs[:], name,
		func(f Func, name string) int { return strings.Compare(f.Name, name) })
	for ; i < len(zfuncs) && zfuncs[i].Name == name; i++ {
		if keep(&zfuncs[i]) {
			found = append(found, &zfuncs[i])
		}
	}
	return found
}

// IsNamespace reports whether the library declares a namespace: "metal", "metal::precise".
func IsNamespace(name string) bool { return slices.Contains(znamespaces[:], name) }

// Namespaces returns the library's namespaces, sorted.
func Namespaces() []string { return slices.Clone(znamespaces[:]) }

// Names returns the names of all free functions, classes, enums and constants, sorted and without
// duplicates, for suggestions.
func Names() []string {
	var names []string
	for i := range zfuncs {
		if zfuncs[i].Recv == "" {
			names = append(names, zfuncs[i].Name)
		}
	}
	for i := range zenums {
		names = append(names, zenums[i].Name)
	}
	for i := range zclasses {
		names = append(names, zclasses[i].Name)
	}
	for i := range zconsts {
		names = append(names, zconsts[i].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Enum describes a library enumeration.
type Enum struct {
	Name      string
	Namespace string
	Scoped    bool
	Flags     bool // values can be combined with |, & and ~
	Since     Version
	Names     []string
	Values    []int64
}

// LookupEnum returns the enum with a name.
func LookupEnum(name string) *Enum {
	for i := range zenums {
		if zenums[i].Name == name {
			return &zenums[i]
		}
	}
	return nil
}

// LookupEnumerator returns the unscoped enum that has an enumerator, and its index there.
func LookupEnumerator(name string) (*Enum, int) {
	for i := range zenums {
		if e := &zenums[i]; !e.Scoped {
			if j := slices.Index(e.Names, name); j >= 0 {
				return e, j
			}
		}
	}
	return nil, 0
}

// ClassKind is the kind of a library class.
type ClassKind uint8

// The kinds of classes.
const (
	PlainClass     ClassKind = iota // a struct with the listed members
	TemplateClass                   // a class template, which the checker implements by name
	OpaqueClass                     // a handle
	AliasClass                      // another name of a type
	TraitClass                      // a type trait: see Trait
	TypeTraitClass                  // a type trait with a type: see Trait
)

// Class describes a library type: a struct, a class template, a handle or an alias.
type Class struct {
	Name        string
	Namespace   string
	Kind        ClassKind
	Since       Version
	Unsupported bool
	Fields      []Param // of a plain class; for an alias, one field with its type
	Doc         string
}

// LookupClass returns the class with a name.
func LookupClass(name string) *Class {
	i, ok := slices.BinarySearchFunc(zclasses[:], name,
		func(c Class, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return nil
	}
	return &zclasses[i]
}

// Classes returns every class, sorted by name.
func Classes() []Class { return zclasses[:] }

// Const describes a named constant, a macro in Metal's headers, or an object of a library class,
// such as os_log_default.
type Const struct {
	Name string
	Type string
	Bits uint64 // of the scalar
}

// Value returns the value of the constant; for an object it is invalid.
func (c *Const) Value() types.Value {
	t, _ := types.Named(c.Type)
	if b, ok := t.(*types.Basic); ok {
		return types.BitsValue(b, c.Bits)
	}
	return types.Value{}
}

// LookupConst returns the constant with a name: M_PI_F, INFINITY, INT_MAX.
func LookupConst(name string) *Const {
	i, ok := slices.BinarySearchFunc(zconsts[:], name,
		func(c Const, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return nil
	}
	return &zconsts[i]
}

// Consts returns every constant, sorted by name.
func Consts() []Const { return zconsts[:] }

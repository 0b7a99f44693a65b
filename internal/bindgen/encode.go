package bindgen

import (
	"fmt"
	"strconv"
	"strings"
)

// prim is a C type of one word.
type prim struct {
	enc  byte
	size int
	goT  string
}

var prims = map[string]prim{
	"BOOL": {'B', 1, "bool"}, "NSUInteger": {'Q', 8, "uint"}, "NSInteger": {'q', 8, "int"},
	"uint64_t": {'Q', 8, "uint64"}, "int64_t": {'q', 8, "int64"}, "uint32_t": {'I', 4, "uint32"},
	"int32_t":  {'i', 4, "int32"},
	"uint16_t": {'S', 2, "uint16"}, "int16_t": {'s', 2, "int16"}, "uint8_t": {'C', 1, "uint8"}, "int8_t": {'c', 1, "int8"},
	"float": {'f', 4, "float32"}, "double": {'d', 8, "float64"}, "CGFloat": {'d', 8, "float64"},
	"_Bool": {'B', 1, "bool"},
}

// A vector is one of the SIMD types in structures: vector_float4.
type vector struct {
	elem prim
	n    int
}

// vectorOf returns the SIMD type with a name like vector_float4.
func vectorOf(name string) (v vector, ok bool) {
	rest, ok := strings.CutPrefix(name, "vector_")
	if !ok {
		return v, false
	}
	elem := strings.TrimRight(rest, "0123456789")
	typ, ok := vectorElems[elem]
	n, err := strconv.Atoi(rest[len(elem):])
	return vector{prims[typ], n}, ok && err == nil
}

var vectorElems = map[string]string{"float": "float", "short": "int16_t", "ushort": "uint16_t", "uchar": "uint8_t"}

// size is also the alignment: a vector of three is as large as one of four.
func (v vector) size() int { return v.elem.size * (v.n + v.n&1) }

func isSigned(c string) bool {
	p, ok := prims[c]
	return ok && strings.IndexByte("qisc", p.enc) >= 0
}

// types answers questions about the types of a merged module.
type types struct {
	enums    map[string]*Enum
	structs  map[string]*Struct
	typedefs map[string]CType
	classes  map[string]*Class
	owner    map[string]*generator // of the names that come from another package
	amd64    bool                  // encodings are amd64's
}

func newTypes(m *Module) *types {
	ts := &types{map[string]*Enum{}, map[string]*Struct{}, map[string]CType{}, map[string]*Class{},
		map[string]*generator{}, false}
	ts.add(m, nil)
	return ts
}

// add makes the types of a module known. from is the generator of the module's package, or nil for
// the package that is generated, whose types come first.
func (ts *types) add(m *Module, from *generator) {
	for _, e := range m.Enums {
		addType(ts, ts.enums, e.Name, e, from)
	}
	for _, s := range m.Structs {
		addType(ts, ts.structs, s.Name, s, from)
	}
	for _, d := range m.Typedefs {
		addType(ts, ts.typedefs, d.Name, d.Type, from)
	}
	for _, c := range m.Classes {
		addType(ts, ts.classes, c.Name, c, from)
	}
}

func addType[T any](ts *types, to map[string]T, name string, t T, from *generator) {
	if _, known := to[name]; known {
		return
	}
	to[name] = t
	if from != nil {
		ts.owner[name] = from
	}
}

// resolve follows typedefs.
func (ts *types) resolve(t CType) CType {
	for range maxTypeDepth {
		d, ok := ts.typedefs[t.Name]
		if !ok || t.Block != nil {
			return t
		}
		if d.Block != nil {
			return d
		}
		d.Stars += t.Stars
		d.Const = d.Const || t.Const
		t = d
	}
	return t
}

// objectLike are the names that are references without a star.
var objectLike = map[string]bool{"id": true, "instancetype": true, "dispatch_queue_t": true, "dispatch_data_t": true}

// isValue reports whether a name without stars is a value: a number, an enumeration or a structure.
func (ts *types) isValue(name string) bool {
	_, p := prims[name]
	_, v := vectorOf(name)
	return p || v || ts.enums[name] != nil || ts.structs[name] != nil
}

// isObject reports whether t is a reference to an object.
func (ts *types) isObject(t CType) bool {
	if t.Block != nil || t.Name == "NSZone" {
		return false
	}
	if objectLike[t.Name] {
		return t.Stars == 0
	}
	return t.Stars == 1 && !ts.isValue(t.Name) && t.Name != "void" && t.Name != "char"
}

// onAMD64 returns the same types with the encodings of amd64.
func (ts *types) onAMD64() *types {
	amd64 := *ts
	amd64.amd64 = true
	return &amd64
}

// encode returns the type's encoding, on arm64 unless ts is onAMD64.
func (ts *types) encode(t CType) (string, error) {
	t = ts.resolve(t)
	if t.Block != nil {
		return "@?", nil
	}
	if ts.isObject(t) {
		return "@", nil
	}
	if t.Stars == 0 {
		return ts.encodeValue(t)
	}
	q := ""
	if t.Const || t.ConstStars {
		q = "r"
	}
	if t.Name == "char" && t.Stars == 1 {
		return q + "*", nil
	}
	e, err := ts.encode(t.elem())
	return q + "^" + e, err
}

// encodeValue encodes a type without stars. The const of a value passed by value is not part of its
// encoding.
func (ts *types) encodeValue(t CType) (string, error) {
	if t.Name == "BOOL" && ts.amd64 {
		return "c", nil
	}
	if p, ok := prims[t.Name]; ok {
		return string(p.enc), nil
	}
	if e := ts.enums[t.Name]; e != nil {
		return string(prims[e.Underlying].enc), nil
	}
	if s := ts.structs[t.Name]; s != nil {
		return ts.encodeStruct(s)
	}
	if v, ok := vectorOf(t.Name); ok {
		return fmt.Sprintf("<%d%c>", v.n, v.elem.enc), nil
	}
	switch t.Name {
	case "void":
		return "v", nil
	case "NSZone":
		return "{_NSZone=}", nil
	case "IOSurfaceRef":
		return "^{__IOSurface=}", nil
	case "SEL":
		return ":", nil
	case "Class":
		return "#", nil
	}
	return "", fmt.Errorf("type %s is not declared", t)
}

func (ts *types) encodeStruct(s *Struct) (string, error) {
	if s.Encoding != "" {
		return s.Encoding, nil
	}
	var b strings.Builder
	b.WriteString("{" + s.Tag + "=")
	for _, f := range s.Fields {
		e, err := ts.encode(f.Type)
		if err != nil {
			return "", fmt.Errorf("field %s of %s: %w", f.Name, s.Name, err)
		}
		if f.Len > 0 {
			e = fmt.Sprintf("[%d%s]", f.Len, e)
		}
		b.WriteString(e)
	}
	b.WriteByte('}')
	return b.String(), nil
}

// methodEncoding returns the method's encoding, without frame offsets.
func (ts *types) methodEncoding(m *Method) (string, error) {
	ret, err := ts.encode(m.Ret)
	if err != nil {
		return "", err
	}
	args, err := ts.encodeParams(m.Params)
	return ret + "@:" + args, err
}

func (ts *types) encodeParams(ps []Param) (string, error) {
	var b strings.Builder
	for _, p := range ps {
		e, err := ts.encode(p.Type)
		if err != nil {
			return "", fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		b.WriteString(e)
	}
	return b.String(), nil
}

// blockEncoding returns "v@?@@".
func (ts *types) blockEncoding(b *BlockType) (string, error) {
	ret, err := ts.encode(b.Ret)
	if err != nil {
		return "", err
	}
	s := ret + "@?"
	for _, p := range b.Params {
		e, err := ts.encode(p)
		if err != nil {
			return "", err
		}
		s += e
	}
	return s, nil
}

// Layout gives the offsets of a structure's fields, which are the same in C and Go.
type Layout struct {
	Size    int   `json:"size"`
	Align   int   `json:"align"`
	Offsets []int `json:"offsets"`
}

func (ts *types) layout(s *Struct) (Layout, error) {
	l := Layout{Align: 1}
	for _, f := range s.Fields {
		size, align, err := ts.sizeAlign(f.Type)
		if err != nil {
			return l, fmt.Errorf("field %s of %s: %w", f.Name, s.Name, err)
		}
		l.Size = (l.Size + align - 1) / align * align
		l.Offsets = append(l.Offsets, l.Size)
		l.Size += size * max(1, f.Len)
		l.Align = max(l.Align, align)
	}
	l.Size = (l.Size + l.Align - 1) / l.Align * l.Align
	return l, nil
}

func (ts *types) sizeAlign(t CType) (size, align int, err error) {
	t = ts.resolve(t)
	if t.Stars > 0 || t.Block != nil || objectLike[t.Name] {
		return 8, 8, nil
	}
	if p, ok := prims[t.Name]; ok {
		return p.size, p.size, nil
	}
	if e := ts.enums[t.Name]; e != nil {
		n := prims[e.Underlying].size
		return n, n, nil
	}
	if v, ok := vectorOf(t.Name); ok {
		return v.size(), v.size(), nil
	}
	if s := ts.structs[t.Name]; s != nil {
		l, err := ts.layout(s)
		return l.Size, l.Align, err
	}
	return 0, 0, fmt.Errorf("size of %s is not known", t)
}

package bindgen

import (
	"fmt"
	"slices"
	"strings"
)

// valueKind is how a value crosses between Go and Objective-C.
type valueKind uint8

const (
	kindVoid        valueKind = iota
	kindBool                  // BOOL
	kindInt                   // integers and enumerations: a conversion
	kindFloat                 // float
	kindDouble                // double
	kindStruct                // by value
	kindString                // NSString *
	kindError                 // NSError *
	kindObject                // an object with a wrapper of its own
	kindAny                   // any other object: objc.Object
	kindObjects               // NSArray of objects
	kindStrings               // NSArray of NSString
	kindData                  // NSData *
	kindDispatch              // dispatch_data_t
	kindURL                   // NSURL *
	kindStrMap                // NSDictionary from NSString to strings or numbers
	kindObjMap                // NSDictionary from NSString to objects
	kindListMap               // NSDictionary from NSString to NSArray
	kindDict                  // NSDictionary from objects to objects
	kindNumbers               // NSArray of NSNumber
	kindLists                 // NSArray of NSArray of objects
	kindMutable               // NSMutableArray of objects, which the receiver of a message fills
	kindBlock                 // a block
	kindBlockResult           // a block as a result: objc.Block
	kindPointer               // memory: uintptr
	kindVector                // a SIMD vector, in structures only: the calling convention has no place for it
)

// value is a type as Go sees it.
type value struct {
	kind   valueKind
	goType string
	elem   string // element's Go type, for objects, arrays and dictionaries
	key    string // key's Go type, for kindDict
	s      *Struct
	block  *BlockType
}

// archives is why methods that take an NSCoder are left out.
const archives = "archives are not bound: a program keeps the parameters of its kernels itself"

// mayFail reports whether the conversion to an object can give nil for a non-nil Go value: a
// container with nil elements, text that is not a URL. Sending nil would have another meaning, or
// Metal would throw.
func (k valueKind) mayFail() bool {
	switch k {
	case kindObjects, kindStrings, kindURL, kindStrMap, kindObjMap, kindListMap, kindDict, kindNumbers, kindLists,
		kindMutable:
		return true
	}
	return false
}

// valueOf classifies a type. why is not empty when the type cannot be bound.
func (g *generator) valueOf(t CType, self *Class) (v value, why string) {
	ts := g.ts
	orig := t
	t = ts.resolve(t)
	if t.Block != nil {
		return g.blockValue(t.Block)
	}
	if t.Stars == 0 {
		switch t.Name {
		case "void":
			return value{kind: kindVoid}, ""
		case "BOOL", "_Bool":
			return value{kind: kindBool, goType: "bool"}, ""
		case "float":
			return value{kind: kindFloat, goType: "float32"}, ""
		case "double", "CGFloat":
			return value{kind: kindDouble, goType: "float64"}, ""
		case "IOSurfaceRef":
			return value{kind: kindPointer, goType: "uintptr"}, ""
		case "dispatch_data_t":
			return value{kind: kindDispatch, goType: "[]byte"}, ""
		case "dispatch_queue_t":
			return value{kind: kindAny, goType: "objc.Object"}, ""
		case "instancetype":
			return g.objectValue(self.Name)
		case "id":
			if len(t.Args) == 1 && t.Args[0].Name != "NSObject" {
				return g.objectValue(t.Args[0].Name)
			}
			return value{kind: kindAny, goType: "objc.Object"}, ""
		}
		if p, ok := prims[t.Name]; ok {
			return value{kind: kindInt, goType: p.goT}, ""
		}
		if e := ts.enums[t.Name]; e != nil {
			g.usedEnums[e.Name] = true
			return value{kind: kindInt, goType: g.typeName(e.Name)}, g.outOf(e.Name)
		}
		if s := ts.structs[t.Name]; s != nil {
			return value{kind: kindStruct, goType: g.typeName(s.Name), s: s}, g.outOf(s.Name)
		}
		if v, ok := vectorOf(t.Name); ok {
			return value{kind: kindVector, goType: fmt.Sprintf("[%d]%s", v.n, v.elem.goT)}, ""
		}
		return value{}, fmt.Sprintf("type %s is not declared", orig)
	}
	if t.Stars == 1 && t.Name == "void" && ts.typedefs[orig.Name].Stars == 1 {
		return value{kind: kindPointer, goType: g.typeName(orig.Name)}, ""
	}
	if !ts.isObject(t) {
		return value{kind: kindPointer, goType: "uintptr"}, ""
	}
	switch t.Name {
	case "NSString":
		return value{kind: kindString, goType: "string"}, ""
	case "NSError":
		return value{kind: kindError, goType: "error"}, ""
	case "NSData":
		return value{kind: kindData, goType: "[]byte"}, ""
	case "NSURL":
		return value{kind: kindURL, goType: "string"}, ""
	case "NSArray":
		return g.arrayValue(t, self)
	case "NSMutableArray":
		v, why := g.arrayValue(t, self)
		if why != "" || v.kind != kindObjects {
			return value{}, cmpOr(why, fmt.Sprintf("no Go form for %s", t))
		}
		return value{kind: kindMutable, goType: "*" + v.goType, elem: v.elem}, ""
	case "NSCoder", "NSSet":
		return value{}, archives
	case "NSDictionary":
		return g.dictValue(t, self)
	case "NSBundle", "NSObject":
		if len(t.Args) == 1 { // NSObject<MPSHandle> *
			return g.objectValue(t.Args[0].Name)
		}
		return value{kind: kindAny, goType: "objc.Object"}, ""
	}
	return g.objectValue(t.Name)
}

func (g *generator) objectValue(name string) (value, string) {
	if why := g.outOf(name); why != "" {
		return value{}, why
	}
	if c := g.ts.classes[name]; c == nil || c.Group == foundationGroup {
		return value{}, fmt.Sprintf("type %s is not declared", name)
	}
	n := g.typeName(name)
	return value{kind: kindObject, goType: n, elem: n}, ""
}

func (g *generator) arrayValue(t CType, self *Class) (value, string) {
	if len(t.Args) != 1 {
		return value{}, "NSArray without an element type"
	}
	if t.Args[0].Name == "NSNumber" {
		return value{kind: kindNumbers, goType: "[]int"}, ""
	}
	e, why := g.valueOf(t.Args[0], self)
	switch {
	case why != "":
		return value{}, why
	case e.kind == kindString:
		return value{kind: kindStrings, goType: "[]string"}, ""
	case e.kind == kindObject:
		return value{kind: kindObjects, goType: "[]" + e.elem, elem: e.elem}, ""
	case e.kind == kindObjects:
		return value{kind: kindLists, goType: "[]" + e.goType, elem: e.elem}, ""
	}
	return value{}, fmt.Sprintf("no Go form for %s", t)
}

func (g *generator) dictValue(t CType, self *Class) (value, string) {
	if len(t.Args) != 2 {
		return value{}, fmt.Sprintf("no Go form for %s", t)
	}
	e, why := g.valueOf(t.Args[1], self)
	if t.Args[0].Name != "NSString" && why == "" {
		k, why := g.valueOf(t.Args[0], self)
		if why != "" || k.kind != kindObject || e.kind != kindObject {
			return value{}, cmpOr(why, fmt.Sprintf("no Go form for %s", t))
		}
		return value{kind: kindDict, goType: "map[" + k.elem + "]" + e.elem, key: k.elem, elem: e.elem}, ""
	}
	switch {
	case why != "":
		return value{}, why
	case e.kind == kindString || t.Args[1].Name == "NSObject":
		return value{kind: kindStrMap, goType: "map[string]string"}, ""
	case e.kind == kindObject:
		return value{kind: kindObjMap, goType: "map[string]" + e.elem, elem: e.elem}, ""
	case e.kind == kindObjects:
		return value{kind: kindListMap, goType: "map[string][]" + e.elem, elem: e.elem}, ""
	}
	return value{}, fmt.Sprintf("no Go form for %s", t)
}

func (g *generator) blockValue(b *BlockType) (value, string) {
	var ps []string
	for _, p := range b.Params {
		v, why := g.valueOf(p, nil)
		if why != "" {
			return value{}, why
		}
		if _, ok := v.fromWord("x"); !ok && v.kind != kindMutable {
			return value{}, fmt.Sprintf("block parameter %s has no Go form", p)
		}
		ps = append(ps, v.goType)
	}
	ret, why := g.valueOf(b.Ret, nil)
	if why != "" {
		return value{}, why
	}
	if _, ok := ret.toWord("x"); !ok && ret.kind != kindVoid {
		return value{}, fmt.Sprintf("block result %s has no Go form", b.Ret)
	}
	typ := "func(" + strings.Join(ps, ", ") + ")"
	if ret.kind != kindVoid {
		typ += " " + ret.goType
	}
	return value{kind: kindBlock, goType: typ, block: b}, ""
}

// toWord writes the word of a block's result, an object of which is +0; ok is false for results
// that blocks do not have.
func (v value) toWord(x string) (expr string, ok bool) {
	switch v.kind {
	case kindBool:
		return "objc.Bool(" + x + ")", true
	case kindInt:
		return "uintptr(" + x + ")", true
	case kindObject, kindAny:
		return x + ".Word()", true
	case kindObjects:
		return "autoreleasedArray(" + x + ").Word()", true
	}
	return "", false
}

// fromWord writes the Go value of a result word; ok is false for those that need more than an
// expression.
func (v value) fromWord(w string) (expr string, ok bool) {
	switch v.kind {
	case kindBool:
		return w + " != 0", true
	case kindInt, kindPointer:
		if v.goType == "uintptr" {
			return w, true
		}
		return v.goType + "(" + w + ")", true
	case kindFloat:
		return "objc.ToF32(" + w + ")", true
	case kindDouble:
		return "objc.ToF64(" + w + ")", true
	case kindObject:
		return v.elem + "From(objc.ID(" + w + "))", true
	case kindBlockResult:
		return "objc.BlockFrom(objc.ID(" + w + "))", true
	case kindAny:
		return "objc.ObjectFrom(objc.ID(" + w + "))", true
	case kindString:
		return "objc.GoString(objc.ID(" + w + "))", true
	case kindError:
		return "objc.ErrorFrom(objc.ID(" + w + "))", true
	case kindObjects:
		return "objc.ArrayOf(objc.ID(" + w + "), " + v.elem + "From)", true
	case kindStrings:
		return "objc.GoStrings(objc.ID(" + w + "))", true
	case kindNumbers:
		return "objc.GoInts(objc.ID(" + w + "))", true
	case kindLists:
		return "objc.ArrayOf(objc.ID(" + w + "), func(id objc.ID) []" + v.elem + " { return objc.ArrayOf(id, " + v.elem +
			"From) })", true
	case kindDict:
		return "objc.DictionaryOf(objc.ID(" + w + "), " + v.key + "From, " + v.elem + "From)", true
	case kindData, kindDispatch:
		return "objc.GoBytes(objc.ID(" + w + "))", true
	case kindURL:
		return "objc.GoURL(objc.ID(" + w + "))", true
	case kindStrMap:
		return "objc.GoStringMap(objc.ID(" + w + "))", true
	case kindObjMap:
		return "objc.MapOf(objc.ID(" + w + "), " + v.elem + "From)", true
	case kindListMap:
		return "objc.MapOf(objc.ID(" + w + "), func(id objc.ID) []" + v.elem + " { return objc.ArrayOf(id, " + v.elem +
			"From) })", true
	}
	return "", false
}

// copied reports whether the Go value is independent of the object it was made from, so that the
// object may be released with a pool.
func (v value) copied() bool {
	switch v.kind {
	case kindError, kindStrings, kindData, kindDispatch, kindURL, kindStrMap, kindNumbers:
		return true
	}
	return false
}

// isArray reports whether v is made from a container whose elements come back as wrappers.
func (v value) isArray() bool {
	switch v.kind {
	case kindObjects, kindObjMap, kindListMap, kindDict, kindLists:
		return true
	}
	return false
}

// zero is the Go zero value.
func (v value) zero() string {
	switch v.kind {
	case kindBool:
		return "false"
	case kindInt, kindFloat, kindDouble, kindPointer:
		return "0"
	case kindString, kindURL:
		return `""`
	case kindStruct, kindObject, kindAny, kindBlockResult:
		return v.goType + "{}"
	}
	return "nil"
}

// structWords writes the argument words of a structure held in the Go expression x.
func (g *generator) structWords(s *Struct, x string) ([]string, string) {
	l, err := g.ts.layout(s)
	if err != nil {
		return nil, err.Error()
	}
	if l.Size <= 8 {
		if f := s.Fields[0]; len(s.Fields) == 1 && f.Len == 0 {
			if v, why := g.valueOf(f.Type, nil); why == "" && v.kind == kindInt && l.Size == 8 {
				return []string{"uintptr(" + x + "." + fieldName(f.Name) + ")"}, ""
			}
		}
		return []string{"objc.Pack(" + x + ")"}, ""
	}
	if slices.ContainsFunc(s.Fields, func(f Field) bool { return !g.wholeWords(f) }) {
		var out []string
		for i := range (l.Size + 7) / 8 {
			out = append(out, fmt.Sprintf("objc.WordAt(%s, %d)", x, i))
		}
		return out, ""
	}
	var out []string
	for _, f := range s.Fields {
		fx := x + "." + fieldName(f.Name)
		v, why := g.valueOf(f.Type, nil)
		switch {
		case why != "":
			return nil, why
		case v.kind == kindStruct:
			ws, why := g.structWords(v.s, fx)
			if why != "" {
				return nil, why
			}
			out = append(out, ws...)
		case v.kind == kindDouble:
			out = append(out, "objc.F64("+fx+")")
		default:
			out = append(out, "uintptr("+fx+")")
		}
	}
	return out, ""
}

// wholeWords reports whether a field is one value of whole words, or a structure of such fields.
func (g *generator) wholeWords(f Field) bool {
	size, _, err := g.ts.sizeAlign(f.Type)
	if s := g.ts.structs[g.ts.resolve(f.Type).Name]; s != nil && f.Len == 0 {
		return !slices.ContainsFunc(s.Fields, func(f Field) bool { return !g.wholeWords(f) })
	}
	return err == nil && f.Len == 0 && size%8 == 0
}

func fieldName(s string) string { return exported(strings.TrimLeft(s, "_")) }

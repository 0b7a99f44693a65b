package bindgen

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"io/fs"
	"math"
	"sort"
	"strconv"
	"strings"
)

// kit reads one of darwinkit's packages. It relies only on the regular form of the generated code,
// which is not compiled.
//
//	func (d_ DeviceObject) NewHeapWithDescriptor(descriptor HeapDescriptor) HeapObject {
//	    rv := objc.Call[HeapObject](d_, objc.Sel("newHeapWithDescriptor:"), descriptor)
type kit struct {
	prefix  string // "MTL"
	kinds   map[string]byte
	mod     *Module
	classes map[string]*Class
}

// Kinds of names in a darwinkit package.
const (
	kitProtocol = 'P' // has an interface PName and a type NameObject
	kitClass    = 'C' // has an interface IName
	kitEnum     = 'E'
	kitStruct   = 'S'
	kitAlias    = 'A' // a named block type
)

// ReadKit reads the darwinkit package in fsys whose Objective-C names begin with prefix.
func ReadKit(fsys fs.FS, prefix string) (*Module, error) {
	names, err := fs.Glob(fsys, "*.go")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	k := &kit{prefix: prefix, kinds: map[string]byte{}, mod: &Module{}, classes: map[string]*Class{}}
	fset := gotoken.NewFileSet()
	var files []*ast.File
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(fsys, n)
		if err != nil {
			return nil, err
		}
		f, err := goparser.ParseFile(fset, n, src, goparser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read darwinkit: %w", err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read darwinkit: no Go files for prefix %s", prefix)
	}
	for _, f := range files {
		k.collectTypes(f)
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				k.method(d)
			case *ast.GenDecl:
				k.consts(d)
			}
		}
	}
	for _, c := range k.classes {
		sort.Slice(c.Methods, func(i, j int) bool { return c.Methods[i].Selector < c.Methods[j].Selector })
		k.mod.Classes = append(k.mod.Classes, c)
	}
	sort.Slice(k.mod.Classes, func(i, j int) bool { return k.mod.Classes[i].Name < k.mod.Classes[j].Name })
	sort.Slice(k.mod.Enums, func(i, j int) bool { return k.mod.Enums[i].Name < k.mod.Enums[j].Name })
	return k.mod, nil
}

// kitIntegers maps Go's integer types to Objective-C's.
var kitIntegers = map[string]string{
	"uint": "NSUInteger", "int": "NSInteger", "uint64": "uint64_t", "int64": "int64_t", "uint32": "uint32_t",
	"int32":  "int32_t",
	"uint16": "uint16_t", "int16": "int16_t", "uint8": "uint8_t", "int8": "int8_t",
}

func (k *kit) collectTypes(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != gotoken.TYPE {
			continue
		}
		for _, s := range g.Specs {
			t := s.(*ast.TypeSpec)
			name := t.Name.Name
			switch typ := t.Type.(type) {
			case *ast.InterfaceType:
				if len(name) > 1 && name[0] == 'P' {
					k.kinds[name[1:]] = kitProtocol
				} else if len(name) > 1 && name[0] == 'I' && k.kinds[name[1:]] == 0 {
					k.kinds[name[1:]] = kitClass
				}
			case *ast.StructType:
				if k.kinds[name] == 0 && !strings.HasSuffix(name, "Object") && name[0] != '_' && !embedsObject(typ) {
					k.kinds[name] = kitStruct
				}
			case *ast.Ident:
				if c, ok := kitIntegers[typ.Name]; ok && t.Assign == 0 {
					k.kinds[name] = kitEnum
					k.mod.Enums = append(k.mod.Enums, &Enum{Name: k.prefix + name, Underlying: c})
				}
			case *ast.FuncType:
				k.kinds[name] = kitAlias
			}
		}
	}
}

func embedsObject(s *ast.StructType) bool {
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 {
			return true
		}
	}
	return false
}

// consts reads typed constants: "StorageModePrivate StorageMode = 2".
func (k *kit) consts(g *ast.GenDecl) {
	if g.Tok != gotoken.CONST {
		return
	}
	for _, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		typ, ok := v.Type.(*ast.Ident)
		if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
			continue
		}
		for _, e := range k.mod.Enums {
			if e.Name == k.prefix+typ.Name {
				if n, ok := kitValue(v.Values[0]); ok {
					e.Members = append(e.Members, Member{k.prefix + v.Names[0].Name, n})
				}
			}
		}
	}
}

func kitValue(x ast.Expr) (uint64, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseUint(x.Value, 0, 64)
		return n, err == nil
	case *ast.UnaryExpr:
		n, ok := kitValue(x.X)
		return -n, ok && x.Op == gotoken.SUB
	case *ast.SelectorExpr:
		if x.Sel.Name == "MaxUint" || x.Sel.Name == "MaxUint64" {
			return math.MaxUint64, true
		}
	}
	return 0, false
}

// method records a method of a wrapper. Methods that darwinkit adds itself (Has…, New, Alloc,
// Autorelease) are skipped because they send none of the class's own selectors.
func (k *kit) method(d *ast.FuncDecl) {
	if d.Recv == nil || d.Body == nil || len(d.Recv.List) != 1 {
		return
	}
	recv, ok := d.Recv.List[0].Type.(*ast.Ident)
	if !ok {
		return
	}
	name, classMethod := recv.Name, false
	switch {
	case strings.HasPrefix(name, "_") && strings.HasSuffix(name, "Class"):
		name, classMethod = strings.TrimSuffix(name[1:], "Class"), true
	case strings.HasSuffix(name, "Object") && k.kinds[strings.TrimSuffix(name, "Object")] == kitProtocol:
		name = strings.TrimSuffix(name, "Object")
	}
	kind := k.kinds[name]
	if kind != kitClass && kind != kitProtocol {
		return
	}
	sel := calledSelector(d.Body)
	if sel == "" || sel == "alloc" || sel == "new" || sel == "init" && !classMethod {
		return
	}
	c := k.classes[name]
	if c == nil {
		c = &Class{Name: k.prefix + name, Protocol: kind == kitProtocol}
		k.classes[name] = c
	}
	if c.Find(sel, classMethod) != nil {
		return
	}
	m := &Method{Selector: sel, ClassMethod: classMethod, Ret: CType{Name: "void"}}
	var params []*ast.Field
	if d.Type.Params != nil {
		params = d.Type.Params.List
	}
	for _, f := range params {
		for _, n := range f.Names {
			t, ok := k.ctype(f.Type)
			if !ok {
				m.loose("parameter %s is %s", n.Name, exprString(f.Type))
			}
			m.Params = append(m.Params, Param{Name: strings.TrimSuffix(n.Name, "_"), Type: t})
		}
	}
	if n := len(m.Params); n > 0 && m.Params[n-1].Name == "error" &&
		exprString(params[len(params)-1].Type) == "unsafe.Pointer" {
		m.Params[n-1].Type = CType{Name: "NSError", Stars: 2}
		if strings.HasPrefix(m.Loose, "parameter error ") {
			m.Loose = ""
		}
	}
	if d.Type.Results != nil && len(d.Type.Results.List) == 1 {
		t, ok := k.ctype(d.Type.Results.List[0].Type)
		if !ok {
			m.loose("result is %s", exprString(d.Type.Results.List[0].Type))
		}
		m.Ret = t
	}
	if strings.Count(sel, ":") != len(m.Params) {
		m.loose("%d parameters for selector %s", len(m.Params), sel)
	}
	c.Methods = append(c.Methods, m)
}

// loose records the first reason why the types are too imprecise to call the method.
func (m *Method) loose(format string, args ...any) {
	if m.Loose == "" {
		m.Loose = fmt.Sprintf(format, args...)
	}
}

// calledSelector returns the selector of the message that body sends through objc.Call, or "".
func calledSelector(body *ast.BlockStmt) string {
	var sel string
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 || !strings.HasPrefix(exprString(call.Fun), "objc.Call[") {
			return true
		}
		if s, ok := call.Args[1].(*ast.CallExpr); ok && exprString(s.Fun) == "objc.Sel" && len(s.Args) == 1 {
			if lit, ok := s.Args[0].(*ast.BasicLit); ok {
				sel, _ = strconv.Unquote(lit.Value)
			}
		}
		return sel == ""
	})
	return sel
}

// kitForeign maps types of other darwinkit packages.
var kitForeign = map[string]CType{
	"foundation.Range": {Name: "NSRange"}, "foundation.URL": {Name: "NSURL", Stars: 1},
	"foundation.IURL":  {Name: "NSURL", Stars: 1},
	"foundation.Error": {Name: "NSError", Stars: 1}, "dispatch.Queue": {Name: "dispatch_queue_t"},
	"dispatch.Data":     {Name: "dispatch_data_t"},
	"foundation.Bundle": {Name: "NSBundle", Stars: 1}, "foundation.IBundle": {Name: "NSBundle", Stars: 1},
	"objc.Object": {Name: "id"}, "objc.IObject": {Name: "id"}, "iosurface.Ref": {Name: "IOSurfaceRef"},
}

// ctype returns the Objective-C type that one of darwinkit's Go types represents, if any.
func (k *kit) ctype(x ast.Expr) (CType, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		return k.named(x.Name)
	case *ast.SelectorExpr:
		t, ok := kitForeign[exprString(x)]
		return t, ok
	case *ast.ArrayType:
		e, ok := k.ctype(x.Elt)
		return CType{Name: "NSArray", Args: []CType{e}, Stars: 1}, ok && x.Len == nil
	}
	return CType{}, false
}

func (k *kit) named(name string) (CType, bool) {
	switch name {
	case "bool":
		return CType{Name: "BOOL"}, true
	case "string":
		return CType{Name: "NSString", Stars: 1}, true
	case "float32":
		return CType{Name: "float"}, true
	case "float64":
		return CType{Name: "double"}, true
	}
	if c, ok := kitIntegers[name]; ok {
		return CType{Name: c}, true
	}
	if base, ok := strings.CutSuffix(name, "Object"); ok && k.kinds[base] == kitProtocol {
		return CType{Name: "id", Args: []CType{{Name: k.prefix + base}}}, true
	}
	if len(name) > 1 {
		if name[0] == 'P' && k.kinds[name[1:]] == kitProtocol {
			return CType{Name: "id", Args: []CType{{Name: k.prefix + name[1:]}}}, true
		}
		if name[0] == 'I' && k.kinds[name[1:]] == kitClass {
			return CType{Name: k.prefix + name[1:], Stars: 1}, true
		}
	}
	switch k.kinds[name] {
	case kitClass:
		return CType{Name: k.prefix + name, Stars: 1}, true
	case kitEnum, kitStruct, kitAlias:
		return CType{Name: k.prefix + name}, true
	}
	return CType{}, false
}

// exprString formats a type expression of one of the few forms that darwinkit uses.
func exprString(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return exprString(x.X) + "." + x.Sel.Name
	case *ast.StarExpr:
		return "*" + exprString(x.X)
	case *ast.ArrayType:
		return "[]" + exprString(x.Elt)
	case *ast.MapType:
		return "map[" + exprString(x.Key) + "]" + exprString(x.Value)
	case *ast.IndexExpr:
		return exprString(x.X) + "[" + exprString(x.Index) + "]"
	case *ast.FuncType:
		return "func"
	}
	return fmt.Sprintf("%T", x)
}

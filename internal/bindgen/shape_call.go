package bindgen

import (
	"fmt"
	"slices"
	"strings"
)

// goParam is one parameter of a generated function.
type goParam struct{ name, typ string }

// call is a method or function shaped for Go: its parameters, and the pieces of its body.
type call struct {
	params   []goParam
	checks   []string // checks that reject arguments before anything is created
	pre      []string // statements before the message
	words    []string // argument words
	keep     []string // what must stay alive during the message
	post     []string // statements after the message
	notes    []string // sentences for the doc comment
	pool     bool     // temporary autoreleased objects are made: the message runs in its own pool
	errOut   bool     // the last parameter is NSError **
	out      value    // object out-parameter before it, if hasOut
	hasOut   bool
	nilNames []string // parameters that may be nil
	outs     []outVal // parameters that became results
	// outObjects means that outs are objects, which can come beside a result of the message.
	outObjects bool
}

// A line of checks or pre that begins with one of these rejects the parameter whose name follows.
// It becomes a return, after a report if the method has no error result.
const (
	refuseNil   = "REFUSE nil "   // nil where the declaration wants an object
	refuseFault = "REFUSE fault " // no container was made: package objc has reported why
	refuseBad   = "REFUSE bad "   // what a check of overrides.toml returns, in err
	refuseShort = "REFUSE short " // a slice with too few elements: a space and the least number follow
	refuseNUL   = "REFUSE NUL "   // a C string would end at a NUL byte; i is its offset
)

// outVal is a number or structure that the message writes through a pointer and Go returns.
type outVal struct{ name, typ, zero string }

// shapeParams turns the parameters of a method or function into Go. sel is for the search of
// counts: the labels.
func (g *generator) shapeParams(ps []Param, labels []string, over map[string]string, self *Class) (*call, string) {
	c := &call{}
	for name := range over {
		if !slices.ContainsFunc(ps, func(p Param) bool { return p.Name == name }) {
			return nil, fmt.Sprintf("override names a parameter %q that does not exist", name)
		}
	}
	var arrays []string // Go names of the slices that share the count
	count := -1         // index of the parameter derived from them
	for i, p := range ps {
		if _, ok := over[p.Name]; !ok && g.cArray(p.Type) {
			arrays = append(arrays, paramName(p.Name))
		} else if ok {
			continue
		} else if j := i; g.isCount(p, labels, i) {
			count = j
		}
	}
	if len(arrays) > 0 && count < 0 && g.single(ps, over) {
		arrays = nil
	}
	if len(arrays) > 0 && count < 0 && !slices.ContainsFunc(ps,
		func(p Param) bool { return strings.HasPrefix(over[p.Name], "len(") }) {
		return nil, "a C array without a count: needs an override"
	}
	for i, p := range ps {
		name := paramName(p.Name)
		if ov, ok := over[p.Name]; ok {
			if why := g.override(c, name, p, ov); why != "" {
				return nil, why
			}
			continue
		}
		if p.Type.Name == "NSError" && p.Type.Stars == 2 {
			if i != len(ps)-1 {
				return nil, "NSError ** is not the last parameter"
			}
			c.errOut = true
			continue
		}
		if i == count && len(arrays) > 0 {
			g.countParam(c, p, arrays)
			continue
		}
		if why := g.param(c, p, name, arrays, i, ps, self); why != "" {
			return nil, why
		}
	}
	return c, ""
}

// single reports whether all C arrays among the parameters are const structures in the singular:
// one structure each, passed by address.
func (g *generator) single(ps []Param, over map[string]string) bool {
	return !slices.ContainsFunc(ps, func(p Param) bool {
		return over[p.Name] == "" && g.cArray(p.Type) &&
			(!p.Type.Const || g.ts.structs[g.ts.resolve(p.Type).Name] == nil || strings.HasSuffix(p.Name, "s"))
	})
}

// override shapes a parameter as overrides.toml says; see MethodOverride.Params.
func (g *generator) override(c *call, name string, p Param, ov string) string {
	if least, ok := strings.CutPrefix(ov, "[] "); ok {
		return g.slice(c, name, p, least)
	}
	switch ov {
	case "[]byte":
		c.params = append(c.params, goParam{name, "[]byte"})
		c.words = append(c.words, "objc.Slice("+name+")")
		c.keep = append(c.keep, name)
	case "result":
		rt := g.ts.resolve(p.Type)
		if rt.Block != nil || rt.Stars != 1 || !g.ts.isValue(rt.Name) {
			return fmt.Sprintf("parameter %s is no pointer to a value", p.Name)
		}
		v, why := g.valueOf(rt.elem(), nil)
		if why != "" {
			return why
		}
		c.pre = append(c.pre, name+" := new("+v.goType+")")
		c.words = append(c.words, "objc.Addr("+name+")")
		c.outs = append(c.outs, outVal{name, v.goType, v.zero()})
	default:
		c.words = append(c.words, "uintptr("+ov+")")
	}
	return ""
}

// slice shapes a pointer to several values as a slice with a least length, a Go expression.
func (g *generator) slice(c *call, name string, p Param, least string) string {
	rt := g.ts.resolve(p.Type)
	elem := "byte"
	if rt.Name != "void" {
		v, why := g.valueOf(rt.elem(), nil)
		if why != "" {
			return why
		}
		elem = v.goType
	}
	c.params = append(c.params, goParam{name, "[]" + elem})
	short := "uint(len(" + name + ")) < " + least
	if p.Nullable {
		c.nilNames = append(c.nilNames, name)
		short = name + " != nil && " + short
	}
	c.checks = append(c.checks, "if "+short+" {", refuseShort+name+" "+least, "}")
	c.words = append(c.words, "objc.Slice("+name+")")
	c.keep = append(c.keep, name)
	return ""
}

// isCount reports whether a parameter counts the elements of the arrays beside it.
func (g *generator) isCount(p Param, labels []string, i int) bool {
	label := ""
	if i < len(labels) {
		label = strings.ToLower(labels[i])
	}
	switch p.Type.String() {
	case "NSRange":
		return strings.HasSuffix(label, "range")
	case "NSUInteger":
		return label == "count" || label == "numregions" || label == "numberofregions"
	}
	return false
}

// cArray reports whether t is a C array of objects, structures or numbers that Go gives as a slice.
func (g *generator) cArray(t CType) bool {
	t = g.ts.resolve(t)
	if t.Block != nil || t.Stars != 1 || t.Name == "void" || t.Name == "char" || g.ts.isObject(t) {
		return false
	}
	if t.Name == "id" {
		return t.Const
	}
	return g.ts.isValue(t.Name) && (t.Const || g.ts.structs[t.Name] != nil)
}

func (g *generator) countParam(c *call, p Param, arrays []string) {
	n := "len(" + arrays[0] + ")"
	if len(arrays) > 1 {
		ls := make([]string, len(arrays))
		for i, a := range arrays {
			ls[i] = "len(" + a + ")"
		}
		n = "min(" + strings.Join(ls, ", ") + ")"
		least := "shortest"
		if len(arrays) == 2 {
			least = "shorter"
		}
		c.notes = append(c.notes, "The "+least+" of "+joinAnd(arrays)+" determines the number of elements.")
	}
	if p.Type.Name == "NSRange" {
		c.params = append(c.params, goParam{"first", "uint"})
		c.words = append(c.words, "uintptr(first)", "uintptr("+n+")")
		c.notes = append(c.notes, "The first element goes to index first.")
		return
	}
	c.words = append(c.words, "uintptr("+n+")")
}

func joinAnd(s []string) string {
	if len(s) == 1 {
		return s[0]
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}

// param adds one ordinary parameter.
func (g *generator) param(c *call, p Param, name string, arrays []string, i int, ps []Param, self *Class) string {
	rt := g.ts.resolve(p.Type)
	if g.cArray(p.Type) && len(arrays) > 0 {
		return g.arrayParam(c, name, rt)
	}
	if rt.Block == nil && rt.Stars == 2 && g.ts.isObject(rt.elem()) {
		return g.outParam(c, rt, i, ps, self)
	}
	if rt.Name == "NSZone" {
		c.words = append(c.words, "0") // zones are history: always NULL
		return ""
	}
	if rt.Block == nil && rt.Stars == 1 && rt.Name == "char" && rt.Const {
		c.params = append(c.params, goParam{name, "string"})
		c.checks = append(c.checks, "if i := strings.IndexByte("+name+", 0); i >= 0 {", refuseNUL+name, "}")
		c.pre = append(c.pre, name+"Bytes := append([]byte("+name+"), 0)")
		c.words = append(c.words, "objc.Slice("+name+"Bytes)")
		c.keep = append(c.keep, name+"Bytes")
		return ""
	}
	if rt.Block == nil && rt.Stars == 1 && rt.Name != "void" && g.ts.isValue(rt.Name) &&
		(!rt.Const || g.ts.structs[rt.Name] != nil) {
		v, why := g.valueOf(rt.elem(), self)
		if why != "" {
			return why
		}
		if rt.Const && p.Nullable {
			c.nilNames = append(c.nilNames, name)
		} else if rt.Const {
			c.checks = append(c.checks, "if "+name+" == nil {", refuseNil+name, "}")
		}
		c.params = append(c.params, goParam{name, "*" + v.goType})
		c.words = append(c.words, "objc.Addr("+name+")")
		c.keep = append(c.keep, name)
		return ""
	}
	if rt.Block == nil && rt.Stars == 1 && rt.Name == "id" {
		return fmt.Sprintf("parameter %s is replaced through a strong pointer, which a handle cannot be", p.Name)
	}
	v, why := g.valueOf(p.Type, self)
	if why != "" {
		return why
	}
	c.params = append(c.params, goParam{name, v.goType})
	if p.Nullable {
		c.nilNames = append(c.nilNames, name)
	}
	return g.paramWords(c, v, name, p.Nullable)
}

// paramWords adds the words of a value, and the temporary objects that carry it.
func (g *generator) paramWords(c *call, v value, name string, nullable bool) string {
	temp := func(expr string) string {
		id := name + "ID"
		var refuse []string
		if v.kind.mayFail() {
			refuse = append(refuse, "if "+id+".IsNil() {")
			refuse = append(refuse, c.post...)
			if v.kind == kindURL {
				refuse = append(refuse, refuseNil+name, "}")
			} else {
				refuse = append(refuse, refuseFault+name, "}")
			}
		}
		if nullable {
			cond := "len(" + name + ") > 0"
			if v.kind == kindNumbers || v.kind == kindMutable {
				cond = name + " != nil"
			}
			c.pre = append(c.pre, "var "+id+" objc.ID", "if "+cond+" {", id+" = "+expr)
			c.pre = append(append(c.pre, refuse...), "}")
		} else {
			c.pre = append(append(c.pre, id+" := "+expr), refuse...)
		}
		c.post = append(c.post, "objc.Release("+id+")")
		c.words = append(c.words, id+".Word()")
		return ""
	}
	if !nullable {
		switch v.kind {
		case kindObject, kindAny:
			c.checks = append(c.checks, "if "+name+".IsNil() {", refuseNil+name, "}")
		case kindBlock:
			c.checks = append(c.checks, "if "+name+" == nil {", refuseNil+name, "}")
		}
	}
	switch v.kind {
	case kindBool:
		c.words = append(c.words, "objc.Bool("+name+")")
	case kindInt, kindPointer:
		if v.goType == "uintptr" {
			c.words = append(c.words, name)
		} else {
			c.words = append(c.words, "uintptr("+name+")")
		}
	case kindFloat:
		c.words = append(c.words, "objc.F32("+name+")")
	case kindDouble:
		c.words = append(c.words, "objc.F64("+name+")")
	case kindStruct:
		ws, why := g.structWords(v.s, name)
		c.words = append(c.words, ws...)
		return why
	case kindObject, kindAny:
		c.words = append(c.words, name+".Word()")
	case kindString:
		return temp("objc.NewString(" + name + ")")
	case kindStrings:
		return temp("objc.NewStrings(" + name + ")")
	case kindObjects:
		return temp("objc.NewArray(" + name + ")")
	case kindNumbers:
		return temp("objc.NewInts(" + name + ")")
	case kindLists:
		return temp("objc.NewArrays(" + name + ")")
	case kindDict:
		return temp("objc.NewDictionary(" + name + ")")
	case kindMutable:
		if !nullable {
			c.checks = append(c.checks, "if "+name+" == nil {", refuseNil+name, "}")
		}
		why := temp("objc.NewMutableArray(*" + name + ")")
		// The elements that the receiver has added are retained before the array that owns them goes.
		c.post = slices.Insert(c.post, len(c.post)-1,
			fmt.Sprintf("*%s = objc.RetainedOf(*%s, %sID, %sFrom)", name, name, name, v.elem))
		c.notes = append(c.notes, fmt.Sprintf("The elements appended to %s are +1: the caller releases them.", name))
		if nullable {
			n := len(c.post)
			c.post[n-2] = "if " + name + " != nil {\n" + c.post[n-2] + "\n}"
		}
		return why
	case kindData:
		return temp("objc.NewData(" + name + ")")
	case kindDispatch:
		return temp("objc.NewDispatchData(" + name + ")")
	case kindURL:
		return temp("objc.NewURL(" + name + ")")
	case kindStrMap:
		return temp("objc.NewStringMap(" + name + ")")
	case kindObjMap:
		return temp("objc.NewMap(" + name + ", " + v.elem + ".ID)")
	case kindListMap:
		c.pool = true
		return temp("objc.NewMap(" + name + ", autoreleasedArray[" + v.elem + "])")
	case kindBlock:
		c.pre = append(c.pre, name+"Block := "+g.blockFunc(v)+"("+name+")")
		c.post = append(c.post, name+"Block.Release()")
		c.words = append(c.words, name+"Block.Word()")
	default:
		return "no way to pass a " + v.goType
	}
	return ""
}

func (g *generator) arrayParam(c *call, name string, rt CType) string {
	elem := rt.elem()
	v, why := g.valueOf(elem, nil)
	if why != "" {
		return why
	}
	c.params = append(c.params, goParam{name, "[]" + v.goType})
	if v.kind == kindObject || v.kind == kindAny {
		c.pre = append(c.pre, name+"IDs := objc.IDArrayOf("+name+")")
		c.post = append(c.post, name+"IDs.Free()")
		c.words = append(c.words, name+"IDs.Word()")
		return ""
	}
	c.words = append(c.words, "objc.Slice("+name+")")
	c.keep = append(c.keep, name)
	return ""
}

// outParam handles "MTLFoo **": an object given back beside the result.
func (g *generator) outParam(c *call, rt CType, i int, ps []Param, self *Class) string {
	last := ps[len(ps)-1].Type
	v, why := g.valueOf(rt.elem(), self)
	if why != "" {
		return why
	}
	if i != len(ps)-2 || last.Name != "NSError" || last.Stars != 2 {
		name := paramName(ps[i].Name)
		conv, ok := v.fromWord(name + "Out.Take()")
		if !ok || v.kind != kindObject && v.kind != kindObjects {
			return fmt.Sprintf("parameter %s has no Go form for its result", ps[i].Name)
		}
		c.pre = append(c.pre, name+"Out := objc.NewOut()")
		c.words = append(c.words, name+"Out.Word()")
		if v.kind == kindObjects {
			c.post = append(c.post, name+"Array := "+name+"Out.Take()",
				fmt.Sprintf("%s := objc.RetainedOf[%s](nil, %sArray, %sFrom)", name, v.elem, name, v.elem),
				"objc.Release("+name+"Array)")
		} else {
			c.post = append(c.post, name+" := "+conv)
		}
		c.post = append(c.post, name+"Out.Free()")
		c.outs = append(c.outs, outVal{name, v.goType, v.zero()})
		c.outObjects = true
		c.notes = append(c.notes, fmt.Sprintf("The result %s is +1: the caller releases it.", name))
		return ""
	}
	c.hasOut, c.out = true, v
	return ""
}

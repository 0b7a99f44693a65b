package bindgen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// class emits the wrapper of a class or protocol.
func (g *generator) class(c *Class) error {
	name := g.cfg.typeName(c.Name)
	ov := g.ov.class(c.Name)
	o := g.out(c.Group)
	if err := g.global(name, c.Name); err != nil {
		return err
	}
	if err := g.global(name+"From", c.Name); err != nil {
		return err
	}
	if c.Protocol {
		g.res.Counts.Protocols++
	} else {
		g.res.Counts.Classes++
	}
	ms, renames, err := g.ownMethods(c)
	if err != nil {
		return err
	}
	alias := g.cfg.Aliases && !ov.Handwritten && len(ms) == 0 && g.likeSuper(c)
	switch {
	case alias:
		g.alias(o, c, name, ov.Doc)
	case !ov.Handwritten:
		g.wrapper(o, c, name, ov.Doc)
	}
	taken := map[string]string{}
	if b := g.base(c); b != nil {
		maps.Copy(taken, g.taken[b.Name])
		if field := g.embeddedName(b); !alias {
			if sel, ok := taken[field]; ok && sel != embeddedField {
				return fmt.Errorf("%s: the embedded field %s would hide the method of %s", c.Name, field, sel)
			}
			taken[field] = embeddedField
		}
	} else {
		for _, n := range objectMethods {
			taken[n] = unexported(n)
		}
	}
	g.taken[c.Name] = taken
	if c.Protocol {
		g.skipMakers(c)
	} else if err := g.constructors(o, c, name, ov, alias); err != nil {
		return err
	}
	if err := g.instanceMethods(o, c, name, taken, ms, renames); err != nil || !ov.Implement {
		return err
	}
	return g.implementation(o, c, name)
}

// skipMakers lists the methods of a protocol that belong to classes: those that make objects.
func (g *generator) skipMakers(c *Class) {
	for _, m := range c.Methods {
		switch {
		case !m.ClassMethod && !isInit(m):
		case takesArchive(m) || m.Selector == "supportsSecureCoding":
			g.skip(methodName(c, m), archives)
		default:
			g.skip(methodName(c, m), "makes an object of a class, which a protocol does not name")
		}
	}
}

// wrapper emits the Go type and XFrom.
func (g *generator) wrapper(o *output, c *Class, name, doc string) {
	embed, from := "objc.Object", "objc.ObjectFrom"
	if b := g.base(c); b != nil {
		embed = g.typeName(b.Name)
		from = embed + "From"
	}
	kind := "class"
	if c.Protocol {
		kind = "protocol"
	}
	if doc == "" {
		doc = fmt.Sprintf("%s wraps an object of the %s %s.", name, kind, c.Name)
		if c.Protocol {
			doc = fmt.Sprintf("%s wraps an object that conforms to the protocol %s.", name, c.Name)
		}
	} else {
		doc = name + " " + strings.TrimSpace(doc)
	}
	doc += g.ov.notes(c.Name) + " It also has " + g.promoted(c) + "."
	o.printf("\n")
	comment(o, doc)
	o.printf("//\n")
	comment(o, fmt.Sprintf("Objective-C %s %s. %s", kind, c.Name, availability(c)))
	o.printf("type %s struct{ %s }\n", name, embed)
	o.printf("\n// %sFrom wraps id without changing its ownership.\n", name)
	o.printf("func %sFrom(id objc.ID) %s { return %s{%s(id)} }\n", name, name, name, from)
}

// embeddedField is what the name of an embedded wrapper is taken for.
const embeddedField = "the embedded field"

// embeddedName is the name of the field that an embedded wrapper is.
func (g *generator) embeddedName(b *Class) string {
	name := g.typeName(b.Name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// likeSuper reports whether c can have its superclass's Go type if it declares no methods: it has
// no subclasses. A type of its own would be a copy of all inherited methods, and the compiler would
// spend most of its time on such copies; see "Why are some classes aliases of their superclass?" in
// docs/RATIONALE.md.
func (g *generator) likeSuper(c *Class) bool {
	b := g.base(c)
	return !g.supers[c.Name] && !c.Protocol && b != nil && b.Name == c.Super && (!g.copies(c) || g.copies(b))
}

// alias emits the Go type of a class without methods of its own, and XFrom.
func (g *generator) alias(o *output, c *Class, name, doc string) {
	super := g.typeName(c.Super)
	if doc == "" {
		doc = fmt.Sprintf("%s wraps an object of the class %s.", name, c.Name)
	} else {
		doc = name + " " + strings.TrimSpace(doc)
	}
	doc += g.ov.notes(c.Name) + " It has the methods of its superclass and no others, so its Go type is [" + super + "]."
	o.printf("\n")
	comment(o, doc)
	o.printf("//\n")
	comment(o, fmt.Sprintf("Objective-C class %s. %s", c.Name, availability(c)))
	o.printf("type %s = %s\n", name, super)
	o.printf("\n// %sFrom wraps id without changing its ownership.\n", name)
	o.printf("func %sFrom(id objc.ID) %s { return %sFrom(id) }\n", name, name, super)
}

// availability is the sentence on the macOS version that introduced a class.
func availability(c *Class) string {
	if c.Since == (Version{}) {
		return "Availability unknown."
	}
	return fmt.Sprintf("Since %v.", c.Since)
}

// promoted names the embedded types, whose methods go doc does not list.
func (g *generator) promoted(c *Class) string {
	var types []string
	for b := g.base(c); b != nil; b = g.base(b) {
		types = append(types, "["+g.typeName(b.Name)+"]")
	}
	return "the methods of " + joinAnd(append(types, "[objc.Object]")) + ", such as Release"
}

func comment(o *output, text string) {
	for _, l := range wrap(text) {
		o.printf("// %s\n", l)
	}
}

// constructors emits NewX, Copy unless the type is its superclass's, and the functions of init and
// class methods.
func (g *generator) constructors(o *output, c *Class, name string, ov *ClassOverride, alias bool) error {
	if g.constructible(c, ov) {
		if err := g.global("New"+name, c.Name+" new"); err != nil {
			return err
		}
		o.printf("\n")
		comment(o, fmt.Sprintf("New%s returns a new %s, made with alloc and init.", name, c.Name))
		o.printf("//\n// Since %v. The result is +1: the caller releases it.\n", c.Since)
		o.printf("func New%s() (%s, error) {\nid, err := zclasses[c%s].New()\nreturn %sFrom(id), err\n}\n", name, name, name,
			name)
	}
	if g.copies(c) && !alias && g.ts.classes["NSObject"] != nil {
		root := g.ts.classes["NSObject"]
		if m := root.Find("copy", false); m != nil {
			idx, err := g.entry("mObjectCopy", root, m)
			if err != nil {
				return err
			}
			g.taken[c.Name]["Copy"] = "copy"
			o.printf("\n// Copy returns a copy of the receiver.\n//\n//\t-(id)copy\n//\n// Since %v. The result is +1: the caller releases it. Type encoding @@:.\n", c.Since)
			o.printf("func (o %s) Copy() %s { return %sFrom(objc.ID(zmethods[%s].Call(o.ID()))) }\n", name, name, name, idx)
		}
	}
	for _, m := range slices.Concat(c.Methods, g.inheritedInits(c)) {
		if !m.ClassMethod && !isInit(m) || m.Unavailable {
			continue
		}
		if m.ClassMethod && m.Selector == "new" {
			g.skip(methodName(c, m), "the same as alloc and init, which New"+name+" sends")
			continue
		}
		spec := g.initSpec(c, name, m)
		if m.ClassMethod {
			spec = g.classSpec(c, name, m)
		}
		if err := g.emitFunc(o, c, m, g.ov.method(c.Name, m), spec); err != nil {
			return err
		}
	}
	return nil
}

func isInit(m *Method) bool {
	rest, ok := strings.CutPrefix(m.Selector, "init")
	return ok && !m.ClassMethod && (rest == "" || !('a' <= rest[0] && rest[0] <= 'z'))
}

// constructible reports whether NewX makes sense. Unless an override decides, it does for classes
// with setters, which users create and configure. Arrays of attachments come from their owners.
func (g *generator) constructible(c *Class, ov *ClassOverride) bool {
	if ov.Constructor != nil {
		return *ov.Constructor
	}
	if strings.HasSuffix(c.Name, "Array") || g.hasInit(c) {
		return false
	}
	for d := c; d != nil; d = g.ts.classes[d.Super] {
		if slices.ContainsFunc(d.Methods,
			func(m *Method) bool { return strings.HasPrefix(m.Selector, "set") && len(m.Params) > 0 }) {
			return true
		}
	}
	return false
}

// hasInit reports whether c or a superclass declares an init method, be it to take it back: then
// those are the only ways to make an object.
func (g *generator) hasInit(c *Class) bool {
	for d := c; d != nil && g.bound[d.Name]; d = g.ts.classes[d.Super] {
		if slices.ContainsFunc(d.Methods, func(m *Method) bool { return isInit(m) && !takesArchive(m) }) {
			return true
		}
	}
	return false
}

// takesArchive reports whether a method reads an object from an archive.
func takesArchive(m *Method) bool {
	return slices.ContainsFunc(m.Params, func(p Param) bool { return p.Type.Name == "NSCoder" })
}

// entry adds a method to zmethods and returns the name of its index.
func (g *generator) entry(index string, c *Class, m *Method) (string, error) {
	if _, ok := g.tableAt[index]; ok {
		return index, nil
	}
	enc, err := g.ts.methodEncoding(m)
	if err != nil {
		return "", fmt.Errorf("%s: %w", methodName(c, m), err)
	}
	amd64, err := g.ts.onAMD64().methodEncoding(m)
	if err != nil {
		return "", fmt.Errorf("%s: %w", methodName(c, m), err)
	}
	g.tableAt[index] = len(g.table)
	g.table = append(g.table, tableEntry{index, c, m, enc})
	g.res.Listing = append(g.res.Listing, Listed{
		Class: c.Name, Selector: m.Selector, ClassMethod: m.ClassMethod, Encoding: enc, EncodingAMD64: amd64,
		Retained: g.retained(m, enc), Params: len(m.Params), Since: sinceText(m.Since),
	})
	return index, nil
}

// retained reports whether the method's result is an object that the caller owns.
func (g *generator) retained(m *Method, enc string) bool {
	return strings.HasPrefix(enc, "@") && retainedSelector(m.Selector)
}

func sinceText(v Version) string {
	if v == (Version{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.Major, v.Minor)
}

// inheritedInits returns the init methods of c's superclasses that c neither has nor takes back.
func (g *generator) inheritedInits(c *Class) []*Method {
	var out []*Method
	for up := g.ts.classes[c.Super]; up != nil && g.bound[up.Name]; up = g.ts.classes[up.Super] {
		for _, m := range up.Methods {
			has := func(have *Method) bool { return !have.ClassMethod && have.Selector == m.Selector }
			if isInit(m) && !takesArchive(m) && !slices.ContainsFunc(slices.Concat(c.Methods, out), has) {
				out = append(out, m)
			}
		}
	}
	return out
}

// classSpec describes the function of a class method.
func (g *generator) classSpec(c *Class, name string, m *Method) funcSpec {
	mo := g.ov.method(c.Name, m)
	sole := !slices.ContainsFunc(c.Methods, func(other *Method) bool { return other != m && makes(other) })
	fn := func(label string) string { return classFunc(m, sole, name, g.cfg.typeLabel(label), mo.Rename) }
	label := g.freeLabel(c, m, fn)
	spec := funcSpec{name: fn(label), index: "m" + name + "Class" + label, recv: "cls",
		mustErr: true, global: true}
	spec.guards = []string{"cls, err := zclasses[c" + name + "].Get()", "if err != nil {", "FAIL", "}"}
	if g.late(c, m) {
		spec.guards = append(spec.guards, "if err := zmethods["+spec.index+"].Check(cls); err != nil {", "FAIL", "}")
	}
	if strings.HasPrefix(spec.name, "Make") {
		spec.doc = fmt.Sprintf("returns a new, autoreleased %s.", c.Name)
		if g.constructible(c, g.ov.class(c.Name)) {
			spec.doc = fmt.Sprintf("returns a new, autoreleased %s; New%s returns one that the caller owns.", c.Name, name)
		}
	}
	return spec
}

// makes reports whether a class method returns a new object from nothing.
func makes(m *Method) bool {
	return m.ClassMethod && len(m.Params) == 0 && !strings.HasPrefix(m.Selector, "shared") &&
		(m.Ret.Name == "instancetype" || m.Ret.Stars == 1)
}

// classFunc names the function of a class method whose selector is told from others by label. sole
// means that no other method of the class makes an object from nothing.
func classFunc(m *Method, sole bool, name, label, rename string) string {
	switch {
	case rename != "":
		return rename
	case sole && makes(m):
		return "Make" + name
	case strings.Contains(strings.ToLower(label), strings.ToLower(name)):
		return label
	}
	return name + label[overlap(name, label):]
}

// overlap is the length of the words that end name and begin label: NDArrayDescriptor and
// DescriptorWithDataType share Descriptor.
func overlap(name, label string) int {
	for n := min(len(name), len(label)); n > 0; n-- {
		if strings.HasSuffix(name, label[:n]) && (n == len(label) || !('a' <= label[n] && label[n] <= 'z')) {
			return n
		}
	}
	return 0
}

// initSpec describes the constructor of an init method.
func (g *generator) initSpec(c *Class, name string, m *Method) funcSpec {
	mo := g.ov.method(c.Name, m)
	fn := func(label string) string { return cmpOr(mo.Rename, "New"+name+strings.TrimPrefix(label, "Init")) }
	label := g.freeLabel(c, m, fn)
	return funcSpec{name: fn(label), index: "m" + name + label, recv: "id", mustErr: true, makes: true, global: true,
		guards: []string{"id, err := zclasses[c" + name + "].Alloc()", "if err != nil {", "FAIL", "}"},
		doc:    fmt.Sprintf("returns a new %s, made with alloc and %s.", c.Name, m.Selector)}
}

// freeLabel returns the shortest run of m's labels, the first label at least, that no shorter or
// older method of the class has and that fn turns into a name that is not taken.
func (g *generator) freeLabel(c *Class, m *Method, fn func(label string) string) string {
	labels := m.Labels()
	before := func(other *Method) bool {
		return other != m && other.ClassMethod == m.ClassMethod && isInit(other) == isInit(m) && !other.Unavailable &&
			!other.Variadic && !g.ov.method(c.Name, other).Skip && constructorOrder(other, m) < 0
	}
	all := slices.Concat(c.Methods, g.inheritedInits(c))
	label := ""
	for i, l := range labels {
		label += exported(l)
		same := slices.ContainsFunc(all, func(other *Method) bool {
			theirs := other.Labels()
			return before(other) && len(theirs) > i && slices.Equal(theirs[:i+1], labels[:i+1])
		})
		if owner, taken := g.globals[fn(label)]; !same && (!taken || owner == methodName(c, m)) {
			return label
		}
	}
	return exported(labels[0])
}

// constructorOrder sorts methods that share labels: the one that comes first has the shorter name.
func constructorOrder(a, b *Method) int {
	return cmp.Or(len(a.Params)-len(b.Params), versionCompare(a.Since, b.Since), cmp.Compare(a.Selector, b.Selector))
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// late reports whether a method is newer than its class and so may be missing at run time. Such a
// method is checked before it is sent.
func (g *generator) late(c *Class, m *Method) bool {
	least := floor
	if c.Since.After(least) {
		least = c.Since
	}
	return m.Since.After(least) || m.Optional
}

// ownMethods returns the methods of objects that c's wrapper gets, and their names in
// overrides.toml. It lists those that are not bound.
func (g *generator) ownMethods(c *Class) (ms []*Method, renames map[*Method]string, err error) {
	renames = map[*Method]string{}
	for _, m := range c.Methods {
		if m.ClassMethod || isInit(m) || g.inherited(c, m) {
			continue
		}
		if m.Unavailable {
			g.skip(methodName(c, m), "the class takes it back from its superclass")
			continue
		}
		mo := g.ov.method(c.Name, m)
		if mo.Skip {
			g.skip(methodName(c, m), mo.Reason)
			if err := g.byHand(c, m, mo.Reason); err != nil {
				return nil, nil, err
			}
			continue
		}
		if why := g.unbindable(c, m, mo); why != "" {
			g.skip(methodName(c, m), why)
			continue
		}
		renames[m] = mo.Rename
		ms = append(ms, m)
	}
	return ms, renames, nil
}

// instanceMethods names and emits the methods of objects.
func (g *generator) instanceMethods(o *output, c *Class, name string, taken map[string]string, ms []*Method,
	renames map[*Method]string) error {
	names, clashes := g.ts.nameMethods(g.cfg, ms, renames, taken)
	if len(clashes) > 0 {
		return fmt.Errorf("%s: no Go name is left for %s: needs a rename in overrides.toml", c.Name,
			strings.Join(clashes, ", "))
	}
	for m, n := range names {
		g.names[m] = n
	}
	for _, m := range ms {
		mo := g.ov.method(c.Name, m)
		fn, index := names[m], "m"+name+names[m]
		if mo.Hidden {
			fn = "send" + name + fn
		}
		var guards []string
		if g.late(c, m) {
			guards = []string{"if err := zmethods[" + index + "].Check(o.ID()); err != nil {", "FAIL", "}"}
		}
		spec := funcSpec{name: fn, index: index, recv: "o.ID()", typ: name, guards: guards, mustErr: len(guards) > 0,
			sender: mo.Hidden, global: mo.Hidden}
		to := o
		if len(ms) > maxMethods && retainedSelector(m.Selector) {
			to = g.out(c.Group + "_new")
		}
		if err := g.emitFunc(to, c, m, mo, spec); err != nil {
			return err
		}
	}
	return nil
}

// maxMethods is the largest number of methods in a file. In larger classes, methods that create
// objects go to a separate file.
const maxMethods = 80

// inherited reports whether an embedded wrapper already has the method, in the same form and no
// newer.
func (g *generator) inherited(c *Class, m *Method) bool {
	for b := g.base(c); b != nil; b = g.base(b) {
		bm := b.Find(m.Selector, m.ClassMethod)
		if bm == nil {
			continue
		}
		return sameShape(bm, m) && !bm.Since.After(m.Since) && !bm.Optional && g.late(b, bm) == g.late(c, m)
	}
	return false
}

// unbindable returns why the method cannot be given a Go form, or "".
func (g *generator) unbindable(c *Class, m *Method, mo *MethodOverride) string {
	if _, why := g.valueOf(m.Ret, c); why != "" {
		return why
	}
	_, why := g.shapeParams(m.Params, m.Labels(), mo.Params, c)
	return why
}

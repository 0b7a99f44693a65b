package dialects

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// goType is a type of a random Go program.
type goType struct {
	name   string
	kind   byte // i: integer, b: bool, f: float32, a: array, s: structure
	size   int  // bytes of an integer
	signed bool
	elem   *goType // of an array
	n      int
	fields []goField
	eq     bool // == works
}

type goField struct {
	name string
	t    *goType
}

var (
	goInts = []*goType{goInt("int8", 1, true), goInt("uint8", 1, false),
		goInt("int16", 2, true), goInt("uint16", 2, false),
		goInt("int32", 4, true), goInt("uint32", 4, false), goInt("int64", 8, true), goInt("uint64", 8, false)}
	goIntType  = goInt("int", 8, true)
	goUintType = goInt("uint", 8, false)
	goBool     = &goType{name: "bool", kind: 'b', size: 1, eq: true}
	goFloat    = &goType{name: "float32", kind: 'f', size: 4, eq: true}
)

func goInt(name string, size int, signed bool) *goType {
	return &goType{name: name, kind: 'i', size: size, signed: signed, eq: true}
}

// goVar is a variable, or what a pointer variable points to.
type goVar struct {
	name  string
	t     *goType
	slice bool // of t
	only  bool // nothing may assign it
}

// goFunc is a function, a method or a function literal.
type goFunc struct {
	name    string
	recv    *goType
	ptr     bool // of the receiver, or of the first parameter
	slice   bool // the first parameter is a slice
	params  []*goType
	results []*goType
	pure    bool
	literal bool
}

// goGen writes random kernels that do nothing that Go leaves open and that do not panic. Integers
// have values of all sizes; floats are multiplied only where the product is rounded at once.
type goGen struct {
	*rand.Rand
	b      strings.Builder
	indent int
	seed   uint64

	scopes  [][]goVar
	structs []*goType
	arrays  []*goType
	funcs   []goFunc
	tables  []goVar
	names   int
	loops   []string // labels
	used    map[string]bool
	results []*goType // of the function; nil where return gives none
	named   bool
	size    int // statements to come
	nested  int // indices around an expression
	helper  bool
}

func (g *goGen) chance(n int) bool { return g.IntN(n) == 0 }

func (g *goGen) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.indent) + fmt.Sprintf(format, args...) + "\n")
}

// name returns a new name, or for a change one that hides a variable.
func (g *goGen) name() string {
	if n := len(g.scopes); n > 2 && g.chance(6) {
		outer := g.scopes[2+g.IntN(n-2)]
		if len(outer) > 0 {
			name := outer[g.IntN(len(outer))].name
			if !strings.ContainsAny(name, "(.") && !strings.HasPrefix(name, "x") &&
				!slices.ContainsFunc(g.scopes[n-1], func(v goVar) bool { return v.name == name }) {
				return name
			}
		}
	}
	g.names++
	odd := []string{"half", "device", "float_", "thread", "uint3_", "metal", "index", "value", "i", "n", "again", "left"}
	if g.chance(12) {
		return fmt.Sprintf("%s%d", odd[g.IntN(len(odd))], g.names)
	}
	return fmt.Sprintf("v%d", g.names)
}

func (g *goGen) declare(v goVar) {
	i := len(g.scopes) - 1
	g.scopes[i] = append(g.scopes[i], v)
}

// visible returns the variables in scope.
func (g *goGen) visible() (list []goVar) {
	seen := map[string]bool{}
	for _, s := range slices.Backward(g.scopes) {
		for _, v := range slices.Backward(s) {
			base := strings.TrimLeft(v.name, "*(")
			base = strings.TrimSuffix(base, ")")
			if !seen[base] {
				list = append(list, v)
			}
		}
		for _, v := range s {
			seen[strings.Trim(v.name, "*()")] = true
		}
	}
	return append(list, g.tables...)
}

func (g *goGen) scalar() *goType {
	switch n := g.IntN(14); {
	case n < 8:
		return goInts[n]
	case n == 8:
		return goIntType
	case n == 9:
		return goUintType
	case n == 10:
		return goBool
	case n == 11:
		return goFloat
	}
	return goInts[4]
}

func (g *goGen) integer() *goType {
	for {
		if t := g.scalar(); t.kind == 'i' {
			return t
		}
	}
}

func (g *goGen) anyType() *goType {
	switch n := g.IntN(10); {
	case n == 0 && len(g.structs) > 0:
		return g.structs[g.IntN(len(g.structs))]
	case n == 1 && len(g.arrays) > 0:
		return g.arrays[g.IntN(len(g.arrays))]
	}
	return g.scalar()
}

// index returns an index that is valid in something of the given length.
func (g *goGen) index(length string, n int) string {
	if n > 0 && g.chance(2) {
		return fmt.Sprint(g.IntN(n))
	}
	if n > 0 && n&(n-1) == 0 && g.chance(2) {
		return fmt.Sprintf("%s & %d", g.operand(g.integer(), 1, true), n-1)
	}
	u := goInts[1+2*g.IntN(3)]
	if g.chance(2) {
		return fmt.Sprintf("int(%s) %% %s", g.expr(u, 1, true), length)
	}
	return fmt.Sprintf("uint32(%s) %% uint32(%s)", g.expr(u, 1, true), length)
}

// places returns what can be read (or, with write, assigned) of a type without a call.
func (g *goGen) places(t *goType, write bool) (list []func() string) {
	var add func(name string, of *goType, depth int)
	add = func(name string, of *goType, depth int) {
		switch {
		case of == t:
			list = append(list, func() string { return name })
		case of.kind == 'a' && depth < 9 && reaches(of.elem, t):
			list = append(list, func() string {
				at := name + "[" + g.index(fmt.Sprint(of.n), of.n) + "]"
				var inner []func() string
				list, inner = nil, list
				add(at, of.elem, depth+1)
				list, inner = inner, list
				return inner[g.IntN(len(inner))]()
			})
		case of.kind == 's' && depth < 9:
			for _, f := range of.fields {
				if !reaches(f.t, t) {
					continue
				}
				if f.name != "" {
					add(name+"."+f.name, f.t, depth+1)
					continue
				}
				add(name+"."+f.t.name, f.t, depth+1)
				for _, p := range f.t.fields { // promoted, unless a field hides it
					if reaches(p.t, t) && !slices.ContainsFunc(of.fields, func(o goField) bool { return o.name == p.name }) {
						add(name+"."+p.name, p.t, depth+1)
					}
				}
			}
		}
	}
	for _, v := range g.visible() {
		if write && v.only {
			continue
		}
		switch {
		case v.slice:
			if reaches(v.t, t) {
				name := v.name
				elem := v.t
				list = append(list, func() string {
					at := name + "[" + g.index("len("+name+")", 0) + "]"
					if !write && g.chance(2) {
						at = "at(" + name + ", " + g.expr(goInts[5], 1, true) + ")"
					}
					var inner []func() string
					list, inner = nil, list
					add(at, elem, 1)
					list, inner = inner, list
					return inner[g.IntN(len(inner))]()
				})
			}
		default:
			add(v.name, v.t, 0)
		}
	}
	return list
}

// reaches reports whether a part of a value has a type.
func reaches(of, t *goType) bool {
	switch {
	case of == t:
		return true
	case of.kind == 'a':
		return reaches(of.elem, t)
	}
	return slices.ContainsFunc(of.fields, func(f goField) bool { return reaches(f.t, t) })
}

// literal returns a constant of a type.
func (g *goGen) literal(t *goType) string {
	switch t.kind {
	case 'b':
		return []string{"true", "false"}[g.IntN(2)]
	case 'f':
		return []string{"0.5", "1", "-2", "3.25", "0.1", "1e10", "-7e-3", "16777217"}[g.IntN(8)]
	case 'a':
		var parts []string
		for i := range t.n {
			if g.chance(4) {
				parts = append(parts, fmt.Sprintf("%d: %s", i, g.literal(t.elem)))
			} else if len(parts) == i {
				parts = append(parts, g.literal(t.elem))
			}
		}
		return t.name + "{" + strings.Join(parts, ", ") + "}"
	case 's':
		var parts []string
		for _, f := range t.fields {
			if g.chance(2) {
				name := f.name
				if name == "" {
					name = f.t.name
				}
				parts = append(parts, name+": "+g.literal(f.t))
			}
		}
		return t.name + "{" + strings.Join(parts, ", ") + "}"
	}
	bits := 8 * t.size
	if t.signed || t.name == "T" { // T may be any integer
		bits--
	}
	n := uint64(g.IntN(9))
	switch g.IntN(5) {
	case 0:
		n = g.Uint64() >> (64 - bits)
	case 1:
		n = ^uint64(0) >> (64 - bits) // the greatest
		if t.signed && g.chance(2) {
			return fmt.Sprintf("-%d", n+1)
		}
	case 2:
		n = 1 << g.IntN(bits)
	}
	if t.signed && g.chance(3) {
		return fmt.Sprintf("-%d", n)
	}
	if g.chance(4) {
		return fmt.Sprintf("%#x", n)
	}
	return fmt.Sprint(n)
}

// leaf returns a variable of a type, or a conversion of another.
func (g *goGen) leaf(t *goType) string {
	if g.nested > 2 {
		return g.position(t)
	}
	g.nested++
	defer func() { g.nested-- }()
	if list := g.places(t, false); len(list) > 0 && !g.chance(12) {
		return list[g.IntN(len(list))]()
	}
	switch t.kind {
	case 'i':
		for range 8 {
			from := g.integer()
			if list := g.places(from, false); len(list) > 0 && from != t {
				return t.name + "(" + list[g.IntN(len(list))]() + ")"
			}
		}
	case 'a', 's':
		if g.chance(2) {
			return "(" + g.value(t) + ")"
		}
	}
	return g.position(t)
}

// position returns a value that needs no variable but the thread.
func (g *goGen) position(t *goType) string {
	switch t.kind {
	case 'b':
		return "(t.Local.X > " + fmt.Sprint(g.IntN(8)) + ")"
	case 'a', 's':
		return "(" + t.name + "{})"
	}
	return t.name + "(t.Local.X)"
}

// value returns an array or a structure with computed parts.
func (g *goGen) value(t *goType) string {
	var parts []string
	switch t.kind {
	case 'a':
		for range t.n {
			parts = append(parts, g.expr(t.elem, 1, false))
		}
	case 's':
		for _, f := range t.fields {
			parts = append(parts, g.expr(f.t, 1, false))
		}
	default:
		return g.expr(t, 2, false)
	}
	return t.name + "{" + strings.Join(parts, ", ") + "}"
}

func (g *goGen) operand(t *goType, depth int, variable bool) string {
	s := g.expr(t, depth, variable)
	if strings.ContainsAny(s, " ") || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "^") {
		return "(" + s + ")"
	}
	return s
}

// expr returns an expression that writes nothing; with variable, it is no constant.
func (g *goGen) expr(t *goType, depth int, variable bool) string {
	if !variable && g.chance(5) && t.kind != 'a' && t.kind != 's' {
		return g.literal(t)
	}
	if depth <= 0 || g.chance(5) {
		return g.leaf(t)
	}
	if list := g.pureCalls(t); len(list) > 0 && g.chance(6) {
		return list[g.IntN(len(list))]()
	}
	d := depth - 1
	switch t.kind {
	case 'b':
		return g.boolean(d)
	case 'f':
		return g.float(d)
	case 'i':
		return g.arithmetic(t, d)
	}
	if g.chance(3) {
		return "(" + g.value(t) + ")"
	}
	return g.leaf(t)
}

func (g *goGen) boolean(d int) string {
	switch g.IntN(8) {
	case 0:
		return "!" + g.operand(goBool, d, true)
	case 1:
		return g.operand(goBool, d, true) + " && " + g.operand(goBool, d, true)
	case 2:
		return g.operand(goBool, d, true) + " || " + g.operand(goBool, d, true)
	case 3:
		t := g.anyType()
		if t.eq {
			return g.operand(t, min(d, 1), true) + []string{" == ", " != "}[g.IntN(2)] + g.operand(t, min(d, 1), true)
		}
	case 4:
		return g.operand(goFloat, d, true) + g.relation() + g.operand(goFloat, d, false)
	}
	t := g.integer()
	return g.operand(t, d, true) + g.relation() + g.operand(t, d, false)
}

func (g *goGen) relation() string {
	return []string{" < ", " <= ", " > ", " >= ", " == ", " != "}[g.IntN(6)]
}

func (g *goGen) float(d int) string {
	x := func() string { return g.operand(goFloat, d, true) }
	switch g.IntN(16) {
	case 0, 1:
		return x() + " + " + x()
	case 2:
		return x() + " - " + g.operand(goFloat, d, false)
	case 3, 4:
		return "float32(" + x() + " * " + x() + ")"
	case 5:
		return "float32(" + x() + " / " + x() + ")"
	case 6:
		return "-" + x()
	case 7:
		return []string{"min", "max"}[g.IntN(2)] + "(" + x() + ", " + x() + ")"
	case 8:
		return "float32(math.Sqrt(float64(" + x() + ")))"
	case 9:
		f := []string{"Abs", "Floor", "Ceil", "Trunc", "Round", "RoundToEven"}[g.IntN(6)]
		return "float32(math." + f + "(float64(" + x() + ")))"
	case 10:
		f := []string{"Max", "Min", "Mod"}[g.IntN(3)] // no Copysign: the sign of a NaN is the device's own
		return "float32(math." + f + "(float64(" + x() + "), float64(" + x() + ")))"
	case 11:
		return "math.Float32frombits(" + g.expr(goInts[5], d, true) + ")"
	case 12:
		return g.component(goFloat, d)
	case 13:
		return "simd." + []string{"HalfOf", "BFloat16Of"}[g.IntN(2)] + "(" + x() + ").Float32()"
	}
	if g.chance(3) {
		return "float32(" + g.expr(goFloat, d, true) + ")"
	}
	return "float32(" + g.expr(g.integer(), d, true) + ")"
}

func (g *goGen) arithmetic(t *goType, d int) string {
	x := func() string { return g.operand(t, d, true) }
	y := func() string { return g.operand(t, d, false) }
	switch g.IntN(22) {
	case 0, 1, 2, 3:
		return x() + " " + []string{"+", "-", "*"}[g.IntN(3)] + " " + y()
	case 4:
		return y() + " " + []string{"+", "-", "*"}[g.IntN(3)] + " " + x()
	case 5, 6:
		return x() + " " + []string{"&", "|", "^", "&^"}[g.IntN(4)] + " " + y()
	case 7:
		return x() + " " + []string{"/", "%"}[g.IntN(2)] + " (" + x() + " | 1)"
	case 8:
		n := g.literal(t)
		if strings.Trim(n, "-0x") == "" {
			n = "3"
		}
		return x() + " " + []string{"/", "%"}[g.IntN(2)] + " " + strings.Replace("("+n+")", "()", "", 1)
	case 9, 10:
		return x() + " " + []string{"<<", ">>"}[g.IntN(2)] + " " + g.count(d)
	case 11:
		return t.name + "(1) << (" + g.operand(goInts[1], d, true) + " & 127)"
	case 12:
		return x() + " + 1<<(" + g.operand(goInts[1+2*g.IntN(4)], d, true) + " & 127)"
	case 13:
		return "-" + x()
	case 14:
		return "^" + x()
	case 15:
		return []string{"min", "max"}[g.IntN(2)] + "(" + x() + ", " + y() + ")"
	case 16:
		return t.name + "(" + g.bits(d) + ")"
	case 17:
		if t.size >= 4 {
			return "toInt[" + t.name + "](" + g.expr(goFloat, d, true) + ")"
		}
	case 18:
		if t == goInts[5] {
			return "bitsOf(" + g.expr(goFloat, d, true) + ")"
		}
	case 21:
		if slices.Contains(goInts, t) {
			switch f := g.functionOf(t, d); g.IntN(8) {
			case 0:
				return fmt.Sprintf("adder[%s].add(adder[%[1]s]{%s}, %s)", t.name, x(), x())
			case 1:
				return fmt.Sprintf("after(%s, %s)(%s)", f, g.functionOf(t, d), x())
			default:
				return fmt.Sprintf("apply(%s, %s)", f, x())
			}
		}
	case 20:
		if slices.Contains(goInts, t) {
			return g.component(t, d)
		}
	case 19:
		return "pick(" + g.expr(goBool, d, true) + ", " + x() + ", " + x() + ")"
	}
	return t.name + "(" + g.expr(g.integer(), d, true) + ")"
}

// functionOf returns a function that takes and returns an integer.
func (g *goGen) functionOf(t *goType, d int) string {
	switch g.IntN(8) {
	case 0:
		return "triple[" + t.name + "]"
	case 1:
		return fmt.Sprintf("plus[%s](%s)", t.name, g.expr(t, d-1, false))
	case 2:
		return fmt.Sprintf("adder[%s]{%s}.add", t.name, g.expr(t, d-1, false))
	case 3:
		return fmt.Sprintf("after(triple, plus[%s](%s))", t.name, g.expr(t, d-1, false))
	}
	g.names++
	v := fmt.Sprintf("p%d", g.names)
	g.scopes = append(g.scopes, []goVar{{name: v, t: t, only: true}})
	body := g.expr(t, d-1, true)
	g.scopes = g.scopes[:len(g.scopes)-1]
	return fmt.Sprintf("func(%s %s) %[2]s { return %s }", v, t.name, body)
}

// component returns a number that methods of a vector compute.
func (g *goGen) component(t *goType, d int) string {
	n := 2 + g.IntN(3)
	v := g.vector(t, n, d)
	switch k := g.IntN(5); {
	case k < 2:
		return v + ".Dot(" + g.vector(t, n, d) + ")"
	case k == 2 && t == goFloat:
		return v + ".Length()"
	}
	return v + "." + "XYZW"[:n][g.IntN(n):][:1]
}

// vector returns a vector of n numbers.
func (g *goGen) vector(t *goType, n, d int) string {
	name := fmt.Sprintf("simd.Vec%d[%s]", n, t.name)
	if t == goFloat {
		name = fmt.Sprintf("simd.Float%d", n)
	}
	if d <= 0 || g.chance(3) {
		var parts []string
		for i := range n {
			if g.chance(5) {
				continue
			}
			parts = append(parts, "XYZW"[i:i+1]+": "+g.expr(t, d-1, false))
		}
		return "(" + name + "{" + strings.Join(parts, ", ") + "})"
	}
	v := g.vector(t, n, d-1)
	switch k := g.IntN(13); {
	case k < 5:
		return v + "." + []string{"Add", "Sub", "Mul", "Min", "Max"}[k] + "(" + g.vector(t, n, d-1) + ")"
	case k < 7:
		return v + "." + []string{"Neg", "Abs"}[k-5] + "()"
	case k == 7:
		return v + ".Scale(" + g.expr(t, d-1, true) + ")"
	case k == 8 && n == 3 && t == goFloat:
		return v + ".Cross(" + g.vector(t, n, d-1) + ")"
	case k == 9 && t == goFloat:
		return v + ".Div(" + g.vector(t, n, d-1) + ")"
	case k == 10 && t == goFloat:
		return v + ".Normalize()"
	}
	order := []byte("XYZW"[:n])
	g.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return v + "." + string(order) + "()"
}

// count returns a count of bits of a shift, most of them small.
func (g *goGen) count(d int) string {
	switch g.IntN(4) {
	case 0:
		return fmt.Sprint(g.IntN(70))
	case 1:
		return "(" + g.operand(g.integer(), d, true) + fmt.Sprintf(" & %d)", []int{7, 15, 31, 63, 127}[g.IntN(5)])
	case 2:
		u := goInts[1+2*g.IntN(4)]
		return "(" + g.operand(u, d, true) + fmt.Sprintf(" %% %d)", 3+g.IntN(90))
	}
	return "uint8(" + g.expr(goInts[1+2*g.IntN(4)], d, true) + ")"
}

func (g *goGen) bits(d int) string {
	width := []int{8, 16, 32, 64}[g.IntN(4)]
	t := goInts[map[int]int{8: 1, 16: 3, 32: 5, 64: 7}[width]]
	x := g.expr(t, d, true)
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("bits.LeadingZeros%d(%s)", width, x)
	case 1:
		return fmt.Sprintf("bits.TrailingZeros%d(%s)", width, x)
	case 2:
		return fmt.Sprintf("bits.OnesCount%d(%s)", width, x)
	case 3:
		return fmt.Sprintf("bits.Len%d(%s)", width, x)
	case 4:
		return fmt.Sprintf("bits.Reverse%d(%s)", width, x)
	case 5:
		if width > 8 {
			return fmt.Sprintf("bits.ReverseBytes%d(%s)", width, x)
		}
	}
	return fmt.Sprintf("bits.RotateLeft%d(%s, int(%s))", width, x, g.expr(goInts[0], d, true))
}

// pureCalls returns calls whose result has a type and that write nothing.
func (g *goGen) pureCalls(t *goType) (list []func() string) {
	for _, f := range g.funcs {
		if g.helper && len(g.loops) > 0 || len(g.loops) > 1 {
			break
		}
		if f.pure && len(f.results) == 1 && f.results[0] == t {
			list = append(list, func() string { return g.callOf(f) })
		}
	}
	return list
}

// callOf returns a call. Its arguments write nothing.
func (g *goGen) callOf(f goFunc) string {
	var args []string
	params := f.params
	name := f.name
	if !f.literal {
		args = append(args, "t")
	}
	switch {
	case f.recv != nil && f.ptr:
		list := g.places(f.recv, true)
		if len(list) == 0 {
			return ""
		}
		name = list[g.IntN(len(list))]() + "." + name
	case f.recv != nil:
		x := g.leaf(f.recv)
		if strings.HasSuffix(x, "}") {
			x = "(" + x + ")"
		}
		name = x + "." + name
	case f.ptr:
		list := g.places(params[0], true)
		if len(list) == 0 {
			return ""
		}
		x := list[g.IntN(len(list))]()
		args, params = append(args, "&"+x), params[1:]
		if strings.HasPrefix(x, "(*") && strings.Index(x, ")") == len(x)-1 && g.chance(2) {
			args[1] = x[2 : len(x)-1]
		}
	case f.slice:
		x := g.sliceOf(params[0])
		if x == "" {
			return ""
		}
		args, params = append(args, x), params[1:]
	}
	for _, p := range params {
		args = append(args, g.expr(p, 1, false))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// sliceOf returns a slice of a type that functions may write, not empty, or "".
func (g *goGen) sliceOf(t *goType) string {
	var list []string
	for _, v := range g.visible() {
		switch {
		case v.only:
		case v.slice && v.t == t:
			list = append(list, v.name, v.name+"[:1+"+g.index("len("+v.name+")", 0)+"]")
		case !v.slice && v.t.kind == 'a' && v.t.elem == t:
			n := g.IntN(v.t.n)
			list = append(list, v.name+"[:]", fmt.Sprintf("%s[%d:%d]", v.name, n, n+1+g.IntN(v.t.n-n)),
				fmt.Sprintf("%s[%d:]", v.name, n))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return list[g.IntN(len(list))]
}

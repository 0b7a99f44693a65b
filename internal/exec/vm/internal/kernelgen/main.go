// Command kernelgen writes the generated z files of package vm to the given folder. zscalar.go
// contains the loops over columns for each worthwhile operation and kind, one for each combination
// of uniform operands; zvector_amd64.s contains the most used ones in AVX2.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kind is an element kind: its name in package ir, the element type of a column, and the signed
// variant of that type.
type kind struct {
	ir, elem, signed string
	bits             int
}

var (
	i1  = kind{"I1", "uint8", "int8", 1}
	i8  = kind{"I8", "uint8", "int8", 8}
	i16 = kind{"I16", "uint16", "int16", 16}
	i32 = kind{"I32", "uint32", "int32", 32}
	i64 = kind{"I64", "uint64", "int64", 64}
	f32 = kind{"F32", "float32", "", 32}
	f16 = kind{"F16", "uint16", "", 16}
	b16 = kind{"BF16", "uint16", "", 16}

	ints   = []kind{i8, i16, i32, i64}
	bits   = []kind{i1, i8, i16, i32, i64}
	floats = []kind{f32, f16, b16}
)

// row is an operation, with its result as an expression of x and y, in which T is the element type,
// S the signed type, B the width, and W the width minus one.
type row struct {
	op    string
	expr  string
	kinds []kind
	unary bool
	truth bool // the expression is a bool and the result a truth value
	bits  bool // for floats: the expression is on their bits
	fast  bool // under fast math
	// second is the element type of the second operand, if it differs from the first's.
	second string
}

// allRows returns the operations: the listed ones, and those that follow a pattern for each
// function or kind.
func allRows() []row {
	all := slices.Clone(listed)
	for _, name := range strings.Fields("RSqrt Sin Cos Tan ASin ACos ATan SinH CosH TanH ASinH ACosH ATanH SinPi CosPi TanPi Exp Exp2 Exp10 Log Log2 Log10") {
		all = append(all, row{op: name, expr: "num." + name + "(x)", kinds: floats, unary: true})
	}
	for _, name := range []string{"ATan2", "Pow", "PowR"} {
		all = append(all, row{op: name, expr: "num." + name + "(x, y)", kinds: floats})
	}
	all = append(all, fastRows()...)
	for _, name := range []string{"Clz LeadingZeros", "Ctz TrailingZeros", "Popcount OnesCount", "BitReverse Reverse"} {
		op, call, _ := strings.Cut(name, " ")
		for _, k := range ints {
			all = append(all, row{op: op, expr: fmt.Sprintf("T(bits.%s%d(x))", call, k.bits), kinds: []kind{k}, unary: true})
		}
	}
	return all
}

// rows are the operations. It is set when the command starts.
var rows []row

var listed = []row{
	{op: "Add", expr: "x + y", kinds: ints},
	{op: "Sub", expr: "x - y", kinds: ints},
	{op: "Mul", expr: "x * y", kinds: ints},
	{op: "SDiv", expr: "T(quotient(S(x), S(y)))", kinds: ints},
	{op: "UDiv", expr: "uquotient(x, y)", kinds: ints},
	{op: "SRem", expr: "T(remainder(S(x), S(y)))", kinds: ints},
	{op: "URem", expr: "uremainder(x, y)", kinds: ints},
	{op: "SMin", expr: "T(min(S(x), S(y)))", kinds: ints},
	{op: "UMin", expr: "min(x, y)", kinds: ints},
	{op: "SMax", expr: "T(max(S(x), S(y)))", kinds: ints},
	{op: "UMax", expr: "max(x, y)", kinds: ints},
	{op: "Shl", expr: "x << (y & W)", kinds: ints},
	{op: "LShr", expr: "x >> (y & W)", kinds: ints},
	{op: "AShr", expr: "T(S(x) >> (y & W))", kinds: ints},
	{op: "RotL", expr: "x<<(y&W) | x>>(-y&W)", kinds: ints},
	{op: "Neg", expr: "-x", kinds: ints, unary: true},
	{op: "SAbs", expr: "T(max(S(x), -S(x)))", kinds: ints, unary: true},
	{op: "UMulHi", expr: "T(uint64(x) * uint64(y) >> B)", kinds: []kind{i8, i16, i32}},
	{op: "SMulHi", expr: "T(int64(S(x)) * int64(S(y)) >> B)", kinds: []kind{i8, i16, i32}},
	{op: "UMulHi", expr: "unsignedHigh(x, y)", kinds: []kind{i64}},
	{op: "SMulHi", expr: "signedHigh(x, y)", kinds: []kind{i64}},
	{op: "SAddSat", expr: "T(addSaturated(S(x), S(y), -1<<W))", kinds: ints},
	{op: "SSubSat", expr: "T(subSaturated(S(x), S(y), -1<<W))", kinds: ints},
	{op: "UAddSat", expr: "x + min(y, ^x)", kinds: ints},
	{op: "USubSat", expr: "x - min(x, y)", kinds: ints},
	{op: "SAbsDiff", expr: "T(max(S(x), S(y))) - T(min(S(x), S(y)))", kinds: ints},
	{op: "UAbsDiff", expr: "max(x, y) - min(x, y)", kinds: ints},
	{op: "SHAdd", expr: "T(S(x)&S(y) + (S(x)^S(y))>>1)", kinds: ints},
	{op: "UHAdd", expr: "x&y + (x^y)>>1", kinds: ints},
	{op: "SRHAdd", expr: "T((S(x)|S(y)) - (S(x)^S(y))>>1)", kinds: ints},
	{op: "URHAdd", expr: "(x|y) - (x^y)>>1", kinds: ints},
	{op: "And", expr: "x & y", kinds: bits},
	{op: "Or", expr: "x | y", kinds: bits},
	{op: "Xor", expr: "x ^ y", kinds: bits},
	{op: "Not", expr: "^x", kinds: ints, unary: true},
	{op: "Not", expr: "x ^ 1", kinds: []kind{i1}, unary: true},
	{op: "Eq", expr: "x == y", kinds: bits, truth: true},
	{op: "Ne", expr: "x != y", kinds: bits, truth: true},
	{op: "SLT", expr: "S(x) < S(y)", kinds: ints, truth: true},
	{op: "SLE", expr: "S(x) <= S(y)", kinds: ints, truth: true},
	{op: "ULT", expr: "x < y", kinds: ints, truth: true},
	{op: "ULE", expr: "x <= y", kinds: ints, truth: true},
	{op: "FAdd", expr: "x + y", kinds: floats},
	{op: "FSub", expr: "x - y", kinds: floats},
	{op: "FMul", expr: "float32(x * y)", kinds: floats},
	{op: "FDiv", expr: "x / y", kinds: floats},
	{op: "FMin", expr: "lesser(x, y)", kinds: floats},
	{op: "FMax", expr: "greater(x, y)", kinds: floats},
	{op: "FMod", expr: "float32(math.Mod(float64(x), float64(y)))", kinds: floats},
	{op: "FDim", expr: "positiveDifference(x, y)", kinds: floats},
	{op: "CopySign", expr: "x&^(1<<W) | y&(1<<W)", kinds: floats, bits: true},
	{op: "LdExp", expr: "scaled(x, y)", kinds: floats, second: "uint32"},
	{op: "FNeg", expr: "x ^ 1<<W", kinds: floats, unary: true, bits: true},
	{op: "FAbs", expr: "x &^ (1 << W)", kinds: floats, unary: true, bits: true},
	{op: "Sqrt", expr: "float32(math.Sqrt(float64(x)))", kinds: floats, unary: true},
	{op: "Floor", expr: "float32(math.Floor(float64(x)))", kinds: floats, unary: true},
	{op: "Ceil", expr: "float32(math.Ceil(float64(x)))", kinds: floats, unary: true},
	{op: "FTrunc", expr: "float32(math.Trunc(float64(x)))", kinds: floats, unary: true},
	{op: "Rint", expr: "float32(math.RoundToEven(float64(x)))", kinds: floats, unary: true},
	{op: "Round", expr: "float32(math.Round(float64(x)))", kinds: floats, unary: true},
	{op: "Fract", expr: "fraction(x)", kinds: []kind{f32}, unary: true},
	{op: "FEq", expr: "x == y", kinds: floats, truth: true},
	{op: "FNe", expr: "x != y", kinds: floats, truth: true},
	{op: "FLT", expr: "x < y", kinds: floats, truth: true},
	{op: "FLE", expr: "x <= y", kinds: floats, truth: true},
}

// conversion is an operation from one kind to another.
type conversion struct {
	op, expr string
	from, to kind
}

func conversions() (list []conversion) {
	for _, a := range ints {
		for _, b := range ints {
			switch {
			case a.bits < b.bits:
				list = append(list, conversion{"ZExt", b.elem + "(x)", a, b},
					conversion{"SExt", fmt.Sprintf("%s(%s(%s(x)))", b.elem, b.signed, a.signed), a, b})
			case a.bits > b.bits:
				list = append(list, conversion{"Trunc", b.elem + "(x)", a, b})
			}
		}
		list = append(list, conversion{"ZExt", a.elem + "(x)", i1, a}, conversion{"SExt", "-" + a.elem + "(x)", i1, a},
			conversion{"Trunc", "uint8(x & 1)", a, i1},
			conversion{"SIToF", fmt.Sprintf("float32(%s(x))", a.signed), a, f32}, conversion{"UIToF", "float32(x)", a, f32})
	}
	for _, from := range floats {
		x := map[kind]string{f32: "x", f16: "widenHalf(x)", b16: "widenBrain(x)"}[from]
		for _, to := range []kind{i32, i64} {
			list = append(list, conversion{"FToSI", "toSigned" + to.ir[1:] + "(" + x + ")", from, to},
				conversion{"FToUI", "toUnsigned" + to.ir[1:] + "(" + x + ")", from, to})
		}
		for _, to := range []kind{i8, i16} {
			least := -1 << (to.bits - 1)
			list = append(list, conversion{"FToSI", fmt.Sprintf("%s(toSignedBetween(%s, %d, %d))", to.elem, x, least, -least-1),
				from, to},
				conversion{"FToUI", fmt.Sprintf("%s(min(toUnsigned32(%s), %d))", to.elem, x, -2*least-1), from, to})
		}
	}
	// To halves by way of f32: this is exact for small integers, and integers too large to be exact
	// are too large for a half. Wide integers and bfloat are left to the slow path.
	for _, from := range ints {
		list = append(list, conversion{"SIToF", "narrowHalf(float32(" + from.signed + "(x)))", from, f16},
			conversion{"UIToF", "narrowHalf(float32(x))", from, f16})
		if from.bits < 32 {
			list = append(list, conversion{"SIToF", "narrowBrain(float32(" + from.signed + "(x)))", from, b16},
				conversion{"UIToF", "narrowBrain(float32(x))", from, b16})
		}
	}
	list = append(list, conversion{"FConv", "narrowBrain(widenHalf(x))", f16, b16},
		conversion{"FConv", "narrowHalf(widenBrain(x))", b16, f16})
	return append(list, conversion{"FConv", "quieted(widenHalf(x))", f16, f32},
		conversion{"FConv", "narrowHalf(x)", f32, f16},
		conversion{"FConv", "quieted(widenBrain(x))", b16, f32}, conversion{"FConv", "narrowBrain(x)", f32, b16})
}

var out bytes.Buffer

func p(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }

// expression returns a row's expression for a kind, with the operands' conversions.
func (r row) expression(k kind) (expr, elem string) {
	elem = k.elem
	expr = r.expr
	if r.bits && k == f32 {
		elem = "uint32"
	}
	if !r.bits && (k == f16 || k == b16) {
		suffix := map[kind]string{f16: "Half", b16: "Brain"}[k]
		words := map[string]string{"x": "widen" + suffix + "(x)"}
		if r.second == "" {
			words["y"] = "widen" + suffix + "(y)"
		}
		expr = replaceWords(expr, words)
		if !r.truth {
			expr = "narrow" + suffix + "(" + expr + ")"
		}
	}
	expr = replaceWords(expr, map[string]string{"T": k.elem, "S": k.signed, "B": fmt.Sprint(k.bits),
		"W": fmt.Sprint(k.bits - 1)})
	if r.truth {
		expr = "truthByte(" + expr + ")"
	}
	return expr, elem
}

// replaceWords replaces whole identifiers.
func replaceWords(s string, by map[string]string) string {
	var b strings.Builder
	isWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && isWord(s[j]) {
			j++
		}
		if j == i {
			b.WriteByte(s[i])
			i++
			continue
		}
		if to, ok := by[s[i:j]]; ok {
			b.WriteString(to)
		} else {
			b.WriteString(s[i:j])
		}
		i = j
	}
	return b.String()
}

func loop(name string, elems [3]string, result, expr string, operands [3]string) {
	p("func %s(f *frame, o *op) {", name)
	p("	n := f.counts[o.per]")
	p("	d := col[%s](f, o.d, n)", result)
	body := ""
	for i, v := range []string{"x", "y", "z"} {
		from, elem := string(rune('a'+i)), elems[i]
		switch operands[i] {
		case "v":
			p("	%s := col[%s](f, o.%s, n)", from, elem, from)
			body += fmt.Sprintf("		%s := %s[i]\n", v, from)
		case "u":
			p("	%s := *word[%s](f, o.%s)", v, elem, from)
		}
	}
	p("	for i := range d {")
	out.WriteString(body)
	p("		d[i] = %s", expr)
	p("	}")
	p("}\n")
}

// imports are the imports that generated code may need; "" is an empty line.
var imports = []string{"math", "math/bits", "", "github.com/puremetal/puremetal/internal/exec/num",
	"github.com/puremetal/puremetal/internal/ir"}

func main() {
	log.SetFlags(0)
	rows = allRows()
	scalars()
	write("zscalar.go", imports...)
	reductions()
	write("zreduce.go", imports...)
	assembly := vector()
	write("zvector_amd64.go", imports...)
	if err := os.WriteFile(filepath.Join(os.Args[1], "zvector_amd64.s"), []byte(assembly), 0o644); err != nil {
		log.Fatal(err)
	}
}

// write writes the printed text to a file in the folder given to the command.
func write(name string, imports ...string) {
	var text bytes.Buffer
	text.WriteString("// Code generated by kernelgen. DO NOT EDIT.\n\npackage vm\n\nimport (\n")
	for _, path := range imports {
		if path == "" || bytes.Contains(out.Bytes(), []byte(path[strings.LastIndexByte(path, '/')+1:]+".")) {
			text.WriteString(strings.ReplaceAll(fmt.Sprintf("\t%q\n", path), "\t\"\"", ""))
		}
	}
	text.WriteString(")\n\n")
	text.Write(out.Bytes())
	out.Reset()
	src, err := format.Source(text.Bytes())
	if err != nil {
		log.Fatalf("%s: %v\n%s", name, err, text.Bytes())
	}
	if err := os.WriteFile(filepath.Join(os.Args[1], name), src, 0o644); err != nil {
		log.Fatal(err)
	}
}

// scalars prints the loops over columns.
func scalars() {
	p("// unary returns the loop of an operation on one operand, or nil.")
	p("func unary(operation ir.Op, k ir.Kind) func(*frame, *op) {")
	dispatch(true, false)
	p("// pairwise returns the loops of an operation on two operands: both columns, the second uniform, the first uniform; or nil.")
	p("func pairwise(operation ir.Op, k ir.Kind) *[3]func(*frame, *op) {")
	dispatch(false, false)
	p("// fastUnary is unary under fast math, for functions that it changes.")
	p("func fastUnary(operation ir.Op, k ir.Kind) func(*frame, *op) {")
	dispatch(true, true)
	p("// fastPairwise is pairwise under fast math, for functions that it changes.")
	p("func fastPairwise(operation ir.Op, k ir.Kind) *[3]func(*frame, *op) {")
	dispatch(false, true)
	p("// converting returns the loop of a conversion, or nil.")
	p("func converting(operation ir.Op, from, to ir.Kind) func(*frame, *op) {\n	switch operation {")
	byOp := map[string][]conversion{}
	var order []string
	for _, c := range conversions() {
		if byOp[c.op] == nil {
			order = append(order, c.op)
		}
		byOp[c.op] = append(byOp[c.op], c)
	}
	for _, op := range order {
		p("	case ir.Op%s:\n		switch (pair{from, to}) {", op)
		for _, c := range byOp[op] {
			p("		case pair{ir.%s, ir.%s}:\n			return do%s%s%s", c.from.ir, c.to.ir, c.op, c.from.ir, c.to.ir)
		}
		p("		}")
	}
	p("	}\n	return nil\n}\n")

	for _, r := range rows {
		for _, k := range r.kinds {
			expr, elem := r.expression(k)
			result := elem
			if r.truth {
				result = "uint8"
			}
			name := r.prefix() + r.op + k.ir
			elems := [3]string{elem, elem}
			if r.second != "" {
				elems[1] = r.second
			}
			if r.unary {
				loop(name, elems, result, expr, [3]string{"v"})
				continue
			}
			loop(name+"VV", elems, result, expr, [3]string{"v", "v"})
			loop(name+"VU", elems, result, expr, [3]string{"v", "u"})
			loop(name+"UV", elems, result, expr, [3]string{"u", "v"})
		}
	}
	for _, c := range conversions() {
		loop("do"+c.op+c.from.ir+c.to.ir, [3]string{c.from.elem}, c.to.elem, c.expr, [3]string{"v"})
	}
}

// prefix returns what the names of a row's loops begin with.
func (r row) prefix() string {
	if r.fast {
		return "fast"
	}
	return "do"
}

func dispatch(unary, fast bool) {
	p("	switch operation {")
	seen := map[string]bool{}
	for _, r := range rows {
		if r.unary != unary || r.fast != fast || seen[r.op] {
			continue
		}
		seen[r.op] = true
		p("	case ir.Op%s:\n		switch k {", r.op)
		for _, s := range rows {
			if s.op != r.op || s.fast != fast {
				continue
			}
			for _, k := range s.kinds {
				name := r.prefix() + r.op + k.ir
				if unary {
					p("		case ir.%s:\n			return %s", k.ir, name)
				} else {
					p("		case ir.%s:\n			return &[3]func(*frame, *op){%sVV, %sVU, %sUV}", k.ir, name, name, name)
				}
			}
		}
		p("		}")
	}
	p("	}\n	return nil\n}\n")
}

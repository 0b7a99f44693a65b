package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"
	"sync"
)

// maxFormat is how many bytes a format may have: Metal cuts off longer ones.
const maxFormat = 1000

// conversionOptions matches what may stand between % and the letter: flags, width and precision.
var conversionOptions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+ #0]*[0-9]{0,3}(\.[0-9]{0,3})?$`)
})

// printf returns a call of kernel.Printf as a message of Metal's log, with the same text. A format
// that Printf would refuse on the CPU is refused here.
func (in *instance) printf(x *ast.CallExpr) val {
	if x.Ellipsis.IsValid() {
		in.refuse(x, "Printf with a slice of arguments; give each argument")
	}
	tv := in.pkg.info.Types[x.Args[1]].Value
	if tv == nil || tv.Kind() != constant.String {
		in.refuse(x.Args[1], "a format that is no constant; write it where Printf is called")
	}
	format := constant.StringVal(tv)
	if len(format) > maxFormat || strings.Contains(format, "\x00") {
		in.refuse(x.Args[1], "a format of %d bytes, or with a zero byte; at most %d bytes", len(format), maxFormat)
	}
	var text strings.Builder
	var list []ast.Expr
	var typs []types.Type
	var casts []string
	args := x.Args[2:]
	for {
		before, rest, found := strings.Cut(format, "%")
		text.WriteString(before)
		if !found {
			break
		}
		if strings.HasPrefix(rest, "%") {
			text.WriteString("%%")
			format = rest[1:]
			continue
		}
		end := len(rest) - len(strings.TrimLeft(rest, "-+ #0123456789."))
		switch {
		case end == len(rest):
			in.refuse(x.Args[1], "%%%s has no conversion", rest)
		case len(list) == len(args):
			in.refuse(x, "no argument for %%%s", rest[:end+1])
		case !conversionOptions().MatchString(rest[:end]):
			in.refuse(x.Args[1], "%%%s: want flags, a width and a precision before the letter", rest[:end+1])
		}
		a := args[len(list)]
		t := types.Default(in.typeOf(a))
		length, cast := in.conversionOf(a, t, rest[end])
		if cast == "" {
			in.refuse(a, "%%%s does not take %s; it takes a number, where %%f and its like take a float32",
				rest[:end+1], in.named(t))
		}
		text.WriteString("%" + rest[:end] + length + rest[end:end+1])
		list, typs, casts = append(list, a), append(typs, t), append(casts, cast)
		format = rest[end+1:]
	}
	if len(list) < len(args) {
		in.refuse(x, "%d arguments, but %d conversions", len(args), len(list))
	}
	in.effects = true
	in.t.logs = true
	texts := in.args(list, typs)
	out := literalText(text.String())
	for i, s := range texts {
		if name, small := smallType(typs[i]); small {
			s = bitsOf(name, val{s, conditional}).s
		}
		out += ", " + strings.Replace(casts[i], "()", "("+s+")", 1)
	}
	return val{"metal::os_log_default.log(" + out + ")", primary}
}

// conversionOf returns the length that a conversion has in Metal for a value, and the type to which
// that is converted, with parentheses; "" if they do not fit.
func (in *instance) conversionOf(a ast.Expr, t types.Type, letter byte) (length, cast string) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return "", ""
	}
	if strings.IndexByte("fFeEgG", letter) >= 0 {
		if b.Kind() != types.Float32 {
			return "", ""
		}
		return "", "float()"
	}
	if strings.IndexByte("diuxXoc", letter) < 0 || b.Info()&types.IsInteger == 0 {
		return "", ""
	}
	size := in.t.sizes.Sizeof(b)
	name := map[int64]string{1: "char", 2: "short", 4: "int", 8: "long"}[size]
	if letter == 'c' {
		return "", "int(uchar())"
	}
	if size == 8 {
		length = "l"
	}
	wide := "int"
	if letter != 'd' && letter != 'i' {
		name, wide = "u"+name, "uint"
	}
	if size < 4 {
		return length, fmt.Sprintf("%s(%s())", wide, name)
	}
	return length, name + "()"
}

// literalText returns a string literal of Metal.
func literalText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteString("\\" + string(rune(c)))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

package lower

import (
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// literal returns the text of an argument that is a string literal.
func literal(e typed.Expr) (string, bool) {
	k, ok := e.(*typed.Const)
	if !ok {
		return "", false
	}
	text, ok := k.Value.Ref.(string)
	return text, ok
}

// maxLogName is the maximum number of bytes in names and formats of messages; Metal truncates
// longer ones.
const maxLogName = 1023

// truncated cuts a text to maxLogName bytes, as Metal does.
func truncated(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxLogName)], "") }

// logHandle returns the handle of the log with the subsystem and category given by the arguments.
func (c *libCall) logHandle() *ir.Value {
	var name [2]string
	for i := range c.e.Args {
		text, ok := literal(c.e.Args[i])
		if !ok || len(c.e.Args) != len(name) {
			c.unsupported(c.e.At, "a log whose subsystem and category are not two string literals")
		}
		name[i] = truncated(text)
	}
	log := ir.Log{Subsystem: name[0], Category: name[1]}
	if log == (ir.Log{}) {
		return c.b.Int(ir.TI32, 0)
	}
	n, ok := c.logs[log]
	if !ok {
		c.module.out.Logs = append(c.module.out.Logs, log)
		n = len(c.module.out.Logs)
		c.logs[log] = n
	}
	return c.b.Int(ir.TI32, int64(n))
}

// logLevel returns the level given by a method's name or its first argument.
func (c *libCall) logLevel() ir.LogLevel {
	switch c.e.Fn.Name {
	case "log_debug":
		return ir.LogDebug
	case "log_info":
		return ir.LogInfo
	case "log_error":
		return ir.LogError
	case "log_fault":
		return ir.LogFault
	case "log_with_type":
		switch c.word(1, "a type of message") {
		case 1:
			return ir.LogInfo
		case 2:
			return ir.LogDebug
		case 16:
			return ir.LogError
		case 17:
			return ir.LogFault
		}
	}
	return ir.LogNotice
}

// logMessage lowers a log message. If the arguments do not match the format, which is only a
// warning, they are made to fit: a wrong argument is converted, a missing one is zero, and an
// invalid conversion is printed as text.
func (c *libCall) logMessage() {
	log, list := c.handle32(), c.e.Args[1:]
	level := c.logLevel()
	if c.e.Fn.Name == "log_with_type" {
		list = list[1:]
	}
	text, ok := literal(list[0])
	if !ok {
		c.unsupported(c.e.At, "a message whose format is not a string literal")
	}
	list = list[1:]
	values := make([]val, len(list))
	for i, e := range list {
		if _, ok := literal(e); !ok {
			values[i] = c.expr(e)
		}
	}
	if !c.opts.Logging && !c.asserts(log) {
		return
	}
	var format strings.Builder
	escape := func(s string) { format.WriteString(strings.ReplaceAll(s, "%", "%%")) }
	args := []*ir.Value{log}
	for _, p := range ir.LogPieces(truncated(text)) {
		escape(p.Text)
		k, n := p.Conversion, len(values)-len(list)
		switch {
		case k == nil:
		case !k.Valid():
			escape(k.Text)
			list = list[min(1, len(list)):]
		case k.Letter == 's':
			if len(list) > 0 {
				s, _ := literal(list[0])
				escape(k.Pad(s))
				list = list[1:]
			}
		default:
			var v val
			var from types.Type
			if len(list) > 0 {
				v, from = values[n], list[0].Type()
				list = list[1:]
			}
			format.WriteString(k.Text)
			args = append(args, c.logOperand(k, v.v, from))
		}
	}
	c.setLoc(c.e.At)
	c.b.Print(level, format.String(), args...)
}

// asserts reports whether a log is that of assertions.
func (c *libCall) asserts(log *ir.Value) bool {
	n := int64(0)
	if log.Def != nil && log.Def.Op == ir.OpConst {
		n = log.Def.Imm
	}
	return n > 0 && n <= int64(len(c.module.out.Logs)) && c.module.out.Logs[n-1] == ir.Assertion
}

// handle32 returns the handle of the log.
func (c *libCall) handle32() *ir.Value {
	v := c.expr(c.e.Args[0])
	if v.v == nil || v.v.Type != ir.TI32 {
		c.unsupported(c.e.At, "a message for '%s'", v.typ)
	}
	return v.v
}

// logOperand converts an argument to what a conversion formats; nil means a missing argument.
func (c *libCall) logOperand(k *ir.LogConversion, v *ir.Value, t types.Type) *ir.Value {
	b := c.b
	if v != nil && v.Type.Kind == ir.Pointer {
		v, t = b.Op(ir.OpPtrToInt, v), types.ULong
	}
	if e, ok := t.(*types.Enum); ok {
		t = e.Underlying
	}
	from := types.ElemOf(t)
	if k.Letter == 'p' {
		if v == nil || v.Type != ir.TI64 {
			return b.Int(ir.TI64, 0)
		}
		return v
	}
	to := types.Float
	if k.IsInt() {
		if to = types.Int; from != nil && from.IsFloat() {
			to = types.Long
		} else if from != nil && from.Size() == 8 {
			to = from
		} else if from != nil && !from.IsSigned() {
			to = types.UInt
		}
	}
	want := ir.Vector(kindOf(to), k.Lanes)
	if v == nil || from == nil || !v.Type.Kind.IsInt() && !v.Type.Kind.IsFloat() && v.Type.Kind != ir.I1 {
		return b.Const(want, 0)
	}
	v = c.convKind(v, from, to)
	if n := v.Type.Lanes(); n != k.Lanes {
		lanes := make([]*ir.Value, k.Lanes)
		for i := range lanes {
			switch {
			case i >= n:
				lanes[i] = b.Const(ir.Scalar(want.Kind), 0)
			case n == 1:
				lanes[i] = v
			default:
				lanes[i] = b.Extract(v, i)
			}
		}
		if v = lanes[0]; k.Lanes > 1 {
			v = b.OpAs(ir.OpBuild, want, lanes...)
		}
	}
	return v
}

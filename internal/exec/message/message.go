// Package message defines the log messages of kernels, as engines pass them on, and formats them as
// text.
package message

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// Message is one log message of one thread. It belongs to the engine and is valid until the
// function that receives it returns.
type Message struct {
	Module *ir.Module
	Print  *ir.Instr // the instruction
	Group  int64     // index of the threadgroup in the grid: x first, then y, then z
	Thread [3]int    // its position in the grid
	Log    uint32    // handle of the log
	Words  []uint64  // bits of the lanes of the operands after the handle
}

// Sink receives the messages of a launch, from several goroutines concurrently. Those of one
// threadgroup come from a single goroutine, in the same order every time the launch is run.
type Sink func(*Message)

// Level returns the severity of the message.
func (m *Message) Level() ir.LogLevel { return ir.LogLevel(m.Print.Imm) }

// Text returns the formatted message. The instruction must be valid.
func (m *Message) Text() string { return Text(m.Print, m.Words) }

// File returns the name of the instruction's source file, or "" if unknown.
func (m *Message) File() string {
	if i := int(m.Print.Loc.File) - 1; i >= 0 && i < len(m.Module.Files) {
		return m.Module.Files[i]
	}
	return ""
}

// Words returns the number of words in an instruction's messages.
func Words(print *ir.Instr) int {
	n := 0
	for _, a := range print.Args[1:] {
		n += a.Type.Lanes()
	}
	return n
}

// Name returns the subsystem and category of the log.
func (m *Message) Name() ir.Log {
	if i := uint64(m.Log) - 1; m.Log > 0 && i < uint64(len(m.Module.Logs)) {
		return m.Module.Logs[i]
	}
	return ir.Log{}
}

// Text formats the operands of an instruction according to its format.
func Text(print *ir.Instr, words []uint64) string {
	var b strings.Builder
	args := print.Args[1:]
	for _, p := range ir.LogPieces(print.Name) {
		b.WriteString(p.Text)
		if p.Conversion == nil {
			continue
		}
		t := args[0].Type
		args = args[1:]
		for i := range t.Lanes() {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(number(p.Conversion, t.Kind, words[i]))
		}
		words = words[t.Lanes():]
	}
	return b.String()
}

// number formats one number.
func number(k *ir.LogConversion, kind ir.Kind, bits uint64) string {
	switch {
	case k.IsFloat():
		return float(k, float64(math.Float32frombits(uint32(bits))))
	case k.Letter == 'p':
		return pad(k, "", "0x"+strconv.FormatUint(bits, 16), false)
	case k.Letter == 'c':
		return pad(k, "", string([]byte{byte(bits)}), false)
	}
	return integer(k, kind, bits)
}

// width returns how many bits of an integer a conversion prints.
func width(k *ir.LogConversion, kind ir.Kind) int {
	switch k.Length {
	case "hh":
		return 8
	case "h":
		return 16
	case "hl":
		return 32
	case "l", "ll":
		return 64
	}
	return kind.Bits()
}

func integer(k *ir.LogConversion, kind ir.Kind, bits uint64) string {
	n := width(k, kind)
	signed := k.Letter == 'd' || k.Letter == 'i'
	extend := func(bits uint64, n int) uint64 {
		if signed {
			return uint64(int64(bits<<(64-n)) >> (64 - n))
		}
		return bits << (64 - n) >> (64 - n)
	}
	bits = extend(extend(bits, kind.Bits()), n)
	sign, digits := "", ""
	switch k.Letter {
	case 'd', 'i':
		v := int64(bits)
		digits = strconv.FormatUint(bits, 10)
		if v < 0 {
			digits = strconv.FormatUint(-bits, 10)
		}
		sign = signOf(k, v < 0)
	case 'o':
		digits = strconv.FormatUint(bits, 8)
		if strings.Contains(k.Flags, "#") && digits[0] != '0' {
			digits = "0" + digits
		}
	case 'x', 'X':
		digits = strconv.FormatUint(bits, 16)
		if strings.Contains(k.Flags, "#") && bits != 0 {
			sign = "0x"
		}
	default:
		digits = strconv.FormatUint(bits, 10)
	}
	if k.Precision == 0 && bits == 0 {
		digits = ""
		if k.Letter == 'o' && strings.Contains(k.Flags, "#") {
			digits = "0"
		}
	}
	if len(digits) < k.Precision {
		digits = strings.Repeat("0", k.Precision-len(digits)) + digits
	}
	text := pad(k, sign, digits, k.Precision < 0)
	if k.Letter == 'X' {
		text = strings.ToUpper(text)
	}
	return text
}

func signOf(k *ir.LogConversion, negative bool) string {
	switch {
	case negative:
		return "-"
	case strings.Contains(k.Flags, "+"):
		return "+"
	case strings.Contains(k.Flags, " "):
		return " "
	}
	return ""
}

// float formats a float. It compensates for differences between Go's formatter and C's: signs and
// padding of infinities and NaNs, and the forms %a and %g.
func float(k *ir.LogConversion, x float64) string {
	sign := signOf(k, math.Signbit(x))
	x = math.Abs(x)
	lower := k.Letter | 0x20
	var text string
	switch {
	case math.IsInf(x, 0) || math.IsNaN(x):
		text = "inf"
		if math.IsNaN(x) {
			text = "nan"
		}
		text = pad(k, sign, text, false)
	case lower == 'a':
		digits, exponent, _ := strings.Cut(strings.TrimPrefix(strconv.FormatFloat(x, 'x', k.Precision, 64), "0x"), "p")
		if exponent[1] == '0' { // C prints no zero before a single exponent digit
			exponent = exponent[:1] + exponent[2:]
		}
		text = digits + "p" + exponent
		text = pad(k, sign+"0x", text, true)
	default:
		precision := k.Precision
		if precision < 0 {
			precision = 6
		}
		format := "%"
		if strings.Contains(k.Flags, "#") {
			format += "#"
		}
		text = pad(k, sign, fmt.Sprintf(format+"."+strconv.Itoa(precision)+string(rune(lower)), x), true)
		if lower == 'g' && precision == 0 && !strings.Contains(k.Flags, "#") {
			text = pad(k, sign, fmt.Sprintf("%.1g", x), true)
		}
	}
	if k.Letter < 'a' {
		text = strings.ToUpper(text)
	}
	return text
}

// pad pads a number to the width of its conversion, with zeros between sign and digits if zeros is
// set and the flags ask for it.
func pad(k *ir.LogConversion, sign, digits string, zeros bool) string {
	n := k.Width - len(sign) - len(digits)
	switch {
	case n <= 0:
		return sign + digits
	case strings.Contains(k.Flags, "-"):
		return sign + digits + strings.Repeat(" ", n)
	case zeros && strings.Contains(k.Flags, "0"):
		return sign + strings.Repeat("0", n) + digits
	}
	return strings.Repeat(" ", n) + sign + digits
}

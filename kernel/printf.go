package kernel

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// maxText is the number of bytes that the threads of a launch may print.
const maxText = 1 << 20

// output is where threads print to.
var output struct {
	sync.Mutex
	io.Writer // nil is standard output
}

// SetOutput makes w the destination of [Printf] in the whole program, and returns the one before.
// It is standard output if w is nil, as at the beginning.
func SetOutput(w io.Writer) (before io.Writer) {
	output.Lock()
	defer output.Unlock()
	before, output.Writer = output.Writer, w
	return before
}

// Printf prints numbers, as C's printf does on a device: %d, %i, %u, %x, %X, %o and %c for
// integers, %f, %e, %g, %F, %E and %G for float32, with flags, width and precision, and %% for a
// percent sign. Other conversions, and arguments that do not fit, end the launch with an error.
//
// [Run] writes the text when all threads have returned, in the order of the threadgroups, and
// within one in the order in which its threads have run. A launch may print up to 1 MiB.
//
//go:noinline
func Printf(t *Thread, format string, args ...any) {
	f := t.running()
	f.site.stack = callers(&f.site.pcs, root.known())
	text, wrong := sprintf(format, args)
	if wrong != "" {
		f.stop("Printf(%q): %s", format, wrong)
	}
	r := f.group.launch
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.printed += len(text); r.printed > maxText {
		f.stop("Printf: the launch prints more than %d bytes", maxText)
	}
	if r.texts == nil {
		r.texts = map[uint64][]byte{}
	}
	r.texts[f.group.number] = append(r.texts[f.group.number], text...)
}

// print writes what threads have printed.
func (r *launch) print() error {
	if len(r.texts) == 0 {
		return nil
	}
	output.Lock()
	defer output.Unlock()
	w := output.Writer
	if w == nil {
		w = os.Stdout
	}
	for _, i := range slices.Sorted(maps.Keys(r.texts)) {
		if _, err := w.Write(r.texts[i]); err != nil {
			return fmt.Errorf("kernel: Printf: %w", err)
		}
	}
	return nil
}

// sprintf returns the text, or what is wrong with the format or the arguments.
func sprintf(format string, args []any) (text, wrong string) {
	var b strings.Builder
	used := 0
	for {
		before, rest, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found {
			break
		}
		if strings.HasPrefix(rest, "%") {
			b.WriteByte('%')
			format = rest[1:]
			continue
		}
		end := len(rest) - len(strings.TrimLeft(rest, "-+ #0123456789."))
		if end == len(rest) {
			return "", fmt.Sprintf("%%%s has no conversion", rest)
		}
		if used == len(args) {
			return "", fmt.Sprintf("no argument for %%%s", rest[:end+1])
		}
		s, ok := conversion(rest[:end], rest[end], reflect.ValueOf(args[used]))
		if !ok {
			return "", fmt.Sprintf("%%%s does not take argument %d, a %T", rest[:end+1], used+1, args[used])
		}
		b.WriteString(s)
		used++
		format = rest[end+1:]
	}
	if used < len(args) {
		return "", fmt.Sprintf("%d arguments, but %d conversions", len(args), used)
	}
	return b.String(), ""
}

// conversion formats one number. The options are flags, width and precision.
func conversion(options string, letter byte, v reflect.Value) (s string, ok bool) {
	switch letter {
	case 'd', 'i', 'u', 'x', 'X', 'o', 'c':
		return integer(options, letter, v)
	case 'f', 'F', 'e', 'E', 'g', 'G':
		if v.Kind() != reflect.Float32 {
			return "", false
		}
		return floating(options, letter, v.Float()), true
	}
	return "", false
}

func integer(options string, letter byte, v reflect.Value) (s string, ok bool) {
	var bits uint64
	switch {
	case v.CanInt():
		bits = uint64(v.Int()) & (math.MaxUint64 >> (64 - v.Type().Bits()))
	case v.CanUint():
		bits = v.Uint()
	default:
		return "", false
	}
	unsigned := strings.NewReplacer("+", "", " ", "").Replace(options)
	switch letter {
	case 'd', 'i':
		shift := 64 - v.Type().Bits()
		return fmt.Sprintf("%"+options+"d", int64(bits<<shift)>>shift), true
	case 'c':
		flags, _, _ := strings.Cut(strings.Trim(unsigned, "#"), ".")
		return fmt.Sprintf("%"+strings.TrimLeft(flags, "0")+"s", []byte{byte(bits)}), true
	case 'u':
		letter = 'd'
	}
	if bits == 0 { // C has no prefix for 0
		unsigned = strings.ReplaceAll(unsigned, "#", "")
	}
	return fmt.Sprintf("%"+unsigned+string(rune(letter)), bits), true
}

func floating(options string, letter byte, x float64) string {
	lower := letter | 0x20
	switch size, precision, set := strings.Cut(options, "."); {
	case math.IsInf(x, 0) || math.IsNaN(x):
		sign := ""
		switch {
		case math.Signbit(x):
			sign = "-"
		case strings.Contains(size, "+"):
			sign = "+"
		case strings.Contains(size, " "):
			sign = " "
		}
		text := sign + "inf"
		if math.IsNaN(x) {
			text = sign + "nan"
		}
		size = strings.NewReplacer("+", "", " ", "", "#", "").Replace(size)
		if left := strings.HasPrefix(size, "-") || strings.HasPrefix(size, "0-"); left {
			size = "-" + strings.TrimLeft(size, "0-")
		}
		options, lower = strings.TrimLeft(size, "0"), 's'
		text = fmt.Sprintf("%"+options+"s", text)
		if letter < 'a' {
			text = strings.ToUpper(text)
		}
		return text
	case !set:
		options += ".6"
	case lower == 'g' && strings.Trim(precision, "0") == "" && !strings.Contains(size, "#"):
		options = size + ".1"
	}
	text := fmt.Sprintf("%"+options+string(rune(lower)), x)
	if letter < 'a' {
		text = strings.ToUpper(text)
	}
	return text
}

package ref

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// splitValues splits "i32 1, i8x2 [1, 2]" into types and literals.
func splitValues(t *testing.T, s string) (types, literals []string) {
	depth, start := 0, 0
	add := func(part string) {
		typ, lit, ok := strings.Cut(strings.TrimSpace(part), " ")
		require.True(t, ok, part)
		types, literals = append(types, typ), append(literals, strings.TrimSpace(lit))
	}
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				add(s[start:i])
				start = i + 1
			}
		}
	}
	add(s[start:])
	return types, literals
}

var nans = map[string]string{"f16": "0x7e00", "bf16": "0x7fc0", "f32": "0x7fc00000"}

func literalOf(typ, lit string) string {
	if lit == "nan" {
		return nans[typ]
	}
	return lit
}

// opProgram returns the text of a kernel that executes one operation and stores its results, each
// at a multiple of 32 bytes.
func opProgram(op string, types, literals, results []string) string {
	var b strings.Builder
	b.WriteString("kernel \"op\" {\n arg {\"kind\":\"buffer\",\"index\":0}\n body {\n %100 = arg #0 : ptr.device\n")
	var args, defs []string
	for i := range types {
		fmt.Fprintf(&b, " %%%d = const %s : %s\n", i, literalOf(types[i], literals[i]), types[i])
		args = append(args, fmt.Sprintf("%%%d", i))
	}
	for i := range results {
		defs = append(defs, fmt.Sprintf("%%%d", 200+i))
	}
	suffix := ""
	if i := strings.IndexAny(op, "#["); i >= 0 {
		op, suffix = op[:i], " "+op[i:]
	}
	fmt.Fprintf(&b, " %s = %s %s%s : %s\n", strings.Join(defs, ", "), op, strings.Join(args, ", "), suffix,
		strings.Join(results, ", "))
	for i := range results {
		fmt.Fprintf(&b, " %%%d = field %%100 #%d : ptr.device\n store %%%d, %%%d\n", 300+i, 32*i, 300+i, 200+i)
	}
	b.WriteString(" return\n }\n}\n")
	return b.String()
}

// wantLanes returns the bits of a literal's lanes.
func wantLanes(t *testing.T, typ, lit string) (ir.Type, []uint64) {
	m, err := ir.Parse(fmt.Sprintf("kernel \"k\" { body { %%0 = const %s : %s return } }", literalOf(typ, lit), typ))
	require.NoError(t, err, lit)
	in := m.Funcs[0].Body.Instrs[0]
	var lanes []uint64
	for i := range in.Results[0].Type.Lanes() {
		lanes = append(lanes, in.Lane(i))
	}
	return in.Results[0].Type, lanes
}

func isNaN(k ir.Kind, bits uint64) bool {
	f := ir.BitsFloat(k, bits)
	return k.IsFloat() && f != f
}

// sameBits compares numbers; all NaNs are the same.
func sameBits(k ir.Kind, a, b uint64) bool { return a == b || isNaN(k, a) && isNaN(k, b) }

func show(k ir.Kind, bits uint64) string {
	if k.IsFloat() {
		return fmt.Sprintf("%v (%#x)", ir.BitsFloat(k, bits), bits)
	}
	return fmt.Sprintf("%#x", bits)
}

func runOpLine(t *testing.T, line string) {
	left, right, ok := strings.Cut(line, " = ")
	require.True(t, ok)
	op, operands, _ := strings.Cut(left, " ")
	types, literals := splitValues(t, operands)
	resTypes, resLiterals := splitValues(t, right)
	text := opProgram(op, types, literals, resTypes)
	m, err := ir.Parse(text)
	require.NoError(t, err, text)
	out := make([]byte, 32*len(resTypes))
	require.NoError(t, testlaunch.Launch{Buffers: map[int]testlaunch.Buffer{0: {Data: out}}}.Run(context.Background(),
		m.Funcs[0], Run), text)
	for i := range resTypes {
		typ, want := wantLanes(t, resTypes[i], resLiterals[i])
		for lane, w := range want {
			have := getBits(typ.Kind, out[32*i+lane*typ.Kind.Size():])
			assert.True(t, sameBits(typ.Kind, have, w), "result %d lane %d: have %s, want %s", i, lane, show(typ.Kind, have),
				show(typ.Kind, w))
		}
	}
	covered(m)
}

// TestOperations runs the operations of testdata/ir/ops, one line each.
func TestOperations(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/ir/ops/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if line := sc.Text(); line != "" && !strings.HasPrefix(line, "//") {
				t.Run(line, func(t *testing.T) { runOpLine(t, line) })
			}
		}
	}
}

// coverage contains the operations that a test has executed with a known result.
var coverage = map[ir.Op]bool{}

func covered(m *ir.Module) {
	for _, f := range m.Funcs {
		f.Body.Walk(func(in *ir.Instr) bool {
			coverage[in.Op] = true
			return true
		})
	}
}

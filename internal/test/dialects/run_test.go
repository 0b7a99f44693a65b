package dialects

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// compile compiles a program, which must have no errors.
func compile(t testing.TB, d *dialect.Dialect, name, text string) *msl.Module {
	t.Helper()
	m, diags := msl.Compile(context.Background(), msl.Source{Name: name, Text: text},
		msl.Options{Dialect: d, Verify: true, Logging: true})
	diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	if len(diags) > 0 {
		var b strings.Builder
		require.NoError(t, diag.Text(&b, m.Files, diags[:min(len(diags), 10)]))
		require.Empty(t, diags[:min(len(diags), 10)], "%s", b.String())
	}
	programs.Store(m, program{d, name, text})
	return m
}

// compileFile compiles a file of testdata/opencl or testdata/cuda.
func compileFile(t testing.TB, name string) *msl.Module {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", name))
	require.NoError(t, err)
	return compile(t, dialect.OfFile(name), name, string(text))
}

// local is an argument in threadgroup memory: its length in bytes.
type local int

// grid is the work-items of a launch and of a work-group.
type grid struct{ global, group [3]int }

// line is a grid of one dimension.
func line(global, group int) grid { return grid{[3]int{global, 1, 1}, [3]int{group, 1, 1}} }

// run runs a kernel. An argument is a slice, which the kernel reads and writes, a number or array,
// a texture, the state of a sampler, or local memory.
func run(t testing.TB, m *msl.Module, kernel string, g grid, args ...any) {
	t.Helper()
	f := m.IR.Func(kernel)
	require.NotNil(t, f, "no kernel %s", kernel)
	l := testlaunch.Launch{Grid: g.global, Group: g.group, Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: map[int]int{}, Textures: map[int]*testlaunch.Texture{}, Samplers: map[int]ir.SamplerState{},
		Fuel: 1 << 33}
	type back struct{ slot, arg int }
	var outs []back
	var given []ir.Arg
	for _, a := range f.Args {
		if a.Kind == ir.ArgBuffer || a.Kind == ir.ArgThreadgroup || a.Kind == ir.ArgTexture || a.Kind == ir.ArgSampler {
			given = append(given, a)
		}
	}
	require.Len(t, args, len(given), "arguments of %s", kernel)
	for i, a := range args {
		slot := given[i].Index
		switch a := a.(type) {
		case local:
			l.ThreadgroupMemory[slot] = int(a)
		case *testlaunch.Texture:
			l.Textures[slot] = a
		case ir.SamplerState:
			l.Samplers[slot] = a
		default:
			l.Buffers[slot] = testlaunch.Buffer{Data: encode(t, a)}
			if reflect.TypeOf(a).Kind() == reflect.Slice {
				outs = append(outs, back{slot, i})
			}
		}
	}
	again := l.Clone()
	exectest.Run(t, f, l)
	runText(t, m, kernel, again, &l)
	for _, o := range outs {
		_, err := binary.Decode(l.Buffers[o.slot].Data, binary.LittleEndian, args[o.arg])
		require.NoError(t, err)
	}
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	if n, ok := v.(int); ok {
		v = int32(n)
	}
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, binary.LittleEndian, v))
	return b.Bytes()
}

// value is an expression, its type, and the bytes that it must have: a number or an array.
type value struct {
	typ, expr string
	want      any
}

// values checks what expressions are in the language: each becomes a store of a kernel. The
// declarations before may use zero, which is 0 and not known to the compiler.
func values(t *testing.T, d *dialect.Dialect, program, before string, list []value) {
	t.Helper()
	const stride = 128
	var text strings.Builder
	text.WriteString(program)
	const per = 64
	for start := 0; start < len(list); start += per {
		head, space := "__kernel void k%d(__global uchar *out, int zero) {\n%s\n", "__global "
		if d.HostCode {
			head, space = "__global__ void k%d(unsigned char *out, int zero) {\n%s\n", ""
		}
		fmt.Fprintf(&text, "\n"+head, start/per, before)
		for i, v := range list[start:min(start+per, len(list))] {
			fmt.Fprintf(&text, "{ %s r = %s; *(%s%s *)(out + %d) = r; }\n", v.typ, v.expr, space, v.typ, i*stride)
		}
		text.WriteString("}\n")
	}
	m := compile(t, d, "values.cl", text.String())
	for start := 0; start < len(list); start += per {
		part := list[start:min(start+per, len(list))]
		out := make([]byte, stride*len(part))
		run(t, m, fmt.Sprintf("k%d", start/per), line(1, 1), out, int32(0))
		for i, v := range part {
			want := encode(t, v.want)
			have := out[i*stride : i*stride+len(want)]
			if !bytes.Equal(want, have) && !nans(v.want, have) {
				got := reflect.New(reflect.TypeOf(v.want))
				if _, err := binary.Decode(have, binary.LittleEndian, got.Interface()); err != nil {
					t.Errorf("%s: have %x, want %v", v.expr, have, v.want)
					continue
				}
				t.Errorf("%s: have %v, want %v", v.expr, got.Elem().Interface(), v.want)
			}
		}
	}
}

// nans reports whether a NaN is wanted and there.
func nans(want any, have []byte) bool {
	f, ok := want.(float32)
	return ok && f != f && math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(have))))
}

// refuses checks that a program has an error of this code at this line, whose message has the
// words.
func refuses(t *testing.T, d *dialect.Dialect, text string, code diag.Code, at int, words string) {
	t.Helper()
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "refused.cl", Text: text}, msl.Options{Dialect: d})
	for _, d := range diags {
		if d.Severity == diag.Error && (d.Code == code || code == "") && m.Files.Position(d.Pos).Line == at &&
			strings.Contains(d.Message, words) {
			return
		}
	}
	var b strings.Builder
	require.NoError(t, diag.Text(&b, m.Files, diags))
	t.Errorf("no %s in line %d with %q:\n%s\n%s", code, at, words, text, b.String())
}

package ref_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/schedule"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
	"github.com/puremetal/puremetal/sanitizer"
)

// run is a launch specified by a program's comments:
//
//	metal <language version>
//	launch <kernel> [grid=x,y,z] [group=x,y,z] [tg<slot>=bytes] [const<index>=hex]
//	buffer <slot>: <kind> <numbers> | zero <bytes>
//	want <slot>: <kind> <numbers>
//	texture <slot>: <format> <width> <height> <depth> <layers> <samples>: <kind> <numbers> | <numbers of level 1> ...
//	wanttexture <slot>: <kind> <numbers of level 0>
type run struct {
	kernel string
	launch testlaunch.Launch
	want   map[int]string
	texels map[int]string
}

// textureOf parses a texture: its format, its sizes and the contents of its levels.
func textureOf(t *testing.T, s string) *testlaunch.Texture {
	head, levels, ok := strings.Cut(s, ": ")
	require.True(t, ok, s)
	words := strings.Fields(head)
	x := &testlaunch.Texture{Format: words[0]}
	for i, to := range []*int{&x.Width, &x.Height, &x.Depth, &x.Layers, &x.Samples} {
		if i+1 < len(words) {
			n, err := strconv.Atoi(words[i+1])
			require.NoError(t, err)
			*to = n
		}
	}
	kind := ""
	for i, level := range strings.Split(levels, " | ") {
		if i == 0 {
			kind = strings.Fields(level)[0]
		} else {
			level = kind + " " + level
		}
		x.Levels = append(x.Levels, bytesOf(t, level))
	}
	return x
}

func triple(t *testing.T, s string) (v [3]int) {
	for i, part := range strings.Split(s, ",") {
		n, err := strconv.Atoi(part)
		require.NoError(t, err)
		v[i] = n
	}
	return v
}

func sizeOfKind(t *testing.T, name string) (ir.Kind, int) {
	k, err := ir.ParseType(name)
	require.NoError(t, err)
	return k.Kind, k.Size()
}

// bytesOf parses numbers of a kind and returns their memory representation. n*x is x repeated n
// times.
func bytesOf(t *testing.T, s string) []byte {
	words := strings.Fields(s)
	if words[0] == "zero" {
		n, err := strconv.Atoi(words[1])
		require.NoError(t, err)
		return make([]byte, n)
	}
	k, size := sizeOfKind(t, words[0])
	var out []byte
	for _, lit := range words[1:] {
		times := 1
		if n, x, ok := strings.Cut(lit, "*"); ok {
			var err error
			times, err = strconv.Atoi(n)
			require.NoError(t, err)
			lit = x
		}
		var bits uint64
		switch {
		case strings.HasPrefix(lit, "0x"):
			n, err := strconv.ParseUint(lit[2:], 16, 64)
			require.NoError(t, err)
			bits = n
		case k.IsFloat():
			f, err := strconv.ParseFloat(lit, 64)
			require.NoError(t, err)
			bits = ir.FloatBits(k, f)
		default:
			n, err := strconv.ParseInt(lit, 10, 64)
			require.NoError(t, err)
			bits = uint64(n)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], bits)
		for range times {
			out = append(out, b[:size]...)
		}
	}
	return out
}

func showBytes(t *testing.T, kind string, data []byte) string {
	k, size := sizeOfKind(t, kind)
	var words []string
	for i := 0; i+size <= len(data); i += size {
		var b [8]byte
		copy(b[:], data[i:i+size])
		bits := binary.LittleEndian.Uint64(b[:])
		if k.IsFloat() {
			words = append(words, fmt.Sprint(ir.BitsFloat(k, bits)))
		} else {
			shift := 64 - 8*size
			words = append(words, fmt.Sprint(int64(bits<<shift)>>shift))
		}
	}
	return strings.Join(words, " ")
}

func parseRuns(t *testing.T, text string) (runs []*run) {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if !ok {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "launch":
			words := strings.Fields(rest)
			r := &run{kernel: words[0], want: map[int]string{}, texels: map[int]string{}}
			r.launch = testlaunch.Launch{Buffers: map[int]testlaunch.Buffer{}, ThreadgroupMemory: map[int]int{},
				Constants: map[int][]byte{},
				Textures:  map[int]*testlaunch.Texture{}, Fuel: 1 << 33}
			for _, f := range words[1:] {
				key, v, _ := strings.Cut(f, "=")
				word := strings.TrimRight(key, "0123456789")
				slot := 0
				if len(word) < len(key) {
					var err error
					slot, err = strconv.Atoi(key[len(word):])
					require.NoError(t, err, f)
				}
				switch word {
				case "grid":
					r.launch.Grid = triple(t, v)
				case "group":
					r.launch.Group = triple(t, v)
				case "tg":
					n, err := strconv.Atoi(v)
					require.NoError(t, err)
					r.launch.ThreadgroupMemory[slot] = n
				case "const":
					b, err := hex.DecodeString(v)
					require.NoError(t, err)
					r.launch.Constants[slot] = b
				default:
					t.Fatalf("unknown word %q", f)
				}
			}
			runs = append(runs, r)
		case "buffer", "want", "texture", "wanttexture":
			at, vals, ok := strings.Cut(rest, ": ")
			require.True(t, ok, line)
			slot, err := strconv.Atoi(at)
			require.NoError(t, err)
			r := runs[len(runs)-1]
			switch word {
			case "want":
				r.want[slot] = vals
			case "texture":
				r.launch.Textures[slot] = textureOf(t, vals)
			case "wanttexture":
				r.texels[slot] = vals
			default:
				r.launch.Buffers[slot] = testlaunch.Buffer{Data: bytesOf(t, vals)}
			}
		}
	}
	return runs
}

func compareBytes(t *testing.T, want string, have []byte, msg ...any) {
	kind := strings.Fields(want)[0]
	wanted := bytesOf(t, want)
	assert.Equal(t, showBytes(t, kind, wanted), showBytes(t, kind, have[:min(len(have), len(wanted))]), msg...)
}

func rendered(t *testing.T, m *msl.Module, diags []diag.Diagnostic) string {
	var b strings.Builder
	require.NoError(t, diag.Text(&b, m.Files, diags))
	return b.String()
}

// mistaken are the kernels that make mistakes on purpose, and how many the sanitizer finds: entries
// of function tables that are not there, a table that is not bound, a texel outside of a texture.
var mistaken = map[string]int{"through": 1, "pairs": 1, "flat": 1}

// ordered are the kernels whose results depend on the order of atomic operations.
var ordered = map[string]bool{"flat": true}

// sanitized runs a program under the sanitizer, in another order of threadgroups and simdgroups:
// only what is mistaken is found, and the results are those that the program wants.
func sanitized(t *testing.T, plain *ir.Module, text string, opts msl.Options, r *run) {
	opts.KeepUninitialized = true
	m, diags := msl.Compile(context.Background(), msl.Source{Name: plain.Files[0], Text: text}, opts)
	require.Empty(t, diags)
	launch := r.launch.Clone()
	l, err := launch.Exec()
	require.NoError(t, err)
	s := sanitize.New(sanitizer.All, nil)
	l.Hook = s.Launch(l)
	if !ordered[r.kernel] {
		l.Schedule = schedule.Seed(5)
	}
	e := exec.NewEngine(1)
	defer e.Close()
	require.NoError(t, e.Run(context.Background(), exec.NewKernel(m.IR.Func(r.kernel),
		exec.Options{Backend: vm.Backend{}}), l), r.kernel)
	for _, f := range s.Findings() {
		t.Log(f)
	}
	assert.Len(t, s.Findings(), mistaken[r.kernel], r.kernel)
	for slot, want := range r.want {
		compareBytes(t, want, launch.Buffers[slot].Data, "%s under the sanitizer: buffer %d", r.kernel, slot)
	}
}

// printed prints a kernel, compiles the text and runs it: the results are those that the program
// wants.
func printed(t *testing.T, f *ir.Func, opts msl.Options, r *run) {
	text, err := mslprint.Kernel(f)
	if reason := unprintable[r.kernel]; err != nil || reason != "" {
		require.NotEmpty(t, reason, "%v", err)
		require.ErrorContains(t, err, reason)
		return
	}
	opts.Math = "safe"
	m, diags := msl.Compile(context.Background(), msl.Source{Name: f.Name, Text: text}, opts)
	if len(m.IR.Funcs) == 0 {
		t.Errorf("%s\n%s", rendered(t, m, diags), text)
		return
	}
	launch := r.launch.Clone()
	exectest.Run(t, m.IR.Func(f.Name), *launch)
	for slot, want := range r.want {
		compareBytes(t, want, launch.Buffers[slot].Data, "%s, printed: buffer %d", r.kernel, slot)
	}
	for slot, want := range r.texels {
		compareBytes(t, want, launch.Textures[slot].Levels[0], "%s, printed: texture %d", r.kernel, slot)
	}
}

// unprintable are the kernels that have no text, with the reason.
var unprintable = map[string]string{
	"arrowop":     "address of thread memory in memory",
	"lamarg":      "address of thread memory in memory",
	"lamcapcopy":  "address of thread memory in memory",
	"lamdev":      "address of thread memory in memory",
	"lamnest":     "address of thread memory in memory",
	"lamref":      "address of thread memory in memory",
	"lamref2":     "address of thread memory in memory",
	"lamref3":     "address of thread memory in memory",
	"lamref4":     "address of thread memory in memory",
	"lamstd":      "address of thread memory in memory",
	"lamthis":     "address of thread memory in memory",
	"lamtmpl":     "address of thread memory in memory",
	"ptrs":        "address of thread memory in memory",
	"ranked":      "address of thread memory in memory",
	"tg1":         "address of threadgroup memory in memory",
	"cast":        "operation tex.atomic",
	"conditional": "constant computed from function constants",
	"conditions":  "constant computed from function constants",
	"faces":       "operation tex.atomic",
	"flat":        "operation tex.atomic",
	"layers":      "operation tex.atomic",
	"wide":        "operation tex.atomic",
	"nulls":       "handle of a tex.2d.i32.sample as a number",
	"pairs":       "visible_function_table",
	"through":     "visible_function_table",
	"sampled":     "operation tex.sample_grad",
}

// TestShaders compiles the programs of testdata/msl/run and runs their kernels.
func TestShaders(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/msl/run/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			opts := msl.Options{Verify: true}
			if v, ok := strings.CutPrefix(string(text), "// metal "); ok {
				opts.MetalVersion, err = strconv.Atoi(v[:3])
				require.NoError(t, err)
			}
			m, diags := msl.Compile(context.Background(), msl.Source{Name: filepath.Base(name), Text: string(text)}, opts)
			require.Empty(t, diags, "%s", rendered(t, m, diags))
			again, err := ir.Parse(m.IR.String())
			require.NoError(t, err)
			assert.Equal(t, m.IR.String(), again.String())
			runs := parseRuns(t, string(text))
			require.NotEmpty(t, runs)
			for _, r := range runs {
				f := m.IR.Func(r.kernel)
				require.NotNil(t, f, r.kernel)
				sanitized(t, m.IR, string(text), opts, r)
				printed(t, f, opts, r)
				exectest.Run(t, f, r.launch)
				for slot, want := range r.want {
					compareBytes(t, want, r.launch.Buffers[slot].Data, "%s: buffer %d", r.kernel, slot)
				}
				for slot, want := range r.texels {
					compareBytes(t, want, r.launch.Textures[slot].Levels[0], "%s: texture %d", r.kernel, slot)
				}
			}
		})
	}
}

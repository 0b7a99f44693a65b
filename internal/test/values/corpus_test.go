package values

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var (
	corpusFile    = flag.String("values.file", "", "the program of PUREMETAL_CORPUS to compare, a path below it")
	corpusKernels = flag.String("values.kernels", "", "a regular expression of its entry points; empty for all")
	corpusLibrary = flag.String("values.library", "", "what the reference made of the program already; empty to make it")
	corpusExtra   = flag.String("values.set", "",
		"values of arguments, members and function constants by name, as a=1,b=0.5")
)

// careful runs each launch in its own process, which may crash or hang, and writes the contents of
// the buffers afterward.
const careful = `
import ctypes, json, os, signal, sys
jobs = json.load(open(sys.argv[2]))
lib = ctypes.CDLL(sys.argv[1])
U = ctypes.c_uint
for n, j in enumerate(jobs):
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        for i, h in (j["constants"] or {}).items():
            b = bytes.fromhex(h)
            lib.msl_setfc(int(i), b, len(b))
        keep, ptrs = [], (ctypes.c_void_p * 32)()
        for s, h in j["buffers"].items(): # aligned for the longest vectors, with room behind
            b = ctypes.create_string_buffer(len(h) // 2 + (1 << 16))
            keep.append(b)
            ptrs[int(s)] = (ctypes.addressof(b) + 63) & ~63
            ctypes.memmove(ptrs[int(s)], bytes.fromhex(h), len(h) // 2)
        tg = [int((j["threadgroup"] or {}).get(str(i), 0)) for i in range(32)]
        if lib.msl_run(j["kernel"].encode(), ptrs, (U * 32)(*tg), 32, (U * 3)(*[max(x, 1) for x in j["grid"]]), (U * 3)(*[max(x, 1) for x in j["group"]])) != 0:
            os._exit(1)
        json.dump({s: ctypes.string_at(ptrs[int(s)], len(h) // 2).hex() for s, h in j["buffers"].items()}, open(sys.argv[2] + "." + str(n), "w"))
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if status != 0:
        print(j["kernel"], "ends with", os.waitstatus_to_exitcode(status))
`

// TestCorpusValues runs the entry points of a third-party program on the reference and here, with
// the same data, and reports how much the results differ. The meaning of arguments is guessed from
// their names; after a wrong guess, both compute the same nonsense.
//
//	PUREMETAL_CORPUS=folder go test -run TestCorpusValues -v ./internal/test/values -args -values.file=kernels/softmax.metal
func TestCorpusValues(t *testing.T) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" || *corpusFile == "" {
		t.Skip("PUREMETAL_CORPUS names no folder of programs, or -values.file none of them")
	}
	dir := needReference(t)
	text, err := os.ReadFile(filepath.Join(root, *corpusFile))
	require.NoError(t, err)
	var dirs, flags []string
	for d := filepath.Dir(*corpusFile); ; d = filepath.Dir(d) {
		dirs = append(dirs, filepath.ToSlash(d))
		flags = append(flags, "-I", filepath.Join(root, d))
		if d == "." {
			break
		}
	}
	m, diags := msl.Compile(context.Background(), msl.Source{Name: *corpusFile, Text: string(text)},
		msl.Options{Include: os.DirFS(root), IncludeDirs: dirs})
	var messages strings.Builder
	require.NoError(t, diag.Text(&messages, m.Files, diags))
	require.NotEmpty(t, m.Kernels, "%s", messages.String())
	tmp := t.TempDir()
	library := *corpusLibrary
	if library == "" {
		library = filepath.Join(tmp, "out.so")
		args := append([]string{filepath.Join(dir, "msl2cpp.py"), filepath.Join(root, *corpusFile), "-o", library, "--keep",
			filepath.Join(tmp, "out.cpp"), "--only", *corpusKernels}, flags...)
		out, err := exec.Command("python3", args...).CombinedOutput()
		require.NoError(t, err, "%.4000s", out)
	}
	set := corpusSet(t)
	match := regexp.MustCompile(*corpusKernels)
	var launches []*launch
	var funcs []*ir.Func
	for _, k := range m.Kernels {
		if match.MatchString(k.Name) && !slices.ContainsFunc(k.Args,
			func(a ir.Arg) bool { return a.Kind == ir.ArgTexture || a.Kind == ir.ArgSampler || a.ArgumentBuffer }) {
			launches = append(launches, guess(&k, set))
			funcs = append(funcs, m.IR.Func(k.Name))
		}
	}
	var report []string
	verdicts := map[string]int{}
	for start := 0; start < len(launches); start += 40 {
		batch := launches[start:min(start+40, len(launches))]
		theirs := runCarefully(t, tmp, library, batch)
		for i, l := range batch {
			verdict, detail := "the reference does not run it", ""
			if theirs[i] != nil {
				verdict, detail = compareCorpus(t, funcs[start+i], l, theirs[i])
			}
			verdicts[verdict]++
			report = append(report, fmt.Sprintf("%-30s %s %s", verdict, l.kernel, detail))
		}
	}
	slices.SortFunc(report, cmp.Compare[string])
	t.Logf("%s", strings.Join(report, "\n"))
	for _, v := range slices.Sorted(maps.Keys(verdicts)) {
		t.Logf("%5d %s", verdicts[v], v)
	}
}

// corpusSet returns the values of -values.set.
func corpusSet(t *testing.T) map[string]float64 {
	set := map[string]float64{}
	for item := range strings.SplitSeq(*corpusExtra, ",") {
		if name, value, ok := strings.Cut(item, "="); ok {
			x, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err)
			set[name] = x
		}
	}
	return set
}

func runCarefully(t *testing.T, tmp, library string, launches []*launch) []map[int][]byte {
	file := filepath.Join(tmp, "jobs.json")
	list := make([]job, len(launches))
	for i, l := range launches {
		list[i] = jobOf(l)
	}
	data, err := json.Marshal(list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o644))
	out, err := exec.Command("python3", "-c", careful, library, file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	if len(out) > 0 {
		t.Logf("the reference:\n%s", out)
	}
	results := make([]map[int][]byte, len(launches))
	for i := range launches {
		name := fmt.Sprintf("%s.%d", file, i)
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		require.NoError(t, os.Remove(name))
		var buffers map[string]string
		require.NoError(t, json.Unmarshal(data, &buffers))
		results[i] = decodeBuffers(t, buffers)
	}
	return results
}

// compareCorpus runs a kernel here, on both engines, and reports how its buffers differ from the
// reference's.
func compareCorpus(t *testing.T, f *ir.Func, l *launch, theirs map[int][]byte) (verdict, detail string) {
	r := testlaunch.Launch{Grid: l.grid, Group: l.group, Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: l.threadgroup, Constants: l.constants, Fuel: 1 << 31}
	before := map[int][]byte{}
	for slot, data := range l.buffers {
		before[slot] = slices.Clone(data)
		r.Buffers[slot] = testlaunch.Buffer{Data: data}
	}
	fast := r
	fast.Buffers = map[int]testlaunch.Buffer{}
	for slot, data := range before {
		fast.Buffers[slot] = testlaunch.Buffer{Data: slices.Clone(data)}
	}
	if err := r.Run(t.Context(), f, ref.Run); err != nil {
		return "fails here", err.Error()
	}
	if err := exectest.Quick.Run(f, &fast); err != nil {
		return "fails on the vector engine", err.Error()
	}
	for slot := range l.buffers {
		if at := exectest.Differ(l.buffers[slot], fast.Buffers[slot].Data); at >= 0 {
			return "ENGINES DIFFER", fmt.Sprintf("in byte %d of buffer %d", at, slot)
		}
	}
	equal, touched, worst, which := true, false, 0.0, 0
	for slot := range l.buffers {
		ours, want := l.buffers[slot], theirs[slot]
		touched = touched || string(want) != string(before[slot])
		if string(ours) == string(want) {
			continue
		}
		equal = false
		e := min(apartBy(types.Float, before[slot], want, ours), apartBy(types.Half, before[slot], want, ours),
			apartBy(types.BFloat, before[slot], want, ours))
		if e > worst {
			worst, which = e, slot
		}
	}
	switch {
	case equal && !touched:
		return "writes nothing", ""
	case equal:
		return "equal", ""
	case worst < 1e-5:
		return "within 1e-5", fmt.Sprintf("%.1e", worst)
	case worst < 1.0/64:
		return "within a bfloat's last place", fmt.Sprintf("%.1e", worst)
	}
	return "DIFFERS", fmt.Sprintf("%.1e in buffer %d", worst, which)
}

// apartBy returns the largest difference of two buffers, as numbers of a type, relative to the
// largest number written.
func apartBy(e *types.Basic, before, want, have []byte) float64 {
	largest, apart := 0.0, 0.0
	for i := 0; i+e.Size() <= len(want); i += e.Size() {
		x, y := get(want[i:], e.Size()), get(have[i:], e.Size())
		if x == get(before[i:], e.Size()) && x == y {
			continue
		}
		w, h := meaning(e, x), meaning(e, y)
		if w-w != 0 || h-h != 0 {
			if w != h && (w == w || h == h) {
				return math.Inf(1)
			}
			continue
		}
		largest, apart = max(largest, math.Abs(w)), max(apart, math.Abs(w-h))
	}
	return apart / max(largest, 1e-30)
}

// The guesses of what arguments mean, by name.
var guesses = []struct {
	pattern *regexp.Regexp
	value   float64
}{
	{regexp.MustCompile(`^(eps)$`), 1e-5}, {regexp.MustCompile(`^ne(0|00|10)$`), 256},
	{regexp.MustCompile(`^ne\d*_(4|t)$`), 64},
	{regexp.MustCompile(`^(ne\d?1|nr0)$`), 4}, {regexp.MustCompile(`^ne\d?2$`), 2}, {regexp.MustCompile(`^ne\d?3$`), 1},
	{regexp.MustCompile(`^nb\w?1$`), 1024}, {regexp.MustCompile(`^nb\w?2$`), 4096}, {regexp.MustCompile(`^nb\w?3$`), 8192},
	{regexp.MustCompile(`^(offs|o1)$`), 0}, {regexp.MustCompile(`^n_dims$`), 64},
	{regexp.MustCompile(`^n_ctx_orig$`), 4096}, {regexp.MustCompile(`^freq_base$`), 10000},
	{regexp.MustCompile(`^(ext_factor|max_bias|logit_softcap)$`), 0}, {regexp.MustCompile(`^(m0|m1|scale|alpha)$`), 0.7},
	{regexp.MustCompile(`^beta_fast$`), 32},
	{regexp.MustCompile(`FC_unary_op`), 106}, {regexp.MustCompile(`nxpsg`), 8}, {regexp.MustCompile(`nsg$`), 2},
	{regexp.MustCompile(`top_k`), 256},
	{regexp.MustCompile(`_?size$|^n$|^N$`), 64}, {regexp.MustCompile(`ndim`), 2}, {regexp.MustCompile(`stride`), 1},
}

var typeTokens = regexp.MustCompile(`(bfloat16|float16|float32|bf16|f32|f16|int64|int32|int16|int8|i64|i32|i16|i8|i?t?q\d_\w+?|mxfp4)(_|$)`)

// guess makes up a launch for a kernel.
func guess(k *msl.Kernel, set map[string]float64) *launch {
	r := rand.New(rand.NewPCG(7, uint64(len(k.Name))))
	var tokens []string
	for _, m := range typeTokens.FindAllStringSubmatch(strings.ReplaceAll(k.Name, "_", "__"), -1) {
		tokens = append(tokens, m[1])
	}
	l := &launch{kernel: k.Name, grid: [3]int{256, 2, 1}, group: [3]int{64, 1, 1}, buffers: map[int][]byte{},
		threadgroup: map[int]int{}, constants: map[int][]byte{}}
	switch {
	case strings.Contains(k.Name, "mul_mv"), strings.Contains(k.Name, "qmv"):
		l.grid, l.group = [3]int{128, 4, 1}, [3]int{32, 2, 1}
	case strings.Contains(k.Name, "mul_mm"):
		l.grid, l.group = [3]int{128, 1, 1}, [3]int{128, 1, 1}
	case strings.Contains(k.Name, "flash_attn"):
		simdgroups := int(cmp.Or(set["simdgroups"], 2))
		l.grid, l.group = [3]int{64, 2 * simdgroups, 1}, [3]int{32, simdgroups, 1}
	case strings.Contains(k.Name, "argsort"):
		l.grid, l.group = [3]int{512, 1, 1}, [3]int{256, 1, 1}
	}
	value := func(name string) float64 {
		if v, ok := set[name]; ok {
			return v
		}
		if strings.Contains(k.Name, "mul_m") && name == "ne0" {
			return 4
		}
		if strings.HasPrefix(name, "nb") && strings.HasSuffix(name, "0") || name == "nb" {
			return float64(elemSize(tokens, name))
		}
		for _, g := range guesses {
			if g.pattern.MatchString(name) {
				return g.value
			}
		}
		return 1
	}
	for _, c := range k.Constants {
		t, _ := ir.ParseType(c.Type)
		v := value(c.Name)
		if t.Kind == ir.I1 {
			v = set[c.Name]
		}
		l.constants[c.Index] = encodeGuess(t.Kind, v)
	}
	inputs := 0
	for _, a := range k.Args {
		switch {
		case a.Kind == ir.ArgThreadgroup:
			l.threadgroup[a.Index] = 16384
		case a.Space == "constant" && a.Struct != nil:
			data := make([]byte, a.Struct.Size)
			guessMembers(data, a.Struct.Members, value)
			l.buffers[a.Index] = data
		case a.Space == "constant":
			b := guessScalar(a.Type, value(a.Name))
			if !a.Reference {
				b = slices.Repeat(b, 16)
			}
			l.buffers[a.Index] = append(b, make([]byte, 64)...)
		default:
			token := "f32"
			if inputs < len(tokens) {
				token = tokens[inputs]
			}
			if inputs == 1 && (strings.Contains(k.Name, "rope") || strings.Contains(k.Name, "get_rows")) {
				token = "i32"
			}
			inputs++
			if a.Type != "void" && a.Data != ir.DataChar && a.Data != ir.DataUChar && a.Data != ir.DataNone {
				token = a.Type
			}
			l.buffers[a.Index] = guessData(token, a.Access != "read" && set["written"] == 0, r)
		}
	}
	return l
}

func elemSize(tokens []string, name string) int {
	i := 0
	if strings.HasPrefix(name, "nb1") {
		i = 1
	}
	if i < len(tokens) {
		switch tokens[i] {
		case "f16", "bf16", "i16":
			return 2
		case "i8":
			return 1
		case "i64":
			return 8
		}
	}
	return 4
}

func guessMembers(data []byte, members []ir.Member, value func(string) float64) {
	for _, m := range members {
		n, size, typ := 1, m.Size, m.Type
		if m.Array != nil {
			n, size, typ = m.Array.Len, m.Array.Stride, m.Array.Type
		}
		for i := range n {
			copy(data[m.Offset+i*size:], guessScalar(typ, value(m.Name)))
		}
	}
}

// guessScalar returns the memory representation of a value of a type; for a vector, the value of
// every component.
func guessScalar(spelled string, v float64) []byte {
	typ, ok := types.Named(strings.TrimPrefix(spelled, "const "))
	if !ok || types.ElemOf(typ) == nil {
		return []byte{1, 0, 0, 0, 0, 0, 0, 0}
	}
	e := types.ElemOf(typ)
	return fill(typ, 1, func(int, int) uint64 {
		if e.IsFloat() {
			return nearest(e, v)
		}
		return uint64(int64(v)) & (math.MaxUint64 >> (64 - 8*e.Size()))
	})
}

func encodeGuess(k ir.Kind, v float64) []byte {
	data := make([]byte, max(k.Size(), 1))
	bits := uint64(int64(v))
	if k.IsFloat() {
		bits = ir.FloatBits(k, v)
	}
	put(data, len(data), bits)
	return data
}

// guessData returns the contents of a buffer: moderate numbers of a type, or zeros if the kernel
// writes it.
func guessData(token string, written bool, r *rand.Rand) []byte {
	const size = 1 << 16
	data := make([]byte, size)
	if written {
		return data
	}
	t := types.Type(nil)
	switch token {
	case "f32", "float32":
		t = types.Float
	case "f16", "float16":
		t = types.Half
	case "bf16", "bfloat16":
		t = types.BFloat
	case "i64", "int64", "int64_t":
		t = types.Long
	case "i32", "int32", "int32_t":
		t = types.Int
	default:
		if n, ok := types.Named(token); ok && types.ElemOf(n) != nil && types.ElemOf(n).Size() > 0 {
			t = n
		}
	}
	if t == nil { // blocks: each pair of bytes is a half of moderate size
		for i := range data {
			data[i] = byte(0x20 + r.IntN(0x1c) | r.IntN(2)<<7)
		}
		return data
	}
	e := types.ElemOf(t)
	for i := 0; i+e.Size() <= size; i += e.Size() {
		if e.IsFloat() {
			put(data[i:], e.Size(), nearest(e, 4*r.Float64()-2))
		} else {
			put(data[i:], e.Size(), r.Uint64()%4)
		}
	}
	return data
}

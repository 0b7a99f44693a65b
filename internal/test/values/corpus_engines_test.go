package values

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestCorpusKernels runs the entry points of third-party programs on the vector engine, in several
// configurations, and on the oracle, with the same data, and fails if the bits differ. The meaning
// of arguments is guessed from their names, as in TestCorpusValues. A wrong guess is the same
// nonsense for both, but may make threads race for memory, and then the engines may differ:
// -values.set supplies right values. Kernels that run for more than a few seconds are omitted.
//
//	PUREMETAL_CORPUS=folder go test -run TestCorpusKernels -v ./internal/test/values -args -values.kernels=softmax
func TestCorpusKernels(t *testing.T) {
	root := os.Getenv("PUREMETAL_CORPUS")
	if root == "" {
		t.Skip("PUREMETAL_CORPUS names no folder of programs")
	}
	var files []string
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".metal") {
			rel, _ := filepath.Rel(root, name)
			if *corpusFile == "" || rel == filepath.FromSlash(*corpusFile) {
				files = append(files, rel)
			}
		}
		return err
	}))
	match := regexp.MustCompile(*corpusKernels)
	set, verdicts := corpusSet(t), map[string]int{}
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, file))
			require.NoError(t, err)
			dirs := []string{"."}
			for d := filepath.Dir(file); d != "."; d = filepath.Dir(d) {
				dirs = append(dirs, filepath.ToSlash(d))
			}
			m, _ := msl.Compile(context.Background(), msl.Source{Name: file, Text: string(text)},
				msl.Options{Include: os.DirFS(root), IncludeDirs: dirs})
			here := map[string]int{}
			defer func() { t.Logf("%d entry points: %v", len(m.Kernels), here) }()
			for _, k := range m.Kernels {
				if !match.MatchString(k.Name) || slices.ContainsFunc(k.Args, func(a ir.Arg) bool {
					return a.Kind == ir.ArgTexture || a.Kind == ir.ArgSampler || a.ArgumentBuffer
				}) {
					here["left out"]++
					continue
				}
				verdict, detail := compareEngines(t, m.IR.Func(k.Name), guess(&k, set))
				for _, other := range otherGuesses { // the first guess may have produced nothing meaningful
					if verdict != "races" && verdict != "writes nothing" {
						break
					}
					if v, d := compareEngines(t, m.IR.Func(k.Name), guess(&k, other.with(set))); v == "equal" || v == "DIFFERS" {
						verdict, detail = v, d
					}
				}
				verdicts[verdict]++
				here[verdict]++
				if verdict != "equal" {
					t.Logf("%s: %s %s", k.Name, verdict, detail)
				}
				if verdict == "DIFFERS" {
					t.Fail()
				}
			}
		})
	}
	for _, v := range slices.Sorted(maps.Keys(verdicts)) {
		t.Logf("%5d %s", verdicts[v], v)
	}
}

// ways are the configurations for third-party programs: both widths, one worker and two, and once
// without anything that makes it fast.
var ways = []exectest.Way{{}, {Workers: 2}, {Backend: vm.Backend{Strip: lir.SimdWidth}},
	{Backend: vm.Backend{Strip: lir.SimdWidth}, Workers: 2}, exectest.Plain}

// otherGuesses are tried if the first guesses give meaningless results: rows long enough for what
// is written to them, short ones, and results that do not exist beforehand.
var otherGuesses = []setting{{"ne0": 64, "ne1": 64}, {"ne0": 32, "ne00": 32, "ne01": 8},
	{"nb1": 1 << 12, "nb2": 1 << 14, "nb3": 1 << 15}, {"ne11": 64, "ne30": 64, "ne31": 8, "ne01": 1}, {"written": 1},
	{"FC_flash_attn_ext_nsg": 4, "simdgroups": 4, "ne11": 64, "ne1": 2, "ne2": 2, "ne01": 8, "FC_flash_attn_ext_ns10": 256,
		"FC_flash_attn_ext_ns20": 256, "nb11": 512, "nb21": 512}}

type setting map[string]float64

// with returns the setting with the values in other for the names that both have.
func (s setting) with(other map[string]float64) map[string]float64 {
	all := maps.Clone(s)
	maps.Copy(all, other)
	return all
}

// compareEngines runs a kernel on the oracle and the vector engine and compares the results. A
// kernel whose results differ is run again to see whether its threads race: if so, its results are
// undefined and nothing follows from the difference.
func compareEngines(t *testing.T, f *ir.Func, l *launch) (verdict, detail string) {
	of := func() *testlaunch.Launch {
		r := &testlaunch.Launch{Grid: l.grid, Group: l.group, Buffers: map[int]testlaunch.Buffer{},
			ThreadgroupMemory: l.threadgroup, Constants: l.constants, Fuel: 1 << 33}
		for slot, data := range l.buffers {
			r.Buffers[slot] = testlaunch.Buffer{Data: slices.Clone(data)}
		}
		return r
	}
	want := of()
	want.Fuel = 1 << 30 // some seconds, and the same on every machine
	if err := want.Run(t.Context(), f, ref.Run); errors.Is(err, exec.ErrFuel) {
		return "too long for the oracle", ""
	} else if err != nil {
		return "fails on the oracle", err.Error()
	}
	touched := false
	for _, w := range ways {
		have := of()
		err := w.Run(f, have)
		if err != nil {
			return "DIFFERS", fmt.Sprintf("fails on the vector engine, %+v: %v", w, err)
		}
		for slot, b := range want.Buffers {
			touched = touched || string(b.Data) != string(l.buffers[slot])
			at := exectest.Differ(b.Data, have.Buffers[slot].Data)
			if at < 0 {
				continue
			}
			detail = fmt.Sprintf("%+v: byte %d of buffer %d: %x, the oracle has %x", w, at, slot,
				have.Buffers[slot].Data[at:min(at+16, len(b.Data))], b.Data[at:min(at+16, len(b.Data))])
			races := &exectest.Races{}
			watched := of()
			watched.Hook = races
			if err := exectest.Quick.Run(f, watched); err == nil && races.Found != "" {
				return "races", races.Found + "; " + detail
			}
			return "DIFFERS", detail
		}
	}
	if !touched {
		return "writes nothing", ""
	}
	return "equal", ""
}

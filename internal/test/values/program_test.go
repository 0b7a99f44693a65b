package values

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// programRun is a launch specified by a program's comments, and the outputs to compare:
//
//	run <kernel> grid=x,y,z [group=x,y,z] [tg<slot>=bytes] [const<index>=hex]
//	in <slot>: <type> <n> [tame]           n numbers, chosen ones and random ones, or moderate ones only
//	out <slot>: <type> <n> [ulps=<n>]      n numbers, which must be those recorded
type programRun struct {
	launch
	outs []programOut
}

type programOut struct {
	slot int
	t    *types.Basic
	ulps float64
}

func scalarNamed(t *testing.T, name string) *types.Basic {
	typ, ok := types.Named(name)
	require.True(t, ok, name)
	return typ.(*types.Basic)
}

func triple(t *testing.T, s string) (v [3]int) {
	for i, part := range strings.Split(s, ",") {
		n, err := strconv.Atoi(part)
		require.NoError(t, err)
		v[i] = n
	}
	return v
}

func parseRuns(t *testing.T, text string) (runs []*programRun) {
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		words := strings.Fields(comment)
		if !ok || len(words) < 2 {
			continue
		}
		switch words[0] {
		case "run":
			r := &programRun{launch: launch{kernel: words[1], group: [3]int{32}, buffers: map[int][]byte{},
				threadgroup: map[int]int{}, constants: map[int][]byte{}}}
			for _, w := range words[2:] {
				key, v, _ := strings.Cut(w, "=")
				slot, _ := strconv.Atoi(strings.TrimLeft(key, "abcdefghijklmnopqrstuvwxyz"))
				var err error
				switch strings.TrimRight(key, "0123456789") {
				case "grid":
					r.grid = triple(t, v)
				case "group":
					r.group = triple(t, v)
				case "tg":
					r.threadgroup[slot], err = strconv.Atoi(v)
				case "const":
					r.constants[slot], err = hex.DecodeString(v)
				default:
					t.Fatalf("unknown word %q", w)
				}
				require.NoError(t, err)
			}
			runs = append(runs, r)
		case "in", "out":
			r := runs[len(runs)-1]
			slot, err := strconv.Atoi(strings.TrimSuffix(words[1], ":"))
			require.NoError(t, err)
			e := scalarNamed(t, words[2])
			n, err := strconv.Atoi(words[3])
			require.NoError(t, err)
			option := ""
			if len(words) > 4 {
				option = words[4]
			}
			if words[0] == "in" {
				r.buffers[slot] = programInput(e, n, slot, option == "tame")
				continue
			}
			o := programOut{slot: slot, t: e}
			if u, ok := strings.CutPrefix(option, "ulps="); ok {
				o.ulps, err = strconv.ParseFloat(u, 64)
				require.NoError(t, err)
			}
			r.outs = append(r.outs, o)
			r.buffers[slot] = make([]byte, n*e.Size())
		}
	}
	return runs
}

// programInput returns n numbers. Tame ones are multiples of 1/8 from -8 to 8, whose small sums and
// products are exact.
func programInput(e *types.Basic, n, slot int, tame bool) []byte {
	in := inputs(n+slot, e)[0][slot:]
	state := uint64(slot + 1)
	return fill(e, n, func(i, _ int) uint64 {
		if !tame {
			return in[i]
		}
		state = state*6364136223846793005 + 1442695040888963407
		return nearest(e, float64(int(state>>40%129)-64)/8)
	})
}

func programs(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(goldenFile("")), "*.metal"))
	require.NoError(t, err)
	require.Greater(t, len(files), 5)
	return files
}

// TestPrograms runs the programs in testdata/msl/values and compares their output with the
// recordings.
func TestPrograms(t *testing.T) {
	for _, file := range programs(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".metal")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			m := compile(t, filepath.Base(file), string(text))
			goldens := readGoldens(t, name)
			runs := parseRuns(t, string(text))
			require.NotEmpty(t, runs)
			for n, r := range runs {
				run(t, m, &r.launch)
				for _, o := range r.outs {
					golden := goldens[fmt.Sprintf("%s.%d.%d", r.kernel, n, o.slot)]
					if len(golden) != 1 {
						t.Errorf("%s: no recording of buffer %d", r.kernel, o.slot)
						continue
					}
					compareBuffers(t, r.kernel, o, golden[0], r.buffers[o.slot])
				}
			}
		})
	}
}

func compareBuffers(t *testing.T, kernel string, o programOut, want, have []byte) {
	t.Helper()
	require.Len(t, have, len(want))
	bad := 0
	for i := 0; i < len(want)/o.t.Size(); i++ {
		w, h := laneOf(o.t, want, i, 0), laneOf(o.t, have, i, 0)
		if !same(o.t, w, h, o.ulps) {
			if bad++; bad <= 5 {
				t.Errorf("%s: number %d of buffer %d: %s, want %s", kernel, i, o.slot, show(o.t, h), show(o.t, w))
			}
		}
	}
	if bad > 5 {
		t.Errorf("%s: buffer %d: %d more", kernel, o.slot, bad-5)
	}
}

// TestRecordPrograms records the output of the programs compiled by the reference compiler.
func TestRecordPrograms(t *testing.T) {
	if !recording() {
		t.Skip("recordings are written with PUREMETAL_UPDATE=1 only")
	}
	dir := needReference(t)
	for _, file := range programs(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".metal")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			runs := parseRuns(t, string(text))
			var launches []*launch
			for _, r := range runs {
				launches = append(launches, &r.launch)
			}
			runClang(t, dir, string(text), nil, launches...)
			goldens := map[string][][]byte{}
			for n, r := range runs {
				for _, o := range r.outs {
					goldens[fmt.Sprintf("%s.%d.%d", r.kernel, n, o.slot)] = [][]byte{r.buffers[o.slot]}
				}
			}
			writeGoldens(t, name, goldens)
		})
	}
}

package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

// scan scans a buffer into another. The totals of the tiles are scanned in the same way, as long as
// there is more than one.
func scan(d *device, how, kind, from, to string, n, group, level int) {
	tiles := (n + group - 1) / group
	totals, before := d.scratch(fmt.Sprintf("totals %d", level), tiles*4),
		d.scratch(fmt.Sprintf("before %d", level), tiles*4)
	d.run("scan_"+how+"_"+kind, across(n), across(group), from, to, totals, uint32(n)) // the last is partial
	if tiles > 1 {
		scan(d, "exclusive", kind, totals, before, tiles, group, level+1)
		d.run("scan_add_"+kind, across(tiles*group), across(group), to, before, uint32(n)) // the last one is not
	}
}

func scanned(how, kind string, n, group int) *work {
	r := rand.New(rand.NewPCG(uint64(n), 2))
	w := &work{name: fmt.Sprintf("%s %s %d by %d", how, kind, n, group), file: "scan.metal", large: n > 5000,
		launch: func(d *device) { scan(d, how, kind, "in", "out", n, group, 0) }}
	if kind == "float" {
		list := make([]float64, n)
		for i := range list {
			list[i] = r.Float64()
		}
		w.buffers = map[string][]byte{"in": rounded(ir.F32, list), "out": make([]byte, n*4)}
		w.plain = func() []result {
			sum, want := 0.0, make([]float64, n)
			for i, x := range list {
				if how == "inclusive" {
					sum += x
				}
				want[i] = sum
				if how == "exclusive" {
					sum += x
				}
			}
			// Additions of positive numbers: at most 32 in a row within a simdgroup, and as many
			// over simdgroups, per level.
			return []result{{name: "out", want: want, kind: ir.F32, relative: 4 * 64 * 0x1p-24, absolute: 1e-6}}
		}
		return w
	}
	list := make([]uint32, n) // of ints: two's complement
	for i := range list {
		list[i] = r.Uint32()
	}
	w.buffers = map[string][]byte{"in": encode(list), "out": make([]byte, n*4)}
	w.plain = func() []result {
		sum, want := uint32(0), make([]uint32, n)
		for i, x := range list {
			if how == "inclusive" {
				sum += x
			}
			want[i] = sum
			if how == "exclusive" {
				sum += x
			}
		}
		return []result{{name: "out", want: want}}
	}
	return w
}

func TestScan(t *testing.T) {
	// Three levels.
	test(t, scanned("inclusive", "uint", 1000, 64), scanned("exclusive", "uint", 1000, 100),
		scanned("exclusive", "uint", 5000, 32),
		scanned("inclusive", "uint", 1, 32), scanned("inclusive", "uint", 70000, 256),
		scanned("exclusive", "uint", 1024*3+1, 1024), scanned("inclusive", "int", 500, 33),
		scanned("inclusive", "float", 3000, 128), scanned("exclusive", "float", 40000, 250))
}

// compaction keeps the numbers from least on, in order.
func compaction(n, group int, least int32) *work {
	list := make([]int32, n)
	r := rand.New(rand.NewPCG(uint64(n), 3))
	for i := range list {
		list[i] = r.Int32N(1000)
	}
	return &work{name: fmt.Sprintf("%d by %d from %d", n, group, least), file: "scan.metal", large: n > 5000,
		buffers: map[string][]byte{"in": encode(list), "flags": make([]byte, n*4), "places": make([]byte, n*4),
			"out": make([]byte, n*4), "kept": make([]byte, 4)},
		launch: func(d *device) {
			d.run("compact_flags", across(n), across(group), "in", "flags", least)
			scan(d, "exclusive", "uint", "flags", "places", n, group, 0)
			d.run("compact_move", across(n), across(group), "in", "flags", "places", "out", "kept", uint32(n))
		},
		plain: func() []result {
			kept := slices.DeleteFunc(slices.Clone(list), func(x int32) bool { return x < least })
			count := uint32(len(kept))
			return []result{{name: "kept", want: count}, {name: "out", want: append(kept, make([]int32, n-len(kept))...)}}
		}}
}

func TestCompaction(t *testing.T) {
	test(t, compaction(1000, 64, 500), compaction(777, 100, 990), compaction(300, 32, 0), compaction(300, 256, 2000),
		compaction(30000, 512, 250))
}

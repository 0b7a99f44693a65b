package kernels

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

type number interface{ ~uint32 | ~float32 | ~int16 }

func random[T number](n int, draw func(*rand.Rand) T) []T {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	list := make([]T, n)
	for i := range list {
		list[i] = draw(r)
	}
	return list
}

// bitonic sorts n keys with one launch per step.
func bitonic[T number](kind string, n, group int, draw func(*rand.Rand) T) *work {
	keys := random(n, draw)
	return &work{name: fmt.Sprintf("%s/%d by %d", kind, n, group), file: "sort.metal", large: n > 3000,
		buffers: map[string][]byte{"keys": encode(keys)},
		launch: func(d *device) {
			for half := 1; half < n; half *= 2 {
				for distance := half; distance > 0; distance /= 2 {
					mirror := uint32(0)
					if distance == half {
						mirror = 1
					}
					d.run("bitonic_step_"+kind, across(up(n, 2*half)/2), across(group), "keys",
						[]uint32{uint32(n), uint32(distance), mirror})
				}
			}
		},
		plain: func() []result {
			sorted := slices.Clone(keys)
			slices.Sort(sorted)
			return []result{{name: "keys", want: sorted}}
		}}
}

func anyUint(r *rand.Rand) uint32   { return r.Uint32() }
func anyFloat(r *rand.Rand) float32 { return float32(r.NormFloat64()) }

func TestBitonicSort(t *testing.T) {
	test(t, bitonic("uint", 1000, 64, anyUint), bitonic("uint", 2048, 100, anyUint), bitonic("uint", 1, 32, anyUint),
		bitonic("uint", 20000, 1024, anyUint),
		bitonic("float", 777, 33, anyFloat),
		bitonic("short", 1500, 256, func(r *rand.Rand) int16 { return int16(r.IntN(200) - 100) }))
}

// bitonicTiles sorts each run of length keys, a power of two, in threadgroup memory.
func bitonicTiles(n, length, group int) *work {
	keys := random(n, anyUint)
	return &work{name: fmt.Sprintf("%d of %d by %d", n, length, group), file: "sort.metal", large: n > 3000,
		buffers: map[string][]byte{"keys": encode(keys)},
		launch: func(d *device) {
			d.run("bitonic_tile", across((n+length-1)/length*group), across(group), "keys", uint32(n), uint32(length),
				local(length*4))
		},
		plain: func() []result {
			sorted := slices.Clone(keys)
			for tile := range slices.Chunk(sorted, length) {
				slices.Sort(tile)
			}
			return []result{{name: "keys", want: sorted}}
		}}
}

func TestBitonicTiles(t *testing.T) {
	test(t, bitonicTiles(1000, 256, 128), bitonicTiles(1000, 512, 100), bitonicTiles(300, 64, 96),
		bitonicTiles(20000, 2048, 1024), bitonicTiles(5, 8, 1))
}

func topK(rows, columns, k, group int) *work {
	// Some are equal.
	values := random(rows*columns, func(r *rand.Rand) float32 { return float32(r.IntN(columns)) - float32(columns)/3 })
	padded := 1
	for padded < columns {
		padded *= 2
	}
	return &work{name: fmt.Sprintf("%d of %dx%d by %d", k, rows, columns, group), file: "sort.metal",
		large: rows*columns > 2000,
		buffers: map[string][]byte{"rows": encode(values), "values": make([]byte, rows*k*4),
			"indices": make([]byte, rows*k*4)},
		launch: func(d *device) {
			d.run("top_k", across(rows*group), across(group), "rows", "values", "indices",
				[]uint32{uint32(columns), uint32(padded), uint32(k)}, local(padded*8))
		},
		plain: func() []result {
			var best []float32
			var places []uint32
			for row := range slices.Chunk(values, columns) {
				order := make([]uint32, columns)
				for i := range order {
					order[i] = uint32(i)
				}
				slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(row[b], row[a]) })
				for _, i := range order[:k] {
					best, places = append(best, row[i]), append(places, i)
				}
			}
			return []result{{name: "values", want: best}, {name: "indices", want: places}}
		}}
}

func TestTopK(t *testing.T) {
	test(t, topK(3, 100, 7, 64), topK(5, 128, 128, 50), topK(2, 33, 1, 32), topK(20, 1000, 40, 256))
}

// radix sorts by four bits at a time; the digit counts are also scanned on the device.
func radix(n, group int) *work {
	keys := random(n, anyUint)
	tiles := (n + group - 1) / group
	return &work{name: fmt.Sprintf("%d by %d", n, group), file: "radix.metal", large: n > 600,
		buffers: map[string][]byte{"keys": encode(keys), "other": make([]byte, n*4), "counts": make([]byte, 16*tiles*4),
			"places": make([]byte, 16*tiles*4)},
		launch: func(d *device) {
			from, to := "keys", "other"
			scanner := *d
			scanner.module, scanner.kernels = compiled(d.t, "scan.metal"), d.others
			for shift := 0; shift < 32; shift += 4 {
				pass := []uint32{uint32(n), uint32(shift)}
				d.run("radix_count", across(tiles*group), across(group), from, "counts", pass)
				scan(&scanner, "exclusive", "uint", "counts", "places", 16*tiles, group, 0)
				d.run("radix_move", across(tiles*group), across(group), from, "places", pass, to)
				from, to = to, from
			}
		},
		plain: func() []result {
			sorted := slices.Clone(keys)
			slices.Sort(sorted)
			return []result{{name: "keys", want: sorted}}
		}}
}

func TestRadixSort(t *testing.T) {
	test(t, radix(500, 64), radix(333, 100), radix(31, 32), radix(20000, 256), radix(4097, 1024))
}

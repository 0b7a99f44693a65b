//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/objc/internal/ccall/ccalltest"
)

// TestTrampolineBatch runs linked frames, with floats and stack in turn, so
// that what one leaves behind would show in the next.
func TestTrampolineBatch(t *testing.T) {
	var b Batch
	size := planFor(t, runtime.GOARCH, "{?=QQQ}@:")
	wide := planFor(t, runtime.GOARCH, "@@:QQQQQQQQQd")
	narrow := planFor(t, runtime.GOARCH, "@@:@")
	for range 3 { // reuse
		ccalltest.Reset(
			ccalltest.Answer{Memory: [16]uint64{71, 72, 73}, Indirect: 3},
			ccalltest.Answer{Ints: [2]uint64{0x51}},
			ccalltest.Answer{Ints: [2]uint64{0x61}},
			ccalltest.Answer{},
		)
		b.Reset()
		fn := ccalltest.Callee()
		a := b.Add(size, fn, 1, 2)
		c := b.Add(wide, fn, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, uintptr(math.Float64bits(2.5)))
		d := b.AddChained(narrow, fn, c, 31, 32)
		e := b.AddFunc(narrow, fn, 41, 42, 43)
		b.Link(c, 10, a, 2) // the last integer, on the stack
		b.Link(e, 0, d, 0)
		b.Link(e, 2, a, 1)
		require.NoError(t, b.Err())
		assert.Equal(t, []int{0, 1, 2, 3}, []int{a, c, d, e})
		assert.Equal(t, 4, b.Len())

		runHere(b.records[0].mem())
		calls := ccalltest.Calls()
		require.Len(t, calls, 4)
		self := 0
		if runtime.GOARCH == "amd64" {
			self = 1
		}
		assert.Equal(t, []uint64{1, 2}, calls[0].Ints[self:self+2])
		assert.Equal(t, []uint64{10, 11, 12, 13, 14, 15}, calls[1].Ints[:6])
		assert.Equal(t, math.Float64bits(2.5), calls[1].Floats[0][0])
		last := map[string]int{"amd64": 4, "arm64": 2}[runtime.GOARCH]
		assert.Equal(t, uint64(73), calls[1].Stack[last])
		assert.Equal(t, uint64(19), calls[1].Stack[last-1])
		assert.Equal(t, []uint64{0x51, 31, 32}, calls[2].Ints[:3])
		assert.Equal(t, []uint64{0x61, 42, 72}, calls[3].Ints[:3])
		assert.Equal(t, []uintptr{71, 72, 73}, b.Result(a))
		assert.Equal(t, []uintptr{0x51}, b.Result(c))
		assert.Equal(t, []uintptr{0x61}, b.Result(d))
		assert.Equal(t, []uintptr{0}, b.Result(e))
	}
}

// TestBatchSetArg patches words of every kind between runs.
func TestBatchSetArg(t *testing.T) {
	p := planFor(t, runtime.GOARCH, "v@:Bs{?=ff}QQQQQQcI")
	var b Batch
	i := b.Add(p, ccalltest.Callee(), 1, 2)
	words := pattern(p.sig.Args)
	for w, v := range words {
		b.SetArg(i, w, v)
	}
	require.NoError(t, b.Err())
	ccalltest.Reset()
	runHere(b.records[0].mem())
	callHere(p, words)
	calls := ccalltest.Calls()
	n := map[string]int{"amd64": 6, "arm64": 8}[runtime.GOARCH]
	assert.Equal(t, calls[1].Ints[:n], calls[0].Ints[:n])
	assert.Equal(t, calls[1].Floats[0][0], calls[0].Floats[0][0])
	for a := range p.sig.Args {
		for _, l := range p.Arg(a).Locs {
			assert.Equal(t, bytesAt(t, &calls[1], l), bytesAt(t, &calls[0], l), "argument %d", a)
		}
	}
}

// TestBatchGrowth fills several chunks and sees every call made, in order.
func TestBatchGrowth(t *testing.T) {
	var b Batch
	p := planFor(t, runtime.GOARCH, "@@:@")
	for range 2 {
		b.Reset()
		for i := range 3000 {
			require.Equal(t, i, b.Add(p, 0, uintptr(i), 0, 0))
		}
		assert.Greater(t, len(b.chunks), 2)
		i := 0
		for at := addressOf(b.records[0].mem()); at != 0; i++ {
			mem := b.records[i].mem()
			require.Equal(t, addressOf(mem), at)
			require.Zero(t, at%16)
			require.Equal(t, uintptr(i), mem[frameInts])
			at = mem[frameNext]
		}
		assert.Equal(t, 3000, i)
	}
}

func TestBatchMisuse(t *testing.T) {
	p := planFor(t, runtime.GOARCH, "@@:B")
	void := planFor(t, runtime.GOARCH, "v@:")
	float := planFor(t, runtime.GOARCH, "f@:")
	for want, misuse := range map[string]func(b *Batch){
		"ccall: link from record 0 into record 0, which does not come after it": func(b *Batch) {
			b.AddChained(p, 0, 0, 0, 0)
		},
		"ccall: link from record -1 into record 0, which does not come after it": func(b *Batch) {
			b.AddChained(p, 0, -1, 0, 0)
		},
		"ccall: link into record 1 of 1": func(b *Batch) {
			b.Add(p, 0, 0, 0, 0)
			b.Link(1, 0, 0, 0)
		},
		`ccall: link from result word 0 of "v@:", which has no such whole word`: func(b *Batch) {
			b.Add(void, 0, 0, 0)
			b.AddChained(p, 0, 0, 0, 0)
		},
		`ccall: link from result word 0 of "f@:", which has no such whole word`: func(b *Batch) {
			b.Add(float, 0, 0, 0)
			b.AddChained(p, 0, 0, 0, 0)
		},
		`ccall: link from result word 1 of "@@:B", which has no such whole word`: func(b *Batch) {
			b.Add(p, 0, 0, 0, 0)
			b.Add(p, 0, 0, 0, 0)
			b.Link(1, 0, 0, 1)
		},
		`ccall: link into argument word 2 of "@@:B", which has no such whole word`: func(b *Batch) {
			b.Add(p, 0, 0, 0, 0)
			b.Add(p, 0, 0, 0, 0)
			b.Link(1, 2, 0, 0)
		},
		`ccall: link into argument word 3 of "@@:B", which has no such whole word`: func(b *Batch) {
			b.Add(p, 0, 0, 0, 0)
			b.Add(p, 0, 0, 0, 0)
			b.Link(1, 3, 0, 0)
		},
		"ccall: argument of record 0 of 0":              func(b *Batch) { b.SetArg(0, 0, 0) },
		`ccall: argument word 3 of "@@:B", which has 3`: func(b *Batch) { b.Add(p, 0, 0, 0, 0); b.SetArg(0, 3, 0) },
	} {
		var b Batch
		misuse(&b)
		assert.EqualError(t, b.Err(), want)
		assert.EqualError(t, b.Run(), want)
		b.Reset()
		assert.NoError(t, b.Err())
		assert.NoError(t, b.Run())
		assert.Nil(t, b.Result(0))
	}
}

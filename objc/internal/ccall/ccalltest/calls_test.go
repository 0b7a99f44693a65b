//go:build linux && (amd64 || arm64)

package ccalltest_test

import (
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/objc/internal/ccall"
)

func f32(v float32) uintptr { return uintptr(math.Float32bits(v)) }
func f64(v float64) uintptr { return uintptr(math.Float64bits(v)) }

func TestCallC(t *testing.T) {
	sum := fn(t, "sum16")
	args := make([]uintptr, 16)
	want := uintptr(0)
	for i := range args {
		args[i] = uintptr(i) + 3
		want += uintptr(i+1) * args[i]
	}
	assert.Equal(t, want, ccall.CallC(sum, args...))
	// More than the function takes, and than a pooled frame holds.
	assert.Equal(t, want, ccall.CallC(sum, append(args, make([]uintptr, 300)...)...))
	assert.EqualValues(t, 42, ccall.CallC(fn(t, "forty_two")))
}

func TestNarrowResults(t *testing.T) {
	for enc, c := range map[string]struct{ arg, want uintptr }{
		"cQ": {0x180, ^uintptr(0x7f)},
		"CQ": {0x1ff, 0xff},
		"sQ": {0x18000, ^uintptr(0x7fff)},
		"SQ": {0x1ffff, 0xffff},
		"iQ": {0x180000000, ^uintptr(0x7fffffff)},
		"IQ": {0x1ffffffff, 0xffffffff},
		"BQ": {3, 1},
		"fd": {f64(1.5), f32(1.5)},
		"df": {f32(2.5), f64(2.5)},
	} {
		ret := []uintptr{^uintptr(0), 77}
		plan(t, enc).CallFunc(fn(t, "ret_"+enc[:1]), []uintptr{c.arg}, ret)
		assert.Equal(t, []uintptr{c.want, 77}, ret, enc)
	}
}

func TestMixedFloats(t *testing.T) {
	p := plan(t, "dQdQfdfdddfQdQ")
	words := []uintptr{1, f64(2), 3, f32(4), f64(5), f32(6), f64(7), f64(8), f64(9), f32(10), 11, f64(12), 13}
	require.Len(t, words, p.ArgWords())
	ret := make([]uintptr, 1)
	p.CallFunc(fn(t, "mixed"), words, ret)
	want := 0.0
	for i := range 13 {
		want += float64((i + 1) * (i + 1))
	}
	assert.Equal(t, want, math.Float64frombits(uint64(ret[0])))
}

// TestLargeCalls makes calls that do not fit a pooled frame, and others that
// take the long way.
func TestLargeCalls(t *testing.T) {
	p, large := plan(t, "Q@:"+strings.Repeat("{?=[16Q]}", 9)), fn(t, "large")
	args := make([]uintptr, 9*16)
	args[0], args[4*16+7], args[8*16+15] = 10, 100, 1000
	ret := make([]uintptr, 1)
	p.Call(large, 1, 2, args, ret)
	assert.Equal(t, uintptr(3213), ret[0])
	ret[0] = 0
	p.CallFunc(large, append([]uintptr{1, 2}, args...), ret)
	assert.Equal(t, uintptr(3213), ret[0])
	p.Call(large, 1, 2, args[:1], ret) // the rest are zero
	assert.Equal(t, uintptr(13), ret[0])
	p.CallFunc(large, []uintptr{1}, ret)
	assert.Equal(t, uintptr(1), ret[0])

	sum := plan(t, "ddd") // no self and _cmd, but called as if it had
	sum.Call(fn(t, "add"), f64(3), f64(4), nil, ret)
	assert.Equal(t, f64(7), ret[0])
}

func TestVariadicFloats(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the number of vector registers is passed on amd64 only")
	}
	ret := make([]uintptr, 1)
	plan(t, "dQddd").CallFunc(fn(t, "variadic"), []uintptr{3, f64(1), f64(20), f64(300)}, ret)
	assert.Equal(t, f64(321), ret[0])
}

// TestUntouchedResult is the message to nil with an indirect result.
func TestUntouchedResult(t *testing.T) {
	p := plan(t, "{?=QQQ}@:")
	untouched, dirty := fn(t, "untouched"), plan(t, "v@:QQQQQQQQQQQQQQQQQQQQQQQ")
	dirt := make([]uintptr, dirty.ArgWords()-2)
	for i := range dirt {
		dirt[i] = ^uintptr(0)
	}
	dirty.Call(fn(t, "msg_send"), 1, 2, dirt, nil) // in the frame that is used next
	ret := []uintptr{1, 2, 3, 4}
	p.Call(untouched, 0, 2, nil, ret)
	assert.Equal(t, []uintptr{0, 0, 0, 4}, ret)
	ret = []uintptr{1, 2}
	p.Call(untouched, 0, 2, nil, ret)
	assert.Equal(t, []uintptr{0, 0}, ret)
	p.Call(untouched, 0, 2, nil, nil)
}

// TestCallback has C call back into Go, which grows its stack, collects
// garbage and calls C again, while the outer call's frame is in use.
func TestCallback(t *testing.T) {
	callsBack := fn(t, "calls_back")
	p := plan(t, "Q@:^?Q{?=QQQ}Q")
	var depth uintptr
	cb := purego.NewCallback(func(x uintptr) uintptr {
		if x == 0 {
			return 0
		}
		grow(200)
		runtime.GC()
		ret := make([]uintptr, 1)
		p.Call(callsBack, 1, 0, []uintptr{depth, x - 1, 1, 2, 3, 4}, ret)
		return ret[0]
	})
	depth = cb
	const each = 1 + 1 + 10*2 + 100*3 + 1000*4
	call := func() uintptr {
		ret := make([]uintptr, 1)
		p.Call(callsBack, 5, 0, []uintptr{cb, 6, 7, 8, 9, 10}, ret)
		return ret[0]
	}
	want := uintptr(6*each + 5 + 7 + 80 + 900 + 10000)

	// On fresh goroutines, whose stacks are small.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				assert.Equal(t, want, call())
			}
		})
	}
	wg.Wait()
}

// TestConcurrentCalls uses one plan from many goroutines.
func TestConcurrentCalls(t *testing.T) {
	p, sum := plan(t, "@@:QQQQ"), fn(t, "sum4")
	var wg sync.WaitGroup
	for g := range uintptr(16) {
		wg.Go(func() {
			for range 2000 {
				var ret [1]uintptr
				p.Call(sum, g, 0, []uintptr{g, 1, 2, 3}, ret[:])
				if ret[0] != g+10*g+100+2000+30000 {
					t.Errorf("goroutine %d: %d", g, ret[0])
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool drop frames")
	}
	send := fn(t, "msg_send")
	for _, enc := range []string{"@@:", "v@:@QQ", "v@:{?=QQQ}{?=QQQ}", "d@:fd", "B@:B"} {
		p := plan(t, enc)
		assert.Zero(t, testing.AllocsPerRun(200, func() {
			var args [16]uintptr
			var ret [1]uintptr
			p.Call(send, 1, 2, args[:p.ArgWords()-2], ret[:])
			p.CallFunc(send, args[:p.ArgWords()], ret[:])
		}), enc)
	}
	assert.Zero(t, testing.AllocsPerRun(200, func() { ccall.CallC(send, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }), "CallC")
}

//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"encoding/binary"
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
	"github.com/puremetal/puremetal/objc/internal/ccall/ccalltest"
)

// These tests run the trampoline on the goroutine's stack against an assembly
// function that records what it gets. They need no C, so that a static binary
// of them runs under an emulator.

// runHere is run without the runtime's transition into C.
func runHere(mem []uintptr) { ccalltest.Run(trampoline, unsafe.Pointer(unsafe.SliceData(mem))) }

// lastFrame keeps the frame that callHere used, and the copies in it.
var lastFrame []uintptr

// callHere is CallFunc without the runtime's transition into C.
func callHere(p *Plan, args []uintptr) []uintptr {
	mem := new(callFrame).mem[:]
	if p.size > len(mem) {
		mem = make([]uintptr, p.size)
	}
	lastFrame = mem
	p.fillAll(mem, addressOf(mem), ccalltest.Callee(), args)
	runHere(mem)
	ret := make([]uintptr, p.retWords)
	p.decode(mem, ret)
	return ret
}

// bytesAt returns what a callee reads at a place.
func bytesAt(t *testing.T, c *ccalltest.Capture, l Loc) []byte {
	t.Helper()
	var b []byte
	switch l.Kind {
	case InInt:
		b = binary.LittleEndian.AppendUint64(nil, c.Ints[l.Index])
	case InFloat:
		b = binary.LittleEndian.AppendUint64(nil, c.Floats[l.Index][0])
		b = binary.LittleEndian.AppendUint64(b, c.Floats[l.Index][1])
	case OnStack:
		for _, w := range c.Stack {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		b = b[l.Index:]
	}
	return b[:l.Size]
}

// image is the memory image of words.
func image(words []uintptr) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, uint64(w))
	}
	return b
}

// pattern returns words no two of which share a byte at the same place, with
// narrow scalars extended as callers must.
func pattern(args []typeenc.Type) []uintptr {
	var words []uintptr
	x := uint64(0x9e3779b97f4a7c15)
	for i := range args {
		t := &args[i]
		for range typeenc.Words(*t) {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			w := uintptr(x)
			if !t.IsAggregate() && t.Size < 8 {
				w = narrow(extension(t), uint8(t.Size*8), w)
			}
			words = append(words, w)
		}
	}
	return words
}

// TestTrampolineArguments checks that every argument of every shape is where
// the placements, which TestPlacements holds against facts, say it is.
func TestTrampolineArguments(t *testing.T) {
	for _, c := range placements {
		p := planFor(t, runtime.GOARCH, c.enc)
		words := pattern(p.sig.Args)
		var ans ccalltest.Answer
		if p.Ret().Indirect {
			ans.Indirect = uint64(p.retWords)
		}
		ccalltest.Reset(ans)
		callHere(p, words)
		require.Len(t, ccalltest.Calls(), 1)
		got := &ccalltest.Calls()[0]
		at := 0
		for i := range p.sig.Args {
			ty := &p.sig.Args[i]
			n := typeenc.Words(*ty)
			want := image(words[at : at+n])[:ty.Size]
			at += n
			for _, l := range p.Arg(i).Locs {
				b := bytesAt(t, got, l)
				if p.Arg(i).Indirect {
					addr := uintptr(binary.LittleEndian.Uint64(b))
					assert.Zero(t, addr%uintptr(min(ty.Align, 8)), "%s: argument %d", c.name, i)
					copied := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), ty.Size)
					assert.Equal(t, want, copied, "%s: argument %d", c.name, i)
					continue
				}
				size := min(l.Size, ty.Size-l.Offset)
				assert.Equal(t, want[l.Offset:l.Offset+size], b[:size], "%s: argument %d in %s", c.name, i, p.ArgString(i))
				if l.Kind == InInt && ty.Size < 4 && !ty.IsAggregate() && ty.Kind != typeenc.Vector {
					assert.Equal(t, uint32(words[at-1]), uint32(got.Ints[l.Index]), "%s: argument %d is not extended to 32 bits",
						c.name, i)
				}
			}
		}
		if runtime.GOARCH == "amd64" {
			assert.Zero(t, got.Ints[7], "%s: stack alignment", c.name)
			want := uint64(0)
			if p.flags&flagFloatArgs != 0 {
				want = 8
			}
			assert.Equal(t, want, got.Ints[6], "%s: al", c.name)
		}
	}
}

// TestTrampolineResults checks every result shape.
func TestTrampolineResults(t *testing.T) {
	for _, c := range placements {
		p := planFor(t, runtime.GOARCH, c.enc)
		if p.retWords == 0 {
			continue
		}
		ans := ccalltest.Answer{
			Ints: [2]uint64{0x8182838485868788, 0x9192939495969798},
			Floats: [4][2]uint64{{0xa1a2a3a4a5a6a7a8, 0xb1}, {0xc1c2c3c4c5c6c7c8, 0xd1}, {0xe1e2e3e4e5e6e7e8, 0xf1},
				{0x4142434445464748, 0x51}},
		}
		for i := range ans.Memory {
			ans.Memory[i] = 0x1111111111111111 * uint64(i+1)
		}
		ret := p.Ret()
		size := p.sig.Ret.Size
		want := make([]byte, p.retWords*8)
		if ret.Indirect {
			ans.Indirect = uint64(p.retWords)
			for i := range p.retWords {
				binary.LittleEndian.PutUint64(want[i*8:], ans.Memory[i])
			}
		} else {
			for _, l := range ret.Locs {
				var b [16]byte
				if l.Kind == InInt {
					binary.LittleEndian.PutUint64(b[:], ans.Ints[l.Index])
				} else {
					binary.LittleEndian.PutUint64(b[:], ans.Floats[l.Index][0])
					binary.LittleEndian.PutUint64(b[8:], ans.Floats[l.Index][1])
				}
				copy(want[l.Offset:min(size, l.Offset+l.Size)], b[:])
			}
		}
		if p.sig.Ret.Kind == typeenc.Bool {
			want = []byte{1, 0, 0, 0, 0, 0, 0, 0}
		}
		ccalltest.Reset(ans)
		assert.Equal(t, want, image(callHere(p, pattern(p.sig.Args))), "%s: %s", c.name, p.RetString())
	}
}

// TestTrampolineNarrowResults checks that the bits that the convention leaves
// undefined do not show.
func TestTrampolineNarrowResults(t *testing.T) {
	for enc, want := range map[string]uint64{
		"c": 0xfffffffffffffff8, "C": 0xf8, "s": 0xfffffffffffff7f8, "S": 0xf7f8, "i": 0xfffffffff5f6f7f8, "I": 0xf5f6f7f8,
		"q": 0xf1f2f3f4f5f6f7f8, "B": 1, "{?=CCC}": 0xf6f7f8, "{?=S}": 0xf7f8, "<2s>": 0xf5f6f7f8,
	} {
		ccalltest.Reset(ccalltest.Answer{Ints: [2]uint64{0xf1f2f3f4f5f6f7f8}})
		assert.Equal(t, []uintptr{uintptr(want)}, callHere(planFor(t, runtime.GOARCH, enc), nil), enc)
	}
	ccalltest.Reset(ccalltest.Answer{Ints: [2]uint64{0x1234567812345600}})
	assert.Equal(t, []uintptr{0}, callHere(planFor(t, runtime.GOARCH, "B"), nil))
	ccalltest.Reset(ccalltest.Answer{Floats: [4][2]uint64{{0xffffffff00000000 | uint64(math.Float32bits(1.5))}}})
	assert.Equal(t, []uintptr{uintptr(math.Float32bits(1.5))}, callHere(planFor(t, runtime.GOARCH, "f"), nil))
}

// TestTrampolineLiterally writes out one rich call per architecture, so that
// something holds without the placements' own words.
func TestTrampolineLiterally(t *testing.T) {
	p := planFor(t, runtime.GOARCH, "v@:@QQ{?=QQQ}{?=ff}d{?=CCCC}BBs@{?=QQQ}")
	pair := uintptr(math.Float32bits(2))<<32 | uintptr(math.Float32bits(1))
	ccalltest.Reset()
	callHere(p, []uintptr{1, 2, 3, 4, 5, 6, 7, 8, pair, uintptr(math.Float64bits(3)), 0x04030201, 1, 0, ^uintptr(0), 9, 10,
		11, 12})
	c := ccalltest.Calls()[0]
	f32 := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	if runtime.GOARCH == "amd64" {
		assert.Equal(t, [8]uint64{1, 2, 3, 4, 5, 0x04030201, 8, 0}, c.Ints)
		assert.Equal(t, uint64(pair), c.Floats[0][0])
		assert.Equal(t, math.Float64bits(3), c.Floats[1][0])
		assert.Equal(t, []uint64{6, 7, 8, 1, 0, math.MaxUint64, 9, 10, 11, 12}, c.Stack[:10])
		return
	}
	assert.Equal(t, [5]uint64{1, 2, 3, 4, 5}, [5]uint64(c.Ints[:5]))
	assert.Equal(t, uint64(0x04030201), c.Ints[6])
	assert.Equal(t, uint64(1), c.Ints[7])
	assert.Equal(t, f32(1), c.Floats[0][0]&math.MaxUint32)
	assert.Equal(t, f32(2), c.Floats[1][0]&math.MaxUint32)
	assert.Equal(t, math.Float64bits(3), c.Floats[2][0])
	assert.Equal(t, uint64(0xffff0000), c.Stack[0]&0xffff00ff) // BOOL at 0, short at 2
	assert.Equal(t, uint64(9), c.Stack[1])
	assert.NotZero(t, c.Stack[2]) // the copy's address
}

// TestMissingWords gives too few words and too many.
func TestMissingWords(t *testing.T) {
	p := planFor(t, runtime.GOARCH, "v@:Q{?=QQ}")
	ccalltest.Reset()
	mem := new(callFrame).mem[:]
	p.fill(mem, addressOf(mem), ccalltest.Callee(), []uintptr{3})
	mem[frameInts], mem[frameInts+1] = 1, 2
	runHere(mem)
	callHere(p, []uintptr{1, 2, 3, 4, 5, 6, 7})
	assert.Equal(t, []uint64{1, 2, 3, 0, 0}, ccalltest.Calls()[0].Ints[:5])
	assert.Equal(t, []uint64{1, 2, 3, 4, 5}, ccalltest.Calls()[1].Ints[:5])
}

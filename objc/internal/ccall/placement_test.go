//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/typeenc"
)

func planFor(t testing.TB, arch, enc string) *Plan {
	t.Helper()
	sig, err := typeenc.ParseFunction(enc)
	require.NoError(t, err)
	p, err := NewPlanFor(arch, sig)
	require.NoError(t, err)
	return p
}

// describe writes a plan's placements: the result, an arrow, the arguments.
func describe(p *Plan) string {
	args := make([]string, p.NumArgs())
	for i := range args {
		args[i] = p.ArgString(i)
	}
	return strings.TrimSpace(p.RetString() + " <- " + strings.Join(args, " "))
}

// placements were worked out by hand from the two conventions' documents. Every
// shape of a struct that Metal's methods pass or return is among them, every
// call that is known to be laid out wrongly by others, and what is awkward.
var placements = []struct{ name, enc, amd64, arm64 string }{
	{"no arguments", "v@:", "<- rdi rsi", "<- x0 x1"},
	{"object", "@@:@", "rax <- rdi rsi rdx", "x0 <- x0 x1 x2"},
	{"setBuffer:offset:atIndex:", "v@:@QQ", "<- rdi rsi rdx rcx r8", "<- x0 x1 x2 x3 x4"},
	{"fill the registers", "v@:QQQQQQQQ",
		"<- rdi rsi rdx rcx r8 r9 [0:8] [8:8] [16:8] [24:8]",
		"<- x0 x1 x2 x3 x4 x5 x6 x7 [0:8] [8:8]"},

	// Results.
	{"BOOL result", "B@:", "rax <- rdi rsi", "x0 <- x0 x1"},
	{"float result", "f@:", "xmm0 <- rdi rsi", "v0 <- x0 x1"},
	{"double result", "d@:d", "xmm0 <- rdi rsi xmm0", "v0 <- x0 x1 v0"},
	{"NSRange result", "{_NSRange=QQ}@:", "rax,rdx <- rdi rsi", "x0,x1 <- x0 x1"},
	{"MTLSizeAndAlign result", "{?=QQ}@:@", "rax,rdx <- rdi rsi rdx", "x0,x1 <- x0 x1 x2"},
	{"MTLSize result", "{?=QQQ}@:@", "&rdi <- rsi rdx rcx", "&x8 <- x0 x1 x2"},
	{"MTLRegion result", "{?={?=QQQ}{?=QQQ}}@:", "&rdi <- rsi rdx", "&x8 <- x0 x1"},
	{"MTLResourceID result", "{MTLResourceID=Q}@:", "rax <- rdi rsi", "x0 <- x0 x1"},
	{"MTLTextureSwizzleChannels result", "{?=CCCC}@:", "rax <- rdi rsi", "x0 <- x0 x1"},
	{"MTLSamplePosition result", "{?=ff}@:", "xmm0 <- rdi rsi", "v0,v1 <- x0 x1"},
	{"MTLClearColor result", "{?=dddd}@:", "&rdi <- rsi rdx", "v0,v1,v2,v3 <- x0 x1"},
	{"MTLPackedFloat3 result", "{_MTLPackedFloat3=(?={?=fff}[3f])}@:", "xmm0,xmm1 <- rdi rsi", "v0,v1,v2 <- x0 x1"},
	{"MTLPackedFloatQuaternion result", "{MTLPackedFloatQuaternion=ffff}@:", "xmm0,xmm1 <- rdi rsi",
		"v0,v1,v2,v3 <- x0 x1"},
	{"MPSSize result", "{MPSSize=ddd}@:", "&rdi <- rsi rdx", "v0,v1,v2 <- x0 x1"},
	{"MPSImageKeypointRangeInfo result", "{?=Qf}@:", "rax,xmm0 <- rdi rsi", "x0,x1 <- x0 x1"},
	{"float then integer result", "{?=dQ}@:", "xmm0,rax <- rdi rsi", "x0,x1 <- x0 x1"},
	{"float and integer in one word", "{?=fI}@:", "rax <- rdi rsi", "x0 <- x0 x1"},
	{"MPSNDArraySizes result", "{?=[16Q]}@:", "&rdi <- rsi rdx", "&x8 <- x0 x1"},
	{"NSDecimal result", "{?=b8b4b1b1b18[8S]}@:", "&rdi <- rsi rdx", "&x8 <- x0 x1"},
	{"vector result", "<4f>@:", "xmm0 <- rdi rsi", "v0 <- x0 x1"},
	{"MPSAxisAlignedBoundingBox result", "{?=<3f><3f>}@:", "&rdi <- rsi rdx", "v0,v1 <- x0 x1"},

	// Structs in.
	{"NSRange", "v@:@{_NSRange=QQ}", "<- rdi rsi rdx rcx,r8", "<- x0 x1 x2 x3,x4"},
	{"MTLResourceID", "v@:{MTLResourceID=Q}Q", "<- rdi rsi rdx rcx", "<- x0 x1 x2 x3"},
	{"MTLTextureSwizzleChannels", "v@:{?=CCCC}", "<- rdi rsi rdx", "<- x0 x1 x2"},
	{"MTLSamplePosition", "v@:{?=ff}f", "<- rdi rsi xmm0 xmm1", "<- x0 x1 v0,v1 v2"},
	{"MTLPackedFloat3", "v@:{_MTLPackedFloat3=(?={?=fff}[3f])}f", "<- rdi rsi xmm0,xmm1 xmm2", "<- x0 x1 v0,v1,v2 v3"},
	{"MTLClearColor", "v@:{?=dddd}d", "<- rdi rsi [0:32] xmm0", "<- x0 x1 v0,v1,v2,v3 v4"},
	{"MTLViewport", "v@:{?=dddddd}", "<- rdi rsi [0:48]", "<- x0 x1 &x2"},
	{"MTLScissorRect", "v@:{?=QQQQ}Q", "<- rdi rsi [0:32] rdx", "<- x0 x1 &x2 x3"},
	{"dispatchThreads:threadsPerThreadgroup:", "v@:{?=QQQ}{?=QQQ}", "<- rdi rsi [0:24] [24:24]", "<- x0 x1 &x2 &x3"},
	{"MTLStageInRegion", "v@:{?={?=QQQ}{?=QQQ}}", "<- rdi rsi [0:48]", "<- x0 x1 &x2"},
	{"vector", "v@:<4f>f", "<- rdi rsi xmm0 xmm1", "<- x0 x1 v0 v1"},
	{"vectors of 8 and 4 bytes", "v@:<2f><2s>", "<- rdi rsi xmm0 rdx", "<- x0 x1 v0 x2"},
	{"struct of vectors", "v@:{?=<3f><3f>}Q", "<- rdi rsi [0:32] rdx", "<- x0 x1 v0,v1 x2"},
	{"struct with a vector of 4 bytes", "v@:{?=<2S>f}", "<- rdi rsi rdx", "<- x0 x1 x2"},
	{"aligned to 16 on the stack", "v@:QQQQQ{?=<4f>}{?=<4f><4f>}", "<- rdi rsi rdx rcx r8 r9 [0:8] xmm0 [16:32]",
		"<- x0 x1 x2 x3 x4 x5 x6 v0 v1,v2"},
	{"bit fields", "v@:{?=b3b30}f", "<- rdi rsi rdx xmm0", "<- x0 x1 x2 v0"},
	{"five floats are no homogeneous struct", "v@:{?=fffff}", "<- rdi rsi [0:20]", "<- x0 x1 &x2"},
	{"float and double", "v@:{?=fd}", "<- rdi rsi xmm0,xmm1", "<- x0 x1 x2,x3"},
	{"union of float and integer", "v@:(?=fI)", "<- rdi rsi rdx", "<- x0 x1 x2"},

	// Registers run out.
	{"16 bytes with one register left", "v@:QQQ{_NSRange=QQ}Q",
		"<- rdi rsi rdx rcx r8 [0:16] r9",
		"<- x0 x1 x2 x3 x4 x5,x6 x7"},
	{"16 bytes with one of eight left", "v@:QQQQQ{_NSRange=QQ}Q",
		"<- rdi rsi rdx rcx r8 r9 [0:8] [8:16] [24:8]",
		"<- x0 x1 x2 x3 x4 x5 x6 [0:16] [16:8]"},
	{"hidden address takes a register", "{?=QQQ}@:QQQq", "&rdi <- rsi rdx rcx r8 r9 [0:8]", "&x8 <- x0 x1 x2 x3 x4 x5"},
	{"floats run out", "v@:ffffffffffd",
		"<- rdi rsi xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 [0:4] [8:4] [16:8]",
		"<- x0 x1 v0 v1 v2 v3 v4 v5 v6 v7 [0:4] [4:4] [8:8]"},
	{"homogeneous struct does not fit", "v@:dddddd{?=ddd}d{?=ff}f",
		"<- rdi rsi xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 [0:24] xmm6 xmm7 [24:4]",
		"<- x0 x1 v0 v1 v2 v3 v4 v5 [0:24] [24:8] [32:8] [40:4]"},
	{"packed homogeneous structs", "v@:dddddddd{?=fff}{?=ff}f",
		"<- rdi rsi xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 [0:12] [16:8] [24:4]",
		"<- x0 x1 v0 v1 v2 v3 v4 v5 v6 v7 [0:12] [12:8] [20:4]"},
	{"narrow integers spilled", "v@:QQQQQQcsiBq",
		"<- rdi rsi rdx rcx r8 r9 [0:8] [8:8] [16:1] [24:2] [32:4] [40:1] [48:8]",
		"<- x0 x1 x2 x3 x4 x5 x6 x7 [0:1] [2:2] [4:4] [8:1] [16:8]"},
	{"four booleans spilled", "v@:QQQQQQBBBBI",
		"<- rdi rsi rdx rcx r8 r9 [0:8] [8:8] [16:1] [24:1] [32:1] [40:1] [48:4]",
		"<- x0 x1 x2 x3 x4 x5 x6 x7 [0:1] [1:1] [2:1] [3:1] [4:4]"},
	{"small structs spilled take whole words", "v@:QQQQQQ{?=CCCC}{?=CCC}B",
		"<- rdi rsi rdx rcx r8 r9 [0:8] [8:8] [16:4] [24:3] [32:1]",
		"<- x0 x1 x2 x3 x4 x5 x6 x7 [0:8] [8:8] [16:1]"},
	{"vector spilled", "v@:ddddddddB<4f>",
		"<- rdi rsi xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 rdx [0:16]",
		"<- x0 x1 v0 v1 v2 v3 v4 v5 v6 v7 x2 [0:16]"},

	// Calls that purego v0.11.3 lays out wrongly on arm64.
	{"copyFromTexture:...destinationOrigin:", "v@:@QQ{?=QQQ}{?=QQQ}@QQ{?=QQQ}",
		"<- rdi rsi rdx rcx r8 [0:24] [24:24] r9 [48:8] [56:8] [64:24]",
		"<- x0 x1 x2 x3 x4 &x5 &x6 x7 [0:8] [8:8] &[16:8]"},
	{"copyFromBuffer:...destinationOrigin:options:", "v@:@QQQ{?=QQQ}@QQ{?=QQQ}Q",
		"<- rdi rsi rdx rcx r8 r9 [0:24] [24:8] [32:8] [40:8] [48:24] [72:8]",
		"<- x0 x1 x2 x3 x4 x5 &x6 x7 [0:8] [8:8] &[16:8] [24:8]"},
	{"moveTextureMappingsFromTexture:...", "v@:@QQ{?=QQQ}{?=QQQ}@QQ{?=QQQ}",
		"<- rdi rsi rdx rcx r8 [0:24] [24:24] r9 [48:8] [56:8] [64:24]",
		"<- x0 x1 x2 x3 x4 &x5 &x6 x7 [0:8] [8:8] &[16:8]"},
	{"sliceGradientTensor:...squeezeMask:name:", "@@:@@@@@III@",
		"rax <- rdi rsi rdx rcx r8 r9 [0:8] [8:4] [16:4] [24:4] [32:8]",
		"x0 <- x0 x1 x2 x3 x4 x5 x6 x7 [0:4] [4:4] [8:8]"},
	{"sliceUpdateDataTensor:...squeezeMask:name:", "@@:@@@@@IIII@",
		"rax <- rdi rsi rdx rcx r8 r9 [0:8] [8:4] [16:4] [24:4] [32:4] [40:8]",
		"x0 <- x0 x1 x2 x3 x4 x5 x6 x7 [0:4] [4:4] [8:4] [16:8]"},
	{"setCopyOperationAtIndex:...offsets:", "v@:Q@@{MPSMatrixCopyOffsets=IIII}",
		"<- rdi rsi rdx rcx r8 [0:16]",
		"<- x0 x1 x2 x3 x4 x5,x6"},
	{"readBytes:...featureChannelInfo:imageIndex:", "v@:^vQQQ{?={?=QQQ}{?=QQQ}}{?=QQ}Q",
		"<- rdi rsi rdx rcx r8 r9 [0:48] [48:16] [64:8]",
		"<- x0 x1 x2 x3 x4 x5 &x6 [0:16] [16:8]"},
	{"getBytes:maxLength:...remainingRange:", "B@:^vQ^QQQ{_NSRange=QQ}^{_NSRange=QQ}",
		"rax <- rdi rsi rdx rcx r8 r9 [0:8] [8:16] [24:8]",
		"x0 <- x0 x1 x2 x3 x4 x5 x6 [0:16] [16:8]"},

	// Further calls of the frameworks.
	{"newTextureViewWithPixelFormat:...swizzle:", "@@:QQ{_NSRange=QQ}{_NSRange=QQ}{?=CCCC}",
		"rax <- rdi rsi rdx rcx r8,r9 [0:16] [16:4]",
		"x0 <- x0 x1 x2 x3 x4,x5 x6,x7 [0:8]"},
	{"resolveCounterHeap:...", "v@:@{_NSRange=QQ}{MTL4BufferRange=QQ}@@",
		"<- rdi rsi rdx rcx,r8 [0:16] r9 [16:8]",
		"<- x0 x1 x2 x3,x4 x5,x6 x7 [0:8]"},
	{"normalizationGradient...", "@@:@@@@@@@@f@",
		"rax <- rdi rsi rdx rcx r8 r9 [0:8] [8:8] [16:8] [24:8] xmm0 [32:8]",
		"x0 <- x0 x1 x2 x3 x4 x5 x6 x7 [0:8] [8:8] v0 [16:8]"},
	{"sampleGridWithSourceTensor:...", "@@:@@QBBBqQd@",
		"rax <- rdi rsi rdx rcx r8 r9 [0:1] [8:1] [16:8] [24:8] xmm0 [32:8]",
		"x0 <- x0 x1 x2 x3 x4 x5 x6 x7 [0:8] [8:8] v0 [16:8]"},

	// Functions and blocks.
	{"function", "v^vr^vQ", "<- rdi rsi rdx", "<- x0 x1 x2"},
	{"function of floats", "ddfQ", "xmm0 <- xmm0 xmm1 rdi", "v0 <- v0 v1 x0"},
	{"block", "v@?@Q", "<- rdi rsi rdx", "<- x0 x1 x2"},
	{"block with a struct result", "{?=QQQ}@?@", "&rdi <- rsi rdx", "&x8 <- x0 x1"},
}

func TestPlacements(t *testing.T) {
	for _, c := range placements {
		assert.Equal(t, c.amd64, describe(planFor(t, "amd64", c.enc)), "amd64: %s %s", c.name, c.enc)
		assert.Equal(t, c.arm64, describe(planFor(t, "arm64", c.enc)), "arm64: %s %s", c.name, c.enc)
	}
}

func TestPlanFacts(t *testing.T) {
	p := planFor(t, "amd64", "{?=QQQ}@:@{_NSRange=QQ}@?#f")
	assert.True(t, p.Stret())
	assert.Equal(t, 8, p.ArgWords())
	assert.Equal(t, 3, p.RetWords())
	assert.Equal(t, uint64(0b01100101), p.ObjectArgs())
	assert.False(t, p.RetIsObject())
	assert.Equal(t, "amd64", p.Arch())
	assert.Equal(t, 7, p.NumArgs())
	assert.Equal(t, "{?=QQQ}@:@{_NSRange=QQ}@?#f", p.Signature().Encoding)
	assert.False(t, planFor(t, "arm64", "{?=QQQ}@:").Stret())
	assert.True(t, planFor(t, "arm64", "@@:").RetIsObject())
	assert.Equal(t, []Loc{{Kind: InFloat, Index: 0, Size: 4}, {Kind: InFloat, Index: 1, Size: 4, Offset: 4}},
		planFor(t, "arm64", "v{?=ff}").Arg(0).Locs)
	assert.True(t, planFor(t, "arm64", "{?=QQQ}").Ret().Indirect)
}

func TestRefused(t *testing.T) {
	many := strings.Repeat("{?=QQQ}", 30)
	for enc, want := range map[string]string{
		"D":             `ccall: the result in "D": long double is not supported by value`,
		"vD":            `ccall: argument 0 in "vD": long double is not supported by value`,
		"v@:t":          `ccall: argument 2 in "v@:t": int128 is not supported by value`,
		"vjd":           `ccall: argument 0 in "vjd": complex is not supported by value`,
		"v?":            `ccall: argument 0 in "v?": unknown has no size`,
		"v{NSZone}":     `ccall: argument 0 in "v{NSZone}": struct NSZone has no known size`,
		"v{E=}":         `ccall: argument 0 in "v{E=}": struct E is empty`,
		"v[4i]":         `ccall: argument 0 in "v[4i]": [4i] is an array, which C does not pass by value`,
		"v<8f>":         `ccall: argument 0 in "v<8f>": vector <8f> of 32 bytes is wider than a register of 16`,
		"v<1q>":         `ccall: argument 0 in "v<1q>": vector <1q> of one element is passed differently by different compilers`,
		"v{S=i<8f>}":    `ccall: argument 0 in "v{S=i<8f>}": struct S is aligned to 32 bytes, more than 16`,
		"v{S=[2{T=D}]}": `ccall: argument 0 in "v{S=[2{T=D}]}": struct S: struct T: long double is not supported by value`,
		"{S=[17Q]}":     `ccall: the result in "{S=[17Q]}" has 17 words, more than 16`,
		"v{S=[300Q]}":   `ccall: the arguments in "v{S=[300Q]}" have 300 words, more than 256`,
		"v" + many[:70] + "{S=[50Q]}@": `ccall: argument 11 in "v` + many[:70] +
			`{S=[50Q]}@" is an object at word 80, beyond the limit of 64`,
	} {
		sig, err := typeenc.ParseFunction(enc)
		require.NoError(t, err, enc)
		for _, arch := range []string{"amd64", "arm64"} {
			_, err = NewPlanFor(arch, sig)
			assert.EqualError(t, err, want, arch)
		}
	}
	_, err := NewPlanFor("riscv64", &typeenc.Signature{Ret: typeenc.Type{Kind: typeenc.Void}})
	assert.EqualError(t, err, `ccall: no calling convention for architecture "riscv64"`)
}

package dialects

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

func TestCUDATextures(t *testing.T) {
	m := compileFile(t, "cuda/textures.cu")
	image := func(format string, w, h, layers int, data any) *testlaunch.Texture {
		return &testlaunch.Texture{Format: format, Width: w, Height: h, Layers: layers,
			Levels: [][]byte{encode(t, data)}}
	}
	pixels := ir.SamplerState{Unnormalized: true}
	floats := make([]float32, 12)
	for i := range floats {
		floats[i] = float32(i * i)
	}
	out := make([]float32, 12)
	run(t, m, "objects", line(12, 12), image("R32Float", 4, 3, 1, floats), pixels, out, int32(4))
	for i := range out {
		assert.Equal(t, floats[i]*2, out[i])
	}
	smooth := ir.SamplerState{MagLinear: true, MinLinear: true}
	run(t, m, "smooth", line(1, 1), out, image("RGBA8Unorm", 2, 1, 1, []uint8{255, 0, 51, 0, 0, 255, 102, 0}), smooth)
	assert.Equal(t, []float32{0.5, 0.5, 0.3}, round3(out[:3]))
	words := make([]uint32, 4)
	run(t, m, "bytes", line(4, 4), words, image("RGBA8Uint", 4, 1, 1, []uint32{1, 0x01020304, 3, 4}))
	assert.Equal(t, []uint32{1, 0x04030201, 3 << 0, 4}[1], words[1])
	run(t, m, "references", line(4, 4), out, []float32{5, 6, 7, 8},
		image("R32Float", 4, 1, 1, []float32{1, 2, 3, 4}), image("R8Unorm", 2, 2, 1, []uint8{0, 51, 102, 255}), pixels)
	assert.Equal(t, []float32{1 + 5, 2 + 6 + 0.2, 3 + 7 + 0.4, 4 + 8 + 1}, round3(out[:4]))
	target := image("R32Float", 2, 2, 1, make([]float32, 4))
	run(t, m, "surface", line(4, 4), target)
	assert.Equal(t, encode(t, []float32{0, 10, 20, 30}), target.Levels[0])
	run(t, m, "layers", line(2, 2), out, image("R32Float", 1, 1, 2, []float32{3, 4}), pixels)
	assert.Equal(t, []float32{3, 4}, out[:2])
	run(t, m, "handed", line(2, 2), out, []float32{5, 6}, image("R32Float", 2, 1, 1, []float32{7, 8}), pixels,
		&testlaunch.Texture{Format: "R32Float", Width: 1, Height: 1, Depth: 2, Layers: 1,
			Levels: [][]byte{encode(t, []float32{3, 4})}}, pixels, float32(10))
	assert.Equal(t, []float32{2*(5+6+7+8) + 60, 2*(5+6+7+8) + 80}, out[:2])
	target = image("R32Float", 3, 2, 1, []float32{0, 0, 0, 7, 8, 9})
	run(t, m, "planes", line(2, 2), target, int32(3))
	assert.Equal(t, encode(t, []float32{8, 9, 10, 7, 8, 9}), target.Levels[0])
}

func round3(list []float32) (out []float32) {
	for _, v := range list {
		out = append(out, float32(int(v*1000+0.5))/1000)
	}
	return out
}

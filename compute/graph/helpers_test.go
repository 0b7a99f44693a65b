package graph

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/devicetest"
)

// Short names of what tests of several packages share.
var (
	accelerator = devicetest.Open
	newStream   = devicetest.Stream
	kernels     = devicetest.Kernels

	requireCanceled = devicetest.RequireCanceled
)

func bufferOf[T any](t testing.TB, a *compute.Accelerator, data ...T) *compute.Buffer[T] {
	t.Helper()
	return devicetest.BufferOf(t, a, data...)
}

func newTexture[T any](t testing.TB, a *compute.Accelerator, shape compute.TextureShape, o compute.TextureOptions,
	data ...T) *compute.Texture[T] {
	t.Helper()
	return devicetest.Texture(t, a, shape, o, data...)
}

const mixing = `
kernel void blend(device const int *a [[buffer(0)]], device int *b [[buffer(1)]], constant int &k [[buffer(2)]],
	uint i [[thread_position_in_grid]]) {
    b[i] = b[i] * 3 + a[i] * k + 1;
}`

// mixed is what the kernel does.
func mixed(a, b []int32, k int32) {
	for i := range b {
		b[i] = b[i]*3 + a[i]*k + 1
	}
}

const saxpy = `
kernel void saxpy(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant float &a [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
    y[i] = a * x[i] + y[i];
}`

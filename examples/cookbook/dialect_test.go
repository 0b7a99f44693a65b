package cookbook

import (
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
	"github.com/puremetal/puremetal/translate"
)

func Example_cuda() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
__constant__ int weights[2];
__global__ void blend(int *out, const int *in, int n) {
    extern __shared__ int tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    int other = tile[blockDim.x - 1 - threadIdx.x];
    if (i < n) out[i] = weights[0] * tile[threadIdx.x] + weights[1] * other;
}`, compute.CompileOptions{Name: "blend.cu", Dialect: translate.CUDA}))
	defer program.Close()
	blend := must(program.Kernel("blend"))
	in := must(compute.BufferOf(ctx, acc, []int32{1, 2, 3, 4, 5, 6, 7}))
	defer in.Close()
	out := must(compute.NewBuffer[int32](acc, in.Len(), compute.BufferOptions{Intent: compute.Readback}))
	defer out.Close()

	stream := must(acc.NextStream())
	grid := compute.Threadgroups{Grid: compute.Extent{X: 2}, Group: compute.Extent{X: 4}} // <<<2, 4, 4 * sizeof(int)>>>
	must(0, stream.Launch(ctx, blend, grid, out, in, int32(in.Len()),
		compute.Named("tile", compute.ThreadgroupMemory(4*4)),
		compute.Named("weights", [2]int32{1, 100}))) // instead of cudaMemcpyToSymbol
	must(0, stream.Sync(ctx))
	fmt.Println(must(out.Data()))

	// Output: [401 302 203 104 5 706 607]
}

func Example_opencl() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
__kernel void scale(__global float4 *x, float by) {
    size_t i = get_global_id(0);
    x[i] = select(x[i] * by, (float4)(0), x[i].wzyx > 2.5f);
}
__kernel void exact(__global double *x) { x[get_global_id(0)] *= 2; }`,
		compute.CompileOptions{Name: "scale.cl", Dialect: translate.OpenCL}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []simd.Float4{{X: 1, Y: 2, Z: 3, W: 4}}))
	defer x.Close()
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("scale")), compute.Threads1D(1), x, float32(10)))
	must(0, stream.Sync(ctx))
	fmt.Println(must(x.Data()))
	_, err := program.Kernel("exact")
	fmt.Println(err)

	// Output:
	// [{0 0 30 40}]
	// compute: kernel exact has no translation: source does not compile:
	// scale.cl:6:21: OpenCL C's 'double' does not exist on Metal [T0001]
}

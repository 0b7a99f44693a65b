package conformance

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// pipelineLimitCases are about the limits that a pipeline reports for threadgroups, and that they
// are true.
func pipelineLimitCases() []aCase {
	// full runs one threadgroup of as many threads as the pipeline allows; each writes its number
	// times two.
	full := func(r *rig, p mtl.ComputePipelineState) {
		n := p.MaxTotalThreadsPerThreadgroup()
		assert.LessOrEqual(r, n, r.device.MaxThreadsPerThreadgroup().Width)
		out := r.buffer(4 * n)
		r.compute(func(e mtl.ComputeCommandEncoder) {
			set(e, p, out)
			do(e.DispatchThreadgroups(line(1), line(n)))
		})
		want := make([]uint32, n)
		for i := range want {
			want[i] = 2 * uint32(i)
		}
		assert.Equal(r, want, r.words(out))
		r.compute(func(e mtl.ComputeCommandEncoder) {
			set(e, p, out)
			r.refused(e.DispatchThreadgroups(line(1), line(n+1)), mtl.ErrThreadgroupSize)
		})
	}
	var cases []aCase
	for _, words := range []int{16, 1024, 16384} {
		cases = append(cases, aCase{fmt.Sprintf("%d bytes a thread", 4*words),
			"However much memory a kernel's threads have, a threadgroup of as many as its pipeline allows runs.", func(r *rig) {
				full(r, r.pipeline(fmt.Sprintf(`kernel void own(device uint* out [[buffer(0)]], uint i [[thread_position_in_threadgroup]]) {
    uint mine[%d];
    for (uint k = 0; k < 8; k++) mine[(i * 7 + k * 13) %% %d] = i + k;
    out[i] = mine[(i * 7) %% %d] + mine[(i * 7 + 13) %% %d] - 1;
}`, words, words, words, words), "own"))
			}})
	}
	for _, bytes := range []int{16, 4096, 32768} {
		cases = append(cases, aCase{fmt.Sprintf("%d bytes of static memory", bytes),
			"A kernel may declare all of a threadgroup's memory, and its pipeline says how much it does.", func(r *rig) {
				p := r.pipeline(fmt.Sprintf(`kernel void ours(device uint* out [[buffer(0)]], uint i [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    threadgroup uint mem[%d];
    mem[i %% %d] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = 2 * i + mem[(i + 1) %% min(n, %du)];
}`, bytes/4, bytes/4, bytes/4), "ours")
				assert.GreaterOrEqual(r, p.StaticThreadgroupMemoryLength(), uint(bytes))
				full(r, p)
				left := r.device.MaxThreadgroupMemoryLength() - p.StaticThreadgroupMemoryLength()
				r.compute(func(e mtl.ComputeCommandEncoder) {
					set(e, p, r.buffer(4*32))
					if left >= 16 {
						do(e.SetThreadgroupMemoryLength(left/16*16, 0), e.DispatchThreads(line(32), line(32)))
					} else {
						r.refused(e.SetThreadgroupMemoryLength(16, 0), mtl.ErrThreadgroupMemory)
					}
				})
			}})
	}
	return append(cases,
		aCase{"too much static memory", "A kernel that declares more memory than a threadgroup has makes no pipeline.",
			func(r *rig) {
				f := own(r, must(r.source(`kernel void big(device uint* out [[buffer(0)]], uint i [[thread_position_in_threadgroup]]) {
    threadgroup uint mem[8193];
    mem[(i * 31) % 8193] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = mem[(i * 17) % 8193];
}`).NewFunction("big")))
				_, err := r.device.NewComputePipelineState(f)
				assert.Error(r, err)
				assert.ErrorContains(r, err, "32772")
				assert.ErrorContains(r, err, "32768")
			}},
		aCase{"bound by descriptor", "A threadgroup larger than the descriptor's bound is refused, one of that size runs.",
			func(r *rig) {
				d := own(r, must(mtl.NewComputePipelineDescriptor()))
				d.SetComputeFunction(r.function("number"))
				d.SetMaxTotalThreadsPerThreadgroup(64)
				p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
				do(err)
				own(r, p)
				x := r.buffer(4 * 64)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					set(e, p, x)
					r.refused(e.DispatchThreads(line(128), line(65)), mtl.ErrThreadgroupSize)
					do(e.DispatchThreads(line(64), line(64)))
				})
				assert.Equal(r, count(64), r.words(x))
			}},
		aCase{"in all directions", "The bound of a threadgroup is on the threads of all its dimensions together.",
			func(r *rig) {
				p, x := r.kernel("number"), r.buffer(4096)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					set(e, p, x)
					r.refused(e.DispatchThreads(size(32, 32, 2), size(32, 32, 2)), mtl.ErrThreadgroupSize)
					do(e.DispatchThreads(size(32, 4, 2), size(32, 4, 2)))
				})
			}},
	)
}

package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

const functionTableKernels = `
[[visible]] uint twice(uint x) { return 2 * x; }
[[visible]] uint square(uint x) { return x * x; }
[[visible]] uint negate(uint x) { return 0u - x; }
kernel void apply(visible_function_table<uint(uint)> table [[buffer(0)]], device uint* x [[buffer(1)]], constant uint& n [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) { x[i] = table[i % n](x[i]); }
struct Args { visible_function_table<uint(uint)> table [[id(0)]]; device uint* x [[id(1)]]; };
kernel void applyArgs(constant Args& a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a.x[i] = a.table[0](a.x[i]); }
`

// linked makes a pipeline from a kernel with visible functions linked to it, and returns them.
func (r *rig) linked(kernel string, change func(mtl.ComputePipelineDescriptor),
	names ...string) (mtl.ComputePipelineState, []mtl.Function) {
	r.Helper()
	l := r.source(functionTableKernels)
	var fs []mtl.Function
	for _, n := range names {
		fs = append(fs, own(r, must(l.NewFunction(n))))
	}
	links := own(r, must(mtl.NewLinkedFunctions()))
	links.SetFunctions(fs)
	d := own(r, must(mtl.NewComputePipelineDescriptor()))
	d.SetComputeFunction(own(r, must(l.NewFunction(kernel))))
	d.SetLinkedFunctions(links)
	if change != nil {
		change(d)
	}
	p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
	do(err)
	return own(r, p), fs
}

// table makes a function table of a pipeline.
func (r *rig) table(p mtl.ComputePipelineState, n uint) mtl.VisibleFunctionTable {
	r.Helper()
	d := own(r, must(mtl.NewVisibleFunctionTableDescriptor()))
	d.SetFunctionCount(n)
	return own(r, p.NewVisibleFunctionTableWithDescriptor(d))
}

func functionTableCases() []aCase {
	// supported skips where functions are not called through tables.
	supported := func(r *rig) {
		if !r.device.SupportsFunctionPointers() {
			r.Skip("the device does not support function pointers")
		}
	}
	run := func(r *rig, p mtl.ComputePipelineState, t mtl.VisibleFunctionTable, x mtl.Buffer, n, threads uint) {
		r.compute(func(e mtl.ComputeCommandEncoder) {
			do(e.SetComputePipelineState(p), e.SetVisibleFunctionTable(t, 0), e.SetBuffer(x, 0, 1),
				e.SetBytes(word(uint32(n)), 2), e.DispatchThreads(line(threads), line(threads)))
		})
	}
	return []aCase{
		{"call", "A kernel calls a function through a table.", func(r *rig) {
			supported(r)
			p, fs := r.linked("apply", nil, "twice")
			t, x := r.table(p, 1), r.uints(1, 2, 3)
			t.SetFunction(p.FunctionHandleWithFunction(fs[0]), 0)
			run(r, p, t, x, 1, 3)
			assert.Equal(r, []uint32{2, 4, 6}, r.words(x))
		}},
		{"each its own", "Threads of a SIMD group call different functions.", func(r *rig) {
			supported(r)
			p, fs := r.linked("apply", nil, "twice", "square", "negate")
			t, x := r.table(p, 3), r.uints(count(32)...)
			var hs []mtl.FunctionHandle
			for _, f := range fs {
				hs = append(hs, p.FunctionHandleWithFunction(f))
			}
			t.SetFunctions(hs, 0)
			run(r, p, t, x, 3, 32)
			want := count(32)
			for i, v := range want {
				want[i] = []uint32{2 * v, v * v, -v}[i%3]
			}
			assert.Equal(r, want, r.words(x))
		}},
		{"entry replaced", "An entry that is set anew is what the next command buffer calls.", func(r *rig) {
			supported(r)
			p, fs := r.linked("apply", nil, "twice", "square")
			t, x := r.table(p, 1), r.uints(5)
			t.SetFunction(p.FunctionHandleWithFunction(fs[0]), 0)
			run(r, p, t, x, 1, 1)
			t.SetFunction(p.FunctionHandleWithFunction(fs[1]), 0)
			run(r, p, t, x, 1, 1)
			assert.Equal(r, []uint32{100}, r.words(x))
		}},
		{"in an argument buffer", "A table is reached through an argument buffer.", func(r *rig) {
			supported(r)
			p, fs := r.linked("applyArgs", nil, "square")
			t, x := r.table(p, 1), r.uints(3, 4)
			t.SetFunction(p.FunctionHandleWithFunction(fs[0]), 0)
			f := own(r, must(r.source(functionTableKernels).NewFunction("applyArgs")))
			e := own(r, must(f.NewArgumentEncoder(0)))
			args := r.buffer(e.EncodedLength())
			do(e.SetArgumentBuffer(args, 0), e.SetVisibleFunctionTable(t, 0), e.SetBuffer(x, 0, 1))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResource(t.Resource, mtl.ResourceUsageRead),
					c.UseResource(x.Resource, mtl.ResourceUsageRead|mtl.ResourceUsageWrite), c.DispatchThreads(line(2), line(2)))
			})
			assert.Equal(r, []uint32{9, 16}, r.words(x))
		}},
		{"handle", "A function's handle has its name, its type and its device.", func(r *rig) {
			supported(r)
			p, fs := r.linked("apply", nil, "square")
			h := p.FunctionHandleWithFunction(fs[0])
			assert.Equal(r, "square", h.Name())
			assert.Equal(r, mtl.FunctionTypeVisible, h.FunctionType())
			assert.Equal(r, r.device.RegistryID(), h.Device().RegistryID())
		}},
		{"not linked", "A function that a pipeline does not link has no handle of it.", func(r *rig) {
			supported(r)
			p, _ := r.linked("apply", nil, "twice")
			f := own(r, must(r.source(functionTableKernels).NewFunction("square")))
			assert.True(r, p.FunctionHandleWithFunction(f).IsNil())
		}},
		{"added later", "A pipeline made for it takes more functions, and the first pipeline stays as it was.", func(r *rig) {
			supported(r)
			p, _ := r.linked("apply", func(d mtl.ComputePipelineDescriptor) { d.SetSupportAddingBinaryFunctions(true) }, "twice")
			f := own(r, must(r.source(functionTableKernels).NewFunction("negate")))
			q := own(r, must(p.NewComputePipelineStateWithAdditionalBinaryFunctions([]mtl.Function{f})))
			assert.True(r, p.FunctionHandleWithFunction(f).IsNil())
			t, x := r.table(q, 1), r.uints(1)
			t.SetFunction(q.FunctionHandleWithFunction(f), 0)
			run(r, q, t, x, 1, 1)
			assert.Equal(r, []uint32{^uint32(0)}, r.words(x))
		}},
		{"visible alone", "A visible function is no kernel.", func(r *rig) {
			supported(r)
			f := own(r, must(r.source(functionTableKernels).NewFunction("twice")))
			_, err := r.device.NewComputePipelineState(f)
			r.refused(err, mtl.ErrFunction)
		}},
		{"label of a table", "A function table keeps its label and names its device.", func(r *rig) {
			supported(r)
			p, _ := r.linked("apply", nil, "twice")
			t := r.table(p, 4)
			t.SetLabel("jumps")
			assert.Equal(r, "jumps", t.Label())
			assert.Equal(r, r.device.RegistryID(), t.Device().RegistryID())
		}},
		{"table index beyond", "A table is bound to a slot of the buffer table.", func(r *rig) {
			supported(r)
			p, _ := r.linked("apply", nil, "twice")
			t := r.table(p, 1)
			r.compute(func(e mtl.ComputeCommandEncoder) { r.beyond(e.SetVisibleFunctionTable(t, 31), mtl.ErrIndex, 31, 30) })
		}},
	}
}

package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// described returns a descriptor for a kernel.
func (r *rig) described(f mtl.Function) mtl.ComputePipelineDescriptor {
	r.Helper()
	d := own(r, must(mtl.NewComputePipelineDescriptor()))
	d.SetComputeFunction(f)
	return d
}

// reflected returns a pipeline's reflection of its kernel's arguments.
func (r *rig) reflected(f mtl.Function) []mtl.Binding {
	r.Helper()
	p, x, err := r.device.NewComputePipelineStateWithReflection(f,
		mtl.PipelineOptionBindingInfo|mtl.PipelineOptionBufferTypeInfo)
	do(err)
	own(r, p)
	own(r, x)
	return x.Bindings()
}

func pipelineCases() []aCase {
	return []aCase{
		{"simple", "A kernel becomes a pipeline that runs at least one SIMD group of threads.", func(r *rig) {
			p := r.kernel("number")
			assert.NotZero(r, p.ThreadExecutionWidth())
			assert.GreaterOrEqual(r, p.MaxTotalThreadsPerThreadgroup(), p.ThreadExecutionWidth())
		}},
		{"at most the device", "A pipeline allows no more threads than the device does.", func(r *rig) {
			assert.LessOrEqual(r, r.kernel("number").MaxTotalThreadsPerThreadgroup(), r.device.MaxThreadsPerThreadgroup().Width)
		}},
		{"execution width", "Apple GPUs run 32 threads in a SIMD group.", func(r *rig) {
			if r.device.Supports(mtl.GPUFamilyApple1) {
				assert.Equal(r, uint(32), r.kernel("number").ThreadExecutionWidth())
			}
		}},
		{"no static memory", "A kernel without threadgroup variables has no static threadgroup memory.", func(r *rig) {
			assert.Zero(r, r.kernel("number").StaticThreadgroupMemoryLength())
		}},
		{"static memory", "Static threadgroup memory is at least what the kernel declares.", func(r *rig) {
			assert.GreaterOrEqual(r, r.kernel("fixed").StaticThreadgroupMemoryLength(), uint(256))
		}},
		{"device", "A pipeline names its device.", func(r *rig) {
			assert.Equal(r, r.device.RegistryID(), r.kernel("number").Device().RegistryID())
		}},
		{"nil function", "A pipeline needs a function.", func(r *rig) {
			_, err := r.device.NewComputePipelineState(mtl.Function{})
			r.refused(err, mtl.ErrNil)
		}},
		{"descriptor without function", "A descriptor without a function makes no pipeline.", func(r *rig) {
			d := own(r, must(mtl.NewComputePipelineDescriptor()))
			_, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
			r.refused(err, mtl.ErrNil)
		}},
		{"label", "A pipeline has the label of its descriptor.", func(r *rig) {
			d := r.described(r.function("number"))
			d.SetLabel("counts")
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
			do(err)
			assert.Equal(r, "counts", own(r, p).Label())
		}},
		{"fewer threads", "The descriptor's limit of threads is the pipeline's.", func(r *rig) {
			d := r.described(r.function("number"))
			d.SetMaxTotalThreadsPerThreadgroup(64)
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
			do(err)
			assert.Equal(r, uint(64), own(r, p).MaxTotalThreadsPerThreadgroup())
		}},
		{"attribute", "The kernel's own limit of threads is the pipeline's.", func(r *rig) {
			p := r.pipeline("[[max_total_threads_per_threadgroup(128)]] kernel void f(device int* x [[buffer(0)]]) { x[0] = 1; }", "f")
			assert.Equal(r, uint(128), p.MaxTotalThreadsPerThreadgroup())
		}},
		{"too many threads", "A descriptor that asks for more threads than the device has is refused, with both numbers.",
			func(r *rig) {
				d := r.described(r.function("number"))
				d.SetMaxTotalThreadsPerThreadgroup(1 << 20)
				_, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
				r.refused(err, mtl.ErrThreadgroupSize)
				var l *mtl.LimitError
				r.holds(assert.ErrorAs(r, err, &l))
				assert.Equal(r, uint64(1<<20), l.Value)
			}},
		{"indirect", "A pipeline supports indirect command buffers if its descriptor says so.", func(r *rig) {
			d := r.described(r.function("number"))
			d.SetSupportIndirectCommandBuffers(true)
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
			do(err)
			assert.True(r, own(r, p).SupportIndirectCommandBuffers())
			assert.False(r, r.kernel("number").SupportIndirectCommandBuffers())
		}},
		{"descriptor keeps", "A pipeline descriptor keeps what it is given.", func(r *rig) {
			f := r.function("number")
			d := r.described(f)
			d.SetThreadGroupSizeIsMultipleOfThreadExecutionWidth(true)
			d.SetMaxCallStackDepth(3)
			assert.Equal(r, f.ID(), d.ComputeFunction().ID())
			assert.True(r, d.ThreadGroupSizeIsMultipleOfThreadExecutionWidth())
			assert.Equal(r, uint(3), d.MaxCallStackDepth())
		}},
		{"descriptor reset", "Reset brings a descriptor back to its beginning.", func(r *rig) {
			d := r.described(r.function("number"))
			d.SetLabel("x")
			d.Reset()
			assert.True(r, d.ComputeFunction().IsNil())
			assert.Empty(r, d.Label())
		}},
		{"descriptor copy", "A copy of a descriptor changes apart from the original.", func(r *rig) {
			d := r.described(r.function("number"))
			d.SetLabel("x")
			c := own(r, d.Copy())
			c.SetLabel("y")
			assert.Equal(r, "x", d.Label())
			assert.Equal(r, d.ComputeFunction().ID(), c.ComputeFunction().ID())
		}},
		{"reflection", "Reflection lists the arguments by name and index.", func(r *rig) {
			bs := r.reflected(r.function("add"))
			r.holds(assert.Len(r, bs, 3))
			for i, name := range []string{"a", "b", "c"} {
				assert.Equal(r, name, bs[i].Name())
				assert.Equal(r, uint(i), bs[i].Index())
				assert.Equal(r, mtl.BindingTypeBuffer, bs[i].Type())
				assert.True(r, bs[i].IsUsed())
			}
		}},
		{"access", "Reflection tells buffers that are read from those that are written.", func(r *rig) {
			bs := r.reflected(r.function("add"))
			r.holds(assert.Len(r, bs, 3))
			assert.Equal(r, mtl.BindingAccessReadOnly, bs[0].Access())
			assert.NotEqual(r, mtl.BindingAccessReadOnly, bs[2].Access())
		}},
		{"threadgroup argument", "Reflection lists threadgroup memory as an argument of its own table.", func(r *rig) {
			var kinds []mtl.BindingType
			for _, b := range r.reflected(r.function("sum")) {
				kinds = append(kinds, b.Type())
			}
			assert.Equal(r, []mtl.BindingType{mtl.BindingTypeBuffer, mtl.BindingTypeBuffer, mtl.BindingTypeThreadgroupMemory},
				kinds)
		}},
		{"data size", "Reflection says size, alignment and type of what a buffer holds.", func(r *rig) {
			bs := r.reflected(r.function("plus"))
			r.holds(assert.Len(r, bs, 2))
			k := mtl.BufferBindingFrom(bs[1].ID())
			assert.Equal(r, uint(4), k.BufferDataSize())
			assert.Equal(r, uint(4), k.BufferAlignment())
			assert.Equal(r, mtl.DataTypeUInt, k.BufferDataType())
		}},
		{"structure", "Reflection lists the members of a structure with their offsets.", func(r *rig) {
			l := r.source("struct S { uint a; float3 b; half c; };\nkernel void f(device uint* out [[buffer(0)]], constant S& s [[buffer(1)]]) { out[0] = s.a + uint(s.b.x) + uint(s.c); }")
			bs := r.reflected(own(r, must(l.NewFunction("f"))))
			r.holds(assert.Len(r, bs, 2))
			b := mtl.BufferBindingFrom(bs[1].ID())
			assert.Equal(r, mtl.DataTypeStruct, b.BufferDataType())
			var names []string
			var offsets []uint
			for _, m := range b.BufferStructType().Members() {
				names, offsets = append(names, m.Name()), append(offsets, m.Offset())
			}
			assert.Equal(r, []string{"a", "b", "c"}, names)
			assert.Equal(r, []uint{0, 16, 32}, offsets)
			assert.Equal(r, uint(48), b.BufferDataSize())
		}},
		{"array of arrays", "Reflection of an array of arrays ends at the elements, with the length and stride of each array.", func(r *rig) {
			l := r.source("struct S { int a[3][4]; };\nkernel void f(device int* out [[buffer(0)]], constant S& s [[buffer(1)]]) { out[0] = s.a[2][3]; }")
			bs := r.reflected(own(r, must(l.NewFunction("f"))))
			r.holds(assert.Len(r, bs, 2))
			outer := mtl.BufferBindingFrom(bs[1].ID()).BufferStructType().MemberByName("a").ArrayType()
			assert.Equal(r, []uint{3, 16}, []uint{outer.ArrayLength(), outer.Stride()})
			assert.Equal(r, mtl.DataTypeArray, outer.ElementType())
			inner := outer.ElementArrayType()
			assert.Equal(r, []uint{4, 4}, []uint{inner.ArrayLength(), inner.Stride()})
			assert.Equal(r, mtl.DataTypeInt, inner.ElementType())
		}},
		{"no such option", "An option of reflection that there is none is refused.", func(r *rig) {
			_, _, err := r.device.NewComputePipelineStateWithReflection(r.function("add"), 1<<10)
			r.refused(err, mtl.ErrArgument)
		}},
		{"async", "A pipeline can be made in the background.", func(r *rig) {
			got := make(chan error, 1)
			do(r.device.NewComputePipelineStateAsync(r.function("add"), func(p mtl.ComputePipelineState, err error) {
				p.Release()
				got <- err
			}))
			r.holds(assert.NoError(r, <-got))
		}},
		{"async nobody", "A pipeline made in the background needs a handler.", func(r *rig) {
			r.refused(r.device.NewComputePipelineStateAsync(r.function("add"), nil), mtl.ErrNil)
		}},
		{"outlives function", "A pipeline works after its function has been released.", func(r *rig) {
			f := must(r.source(kernels).NewFunction("number"))
			p := own(r, must(r.device.NewComputePipelineState(f)))
			f.Release()
			assert.NotZero(r, p.MaxTotalThreadsPerThreadgroup())
		}},
		{"two of one", "Two pipelines of one function live apart.", func(r *rig) {
			f := r.function("number")
			a := must(r.device.NewComputePipelineState(f))
			b := own(r, must(r.device.NewComputePipelineState(f)))
			a.Release()
			assert.NotZero(r, b.ThreadExecutionWidth())
		}},
	}
}

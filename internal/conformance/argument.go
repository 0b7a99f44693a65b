package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

const argumentKernels = `
struct Args { device uint* out [[id(0)]]; device const uint* in [[id(1)]]; uint k [[id(2)]]; };
kernel void through(constant Args& a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a.out[i] = a.in[i] + a.k; }
struct Plain { device uint* out; };
kernel void plain(constant Plain* a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i].out[0] = i + 1; }
`

func argumentCases() []aCase {
	// encoder makes the encoder of the first kernel.
	encoder := func(r *rig) (mtl.Function, mtl.ArgumentEncoder) {
		f := own(r, must(r.source(argumentKernels).NewFunction("through")))
		return f, own(r, must(f.NewArgumentEncoder(0)))
	}
	return []aCase{
		{"length", "An argument encoder says how long its buffer is, and how aligned.", func(r *rig) {
			_, e := encoder(r)
			assert.GreaterOrEqual(r, e.EncodedLength(), uint(20))
			assert.NotZero(r, e.Alignment())
			assert.Equal(r, r.device.RegistryID(), e.Device().RegistryID())
		}},
		{"kernel", "A kernel reaches the buffers and constants of an argument buffer.", func(r *rig) {
			f, e := encoder(r)
			args, in, out := r.buffer(e.EncodedLength()), r.uints(1, 2, 3, 4), r.buffer(16)
			do(e.SetArgumentBuffer(args, 0), e.SetBuffer(out, 0, 0), e.SetBuffer(in, 0, 1), e.SetConstant(2, word(40)))
			p := own(r, must(r.device.NewComputePipelineState(f)))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResource(in.Resource, mtl.ResourceUsageRead), c.UseResource(out.Resource, mtl.ResourceUsageWrite),
					c.DispatchThreads(line(4), line(4)))
			})
			assert.Equal(r, []uint32{41, 42, 43, 44}, r.words(out))
		}},
		{"offsets", "A buffer of an argument buffer is seen from its offset on.", func(r *rig) {
			f, e := encoder(r)
			args, in, out := r.buffer(e.EncodedLength()), r.uints(1, 2, 3, 4), r.buffer(16)
			do(e.SetArgumentBuffer(args, 0), e.SetBuffer(out, 4, 0), e.SetBuffer(in, 8, 1), e.SetConstant(2, word(0)))
			p := own(r, must(r.device.NewComputePipelineState(f)))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResources([]mtl.Resource{in.Resource, out.Resource}, mtl.ResourceUsageRead|mtl.ResourceUsageWrite),
					c.DispatchThreads(line(2), line(2)))
			})
			assert.Equal(r, []uint32{0, 3, 4, 0}, r.words(out))
		}},
		{"addresses", "Since Metal 3 the CPU writes the GPU's addresses into structures itself.", func(r *rig) {
			if !r.device.Supports(mtl.GPUFamilyMetal3) {
				r.Skip("the device is not of family Metal3")
			}
			p := r.pipeline(argumentKernels, "plain")
			args := r.buffer(24)
			var outs []mtl.Buffer
			for i := range 3 {
				outs = append(outs, r.buffer(4))
				must(mtl.Slice[uint64](args))[i] = outs[i].GPUAddress()
			}
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				for _, o := range outs {
					do(c.UseResource(o.Resource, mtl.ResourceUsageWrite))
				}
				do(c.DispatchThreads(line(3), line(3)))
			})
			for i, o := range outs {
				assert.Equal(r, []uint32{uint32(i + 1)}, r.words(o))
			}
		}},
		{"no buffer", "Arguments are not written before there is a buffer for them.", func(r *rig) {
			_, e := encoder(r)
			r.refused(e.SetBuffer(r.buffer(4), 0, 0), mtl.ErrState)
		}},
		{"buffer too short", "A buffer too short for the arguments is refused.", func(r *rig) {
			_, e := encoder(r)
			r.refused(e.SetArgumentBuffer(r.buffer(4), 0), mtl.ErrLength)
		}},
		{"no arguments", "An encoder of no arguments is refused, with the least number.", func(r *rig) {
			_, err := r.device.NewArgumentEncoder(nil)
			r.beyond(err, mtl.ErrLength, 0, 1)
		}},
		{"index", "An argument encoder of a buffer beyond the table is refused, with the last index.", func(r *rig) {
			f, _ := encoder(r)
			_, err := f.NewArgumentEncoder(31)
			r.beyond(err, mtl.ErrIndex, 31, 30)
		}},
		{"described", "An encoder of descriptors has room for each argument.", func(r *rig) {
			a := own(r, must(mtl.NewArgumentDescriptor()))
			a.SetDataType(mtl.DataTypePointer)
			a.SetArrayLength(4)
			e := own(r, must(r.device.NewArgumentEncoder([]mtl.ArgumentDescriptor{a})))
			assert.Equal(r, uint(32), e.EncodedLength())
		}},
		{"label", "An argument encoder keeps its label.", func(r *rig) {
			_, e := encoder(r)
			e.SetLabel("args")
			assert.Equal(r, "args", e.Label())
		}},
	}
}

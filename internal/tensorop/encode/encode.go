// Package encode runs plans of package tensorop on a Metal device: it compiles their kernels, keeps
// the pipelines, and encodes the launches to a command buffer.
package encode

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// Buffer is a buffer of a plan: element 0 of its views is Offset bytes from the start.
type Buffer struct {
	mtl.Buffer
	Offset uint
}

// Encoder encodes plans for one device. It is safe for concurrent use.
type Encoder struct {
	device mtl.Device
	made   func(mtl.ComputePipelineState)

	mu        sync.Mutex
	pipelines map[kernel]mtl.ComputePipelineState
}

// kernel identifies a pipeline.
type kernel struct{ source, name string }

// New returns an encoder for a device, which it retains until Close. made is called with each new
// pipeline, unless it is nil.
func New(d mtl.Device, made func(mtl.ComputePipelineState)) *Encoder {
	d.Retain()
	return &Encoder{device: d, made: made, pipelines: map[kernel]mtl.ComputePipelineState{}}
}

// Close releases the device and the pipelines. Work that was encoded is not affected.
func (e *Encoder) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.pipelines {
		p.Release()
	}
	e.pipelines = nil
	e.device.Release()
}

// Pipeline returns the pipeline of a kernel in a library with a source. It belongs to the encoder.
func (e *Encoder) Pipeline(source, name string) (mtl.ComputePipelineState, error) {
	return e.pipeline(kernel{source, name})
}

// pipeline returns the pipeline of a kernel, which belongs to the encoder.
func (e *Encoder) pipeline(k kernel) (mtl.ComputePipelineState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p, ok := e.pipelines[k]; ok {
		return p, nil
	}
	if e.pipelines == nil {
		return mtl.ComputePipelineState{}, fmt.Errorf("the encoder is closed")
	}
	p, err := e.compile(k)
	if err != nil {
		return p, fmt.Errorf("kernel %s: %w\n%s", k.name, err, k.source)
	}
	if e.made != nil {
		e.made(p)
	}
	e.pipelines[k] = p
	return p, nil
}

func (e *Encoder) compile(k kernel) (mtl.ComputePipelineState, error) {
	none := mtl.ComputePipelineState{}
	o, err := mtl.NewCompileOptions()
	if err != nil {
		return none, err
	}
	defer o.Release()
	if err := o.SetMath(mtl.MathModeSafe, mtl.MathFloatingPointFunctionsPrecise); err != nil {
		return none, err
	}
	o.SetLanguageVersion(mtl.LanguageVersion3_1)
	lib, err := e.device.NewLibrary(k.source, o)
	if err != nil {
		return none, err
	}
	defer lib.Release()
	f, err := lib.NewFunction(k.name)
	if err != nil {
		return none, err
	}
	defer f.Release()
	return e.device.NewComputePipelineState(f)
}

// Prepare compiles the kernels of a plan, so that the first run does not have to.
func (e *Encoder) Prepare(p *tensorop.Plan) error {
	_, err := e.compileAll(p)
	return err
}

func (e *Encoder) compileAll(p *tensorop.Plan) ([]mtl.ComputePipelineState, error) {
	out := make([]mtl.ComputePipelineState, len(p.Steps))
	for i, s := range p.Steps {
		var err error
		if out[i], err = e.pipeline(kernel{s.Source, s.Kernel}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Encode appends a plan to a command buffer in one compute pass. buffers are those of the plan's
// inputs and outputs. The command buffer retains everything until it has completed. It must be
// called in an autorelease pool.
func (e *Encoder) Encode(cb mtl.CommandBuffer, p *tensorop.Plan, buffers []Buffer) error {
	return e.encode(p, buffers, func(run func(mtl.ComputeCommandEncoder) error) error {
		pass, err := cb.ComputeCommandEncoder()
		if err != nil {
			return err
		}
		defer pass.EndEncoding()
		return run(pass)
	})
}

// EncodeTo appends a plan to a compute pass, whose pipeline and arguments it changes and which it
// does not end. Otherwise it is Encode.
func (e *Encoder) EncodeTo(pass mtl.ComputeCommandEncoder, p *tensorop.Plan, buffers []Buffer) error {
	return e.encode(p, buffers, func(run func(mtl.ComputeCommandEncoder) error) error { return run(pass) })
}

// encode prepares a plan and calls within with what encodes it to a pass.
func (e *Encoder) encode(p *tensorop.Plan, buffers []Buffer,
	within func(run func(mtl.ComputeCommandEncoder) error) error) error {
	if len(buffers) != p.Inputs+p.Outputs {
		return fmt.Errorf("%d buffers; the plan has %d inputs and %d outputs", len(buffers), p.Inputs, p.Outputs)
	}
	if len(p.Steps) == 0 {
		return nil
	}
	all := append([]Buffer(nil), buffers...)
	for _, size := range p.Temps {
		b, err := e.device.NewBuffer(uint(size), mtl.ResourceStorageModePrivate)
		if err != nil {
			return err
		}
		defer b.Release()
		all = append(all, Buffer{Buffer: b})
	}
	// Compile first, so that a mistake leaves the command buffer as it was.
	pipelines, err := e.compileAll(p)
	if err != nil {
		return err
	}
	return within(func(pass mtl.ComputeCommandEncoder) error {
		concurrent := pass.DispatchType() == mtl.DispatchTypeConcurrent
		for i := range p.Steps {
			if i > 0 && concurrent {
				if err := pass.MemoryBarrierWithScope(mtl.BarrierScopeBuffers); err != nil {
					return err
				}
			}
			if err := step(pass, pipelines[i], &p.Steps[i], all); err != nil {
				return fmt.Errorf("kernel %s: %w", p.Steps[i].Kernel, err)
			}
		}
		return nil
	})
}

func step(pass mtl.ComputeCommandEncoder, pipeline mtl.ComputePipelineState, s *tensorop.Step, buffers []Buffer) error {
	if err := pass.SetComputePipelineState(pipeline); err != nil {
		return err
	}
	for i, n := range s.Buffers {
		if err := pass.SetBuffer(buffers[n].Buffer, buffers[n].Offset, uint(i)); err != nil {
			return err
		}
	}
	if len(s.Arguments) > 0 {
		if err := pass.SetBytes(s.Arguments, uint(len(s.Buffers))); err != nil {
			return err
		}
	}
	group := s.Group
	if group[0] == 0 {
		group = Group(s.Threads, int(pipeline.MaxTotalThreadsPerThreadgroup()))
	}
	return pass.DispatchThreads(size(s.Threads), size(group))
}

func size(v [3]int) mtl.Size {
	return mtl.Size{Width: uint(v[0]), Height: uint(v[1]), Depth: uint(v[2])}
}

// Group returns a threadgroup for a grid: as many threads along x as there are, up to 256, and then
// along y and z.
func Group(threads [3]int, limit int) [3]int {
	left := min(limit, 256)
	var g [3]int
	for i, n := range threads {
		g[i] = 1
		for g[i] < n && 2*g[i] <= left {
			g[i] *= 2
		}
		left /= g[i]
	}
	return g
}

package stress

import (
	"slices"

	"github.com/puremetal/puremetal/mtl"
)

// operation is one dispatch over cells: what it does to the model of the first.
type operation struct {
	kernel string
	to     *cell
	from   *cell // of carry
	k      uint32
	n      int // threads
}

// random chooses one.
func (a *actor) operation() operation {
	o := operation{to: a.cells[a.rnd.IntN(len(a.cells))], k: a.rnd.Uint32()}
	o.n = 1 + a.rnd.IntN(o.to.words)
	switch o.kernel = []string{"number", "plus", "twice", "carry", "hits"}[a.rnd.IntN(5)]; o.kernel {
	case "number":
		o.n = o.to.words // gives the cell contents
	case "carry":
		o.from = a.cells[a.rnd.IntN(len(a.cells))]
		if o.from.place == o.to.place {
			o.kernel, o.from = "plus", nil
		} else {
			o.n = min(o.n, o.from.words)
		}
	case "hits":
		o.to = nil
	}
	return o
}

// places lists the memory that it uses.
func (o operation) places() []*place {
	var list []*place
	if o.to != nil {
		list = append(list, o.to.place)
	}
	if o.from != nil {
		list = append(list, o.from.place)
	}
	return list
}

// apply does it to the models.
func (a *actor) apply(o operation) {
	if o.kernel == "hits" {
		a.hits.Add(uint32(o.n))
		return
	}
	if o.kernel == "number" {
		m := make([]uint32, o.to.words)
		for i := range m {
			m[i] = uint32(i) + o.k
		}
		o.to.wrote(m)
		return
	}
	m := slices.Clone(o.to.model)
	if o.from != nil && o.from.model == nil {
		m = nil
	}
	for i := range m[:min(o.n, len(m))] {
		switch o.kernel {
		case "plus":
			m[i] += o.k
		case "twice":
			m[i] *= 2
		case "carry":
			m[i] += o.from.model[i]
		}
	}
	o.to.wrote(m)
}

// encode writes it.
func (a *actor) encode(e mtl.ComputeCommandEncoder, o operation) {
	switch o.kernel {
	case "hits":
		a.m.dispatch(e, "hits", o.n, a.m.hits)
	case "twice":
		a.m.dispatch(e, o.kernel, o.n, o.to.buffer)
	case "carry":
		a.m.dispatch(e, o.kernel, o.n, o.to.buffer, o.from.buffer)
	default:
		do(e.SetBytes(word(o.k), 1))
		a.m.dispatch(e, o.kernel, o.n, o.to.buffer)
	}
}

// compute writes dispatches; those of a concurrent encoder with a barrier wherever two use one
// memory.
func (a *actor) compute(j *job, concurrent bool) {
	var e mtl.ComputeCommandEncoder
	n := 1 + a.rnd.IntN(6)
	if concurrent {
		n *= 3
		e = must(j.buffer.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
	} else {
		e = must(j.buffer.ComputeCommandEncoder())
	}
	var used []*place
	var cells []mtl.Resource
	for range n {
		o := a.operation()
		if concurrent && slices.ContainsFunc(o.places(), func(p *place) bool { return slices.Contains(used, p) }) {
			if a.rnd.IntN(2) == 0 {
				do(e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
			} else {
				do(e.MemoryBarrierWithResources(cells))
			}
			used, cells = nil, nil
		}
		a.encode(e, o)
		used = append(used, o.places()...)
		for _, c := range []*cell{o.to, o.from} {
			if c != nil {
				cells = append(cells, c.buffer.Resource)
			}
		}
		j.effects = append(j.effects, func() { a.apply(o) })
	}
	do(e.EndEncoding())
}

// copies writes copies and fills.
func (a *actor) copies(j *job) {
	e := must(j.buffer.BlitCommandEncoder())
	for range 1 + a.rnd.IntN(4) {
		to := a.cells[a.rnd.IntN(len(a.cells))]
		from := a.cells[a.rnd.IntN(len(a.cells))]
		if from.place == to.place || from.words < to.words {
			v := a.rnd.Uint32() & 0xff
			do(e.FillBuffer(to.buffer, mtl.Range{Length: uint(4 * to.words)}, uint8(v)))
			j.effects = append(j.effects, func() { to.wrote(slices.Repeat([]uint32{v * 0x01010101}, to.words)) })
			continue
		}
		do(e.CopyFromBuffer(from.buffer, 0, to.buffer, 0, uint(4*to.words)))
		j.effects = append(j.effects, func() {
			if from.model == nil {
				to.wrote(nil)
			} else {
				to.wrote(slices.Clone(from.model[:to.words]))
			}
		})
	}
	do(e.EndEncoding())
}

// indirect writes an indirect command buffer and runs it.
func (a *actor) indirect(j *job) {
	d := must(mtl.NewIndirectCommandBufferDescriptor())
	d.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatchThreads)
	d.SetInheritPipelineState(false)
	d.SetInheritBuffers(false)
	d.SetMaxKernelBufferBindCount(2)
	n := uint(1 + a.rnd.IntN(10))
	icb := must(a.m.NewIndirectCommandBufferWithDescriptor(d, n, mtl.ResourceStorageModeShared))
	d.Release()
	j.frees = append(j.frees, icb.Release)
	var used []*place
	var uses []mtl.Resource
	for i := range n {
		o := a.operation()
		if o.kernel == "number" || o.kernel == "plus" { // which would need a buffer for k
			o.kernel = "twice"
		}
		c := must(icb.IndirectComputeCommandAtIndex(i))
		to := a.m.hits
		if o.to != nil {
			to = o.to.buffer
		}
		do(c.SetComputePipelineState(a.m.kernels[o.kernel]), c.SetKernelBuffer(to, 0, 0),
			c.ConcurrentDispatchThreads(line(o.n), line(min(o.n, 64))))
		uses = append(uses, to.Resource)
		if o.from != nil {
			do(c.SetKernelBuffer(o.from.buffer, 0, 1))
			uses = append(uses, o.from.buffer.Resource)
		}
		if slices.ContainsFunc(o.places(), func(p *place) bool { return slices.Contains(used, p) }) {
			do(c.SetBarrier())
			used = nil
		}
		used = append(used, o.places()...)
		j.effects = append(j.effects, func() { a.apply(o) })
	}
	e := must(j.buffer.ComputeCommandEncoder())
	do(e.UseResources(uses, mtl.ResourceUsageRead|mtl.ResourceUsageWrite),
		e.ExecuteCommandsInBuffer(icb, mtl.Range{Length: n}), e.EndEncoding())
}

// spin runs a kernel that never ends, and so is given up: what comes after it in the command buffer
// does not run.
func (a *actor) spin(j *job) {
	x, err := a.m.NewBuffer(8, mtl.ResourceStorageModeShared)
	if err != nil {
		a.refused++
		return
	}
	clear(must(x.Bytes()))
	if j.spins < 0 {
		j.spins = len(j.effects)
	}
	e := must(j.buffer.ComputeCommandEncoder())
	a.m.dispatch(e, "spin", 1, x)
	do(e.EndEncoding())
	x.Release()
}

package ref

import (
	"encoding/binary"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// vector executes an operation that rearranges lanes.
func (t *thread) vector(in *ir.Instr) {
	res := in.Results[0]
	n := lanes(res)
	var out [4]uint64
	x := func(i int) uint64 { return t.get(in.Args[0], i) }
	switch in.Op {
	case ir.OpSelect:
		cond := in.Args[0]
		for i := range n {
			from := in.Args[2]
			if t.get(cond, min(i, lanes(cond)-1)) != 0 {
				from = in.Args[1]
			}
			out[i] = t.get(from, i)
		}
	case ir.OpAnyTrue:
		for i := range lanes(in.Args[0]) {
			out[0] |= x(i)
		}
	case ir.OpAllTrue:
		out[0] = 1
		for i := range lanes(in.Args[0]) {
			out[0] &= x(i)
		}
	case ir.OpBuild:
		for i := range n {
			out[i] = t.get(in.Args[i], 0)
		}
	case ir.OpSplat:
		for i := range n {
			out[i] = x(0)
		}
	case ir.OpExtract:
		out[0] = x(int(in.Imm))
	case ir.OpExtractDyn:
		if i := t.get(in.Args[1], 0); i < uint64(lanes(in.Args[0])) {
			out[0] = x(int(i))
		}
	case ir.OpInsert, ir.OpInsertDyn:
		place := uint64(in.Imm)
		if in.Op == ir.OpInsertDyn {
			place = t.get(in.Args[2], 0)
		}
		for i := range n {
			out[i] = x(i)
			if uint64(i) == place {
				out[i] = t.get(in.Args[1], 0)
			}
		}
	case ir.OpSwizzle:
		for i := range n {
			p, first := int(in.Lane(i)), lanes(in.Args[0])
			if p < first {
				out[i] = x(p)
			} else {
				out[i] = t.get(in.Args[1], p-first)
			}
		}
	case ir.OpBitcast:
		var memory [32]byte
		k := in.Args[0].Type.Kind
		for i := range lanes(in.Args[0]) {
			putBits(k, memory[i*k.Size():], x(i))
		}
		k = res.Type.Kind
		for i := range n {
			out[i] = getBits(k, memory[i*k.Size():])
		}
	}
	for i := range n {
		t.set(res, i, out[i])
	}
}

// getBits reads an element of kind k from memory.
func getBits(k ir.Kind, b []byte) uint64 {
	switch k.Size() {
	case 1:
		if k == ir.I1 {
			return num.Truth(b[0] != 0)
		}
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// putBits writes an element of kind k to memory.
func putBits(k ir.Kind, b []byte, bits uint64) {
	switch k.Size() {
	case 1:
		b[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(b, bits)
	}
}

// outside sets in's result to a value read from the launch.
func (t *thread) outside(in *ir.Instr) error {
	g, res := t.g, in.Results[0]
	m := g.m
	switch in.Op {
	case ir.OpConst:
		for i := range lanes(res) {
			t.set(res, i, in.Lane(i))
		}
	case ir.OpFConst:
		for i := range lanes(res) {
			t.set(res, i, m.constants[in.Imm].Lanes[i])
		}
	case ir.OpFConstDefined:
		t.set(res, 0, num.Truth(m.constants[in.Imm].Defined))
	case ir.OpGlobalAddr:
		t.set(res, 0, uint64(exec.FirstGlobal+in.Imm)<<exec.OffsetBits)
	case ir.OpSharedAddr:
		t.set(res, 0, uint64(exec.FirstShared+in.Imm)<<exec.OffsetBits)
	case ir.OpSamplerConst:
		t.set(res, 0, uint64(exec.FirstSampler+in.Imm))
	case ir.OpAlloca:
		t.set(res, 0, uint64(exec.FirstAlloca+m.allocas[in])<<exec.OffsetBits)
	case ir.OpIn:
		v := t.input(ir.Input(in.Imm))
		for i := range lanes(res) {
			t.set(res, i, uint64(uint32(v[i])))
		}
	case ir.OpArg:
		a := &m.f.Args[in.Imm]
		slot := a.Index
		if len(in.Args) == 1 {
			i := t.get(in.Args[0], 0)
			if i >= uint64(a.Count) {
				t.set(res, 0, 0)
				return nil
			}
			slot += int(i)
		}
		t.set(res, 0, m.argument(a.Kind, slot))
	}
	return nil
}

// argument returns the address or handle in a slot, or 0, which is null, if nothing is bound.
func (m *machine) argument(kind ir.ArgKind, slot int) uint64 {
	bound := func(list []uint64) uint64 {
		if slot >= 0 && slot < len(list) {
			return list[slot]
		}
		return 0
	}
	switch kind {
	case ir.ArgBuffer, ir.ArgFunctionTable:
		return bound(m.l.Buffers)
	case ir.ArgThreadgroup:
		if slot >= 0 && slot < len(m.l.Threadgroup) {
			return uint64(exec.FirstSharedArg+slot) << exec.OffsetBits
		}
	case ir.ArgTexture:
		return bound(m.l.Textures)
	case ir.ArgSampler:
		return bound(m.l.Samplers)
	}
	return 0
}

// input returns the value of an input in this thread.
func (t *thread) input(i ir.Input) (v [3]int) {
	g, m := t.g, t.g.m
	count := func(size [3]int, each int) [3]int { return [3]int{(size[0]*size[1]*size[2] + each - 1) / each} }
	switch i {
	case ir.ThreadPositionInGrid:
		for d := range v {
			v[d] = g.pos[d]*m.Group[d] + t.pos[d]
		}
	case ir.ThreadPositionInThreadgroup:
		v = t.pos
	case ir.ThreadgroupPositionInGrid:
		v = g.pos
	case ir.ThreadsPerGrid, ir.GridSize:
		v = m.Grid
	case ir.ThreadsPerThreadgroup:
		v = g.size
	case ir.DispatchThreadsPerThreadgroup:
		v = m.Group
	case ir.ThreadgroupsPerGrid:
		v = m.Groups
	case ir.ThreadIndexInThreadgroup:
		v[0] = t.index
	case ir.ThreadIndexInSimdgroup:
		v[0] = t.index % ir.SimdWidth
	case ir.ThreadIndexInQuadgroup:
		v[0] = t.index % 4
	case ir.SimdgroupIndexInThreadgroup:
		v[0] = t.index / ir.SimdWidth
	case ir.QuadgroupIndexInThreadgroup:
		v[0] = t.index / 4
	case ir.SimdgroupsPerThreadgroup:
		v = count(g.size, ir.SimdWidth)
	case ir.QuadgroupsPerThreadgroup:
		v = count(g.size, 4)
	case ir.DispatchSimdgroupsPerThreadgroup:
		v = count(m.Group, ir.SimdWidth)
	case ir.DispatchQuadgroupsPerThreadgroup:
		v = count(m.Group, 4)
	case ir.ThreadsPerSimdgroup, ir.ThreadExecutionWidth:
		v[0] = ir.SimdWidth
	}
	return v
}

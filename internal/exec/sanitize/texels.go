package sanitize

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// texel reports texels that do not exist.
func (g *group) texel(t *hook.Texel) {
	if g.launch.s.kinds&sanitizer.Bounds == 0 {
		return
	}
	what := seen{kind: sanitizer.Bounds, instr: t.Instr, object: t.Texture}
	if _, known := g.launch.known.LoadOrStore(what, true); known {
		return
	}
	call := "read"
	switch t.Instr.Op {
	case ir.OpTexWrite:
		call = "write"
	case ir.OpTexAtomic, ir.OpTexAtomicCmpXchg:
		call = "atomic operation"
	}
	for l := range t.Lanes.All {
		f := g.finding(&t.Event, sanitizer.Bounds, t.First+l, texelMode(t.Instr).String())
		switch {
		case t.Missing:
			f.Message = call + " of a texel of no texture"
			f.Advice = "bind a texture to the argument"
		case t.ReadOnly:
			f.Message = call + " of a texel of a texture that cannot be written"
			f.Advice = "make the texture with a usage that includes writing"
		default:
			f.Message = fmt.Sprintf("%s of the texel at (%d, %d, %d), layer %d, level or sample %d, of a texture of "+
				"%d × %d × %d texels there, %d layers and %d levels", call, t.At[0], t.At[1], t.At[2], t.Layer, t.Level,
				t.Size[0], t.Size[1], t.Size[2], t.Layers, t.Levels)
			f.Advice = "compare the coordinates with the texture's size; the hardware drops the access"
		}
		f.Memory = g.launch.texture(g.id.fn, t.Texture)
		g.launch.s.add(f)
		return
	}
}

// texelMode returns what an operation does to texels.
func texelMode(in *ir.Instr) mode {
	switch {
	case in.Op == ir.OpTexWrite:
		return writes
	case in.Op.Info().Has(ir.Atomic):
		return reads | writes | isAtomic
	case in.Op == ir.OpTexRead && in.Imm == ir.TexReadAtomic:
		return reads | isAtomic
	}
	return reads
}

// writesTexels reports whether a kernel changes textures. Otherwise accesses of texels race with
// those of buffers at most.
func writesTexels(f *ir.Func) bool {
	return hasTextureOp(f, func(in *ir.Instr) bool { return texelMode(in)&writes != 0 })
}

// accessesTexels reports whether a kernel accesses any.
func accessesTexels(f *ir.Func) bool {
	return hasTextureOp(f, func(in *ir.Instr) bool {
		return in.Op != ir.OpTexQuery && in.Op != ir.OpTexFence && in.Op != ir.OpTexLOD
	})
}

func hasTextureOp(f *ir.Func, is func(*ir.Instr) bool) (found bool) {
	f.Body.Walk(func(in *ir.Instr) bool {
		found = found || in.Op.Info().Group == ir.TextureOps && is(in)
		return !found
	})
	return found
}

// texels compares accesses of texels with earlier ones.
func (g *group) texels(e *hook.Texels) {
	if !g.launch.textured {
		return
	}
	a := &hook.Access{Event: e.Event, Kind: ir.Void}
	var t *touching
	for l := range e.Lanes.All {
		if t == nil || len(e.Bytes[l]) != a.Size { // images of several formats
			if t != nil {
				t.unlock()
			}
			a.Size = len(e.Bytes[l])
			t = g.touching(a, textureMemory, texelMode(e.Instr))
			t.texels, t.shadow = e, &g.launch.far
		}
		t.bytes(l, int(addressOf(e.Bytes[l])), a.Size)
	}
	t.unlock()
	g.report()
}

// commands compares accesses to commands of indirect command buffers with earlier ones of the
// launch. Barriers for device memory order them.
func (g *group) commands(c *hook.Commands, markOf func(handle uint64) ([]byte, bool),
	holder func(address uintptr) Holder) {
	a := &hook.Access{Event: c.Event, Kind: ir.Void, Size: 1}
	for _, m := range [...]mode{reads, writes} {
		handles := &c.From
		if m == writes {
			handles = &c.To
		}
		at := func(lane int) uintptr {
			if mark, _ := markOf(handles[lane]); mark != nil {
				return addressOf(mark)
			}
			return 0
		}
		t := g.touching(a, deviceMemory, m)
		t.command, t.shadow = func(lane int) Holder { return holder(at(lane)) }, &g.launch.far
		for l := range c.Lanes.All {
			if address := at(l); address != 0 {
				t.bytes(l, int(address), 1)
			}
		}
		t.unlock()
	}
	g.report()
}

// fenceTexels makes what threads have written to textures visible to their own reads. A fence is
// taken to be one of all textures.
func (g *group) fenceTexels(e *hook.Event) {
	if g.fenced == nil {
		g.fenced = map[int]uint32{}
	}
	g.era[textureMemory]++
	for l := range e.Lanes.All {
		g.fenced[e.First+l] = g.era[textureMemory]
	}
}

// unfenced reports whether an earlier write of a texel was by the thread that reads it now, without
// a fence or a barrier in between.
func (g *group) unfenced(old, now stamp) bool {
	a, b := g.at(textureMemory, old.record()), g.at(textureMemory, now.record())
	thread := b.first + now.lane()
	if a.class != textureMemory || a.atomic || a.group != b.group || a.first+old.lane() != thread ||
		a.round < b.round || a.phase < b.phase || g.fenced[thread] > a.era {
		return false
	}
	k := g.clocks[textureMemory][thread/32]
	return k == nil || !k.since(a.simd[old.lane()/32], thread%32, thread%32)
}

// stale reports a read of a texel that the thread has written without a fence.
func (g *group) stale(t *touching, lane int, old stamp) {
	r := g.at(textureMemory, old.record())
	if g.launch.seen(sanitizer.Race, t.access.Instr, r.instr, t.texels.Texture) {
		return
	}
	f := g.finding(&t.access.Event, sanitizer.Race, t.access.First+lane, "reads")
	t.where(f, lane)
	f.Value = t.value(lane)
	f.Other = &sanitizer.Access{Place: placeOf(r.group.fn, r.instr.Loc), Kernel: r.group.fn.Name,
		Thread: r.group.thread(r.first + old.lane()), Does: "writes",
		Value: t.earlier(lane, old, r)}
	f.Message = "a thread reads the texel" + t.name(lane) + " that it has written, without a fence"
	f.Advice = "call the texture's fence() between the write and the read"
	g.found = append(g.found, f)
}

// name returns the coordinates of a lane's texel, after a space, "" if they are unknown.
func (t *touching) name(lane int) string {
	if name := t.texels.Name(lane); name != "" {
		return " at " + name
	}
	return ""
}

// where says in a finding what a lane has accessed.
func (t *touching) where(f *sanitizer.Finding, lane int) {
	switch {
	case t.command != nil:
		f.Memory = t.command(lane).String()
		return
	case t.texels == nil:
		t.g.where(f, t.access, lane)
		return
	}
	f.Memory = t.g.launch.texture(t.g.id.fn, t.texels.Texture)
}

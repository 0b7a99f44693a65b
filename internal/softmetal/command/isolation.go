package command

import (
	"maps"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// The kernels of an isolated command buffer can reach bound resources, as the kernel declares them,
// and the resources that the program has declared as reachable through memory, with useResource and
// useHeap or in residency sets. Each launch gets its own Space with just those; any other address
// is invalid. Kernels of other command buffers can reach the whole Space of the device, as in
// Metal's tier 2, at no cost.

// Use is an allocation that an encoder declares to be reached through memory.
type Use struct {
	ID    uint64 // names it to whoever made the buffer
	Write bool
}

// Grant is one thing that kernels may reach: an object, a texture or an indirect command buffer.
// The others are 0.
type Grant struct {
	Object, Texture, Indirect uint32
	Write                     bool
}

// Reach calls grant with everything in the allocations of an encoder, and of the residency sets of
// the buffer and its queue.
type Reach func(uses []Use, grant func(Grant))

// Isolated reports whether the buffer's kernels reach only what the program has declared.
func (b *Buffer) Isolated() bool { return b.Reach != nil }

// Use declares that the next dispatches of the encoder reach an allocation through memory.
func (e *Encoder) Use(call string, u Use) {
	if e.open(call) && e.b.Isolated() {
		e.b.list.uses = append(e.b.list.uses, u)
	}
}

// declared returns which declarations apply to a command.
func (e *Encoder) declared() span {
	return span{e.b.list.passes[e.pass].uses, int32(len(e.b.list.uses))}
}

// span are declarations in a list, from the first to before the last.
type span struct{ first, end int32 }

// reached is the set of resources that a command's declarations reach. It is immutable.
type reached struct {
	objects, textures, indirect map[uint32]bool // true if writable
}

// reached returns the resources that declarations reach. The commands of an encoder mostly have the
// same ones, so the last result is cached.
func (b *Buffer) reached(of span) *reached {
	b.reachedLock.Lock()
	defer b.reachedLock.Unlock()
	if b.reachedLast != nil && b.reachedSpan == of {
		return b.reachedLast
	}
	r := &reached{objects: map[uint32]bool{}, textures: map[uint32]bool{}, indirect: map[uint32]bool{}}
	b.Reach(b.list.uses[of.first:of.end], func(g Grant) {
		switch {
		case g.Object != 0:
			r.objects[g.Object] = r.objects[g.Object] || g.Write
		case g.Texture != 0:
			r.textures[g.Texture] = r.textures[g.Texture] || g.Write
		case g.Indirect != 0:
			r.indirect[g.Indirect] = r.indirect[g.Indirect] || g.Write
		}
	})
	b.reachedLast, b.reachedSpan = r, of
	return r
}

// allBound means that the program has bound all buffers of a dispatch itself.
const allBound = ^uint64(0)

// part returns the memory that a launch reaches. Of the buffers, only those count as bound whose
// slots have a bit in bound: a kernel that encodes a command may name any address.
func (g *GPU) part(r *reached, p *dispatch.Pipeline, a *dispatch.Bindings, bound uint64) *exec.Space {
	objects, textures := maps.Clone(r.objects), maps.Clone(r.textures)
	for i := range p.Args {
		arg := &p.Args[i]
		switch arg.Kind {
		case ir.ArgBuffer, ir.ArgFunctionTable:
			if arg.Index >= 0 && arg.Index < len(a.Buffers) && bound>>arg.Index&1 != 0 {
				id := uint32(a.Buffers[arg.Index] >> exec.OffsetBits)
				objects[id] = objects[id] || arg.Kind == ir.ArgBuffer && arg.Access != ir.Read.String()
			}
		case ir.ArgTexture:
			for slot := max(arg.Index, 0); slot < min(arg.Index+max(arg.Count, 1), len(a.Textures)); slot++ {
				if handle := a.Textures[slot]; handle <= exec.MaxHandle {
					textures[uint32(handle)] = textures[uint32(handle)] || writesTexture(arg)
				}
			}
		}
	}
	return g.memory.Space().Part(objects, textures)
}

func writesTexture(arg *ir.Arg) bool {
	return arg.TextureInfo == nil || arg.TextureInfo.Access == ir.Write.String() ||
		arg.TextureInfo.Access == ir.ReadWrite.String()
}

// Package bindless rewrites kernels so that they take textures and samplers from memory. Indirect
// commands bind buffers only, so this is how a kernel that another kernel launches gets them.
package bindless

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// Handle says where a rewritten kernel finds a texture or sampler: in a buffer of 8 bytes.
type Handle struct {
	Sampler bool
	Index   int // [[texture(Index)]] or [[sampler(Index)]] of the original kernel
	Buffer  int // [[buffer(Buffer)]] of the rewritten one, which holds the handle
	Kind    Kind
}

// Kind is the type of a texture as kernels that launch others describe it, in <puremetal/launch>:
// an [ir.TextureDim], 256 times the component, 65536 times the access. It is 0 for a sampler.
type Kind uint32

// components are those of textures, and accesses what kernels do with them.
var (
	components = [...]string{"", "float", "half", "int", "uint", "short", "ushort"}
	accesses   = [...]string{"sample", "read", "write", "read_write"}
)

// kindOf returns the type of an argument.
func kindOf(a *ir.Arg) Kind {
	if a.TextureInfo == nil {
		return 0
	}
	component, access := 0, 0
	for i, name := range components {
		if strings.EqualFold(name, a.TextureInfo.Data.String()) {
			component = i
		}
	}
	for i, name := range accesses {
		if name == a.TextureInfo.Access {
			access = i
		}
	}
	return Kind(int(a.TextureInfo.Dim) | component<<8 | access<<16)
}

// String returns the type in Metal's syntax: "texture2d<float, access::write>".
func (k Kind) String() string {
	name := ir.TextureDim(k & 0xff).String()
	if !strings.HasPrefix(name, "depth") && name != "buffer" {
		name = "texture" + name
	} else if name == "buffer" {
		name = "texture_buffer"
	}
	component, access := "other", "other"
	if c := int(k >> 8 & 0xff); c > 0 && c < len(components) {
		component = components[c]
	}
	if a := int(k >> 16 & 0xff); a < len(accesses) {
		access = accesses[a]
	}
	return fmt.Sprintf("%s<%s, access::%s>", name, component, access)
}

// maxBuffers is the number of buffers that a rewritten kernel may have. The one after them is the
// launcher of kernels that launch others.
const maxBuffers = 30

// Rewrite returns a copy of a kernel whose textures and samplers are in buffers, one for each.
func Rewrite(f *ir.Func) (*ir.Func, []Handle, error) {
	f = f.Clone()
	used := map[int]bool{}
	for i := range f.Args {
		if a := &f.Args[i]; a.Kind == ir.ArgBuffer || a.Kind == ir.ArgFunctionTable {
			used[a.Index] = true
		}
	}
	var handles []Handle
	moved := map[int64]bool{}
	next := 0
	for i := range f.Args {
		a := &f.Args[i]
		if a.Kind != ir.ArgTexture && a.Kind != ir.ArgSampler {
			continue
		}
		if a.Count > 0 {
			return nil, nil, fmt.Errorf("%s %d (%s) is an array, which launches cannot pass; put the array into an argument "+
				"buffer", a.Kind, a.Index, a.Name)
		}
		for used[next] {
			next++
		}
		if next >= maxBuffers {
			return nil, nil, fmt.Errorf("%s %d (%s) needs a buffer index, and the kernel uses all %d", a.Kind, a.Index, a.Name,
				maxBuffers)
		}
		handles = append(handles, Handle{a.Kind == ir.ArgSampler, a.Index, next, kindOf(a)})
		used[next], moved[int64(i)] = true, true
		f.Args[i] = ir.Arg{Kind: ir.ArgBuffer, Index: next, Name: a.Name, Type: "ulong", Space: "constant", Access: "read",
			Size: 8, Align: 8, Condition: a.Condition, Computed: a.Computed, When: a.When, Active: a.Active, Reference: true}
	}
	load(ir.NewBuilder(f), f.Body, moved)
	return f, handles, nil
}

// load replaces arguments that have moved to memory by loads of their handles. They stay where they
// were: an argument that depends on a function constant may not exist elsewhere.
func load(b *ir.Builder, r *ir.Region, moved map[int64]bool) {
	old := r.Instrs
	r.Instrs = nil
	for _, in := range old {
		for _, sub := range in.Regions {
			load(b, sub, moved)
		}
		if in.Op == ir.OpArg && moved[in.Imm] {
			b.SetLoc(in.Loc)
			b.In(r, func() { in.Args = []*ir.Value{b.Arg(int(in.Imm), ir.PointerTo(ir.Constant))} })
			in.Op, in.Imm = ir.OpLoad, 0
		}
		r.Instrs = append(r.Instrs, in)
	}
}

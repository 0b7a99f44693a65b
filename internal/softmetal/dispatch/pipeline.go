package dispatch

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

// Pipeline is a kernel that can be launched, and what a dispatch must give it. It does not change
// once [New] has returned it, except for its Cooperation.
type Pipeline struct {
	Name            string // of the kernel
	Code            *exec.Kernel
	Args            []ir.Arg       // what the host binds, as far as it exists under the function's constants
	Constants       map[int][]byte // function constants by index
	MaxThreads      int            // in a threadgroup
	Required        [3]int         // threads of every threadgroup; zeros where the size is free
	MultipleOfWidth bool           // threadgroups are whole simdgroups
	StaticMemory    int            // bytes of threadgroup memory that the kernel declares
	ThreadMemory    int            // bytes of thread memory that a thread has
	Indirect        bool           // may be used by commands of indirect command buffers
	Logging         bool           // the kernel writes to the log
	Validation      int            // an MTLShaderValidation
	Cooperation     *Cooperation   // set by New

	needs  []need
	shared [][2]int // indices of needs: a texture that the kernel only reads, and one that it writes
}

// New returns a pipeline with these fields.
func New(p Pipeline) *Pipeline {
	p.needs, p.Cooperation = needsOf(p.Args), &Cooperation{}
	for i := range p.needs {
		for j := range p.needs {
			if p.needs[i].onlyReads() && p.needs[j].writesTexture() {
				p.shared = append(p.shared, [2]int{i, j})
			}
		}
	}
	return &p
}

// need is an argument that the kernel uses, and what has to be bound for it.
type need struct {
	kind  ir.ArgKind
	index int
	count int // slots of an array of textures or samplers, of which any may be empty; else 0
	name  string

	size, align uint64 // of the first object in a buffer
	texture     textureNeed
}

// textureNeed is what a texture argument is declared as.
type textureNeed struct {
	kind    string // an MTLTextureType without its prefix
	numbers Numbers
	usage   uint64
}

// onlyReads reports whether the argument is a texture that the kernel cannot write. Arrays do not
// count: a kernel need not use all their elements.
func (n *need) onlyReads() bool {
	return n.kind == ir.ArgTexture && n.count == 0 && n.texture.usage == UsageRead
}

func (n *need) writesTexture() bool {
	return n.kind == ir.ArgTexture && n.count == 0 && n.texture.usage&UsageWrite != 0
}

// needsOf lists the arguments that the kernel's result depends on.
func needsOf(args []ir.Arg) []need {
	var needs []need
	for i := range args {
		a := &args[i]
		if !a.Active {
			continue
		}
		n := need{kind: a.Kind, index: a.Index, count: a.Count, name: a.Name}
		switch {
		case a.Kind == ir.ArgBuffer:
			n.size, n.align = uint64(max(a.Size, 0)), uint64(max(a.Align, 1))
		case a.Kind == ir.ArgTexture && a.TextureInfo != nil:
			n.texture = textureNeed{kind: kindOf(a.TextureInfo.Dim), numbers: numbersOf(a.TextureInfo.Data),
				usage: usageOf(a.TextureInfo.Access)}
		}
		needs = append(needs, n)
	}
	return needs
}

// Uses calls f with each argument that must be bound, until f returns false. Elements of arrays are
// left out: a kernel need not use them all.
func (p *Pipeline) Uses(f func(kind ir.ArgKind, index int, name string) bool) {
	for i := range p.needs {
		if n := &p.needs[i]; n.count == 0 && !f(n.kind, n.index, n.name) {
			return
		}
	}
}

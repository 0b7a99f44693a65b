// Package harvest, for tests, collects the launches of a program on the software device, and judges
// the sanitizer by their kernels and by mutants of these.
package harvest

import (
	"crypto/sha256"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/test/sanitizetest"
)

// maxBytes limits the memory of a launch.
const maxBytes = 4 << 20

// Mutants runs a program, and judges the first launch of each of its kernels on a device, an
// MTLDevice of the software driver, and one of every so many mutants. The test fails if the
// sanitizer reports what the oracle denies, misses a mistake of a mutant, or if fewer than least
// kernels are judged. Not judged are kernels with argument buffers or commands, whose memory is not
// copied, and launches of more threads than the oracle takes.
func Mutants(t *testing.T, device objcsoft.ID, every, least int, program func()) {
	if softmetal.Opened() == nil {
		t.Skip("the sanitizer is one of the software device")
	}
	if os.Getenv("PUREMETAL_SANITIZE") != "" {
		t.Skip("PUREMETAL_SANITIZE observes the device")
	}
	h := &harvest{known: map[[sha256.Size]byte]bool{}}
	for _, o := range []command.Observer{h.observe, nil} {
		if err := softmetal.Observe(softmetal.Opened(), device, o); err != nil {
			t.Fatal(err)
		}
		if o != nil {
			program()
		}
	}
	e := exec.NewEngine(1)
	defer e.Close()
	tally := sanitizetest.Tally{Every: every, Engine: e}
	// In an order that does not depend on the one in which streams have run.
	slices.SortFunc(h.kept, func(a, b *launch) int { return slices.Compare(a.key[:], b.key[:]) })
	for _, l := range h.kept {
		tally.Judge(t, l.kernel, l.fresh, false)
	}
	t.Logf("%d kernels, of which %d judged; mutants:\n%v", len(h.kept), tally.Kernels, &tally)
	if tally.Kernels < least {
		t.Errorf("%d kernels are judged, want %d at least", tally.Kernels, least)
	}
}

// harvest collects launches.
type harvest struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]bool // by the text of the kernel
	kept  []*launch
}

// launch is a copy of one, as it was before it ran.
type launch struct {
	key    [sha256.Size]byte
	kernel *ir.Func
	exec   *exec.Launch
}

// watch learns which kernel a launch is of.
type watch struct {
	hook.None
	once   sync.Once
	kernel *ir.Func
}

// GroupBegin implements hook.Hook.
func (w *watch) GroupBegin(g *hook.Group) { w.once.Do(func() { w.kernel = g.Func }) }

// observe is a command.Observer.
func (h *harvest) observe(x *command.Launched) (hook.Hook, func(error)) {
	g, err := x.Launch.Geometry()
	if err != nil || g.Total*int64(g.Group[0]*g.Group[1]*g.Group[2]) > sanitizetest.MaxThreads ||
		x.Launch.Cooperative != nil {
		return nil, nil
	}
	l, w := copied(x.Launch), &watch{}
	if l == nil {
		return nil, nil
	}
	return w, func(err error) {
		if err == nil && w.kernel != nil && !unknown(w.kernel) {
			h.keep(&launch{sha256.Sum256([]byte(w.kernel.String())), w.kernel, l})
		}
	}
}

// unknown reports whether a kernel uses what copies of launches have not.
func unknown(f *ir.Func) (is bool) {
	f.Body.Walk(func(in *ir.Instr) bool {
		is = is || in.Op == ir.OpCommandSet
		return !is
	})
	return is || slices.ContainsFunc(f.Args, func(a ir.Arg) bool { return a.ArgumentBuffer })
}

func (h *harvest) keep(l *launch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.known[l.key] {
		h.known[l.key] = true
		h.kept = append(h.kept, l)
	}
}

// fresh returns a copy to run.
func (l *launch) fresh() (*exec.Launch, error) { return copied(l.exec), nil }

// copied copies a launch with its memory. It returns nil if that is too much.
func copied(l *exec.Launch) *exec.Launch {
	bytes := 0
	clone := func(data []byte) []byte {
		bytes += len(data)
		if bytes > maxBytes {
			return nil
		}
		return slices.Clone(data)
	}
	textures := map[uint32]bool{}
	for _, handle := range l.Textures {
		textures[uint32(handle)] = true
	}
	space := l.Space.Part(nil, textures)
	for _, address := range l.Buffers {
		id := address >> exec.OffsetBits
		o := l.Space.Object(id)
		space.Set(uint32(id), exec.Object{Data: clone(o.Data), ReadOnly: o.ReadOnly})
	}
	for handle := range textures {
		if x := l.Space.Texture(uint64(handle)); x != nil {
			y := *x
			y.Levels = slices.Clone(x.Levels)
			for i := range y.Levels {
				y.Levels[i].Data = clone(y.Levels[i].Data)
			}
			space.SetTexture(handle, &y)
		}
	}
	if bytes > maxBytes {
		return nil
	}
	return &exec.Launch{Grid: l.Grid, Group: l.Group, Space: space, Buffers: slices.Clone(l.Buffers),
		Threadgroup: slices.Clone(l.Threadgroup), Textures: slices.Clone(l.Textures),
		Samplers: slices.Clone(l.Samplers), Constants: maps.Clone(l.Constants)}
}

package sanitize

import (
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// placeOf returns the position of an instruction.
func placeOf(f *ir.Func, l ir.Loc) sanitizer.Place {
	if l.Line == 0 || l.File == 0 || int(l.File) > len(f.Module.Files) {
		return sanitizer.Place{}
	}
	return sanitizer.Place{File: f.Module.Files[l.File-1], Line: int(l.Line), Column: int(l.Col)}
}

// MaxFindings is the number of different findings that a Sanitizer keeps.
const MaxFindings = 1000

// Sanitizer collects the findings of launches. Several launches may be observed at the same time.
type Sanitizer struct {
	kinds sanitizer.Kinds
	found func(*sanitizer.Finding) // called for each new finding; nil for none

	// Used, if set, returns how many bytes of an object in device memory a kernel may access; -1
	// for all.
	Used func(object uint64) int

	// Label, if set, returns the label of an object in device memory, "" for none.
	Label func(object uint64) string

	// parent gets the findings, which are of commands of a queue, by its number.
	parent *Sanitizer
	queue  uint64

	// FoundIn, if set, is called in place of found, with the number of the queue, 0 if it is unknown.
	FoundIn func(f *sanitizer.Finding, queue uint64)

	mu       sync.Mutex
	findings []*sanitizer.Finding
	known    map[key]bool
}

// key is what makes findings the same: their kind and places.
type key struct {
	kind         sanitizer.Kinds
	kernel       string
	place, other sanitizer.Place
	memory       string
	across       bool // between commands
}

// New returns a Sanitizer for some kinds of mistakes. It calls found, unless that is nil, with each
// finding that differs from all earlier ones, on the goroutine of the launch.
func New(kinds sanitizer.Kinds, found func(*sanitizer.Finding)) *Sanitizer {
	return &Sanitizer{kinds: kinds, found: found, known: map[key]bool{}}
}

// Findings returns the findings so far, in the order of their places.
func (s *Sanitizer) Findings() []*sanitizer.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.findings)
	slices.SortStableFunc(list, (*sanitizer.Finding).Compare)
	return list
}

// of returns a Sanitizer whose findings are those of a queue.
func (s *Sanitizer) of(queue uint64) *Sanitizer {
	return &Sanitizer{kinds: s.kinds, Used: s.Used, Label: s.Label, parent: s, queue: queue}
}

// add records a finding. A race is the same whichever of its accesses came last.
func (s *Sanitizer) add(f *sanitizer.Finding) {
	if s.parent != nil {
		s.parent.addOf(f, s.queue)
		return
	}
	s.addOf(f, 0)
}

func (s *Sanitizer) addOf(f *sanitizer.Finding, queue uint64) {
	k := key{kind: f.Kind, kernel: f.Kernel, place: f.Place, memory: f.Memory, across: f.Command != ""}
	if f.Other != nil {
		k.other = f.Other.Place
	}
	back := k
	if f.Other != nil {
		back.place, back.other = k.other, k.place
	}
	s.mu.Lock()
	isNew := !s.known[k] && !s.known[back] && len(s.findings) < MaxFindings
	if isNew {
		s.known[k] = true
		s.findings = append(s.findings, f)
	}
	s.mu.Unlock()
	switch {
	case !isNew:
	case s.FoundIn != nil:
		s.FoundIn(f, queue)
	case s.found != nil:
		s.found(f)
	}
}

// Launch returns a hook that observes a launch.
func (s *Sanitizer) Launch(l *exec.Launch) hook.Hook {
	r := &launch{s: s, space: l.Space, threadgroup: slices.Clone(l.Threadgroup), memory: map[uint64]*shadow{},
		arguments: map[uint64]int{}, textures: map[uint64]int{}, known: new(sync.Map), far: shadow{far: new(sync.Map)}}
	for i, address := range l.Buffers {
		if _, ok := r.arguments[address>>exec.OffsetBits]; !ok && address != 0 {
			r.arguments[address>>exec.OffsetBits] = i
		}
	}
	for i, handle := range l.Textures {
		if _, ok := r.textures[handle]; !ok && handle != 0 {
			r.textures[handle] = i
		}
	}
	r.overlap = overlaps(l)
	return &watcher{launch: r}
}

// overlaps reports whether one of the textures of a launch is in the memory of one of its buffers.
func overlaps(l *exec.Launch) bool {
	for _, handle := range l.Textures {
		x := l.Space.Texture(handle)
		if x == nil || len(x.Levels) == 0 || len(x.Levels[0].Data) == 0 {
			continue
		}
		at := addressOf(x.Levels[0].Data)
		for _, address := range l.Buffers {
			data := l.Space.Object(address >> exec.OffsetBits).Data
			if len(data) > 0 && at-addressOf(data) < uintptr(len(data)) {
				return true
			}
		}
	}
	return false
}

// launch is what the threadgroups of a launch share.
type launch struct {
	s           *Sanitizer
	space       *exec.Space
	threadgroup []int          // lengths of its arguments in threadgroup memory
	arguments   map[uint64]int // the slot of each object that is bound, by its number
	textures    map[uint64]int // and of each texture, by its handle

	mu     sync.RWMutex
	memory map[uint64]*shadow // of the device, by object
	log    records
	idle   []*group // of threadgroups that have ended
	known  syncMap  // seen: the findings so far

	bytewise bool // every access is compared lane by lane and byte by byte

	far      shadow // by addresses of the process: of texels, of buffers if aliased, and of commands
	textured bool   // accesses of texels are compared
	overlap  bool   // a texture may be made of a buffer
	aliased  bool   // and the kernel accesses texels

	once   sync.Once // for what the kernel has
	fences bool      // the kernel has fences that order memory with atomic operations
	order  sync.Mutex
	heard  map[uint64]*message // by address in device memory; order must be locked
}

// shadowOf returns the shadow of an object in device memory.
func (l *launch) shadowOf(object uint64) *shadow {
	l.mu.RLock()
	s := l.memory[object]
	l.mu.RUnlock()
	if s != nil {
		return s
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s = l.memory[object]; s == nil {
		s = newShadow(len(l.space.Object(object).Data))
		l.memory[object] = s
	}
	return s
}

// describe names the memory at an address.
func (l *launch) describe(f *ir.Func, space ir.Space, address uint64) string {
	object := address >> exec.OffsetBits
	variable := func(name, what string) string {
		if name == "" {
			return what
		}
		return fmt.Sprintf("%s %q", what, name)
	}
	switch {
	case object == 0:
		return "null"
	case object >= exec.FirstAlloca:
		return "a variable of the thread"
	case object >= exec.FirstSharedArg:
		slot := int(object - exec.FirstSharedArg)
		for _, a := range f.Args {
			if a.Kind == ir.ArgThreadgroup && a.Index == slot {
				return variable(a.Name, fmt.Sprintf("threadgroup argument %d", slot))
			}
		}
		return fmt.Sprintf("threadgroup argument %d", slot)
	case object >= exec.FirstShared:
		if i := int(object - exec.FirstShared); i < len(f.Threadgroup) {
			return variable(f.Threadgroup[i].Name, "threadgroup variable")
		}
		return "threadgroup memory"
	case object >= exec.FirstGlobal:
		if i := int(object - exec.FirstGlobal); i < len(f.Module.Globals) {
			return variable(f.Module.Globals[i].Name, "constant")
		}
		return "constant memory"
	}
	slot, ok := l.arguments[object]
	if !ok {
		return fmt.Sprintf("%v memory", space)
	}
	for _, a := range f.Args {
		if a.Kind == ir.ArgBuffer && a.Index == slot {
			return variable(a.Name, fmt.Sprintf("buffer %d", slot))
		}
	}
	return fmt.Sprintf("buffer %d", slot)
}

// elementSize returns the size of the elements of the argument at an address, 0 if it is unknown.
func (l *launch) elementSize(f *ir.Func, address uint64) int {
	kind, object := ir.ArgBuffer, address>>exec.OffsetBits
	slot, ok := l.arguments[object]
	if object >= exec.FirstSharedArg && object < exec.FirstAlloca {
		kind, slot, ok = ir.ArgThreadgroup, int(object-exec.FirstSharedArg), true
	}
	for _, a := range f.Args {
		if ok && a.Kind == kind && a.Index == slot {
			return a.Size
		}
	}
	return 0
}

// texture names a texture.
func (l *launch) texture(f *ir.Func, handle uint64) string {
	slot, ok := l.textures[handle]
	if !ok {
		return "a texture"
	}
	for _, a := range f.Args {
		if a.Kind == ir.ArgTexture && a.Index == slot && a.Name != "" {
			return fmt.Sprintf("texture %d %q", slot, a.Name)
		}
	}
	return fmt.Sprintf("texture %d", slot)
}

// sizeOf returns the size of the object at an address, or -1 if it is unknown.
func (l *launch) sizeOf(f *ir.Func, address uint64) int {
	object := address >> exec.OffsetBits
	switch {
	case object >= exec.FirstAlloca:
		return -1
	case object >= exec.FirstSharedArg:
		if i := int(object - exec.FirstSharedArg); i < len(l.threadgroup) {
			return l.threadgroup[i]
		}
	case object >= exec.FirstShared:
		if i := int(object - exec.FirstShared); i < len(f.Threadgroup) {
			return f.Threadgroup[i].Size
		}
	case object >= exec.FirstGlobal:
		if i := int(object - exec.FirstGlobal); i < len(f.Module.Globals) {
			return len(f.Module.Globals[i].Data)
		}
	default:
		n := len(l.space.Object(object).Data)
		if l.s.Used != nil {
			if used := l.s.Used(object); used >= 0 {
				n = min(n, used)
			}
		}
		return n
	}
	return -1
}

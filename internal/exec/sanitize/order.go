package sanitize

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// Turn is the place of a command, a launch or a copy, in the order of a device's work.
type Turn interface {
	// Before reports whether the command ends before another one begins, as far as the memory at an
	// address is concerned, which they access through textures, through buffers or both. tracked means
	// that the device orders such accesses by itself.
	Before(o Turn, tracked bool, address uintptr, textures, buffers bool) bool
	// Missing says which order is missing between two commands that have none, and how to make one.
	Missing(o Turn) (what, advice string)
	// Where names the place.
	Where() string
	// Queue returns the number of the queue.
	Queue() uint64
}

// Memory is what a History must know of a device's memory. Addresses are those of the process,
// which resources that share memory share.
type Memory interface {
	// Tracked and TextureTracked report whether the device orders accesses to an object, or to the
	// texture of a handle, of encoders of a queue.
	Tracked(object uint64) bool
	TextureTracked(handle uint64) bool
	// Holder returns what is at an address.
	Holder(address uintptr) Holder
}

// Holder is a buffer, or an indirect command buffer.
type Holder struct {
	Label    string
	Offset   uint64 // of the address in the buffer; or the number of the command
	Commands bool   // it is an indirect command buffer
}

// String names it.
func (h Holder) String() string {
	switch {
	case h.Commands && h.Label == "":
		return "an indirect command buffer"
	case h.Commands:
		return fmt.Sprintf("indirect command buffer %q", h.Label)
	case h.Label == "":
		return "a buffer"
	}
	return fmt.Sprintf("buffer %q", h.Label)
}

// History finds races between commands. It has the bytes that earlier commands have accessed.
type History struct {
	memory Memory

	mu    sync.Mutex
	pages map[uintptr][]*past  // by number
	found []*sanitizer.Finding // not reported yet
}

// NewHistory returns a History of no commands.
func NewHistory(m Memory) *History { return &History{memory: m, pages: map[uintptr][]*past{}} }

// past is what a command did to bytes of a page.
type past struct {
	*deed
	turn    Turn
	tracked bool
	bytes   *byteSet
	runs    []run  // the first ones
	texture string // whose texels they are, "" for others
}

// run are bytes that consecutive threads of a threadgroup access, each the same number of them.
type run struct {
	at    uintptr
	n     uint32
	first int32 // thread
	group *groupID
}

// maxRuns is how many runs of a page are kept for each instruction, so that findings have threads.
const maxRuns = 8

// thread returns the thread that is known to have accessed a byte, the zero Thread if none is.
func (p *past) thread(at uintptr) sanitizer.Thread {
	for _, r := range p.runs {
		if i := at - r.at; i < uintptr(r.n) {
			return r.group.thread(int(r.first) + int(i)/p.each)
		}
	}
	return sanitizer.Thread{}
}

// deed is an access of a kernel, or a command that copies.
type deed struct {
	mode   mode
	size   int // of an access of a kernel
	each   int // bytes of a thread; 0 of a copy
	kind   ir.Kind
	access sanitizer.Access
}

// trace collects the bytes that a launch accesses.
type trace struct {
	launch *launch
	mu     sync.RWMutex
	sites  map[traceKey]*site
}

type traceKey struct {
	fn    *ir.Func
	instr *ir.Instr
	mode  mode
}

// site is what one instruction of a launch accesses.
type site struct {
	traceKey
	each   int // bytes of a lane; 0 for texels
	kind   ir.Kind
	mu     sync.Mutex
	pages  map[uintptr]*sitePage // by number
	object uint64                // the last one, with
	base   uintptr               // its address
	size   uint64
	number uintptr   // of
	page   *sitePage // the last one
}

// sitePage is what an instruction accesses of a page, and for findings where that is and who did.
type sitePage struct {
	bytes byteSet
	home  home
	runs  []run
}

// home is where a page's bytes are in an object, which texture they are of, or which commands of
// indirect command buffers they stand for.
type home struct {
	object    uint64
	base      uintptr
	texture   uint64
	commands  bool
	untracked bool // of commands
}

func newTrace(l *launch) *trace { return &trace{launch: l, sites: map[traceKey]*site{}} }

// add adds an access to device memory.
func (t *trace) add(a *hook.Access, m mode) {
	if a.Space != ir.Device && a.Space != ir.Constant || a.Size == 0 {
		return
	}
	s := t.site(&a.Event, m, a.Size, a.Kind)
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.From != nil {
		if first, n, ok := a.Line(); ok { // the lanes' bytes are adjacent
			s.mark(t.launch.space, first, first+n, a, 0)
			return
		}
		a.Fill()
	}
	var from, to uint64 // bytes not yet added
	lane, next := 0, 0  // whose they are
	for l := range a.Lanes.All {
		if a.Out.Has(l) {
			continue
		}
		if at := a.Addrs[l]; at == to && l == next {
			to += uint64(a.Size)
		} else {
			s.mark(t.launch.space, from, to, a, lane)
			from, to, lane = at, at+uint64(a.Size), l
		}
		next = l + 1
	}
	s.mark(t.launch.space, from, to, a, lane)
}

// texels adds an access to textures.
func (t *trace) texels(e *hook.Texels) {
	s := t.site(&e.Event, texelMode(e.Instr), 0, ir.Void)
	s.mu.Lock()
	defer s.mu.Unlock()
	h := home{texture: e.Texture}
	for l := range e.Lanes.All {
		s.add(addressOf(e.Bytes[l]), uintptr(len(e.Bytes[l])), h, &e.Event, l)
	}
}

// commands adds an access to commands of indirect command buffers.
func (t *trace) commands(c *hook.Commands, markOf func(handle uint64) ([]byte, bool)) {
	for m, handles := range map[mode]*[hook.MaxLanes]uint64{writes: &c.To, reads: &c.From} {
		for l := range c.Lanes.All {
			if mark, tracked := markOf(handles[l]); mark != nil {
				s := t.site(&c.Event, m, 1, ir.Void)
				s.mu.Lock()
				s.add(addressOf(mark), 1, home{commands: true, untracked: !tracked}, &c.Event, l)
				s.mu.Unlock()
			}
		}
	}
}

// site returns what an instruction accesses.
func (t *trace) site(e *hook.Event, m mode, size int, kind ir.Kind) *site {
	k := traceKey{e.Group.Func, e.Instr, m}
	t.mu.RLock()
	s := t.sites[k]
	t.mu.RUnlock()
	if s == nil {
		t.mu.Lock()
		if s = t.sites[k]; s == nil {
			s = &site{traceKey: k, each: size, kind: kind, pages: map[uintptr]*sitePage{}}
			t.sites[k] = s
		}
		t.mu.Unlock()
	}
	return s
}

// mark adds bytes of an object that lanes from one on access.
func (s *site) mark(space *exec.Space, from, to uint64, a *hook.Access, lane int) {
	if from == to {
		return
	}
	if o := from >> exec.OffsetBits; o != s.object || s.base == 0 {
		data := space.Object(o).Data
		s.object, s.base, s.size = o, addressOf(data), uint64(len(data))
	}
	at, n := from&exec.OffsetMask, to-from
	if o := from >> exec.OffsetBits; o >= exec.FirstGlobal || s.base == 0 || at >= s.size {
		return
	}
	s.add(s.base+uintptr(at), uintptr(min(n, s.size-at)), home{object: s.object, base: s.base}, &a.Event, lane)
}

// add adds bytes of the process.
func (s *site) add(address, n uintptr, h home, e *hook.Event, lane int) {
	r := run{at: address, n: uint32(n), first: int32(e.First + lane), group: groupOf(e).id}
	eachPage(address, n, func(page uintptr, first, n int) {
		if s.page == nil || s.number != page {
			s.number, s.page = page, s.pages[page]
			if s.page == nil {
				s.page = &sitePage{home: h}
				s.pages[page] = s.page
			}
		}
		s.page.bytes.add(first, n)
		if len(s.page.runs) < maxRuns {
			s.page.runs = append(s.page.runs, r)
		}
	})
}

// addressOf returns the address of memory that does not move.
func addressOf(b []byte) uintptr { return reflect.ValueOf(b).Pointer() }

// Forget forgets the accesses to bytes, which become another resource's.
func (h *History) Forget(address, n uintptr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	eachPage(address, n, func(page uintptr, first, n int) {
		list := h.pages[page]
		if n < bytesPage {
			gone := new(byteSet)
			gone.add(first, n)
			for _, p := range list {
				p.bytes = p.bytes.without(gone)
			}
			list = slices.DeleteFunc(list, func(p *past) bool { return p.bytes.empty() })
		} else {
			list = nil
		}
		if len(list) > 0 {
			h.pages[page] = list
		} else {
			delete(h.pages, page)
		}
	})
}

// Users calls f with the commands that have accessed bytes, as far as they are remembered.
func (h *History) Users(address, n uintptr, f func(Turn)) {
	h.mu.Lock()
	var turns []Turn
	eachPage(address, n, func(page uintptr, _, _ int) {
		for _, p := range h.pages[page] {
			if !slices.Contains(turns, p.turn) {
				turns = append(turns, p.turn)
			}
		}
	})
	h.mu.Unlock()
	for _, t := range turns {
		f(t)
	}
}

// launched adds the accesses of a launch that has ended.
func (h *History) launched(s *Sanitizer, turn Turn, t *trace) {
	defer h.flush(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range t.sorted() {
		d := &deed{x.mode, x.each, cmp.Or(x.each, bytesPage), x.kind, sanitizer.Access{Place: placeOf(x.fn, x.instr.Loc),
			Kernel: x.fn.Name, Does: x.mode.String(), Command: turn.Where()}}
		tracked := map[home]bool{}
		for number, page := range x.pages {
			home := page.home
			is, ok := tracked[home]
			if !ok {
				switch {
				case home.commands:
					is = !home.untracked
				case home.texture != 0:
					is = h.memory.TextureTracked(home.texture)
				default:
					is = h.memory.Tracked(home.object)
				}
				tracked[home] = is
			}
			texture := ""
			if home.texture != 0 {
				texture = t.launch.texture(x.fn, home.texture)
			}
			now := &past{d, turn, is, page.bytes.shared(), page.runs, texture}
			h.add(number, now, memory{t.launch.space.Object(home.object).Data, func(at uintptr) (string, uint64) {
				offset := uint64(at - home.base)
				return t.launch.describe(x.fn, ir.Device, exec.Address(uint32(home.object), offset)), offset
			}})
		}
	}
}

// sorted returns the sites in the order of their places, so that findings do not depend on chance.
func (t *trace) sorted() []*site {
	var list []*site
	for _, s := range t.sites {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *site) int {
		if c := int(a.instr.Loc.Line) - int(b.instr.Loc.Line); c != 0 {
			return c
		}
		if c := int(a.instr.Loc.Col) - int(b.instr.Loc.Col); c != 0 {
			return c
		}
		return int(a.mode) - int(b.mode)
	})
	return list
}

// copied adds a copy.
func (h *History) copied(s *Sanitizer, turn Turn, c *Copy) {
	defer h.flush(s)
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, b := range [...][]byte{c.From, c.To} {
		if len(b) == 0 {
			continue
		}
		d := &deed{reads, 0, 0, ir.Void, sanitizer.Access{Does: "reads", Command: c.Call + " in " + turn.Where()}}
		if i == 1 {
			d.mode, d.access.Does = writes, "writes"
		}
		eachPage(addressOf(b), uintptr(len(b)), func(page uintptr, first, n int) {
			set := new(byteSet)
			set.add(first, n)
			// Copies are tracked as the buffers that they name are: by whichever object the other
			// command has accessed the bytes.
			h.add(page, &past{d, turn, !c.Untracked, set.shared(), nil, ""}, memory{b, h.nameOf})
		})
	}
}

// nameOf names the memory of a copy.
func (h *History) nameOf(at uintptr) (string, uint64) {
	x := h.memory.Holder(at)
	return x.String(), x.Offset
}

// maxPast is how many accesses of a page are remembered.
const maxPast = 64

// memory is what a command accesses: its bytes, if it is no texture, and how to name them.
type memory struct {
	data     []byte
	describe func(at uintptr) (string, uint64)
}

// value returns the number of a kind that the memory has at an address.
func (m memory) value(k ir.Kind, at uintptr) sanitizer.Value {
	if len(m.data) == 0 || k.Size() == 0 {
		return sanitizer.Value{}
	}
	i := int(at - addressOf(m.data))
	return valueAt(k, m.data, i-i%k.Size())
}

// add compares an access with earlier ones of its page, and remembers it.
func (h *History) add(page uintptr, now *past, of memory) {
	list := h.pages[page][:0]
	for _, p := range h.pages[page] {
		both := p.bytes.both(now.bytes)
		if p.turn == now.turn || both < 0 {
			list = append(list, p)
			continue
		}
		before := p.turn.Before(now.turn, p.tracked && now.tracked, page*bytesPage+uintptr(both),
			p.texture+now.texture != "", p.texture == "" || now.texture == "")
		if !before && (p.mode|now.mode)&writes != 0 && p.mode&now.mode&isAtomic == 0 {
			h.report(p, now, page*bytesPage+uintptr(both), of)
		}
		// Whatever races with an access that the new one follows and covers, races with the new one.
		if before && (now.mode&writes != 0 || p.mode&writes == 0) && (now.mode&isAtomic == 0 || p.mode&isAtomic != 0) {
			p.bytes = p.bytes.without(now.bytes)
		}
		if !p.bytes.empty() {
			list = append(list, p)
		}
	}
	if len(list) == maxPast {
		list = slices.Delete(list, 0, 1)
	}
	h.pages[page] = append(list, now)
}

// flush reports the findings. It holds no lock meanwhile, because handlers may use the device.
func (h *History) flush(s *Sanitizer) {
	h.mu.Lock()
	list := h.found
	h.found = nil
	h.mu.Unlock()
	for _, f := range list {
		s.add(f)
	}
}

// report notes a race between two commands.
func (h *History) report(old, now *past, at uintptr, of memory) {
	what, advice := old.turn.Missing(now.turn)
	holder := h.memory.Holder(at)
	same := "the same bytes"
	if holder.Commands {
		same = fmt.Sprintf("command %d of the same indirect command buffer", holder.Offset)
	}
	f := &sanitizer.Finding{Kind: sanitizer.Race, Message: fmt.Sprintf("two commands access %s: %s", same, what),
		Access: now.access, Advice: advice}
	f.Thread, f.Value = now.thread(at), of.value(now.kind, at)
	if f.Memory = cmp.Or(now.texture, old.texture); f.Memory == "" {
		f.Memory, f.Offset = of.describe(at)
	}
	other := old.access
	if other.Thread = old.thread(at); now.mode&writes == 0 {
		other.Value = of.value(old.kind, at)
	}
	f.Other = &other
	if f.Kernel == "" && other.Kernel != "" { // lead with the kernel, which has a place
		f.Access, other = other, f.Access
		f.Other = &other
	}
	if f.Label = holder.Label; holder.Commands {
		f.Memory, f.Offset, f.Size = holder.String(), 0, 0
		h.found = append(h.found, f)
		return
	}
	if old.mode&isAtomic != now.mode&isAtomic {
		f.Advice += "; only one of the accesses is atomic"
	}
	if f.Size = max(old.size, now.size); f.Size == 0 && now.texture+old.texture == "" { // two copies
		first := int(at % bytesPage)
		for first+f.Size < bytesPage && old.bytes.has(first+f.Size) && now.bytes.has(first+f.Size) {
			f.Size++
		}
	}
	h.found = append(h.found, f)
}

// String describes the history for tests.
func (h *History) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, list := range h.pages {
		n += len(list)
	}
	return fmt.Sprintf("%d accesses of %d pages", n, len(h.pages))
}

package softgraph_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

var (
	hostileRounds = flag.Int("hostile.rounds", 3, "how often TestHostileArguments sends each message")
	hostileSeed   = flag.Uint64("hostile.seed", 1, "the first seed of TestHostileArguments")
)

// TestHostileArguments sends every message of MPS and MPSGraph that the software device answers,
// with arguments that are zero, negative, huge, nil, released or of the wrong kind. Each call
// succeeds or is refused for a reason; none panics, and none takes much memory.
func TestHostileArguments(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks are not tested")
	}
	device, err := mtl.DefaultDevice()
	require.NoError(t, err)
	defer device.Release()
	queue, err := device.NewCommandQueueWithMaxCommandBufferCount(1 << 20)
	require.NoError(t, err)
	defer queue.Release()
	g, err := graph.NewGraph() // which loads both frameworks
	require.NoError(t, err)
	g.Release()
	defer objc.OnFault(func(*objc.Fault) {})()
	h := &hostile{t: t, rt: softmetal.Opened(), rnd: rand.New(rand.NewPCG(*hostileSeed, 0)), queue: queue,
		objects: map[string][]objcsoft.ID{}, fits: map[string]map[string]bool{}, memory: make([]byte, 1<<20)}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&h.memory[0])
	objc.Pool(func() {
		h.begin(device)
		for range *hostileRounds {
			for _, tables := range []*adapter.Tables{&mpsdata.Tables, &graphdata.Tables} {
				for i := range tables.Owners {
					if o := &tables.Owners[i]; !o.Protocol {
						h.class(tables, o)
					}
				}
			}
		}
		h.end()
	})
	t.Logf("%d calls succeeded, %d were refused", h.succeeded, h.refused)
}

// hostile sends messages and keeps the objects that it gets, as arguments for others.
type hostile struct {
	t       *testing.T
	rt      *objcsoft.Runtime
	rnd     *rand.Rand
	queue   mtl.CommandQueue
	objects map[string][]objcsoft.ID   // by class
	classes []string                   // that have objects, in the order in which they got the first
	fits    map[string]map[string]bool // the classes that an argument of a message may have
	gone    objcsoft.ID
	memory  []byte

	succeeded, refused int
}

const mostObjects = 6 // kept of a class

// begin makes objects that no message of the tables makes.
func (h *hostile) begin(device mtl.Device) {
	h.keep(objcsoft.ID(device.ID().Retain()))
	buffer, err := device.NewBuffer(4096, mtl.ResourceStorageModeShared)
	require.NoError(h.t, err)
	h.keep(objcsoft.ID(buffer.ID()))
	for _, list := range [][]int64{nil, {0}, {-1}, {4}, {2, 3}, {1, 2, 3, 4}, {1 << 33}, {math.MinInt64, math.MaxInt64},
		make([]int64, 40)} {
		var ids []objcsoft.ID
		for _, n := range list {
			ids = append(ids, h.rt.NewInt(n))
		}
		array, err := h.rt.NewArray(ids)
		require.NoError(h.t, err)
		h.objects["NSArray"] = append(h.objects["NSArray"], array)
	}
	h.classes = append(h.classes, "NSArray")
	h.keep(h.rt.NewInt(3))
	h.keep(h.rt.NewFloat(math.NaN()))
	h.keep(h.rt.NewString("text"))
	h.keep(h.rt.NewData(make([]byte, 64)))
	h.gone = h.rt.NewString("gone")
	require.NoError(h.t, h.rt.Release(h.gone))
}

func (h *hostile) end() {
	for _, list := range h.objects {
		for _, id := range list {
			_ = h.rt.Release(id) // some were released by hostile messages
		}
	}
}

// keep keeps an object, whose reference it takes.
func (h *hostile) keep(id objcsoft.ID) {
	o, err := h.rt.Object(id)
	if err != nil {
		return
	}
	name := o.Class().Name
	list := h.objects[name]
	if len(list) == 0 {
		h.classes = append(h.classes, name)
	}
	if len(list) < mostObjects {
		h.objects[name] = append(list, id)
		return
	}
	i := h.rnd.IntN(len(list))
	_ = h.rt.Release(list[i])
	list[i] = id
}

// class sends the messages of a class, to the class and to objects of it.
func (h *hostile) class(tables *adapter.Tables, o *adapter.Owner) {
	found, err := objc.LookUpClass(o.Name)
	if err != nil {
		return // it is not there
	}
	class := objcsoft.ID(found.ID())
	for _, m := range o.ClassMethods {
		h.send(class, m)
	}
	for _, m := range h.methods(tables, o) {
		if strings.HasPrefix(m.Name, "init") {
			if id, err := h.rt.Message(class, "alloc", "@@:"); err == nil {
				h.send(objcsoft.ID(id), m)
			}
			continue
		}
		if list := h.objects[o.Name]; len(list) > 0 {
			h.send(list[h.rnd.IntN(len(list))], m)
		}
	}
}

// methods returns the methods of a class and of those above it.
func (h *hostile) methods(tables *adapter.Tables, o *adapter.Owner) []adapter.Signature {
	all := slices.Clone(o.Methods)
	for _, above := range o.Above {
		if up := tables.Owner(above); up != nil {
			all = append(all, h.methods(tables, up)...)
		}
	}
	return all
}

// send sends a message if the receiver answers it. Its command buffers are gone afterward: a queue
// has few.
func (h *hostile) send(to objcsoft.ID, m adapter.Signature) {
	objc.Pool(func() { h.sendInPool(to, m) })
}

func (h *hostile) sendInPool(to objcsoft.ID, m adapter.Signature) {
	sel := h.rt.Sel(m.Name)
	if !h.rt.RespondsTo(to, sel) || strings.Contains(strings.ToLower(m.Name), "wait") || m.Name == "dealloc" {
		return
	}
	enc, err := h.rt.Encoding(m.Enc)
	require.NoError(h.t, err)
	o, err := h.rt.Object(to)
	require.NoError(h.t, err)
	call := fmt.Sprintf("%s %s", o.Class().Name, m.Name)
	result, types := split(m.Enc)
	var args []uintptr
	var chosen []string
	for i, typ := range types {
		words, class := h.argument(fmt.Sprint(call, i), typ, strings.Contains(m.Enc, "^"))
		args = append(args, words...)
		chosen = append(chosen, class)
	}
	var ret [8]uintptr
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = h.rt.Send(to, sel, enc, args, ret[:])
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 256<<20 {
		h.t.Errorf("%s %v %#x takes %d MiB", call, chosen, args, took>>20)
	}
	var panicked *objcsoft.PanicError
	if errors.As(err, &panicked) {
		h.t.Errorf("%s %v %#x: %v\n%s", call, chosen, args, panicked.Value, topOf(panicked.Stack))
	}
	if err != nil {
		h.refused++
		return
	}
	h.succeeded++
	for i, class := range chosen {
		if class != "" {
			key := fmt.Sprint(call, i)
			if h.fits[key] == nil {
				h.fits[key] = map[string]bool{}
			}
			h.fits[key][class] = true
		}
	}
	if result == "@" && ret[0] != 0 {
		id := objcsoft.ID(ret[0])
		if !owned(m.Name) {
			_ = h.rt.Retain(id)
		}
		h.keep(id)
	}
}

// owned reports whether a message gives its caller a reference.
func owned(sel string) bool {
	for _, family := range []string{"init", "new", "copy", "alloc", "mutableCopy"} {
		if strings.HasPrefix(sel, family) {
			return true
		}
	}
	return false
}

var (
	hostileInts   = []int64{0, 1, 2, 3, 4, 7, 16, 64, -1, -2, 1 << 16, 1 << 31, 1 << 33, math.MaxInt64, math.MinInt64}
	hostileFloats = []float64{0, 1, -1, 0.5, math.NaN(), math.Inf(1), math.Inf(-1), 1e30, 5e-324}
	mildInts      = []int64{0, 1, 2, 3, 4, 7, 8}
)

// argument returns the words of an argument, and the class if it is an object.
func (h *hostile) argument(key, typ string, mild bool) (words []uintptr, class string) {
	ints := hostileInts
	if mild || h.rnd.IntN(2) == 0 {
		ints = mildInts // with a pointer, others are the caller's mistake that nobody can find
	}
	switch {
	case strings.HasPrefix(typ, "@?"):
		return []uintptr{0}, ""
	case strings.HasPrefix(typ, "@"):
		id, class := h.object(key)
		return []uintptr{uintptr(id)}, class
	case strings.HasPrefix(typ, "^"), strings.HasPrefix(typ, "r^"), typ == "*":
		if h.rnd.IntN(3) == 0 {
			return []uintptr{0}, ""
		}
		return []uintptr{uintptr(unsafe.Pointer(&h.memory[0]))}, ""
	case typ == "f":
		return []uintptr{uintptr(math.Float32bits(float32(hostileFloats[h.rnd.IntN(len(hostileFloats))])))}, ""
	case typ == "d":
		return []uintptr{uintptr(math.Float64bits(hostileFloats[h.rnd.IntN(len(hostileFloats))]))}, ""
	case strings.HasPrefix(typ, "{"):
		for range (sizeOf(typ) + 7) / 8 {
			words = append(words, uintptr(ints[h.rnd.IntN(len(ints))]))
		}
		return words, ""
	}
	return []uintptr{uintptr(ints[h.rnd.IntN(len(ints))])}, ""
}

// object returns an object for an argument: nil, one that was released, any, or one of a class that
// has served there.
func (h *hostile) object(key string) (objcsoft.ID, string) {
	name := h.classes[h.rnd.IntN(len(h.classes))]
	switch h.rnd.IntN(10) {
	case 0:
		return 0, ""
	case 1:
		if h.rnd.IntN(5) == 0 {
			return h.gone, ""
		}
	case 2:
		if b, err := h.queue.CommandBuffer(); err == nil {
			return objcsoft.ID(b.ID()), ""
		}
	case 3, 4, 5, 6, 7:
		known := make([]string, 0, len(h.fits[key]))
		for c := range h.fits[key] {
			known = append(known, c)
		}
		if len(known) > 0 {
			slices.Sort(known)
			name = known[h.rnd.IntN(len(known))]
		}
	}
	list := h.objects[name]
	return list[h.rnd.IntN(len(list))], name
}

// split returns the result's type of a method's encoding, and those of its arguments.
func split(enc string) (result string, types []string) {
	for len(enc) > 0 {
		n := lengthOf(enc)
		types = append(types, enc[:n])
		enc = enc[n:]
	}
	return types[0], types[3:] // after the receiver and the selector
}

// lengthOf returns the length of the first type of an encoding.
func lengthOf(enc string) int {
	switch enc[0] {
	case '^', 'r', 'n', 'o', 'O', 'N':
		return 1 + lengthOf(enc[1:])
	case '@':
		if strings.HasPrefix(enc, "@?") {
			return 2
		}
	case '{', '(', '[':
		depth := 0
		for i, c := range enc {
			if strings.ContainsRune("{([", c) {
				depth++
			} else if strings.ContainsRune("})]", c) {
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	return 1
}

// sizeOf returns the size of a structure.
func sizeOf(enc string) (size int) {
	_, fields, _ := strings.Cut(enc[1:len(enc)-1], "=")
	for len(fields) > 0 {
		n := lengthOf(fields)
		bytes := map[byte]int{'f': 4, 'i': 4, 'I': 4, 's': 2, 'S': 2, 'c': 1, 'C': 1, 'B': 1}[fields[0]]
		switch {
		case fields[0] == '{':
			bytes = (sizeOf(fields[:n]) + 7) &^ 7
		case bytes == 0:
			bytes = 8
		}
		size = (size+bytes-1)/bytes*bytes + bytes
		fields = fields[n:]
	}
	return size
}

// topOf returns the part of a stack that says where it panicked.
func topOf(stack []byte) string {
	_, after, _ := strings.Cut(string(stack), "panic(")
	lines := strings.SplitN(after, "\n", 12)
	return strings.Join(lines[:len(lines)-1], "\n")
}

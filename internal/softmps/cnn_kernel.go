package softmps

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
)

// cnnKernel is the part that the payloads of all neural-network kernels on images have.
type cnnKernel struct {
	Kernel
	cnnOp
	padding, allocator objcsoft.ID // retained
	// indexed tells that properties of sources have an index, as those of an MPSCNNMultiaryKernel.
	indexed bool
}

// cnnOp is what a neural-network kernel does.
type cnnOp struct {
	sources int
	// build computes the result: it loads sources as tensors, and saves a tensor. It is called when
	// everything has been checked that does not depend on the kernel.
	build func(k *cnnKernel, j *cnnJob) error
	// channels returns the feature channels of the result; nil stands for those of the first source.
	channels func(k *cnnKernel, in []*Image) int
	// size returns the size of a result that the kernel makes itself; nil stands for that of the
	// padding policy. states are those given to the encode method.
	size func(k *cnnKernel, in []*Image, states []cnnState) (width, height int)
	// place returns the size of such a result for a padding method, and sets the kernel's offsets; nil
	// stands for those of a window that moves over the sources.
	place func(in []*Image, states []cnnState, method uint64) (size [2]int, err error)
	// enlarge returns how many pixels along each side come from one position of the window; nil
	// stands for 1.
	enlarge func() int
	// state makes the payload of a result state, of the class stateClass. Nil: the kernel has none.
	state      func(k *cnnKernel, in []*Image, out *Image) (cnnState, error)
	stateClass string
	// shared tells that one state serves all images of a batch.
	shared bool
	// whole tells that all images of a batch have to be in one call of build, such as for statistics.
	// Other kernels also see batches at once if the images have one size.
	whole bool
	// free releases what the kernel holds.
	free func(o *objcsoft.Object)
}

// cnn returns the part that all kernels have.
func (k *cnnKernel) cnn() *cnnKernel { return k }

// cnnPayload is a payload that embeds cnnKernel.
type cnnPayload interface {
	kernelState
	cnn() *cnnKernel
}

// name returns the name of a property of a source: offset of a kernel with one source,
// primaryOffset and secondaryOffset of one with two.
func (k *cnnKernel) name(source int, property string) string {
	switch {
	case k.indexed:
		return property + "#" + strconv.Itoa(source)
	case k.sources == 1:
		return property
	}
	prefix := [2]string{"primary", "secondary"}[source]
	return prefix + strings.ToUpper(property[:1]) + property[1:]
}

// of returns an integer property of a source.
func (k *cnnKernel) of(source int, property string, otherwise int) int {
	return k.number(k.name(source, property), otherwise)
}

// setOf sets an integer property of a source.
func (k *cnnKernel) setOf(source int, property string, value int) {
	k.set(k.name(source, property), uintptr(value))
}

// cnnWindow is how the window of a kernel moves along one dimension.
type cnnWindow struct{ size, stride, dilation int }

// reach returns the pixels from the window's first tap to its last one.
func (w cnnWindow) reach() int { return (w.size-1)*w.dilation + 1 }

// center returns where the middle tap of the window is, from its first one.
func (w cnnWindow) center() int { return w.dilation * (w.size / 2) }

// span returns the pixels that n positions of the window reach.
func (w cnnWindow) span(n int) int { return (n-1)*w.stride + w.reach() }

// window returns the window on a source: along x and along y.
func (k *cnnKernel) window(source int) (w [2]cnnWindow) {
	for i, axis := range [2]string{"X", "Y"} {
		w[i] = cnnWindow{size: k.of(source, [2]string{"kernelWidth", "kernelHeight"}[i], 1),
			stride:   k.of(source, "strideInPixels"+axis, 1),
			dilation: k.of(source, "dilationRate"+axis, 1)}
	}
	return w
}

// setWindow sets the window on a source. It fails the call and returns false if it is none.
func (k *cnnKernel) setWindow(c *objcsoft.Call, source int, w [2]cnnWindow) bool {
	const most = 1 << 14
	for i, axis := range [2]string{"X", "Y"} {
		v := w[i]
		if v.size < 1 || v.stride < 1 || v.dilation < 1 || max(v.size, v.stride, v.dilation) > most {
			adapter.Misuse(c, "%s: a window of %d with stride %d and dilation %d along %s; each must be 1 to %d",
				c.Self.Class().Name, v.size, v.stride, v.dilation, axis, most)
			return false
		}
		k.setOf(source, [2]string{"kernelWidth", "kernelHeight"}[i], v.size)
		k.setOf(source, "strideInPixels"+axis, v.stride)
		k.setOf(source, "dilationRate"+axis, v.dilation)
	}
	return true
}

// initCNN gives the receiver of an init method, whose first argument is the device, its payload.
func initCNN(c *objcsoft.Call, p cnnPayload) {
	k := p.cnn()
	k.set("clipRect", noClip()...)
	id := c.RT.NewObject(c.RT.Class("MPSNNDefaultPadding"), &nnPadding{method: mpsdata.NNPaddingMethodSizeSame})
	k.padding = id
	if initKernel(c, p); c.Failed() {
		if err := c.RT.Release(id); err != nil {
			c.Fail(err)
		}
	}
}

// plainCNN makes an initWithDevice: of a kernel that an op describes.
func plainCNN(op cnnOp) objcsoft.Imp {
	return func(c *objcsoft.Call) { initCNN(c, &cnnKernel{cnnOp: op}) }
}

// noOp is the op of the classes that only subclasses make useful.
func noOp(sources int) cnnOp {
	return cnnOp{sources: sources, build: func(_ *cnnKernel, j *cnnJob) error {
		return fmt.Errorf("the class is abstract: it encodes nothing")
	}}
}

// cnnDefaults are the defaults of properties that are not 0, with prefixes for each source.
func cnnDefaults(prefixes ...string) map[string]uintptr {
	all := map[string]uintptr{}
	for _, prefix := range prefixes {
		for name, v := range map[string]uintptr{"kernelWidth": 1, "kernelHeight": 1, "strideInPixelsX": 1,
			"strideInPixelsY": 1, "dilationRateX": 1, "dilationRateY": 1,
			"sourceFeatureChannelMaxCount": math.MaxUint} {
			if prefix != "" {
				name = prefix + strings.ToUpper(name[:1]) + name[1:]
			}
			all[name] = v
		}
	}
	return all
}

// cnnMethods returns the methods that kernels with any number of sources have.
func cnnMethods(more adapter.Methods) adapter.Methods {
	object := func(field func(k *cnnKernel) *objcsoft.ID, otherwise string) (get, set objcsoft.Imp) {
		get = adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
			if id := *field(p.cnn()); id != 0 || otherwise == "" {
				c.ReturnShared(id)
				return
			}
			c.ReturnID(defaultAllocator(c.RT, otherwise))
		})
		set = adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
			if c.ID(0) == 0 {
				adapter.Misuse(c, "%s %s: the object is nil", c.Self.Class().Name, c.RT.SelName(c.Sel))
				return
			}
			at := field(p.cnn())
			if err := c.RT.Retain(c.ID(0)); err != nil {
				c.Fail(err)
				return
			}
			old := *at
			*at = c.ID(0)
			if err := c.RT.Release(old); err != nil {
				c.Fail(err)
			}
		})
		return get, set
	}
	m := more
	m["padding"], m["setPadding:"] = object(func(k *cnnKernel) *objcsoft.ID { return &k.padding }, "")
	m["destinationImageAllocator"], m["setDestinationImageAllocator:"] = object(
		func(k *cnnKernel) *objcsoft.ID { return &k.allocator }, "MPSTemporaryImage")
	m["isResultStateReusedAcrossBatch"] = adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
		c.ReturnBool(p.cnn().shared)
	})
	m["destinationImageDescriptorForSourceImages:sourceStates:"] = adapter.Method(func(p cnnPayload,
		c *objcsoft.Call) {
		ids, err := c.RT.ArrayItems(c.ID(0))
		if err != nil {
			c.Fail(err)
			return
		}
		r := &cnnRequest{}
		for _, id := range ids {
			if !r.add(c, []objcsoft.ID{id}) {
				return
			}
		}
		if r.states, err = adapter.Payloads[cnnState](c.RT, c.ID(1)); err != nil {
			adapter.Misuse(c, "the source states: %v", err)
			return
		}
		if d := p.cnn().describe(c, r); d != 0 {
			c.ReturnAutoreleased(d)
		}
	})
	return m
}

// stateMethods returns the methods that make result states. source is "sourceImage:",
// "primaryImage:secondaryImage:" or "sourceImages:", which is an array of images.
func stateMethods(m adapter.Methods, source string) {
	images := strings.Count(source, ":")
	list := source == "sourceImages:"
	title := strings.ToUpper(source[:1]) + source[1:]
	for _, batch := range []bool{false, true} {
		for _, temporary := range []bool{false, true} {
			name, first := "resultState", 0
			if batch {
				name += "Batch"
			}
			name += "For" + title
			if temporary {
				name, first = "temporaryR"+name[1:], 1
				name = strings.Replace(name, "For"+title, "ForCommandBuffer:"+source, 1)
			}
			a := cnnArguments{batch: batch, list: list, states: -1, dest: first + images + 1, out: -1}
			for i := range images {
				a.sources = append(a.sources, first+i)
			}
			m[name+"sourceStates:destinationImage:"] = adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
				r, ok := a.request(c, p.cnn())
				if !ok {
					return
				}
				ids, ok := p.cnn().newStates(c, r, temporary)
				switch {
				case !ok || len(ids) == 0:
				case batch:
					adapter.ReturnObjects(c, len(ids), func(i int) objcsoft.ID { return ids[i] })
				default:
					c.ReturnAutoreleased(ids[0])
				}
			})
		}
	}
}

// storageSize answers how much memory encoding takes beyond the result: that of the tensors between
// the images. images are the arguments that are images or batches of them, the destination last.
func storageSize(images ...int) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		total := 0
		for _, arg := range images {
			ids := []objcsoft.ID{c.ID(arg)}
			if list, err := c.RT.ArrayItems(c.ID(arg)); err == nil {
				ids = list
			}
			for _, id := range ids {
				if m, ok := adapter.PayloadOf[*Image](c.RT, id); ok {
					total += 4 * int(m.Texture.Width()) * int(m.Texture.Height()) * m.channels * m.images
				}
			}
		}
		c.ReturnUint(uint64(total))
	}
}

// indexedMethods are the getters and setters of the properties that each source of an
// MPSCNNMultiaryKernel has.
func indexedMethods(m adapter.Methods) {
	check := func(k *cnnKernel, c *objcsoft.Call, arg int) bool {
		if i := c.Uint(arg); i >= uint64(k.sources) {
			adapter.Misuse(c, "%s: source %d of %d", c.Self.Class().Name, i, k.sources)
			return false
		}
		return true
	}
	defaults := cnnDefaults("")
	for _, name := range []string{"dilationRateX", "dilationRateY", "edgeMode", "kernelHeight", "kernelWidth", "offset",
		"sourceFeatureChannelMaxCount", "sourceFeatureChannelOffset", "strideInPixelsX", "strideInPixelsY"} {
		getter := name + "AtIndex:"
		if last := name[len(name)-1]; last == 'X' || last == 'Y' {
			getter = name + "atIndex:"
		}
		zero := make([]uintptr, 1)
		if name == "offset" {
			zero = make([]uintptr, 3)
		}
		zero[0] = defaults[name]
		m[getter] = adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
			k := p.cnn()
			if !check(k, c, 0) {
				return
			}
			if w := k.words(k.name(int(c.Uint(0)), name)); w != nil {
				c.ReturnWords(w...)
				return
			}
			c.ReturnWords(zero...)
		})
		m["set"+strings.ToUpper(name[:1])+name[1:]+":atIndex:"] = adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
			if k := p.cnn(); check(k, c, 1) {
				k.set(k.name(int(c.Uint(1)), name), append([]uintptr(nil), c.Words(0)...)...)
			}
		})
	}
}

func cnnKernelClasses() []adapter.Class {
	one, two := adapter.Methods{}, adapter.Methods{}
	many, gradient := adapter.Methods{}, adapter.Methods{}
	stateMethods(one, "sourceImage:")
	stateMethods(two, "primaryImage:secondaryImage:")
	stateMethods(many, "sourceImages:")
	indexedMethods(many)
	encodeMethods(one, "", "sourceImage:", cnnArguments{sources: []int{1}, states: -1})
	encodeMethods(two, "", "primaryImage:secondaryImage:", cnnArguments{sources: []int{1, 2}, states: -1})
	encodeMethods(many, "", "sourceImages:", cnnArguments{sources: []int{1}, states: -1, list: true})
	one["encodeToCommandBuffer:sourceImage:destinationState:destinationImage:"] = encodeCNN(
		cnnArguments{sources: []int{1}, states: 2, dest: 3, out: -1})
	one["encodeBatchToCommandBuffer:sourceImages:destinationStates:destinationImages:"] = encodeCNN(
		cnnArguments{batch: true, sources: []int{1}, states: 2, dest: 3, out: -1})
	gradients := cnnArguments{sources: []int{1, 2}, states: 3, gradient: true}
	encodeMethods(gradient, "gradientState:", "sourceGradient:sourceImage:", gradients)
	one["encodingStorageSizeForSourceImage:sourceStates:destinationImage:"] = storageSize(0, 2)
	one["batchEncodingStorageSizeForSourceImage:sourceStates:destinationImage:"] = storageSize(0, 2)
	two["encodingStorageSizeForPrimaryImage:secondaryImage:sourceStates:destinationImage:"] = storageSize(0, 1, 3)
	two["batchEncodingStorageSizeForPrimaryImage:secondaryImage:sourceStates:destinationImage:"] = storageSize(0, 1, 3)
	one["initWithDevice:"] = plainCNN(noOp(1))
	two["initWithDevice:"] = plainCNN(noOp(2))
	many["initWithDevice:sourceCount:"] = func(c *objcsoft.Call) {
		const most = 1 << 10
		if n := c.Uint(1); n < 1 || n > most {
			adapter.Misuse(c, "%s: %d sources; it takes 1 to %d", c.Self.Class().Name, n, most)
			return
		}
		initCNN(c, &cnnKernel{cnnOp: noOp(int(c.Uint(1))), indexed: true})
	}
	many["sourceCount"] = adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
		c.ReturnUint(uint64(p.cnn().sources))
	})
	free := adapter.DeallocHook(func(p cnnPayload, o *objcsoft.Object) {
		k := p.cnn()
		if k.free != nil {
			k.free(o)
		}
		o.Drop(k.padding, k.allocator)
	})
	class := func(name string, m adapter.Methods, defaults map[string]uintptr) adapter.Class {
		return withProperties(adapter.Class{Name: name, Super: "MPSKernel", Methods: cnnMethods(m), Dealloc: free},
			defaults)
	}
	return []adapter.Class{
		class("MPSCNNKernel", one, cnnDefaults("")),
		class("MPSCNNBinaryKernel", two, cnnDefaults("primary", "secondary")),
		class("MPSCNNMultiaryKernel", many, nil),
		withProperties(adapter.Class{Name: "MPSCNNGradientKernel", Super: "MPSCNNBinaryKernel", Methods: gradient}, nil),
	}
}

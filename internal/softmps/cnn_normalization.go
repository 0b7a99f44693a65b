package softmps

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// normKernel is the payload of the batch, group and instance normalizations. Its parameters are
// buffers with a float32 for each feature channel.
type normKernel struct {
	cnnKernel
	activation
	source         objcsoft.ID // retained
	count          int         // feature channels
	groups         int         // of a group normalization
	epsilon        float32
	gamma, beta    mtl.Buffer
	mean, variance mtl.Buffer // of a batch normalization
}

// sourceMessage sends a message without arguments to the data source.
func (n *normKernel) sourceMessage(c *objcsoft.Call, sel, enc string) uintptr {
	w, err := c.RT.Message(n.source, sel, enc)
	if err != nil {
		c.Fail(err)
	}
	return w
}

// optional is sourceMessage for methods that the data source may lack.
func (n *normKernel) optional(c *objcsoft.Call, sel, enc string) (uintptr, bool) {
	if !c.RT.RespondsTo(n.source, c.RT.Sel(sel)) {
		return 0, false
	}
	return n.sourceMessage(c, sel, enc), true
}

// setSource makes an object the data source.
func (n *normKernel) setSource(c *objcsoft.Call, id objcsoft.ID) bool {
	if id == 0 {
		adapter.Misuse(c, "%s: the data source is nil", c.Self.Class().Name)
		return false
	}
	if err := c.RT.Retain(id); err != nil {
		c.Fail(err)
		return false
	}
	old := n.source
	if n.source = id; old != 0 {
		if err := c.RT.Release(old); err != nil {
			c.Fail(err)
		}
	}
	return !c.Failed()
}

// describe reads what the data source says of the images, and of the kernel.
func (n *normKernel) describe(c *objcsoft.Call, grouped bool) bool {
	const most = 1 << 14 // feature channels of an image
	count := uint64(n.sourceMessage(c, "numberOfFeatureChannels", "Q@:"))
	if c.Failed() {
		return false
	}
	if count < 1 || count > most {
		adapter.Misuse(c, "%s: the data source has %d feature channels; the limits are 1 and %d", c.Self.Class().Name,
			count, most)
		return false
	}
	n.count, n.groups = int(count), int(count)
	if grouped {
		groups := uint64(n.sourceMessage(c, "numberOfGroups", "Q@:"))
		if !c.Failed() && (groups < 1 || groups > count || count%groups != 0) {
			adapter.Misuse(c, "%s: the data source has %d groups for %d feature channels, which they must divide",
				c.Self.Class().Name, groups, count)
		}
		n.groups = int(groups)
	}
	n.epsilon = math.Float32frombits(1 << 23) // the smallest normal number
	if w, ok := n.optional(c, "epsilon", "f@:"); ok {
		n.epsilon = math.Float32frombits(uint32(w))
	}
	if label, ok := n.optional(c, "label", "@@:"); ok && label != 0 && !c.Failed() {
		text, err := c.RT.GoString(objcsoft.ID(label))
		if err != nil {
			c.Fail(err)
		}
		n.SetText(text)
	}
	return !c.Failed()
}

// values returns a buffer with the values that the data source gives for each feature channel;
// without any, all are otherwise.
func (n *normKernel) values(c *objcsoft.Call, sel string, otherwise float32) (b mtl.Buffer) {
	at := n.sourceMessage(c, sel, "^f@:")
	if c.Failed() {
		return b
	}
	memory := make([]byte, 0, 4*n.count)
	if at != 0 {
		var err error
		if memory, err = objcsoft.ReadMemory(at, uint64(4*n.count)); err != nil {
			adapter.Misuse(c, "%s: %s of the data source: %v", c.Self.Class().Name, sel, err)
			return b
		}
	} else {
		for range n.count {
			memory = binary.LittleEndian.AppendUint32(memory, math.Float32bits(otherwise))
		}
	}
	b, err := n.Device.NewBufferWithBytes(memory, mtl.ResourceStorageModeShared)
	if err != nil {
		c.Fail(err)
	}
	return b
}

// replace makes new buffers of the data source's values, in place of the old ones: command buffers
// that were encoded before keep what they had.
func (n *normKernel) replace(c *objcsoft.Call, first, second *mtl.Buffer, names [2]string, otherwise [2]float32) {
	if w, ok := n.optional(c, "load", "B@:"); ok && w&0xff == 0 && !c.Failed() {
		adapter.Misuse(c, "%s: the data source did not load", c.Self.Class().Name)
	}
	if c.Failed() {
		return
	}
	for i, field := range []*mtl.Buffer{first, second} {
		b := n.values(c, names[i], otherwise[i])
		if c.Failed() {
			return
		}
		if !field.IsNil() {
			field.Release()
		}
		*field = b
	}
	n.optional(c, "purge", "v@:")
}

func (n *normKernel) replaceGammaAndBeta(c *objcsoft.Call) {
	n.replace(c, &n.gamma, &n.beta, [2]string{"gamma", "beta"}, [2]float32{1, 0})
}

func (n *normKernel) replaceMeanAndVariance(c *objcsoft.Call) {
	n.replace(c, &n.mean, &n.variance, [2]string{"mean", "variance"}, [2]float32{0, 1})
}

func (n *normKernel) releaseBuffers() {
	for _, b := range []mtl.Buffer{n.gamma, n.beta, n.mean, n.variance} {
		if !b.IsNil() {
			b.Release()
		}
	}
}

// vector is a buffer's first elements as a tensor.
func vector(d mtl.Device, b mtl.Buffer, n int) *NDArray {
	return &NDArray{View: tensorop.Dense(tensorop.Float32, n), Device: d, Buffer: b}
}

// parameters returns gamma and beta for so many feature channels.
func (n *normKernel) parameters(channels int) ([]*NDArray, error) {
	if channels > n.count {
		return nil, fmt.Errorf("a source with %d feature channels; the data source has parameters for %d", channels,
			n.count)
	}
	return []*NDArray{vector(n.Device, n.gamma, channels), vector(n.Device, n.beta, channels)}, nil
}

// initNorm gives a normalization its payload, with the data source in argument 1.
func initNorm(c *objcsoft.Call, n *normKernel, grouped bool, more func(c *objcsoft.Call)) {
	d, ok := DeviceArg(c, 0)
	if !ok || !n.setSource(c, c.ID(1)) {
		return
	}
	n.Device = d // initCNN retains it
	n.free = func(o *objcsoft.Object) {
		n.releaseBuffers()
		o.Drop(n.source)
	}
	if n.describe(c, grouped) {
		if n.replaceGammaAndBeta(c); !c.Failed() && more != nil {
			more(c)
		}
	}
	if !c.Failed() {
		initCNN(c, n)
	}
	if c.Failed() {
		n.releaseBuffers()
		_ = c.RT.Release(n.source) // the call has failed already
	}
}

// reload returns the method that copies both buffers of a state to those of the kernel, as part of
// a command buffer.
func reload(fields func(n *normKernel) [2]mtl.Buffer) objcsoft.Imp {
	return adapter.Method(func(n *normKernel, c *objcsoft.Call) {
		cb, ok := CommandBufferArg(c, 0)
		s, ok1 := adapter.Payload[*State](c, 1)
		if !ok || !ok1 {
			if !c.Failed() {
				adapter.Misuse(c, "%s: the state is nil", c.Self.Class().Name)
			}
			return
		}
		if err := s.usable(); err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		var in, out []*NDArray
		for i, to := range fields(n) {
			from, err := s.pairBuffer(i)
			if err != nil {
				adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
				return
			}
			if have, need := from.Length(), uint(4*n.count); have < need {
				adapter.Misuse(c, "%s: a buffer of %d bytes for %d feature channels, which take %d",
					c.Self.Class().Name, have, n.count, need)
				return
			}
			in, out = append(in, vector(n.Device, from, n.count)), append(out, vector(n.Device, to, n.count))
		}
		Encode(c, n.Device, cb, in, out, func(b *tensorop.Builder, in, out []tensorop.Operand) {
			for i := range in {
				b.Copy(out[i], in[i])
			}
		})
		s.read()
	})
}

// normMethods are those that all normalizations with a data source have.
func normMethods(more adapter.Methods) adapter.Methods {
	type kernel = *normKernel
	m := adapter.Methods{
		"epsilon":     adapter.Method(func(n kernel, c *objcsoft.Call) { c.ReturnF32(n.epsilon) }),
		"setEpsilon:": adapter.Method(func(n kernel, c *objcsoft.Call) { n.epsilon = c.F32(0) }),
		"dataSource":  adapter.Method(func(n kernel, c *objcsoft.Call) { c.ReturnShared(n.source) }),

		"reloadGammaAndBetaFromDataSource": adapter.Method(kernel.replaceGammaAndBeta),
		"reloadGammaAndBetaWithCommandBuffer:gammaAndBetaState:": reload(func(n kernel) [2]mtl.Buffer {
			return [2]mtl.Buffer{n.gamma, n.beta}
		}),
	}
	for sel, imp := range more {
		m[sel] = imp
	}
	return m
}

// pairBuffer returns a buffer of a state that is two buffers.
func (s *State) pairBuffer(i int) (mtl.Buffer, error) {
	if len(s.resources) != 2 || s.resources[i].texture {
		return mtl.Buffer{}, fmt.Errorf("the state has %d resources; it must have two buffers", len(s.resources))
	}
	err := s.memory(&s.resources[i])
	return mtl.BufferFrom(s.resources[i].resource.ID()), err
}

// pairStateClass declares a state that is two buffers.
func pairStateClass(name, init string, fields [2]string) adapter.Class {
	get := func(i int) objcsoft.Imp {
		return adapter.Method(func(s *State, c *objcsoft.Call) {
			b, err := s.pairBuffer(i)
			if err != nil {
				adapter.Misuse(c, "%s: %v", name, err)
				return
			}
			c.ReturnShared(objcsoft.ID(b.ID()))
		})
	}
	return adapter.Class{Name: name, Super: "MPSState",
		Methods: adapter.Methods{
			init: func(c *objcsoft.Call) {
				if list, ok := resourcesArg(c, []objcsoft.ID{c.ID(0), c.ID(1)}); ok {
					Init(c, &State{resources: list})
				}
			},
			fields[0]: get(0), fields[1]: get(1),
		},
		ClassMethods: adapter.Methods{
			"temporaryStateWithCommandBuffer:numberOfFeatureChannels:": func(c *objcsoft.Call) {
				const most = 1 << 14 // feature channels of an image
				cb, ok := CommandBufferArg(c, 0)
				n := c.Uint(1)
				if ok && (n < 1 || n > most) {
					adapter.Misuse(c, "%s: %d feature channels; the limits are 1 and %d", name, n, most)
				}
				if !ok || c.Failed() {
					return
				}
				d := cb.Device()
				s := &State{device: d, temporary: true, reads: 1}
				for range 2 {
					if _, err := s.buffer(d, int(4*n)); err != nil {
						c.Fail(err)
						return
					}
				}
				d.Retain()
				c.ReturnAutoreleased(c.RT.NewObject(c.Class(), s))
			},
		}}
}

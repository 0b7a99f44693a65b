package softmps

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/objc"
)

// cnnArguments tells where a method of a kernel has its arguments; below zero: nowhere.
type cnnArguments struct {
	sources []int
	// list tells that the only source argument is an array of sources.
	list bool
	// batch tells that sources, states and destinations are arrays, one element for each image.
	batch bool
	// states are given states; dest is the destination, without which the method returns a new one.
	states, dest int
	// out is where the method stores result states; the argument after it tells whether they are
	// temporary.
	out int
	// gradient tells that the method is that of a gradient kernel.
	gradient bool
	// consume tells that the kernel reads the states, and does not write them.
	consume bool
}

// cnnRequest is what an encode method was called with.
type cnnRequest struct {
	sources   [][]*Image // for each source the images of the batch
	sourceIDs [][]objcsoft.ID
	states    []cnnState
	dest      []*Image
	consume   bool // the kernel reads the states
}

// add adds a source with the images of a batch.
func (r *cnnRequest) add(c *objcsoft.Call, ids []objcsoft.ID) bool {
	images, ok := imagesOf(c, ids)
	r.sources, r.sourceIDs = append(r.sources, images), append(r.sourceIDs, ids)
	return ok
}

// imagesOf returns images that a kernel may use.
func imagesOf(c *objcsoft.Call, ids []objcsoft.ID) ([]*Image, bool) {
	var list []*Image
	for i, id := range ids {
		m, ok := adapter.PayloadOf[*Image](c.RT, id)
		if !ok {
			adapter.Misuse(c, "%s: image %d of %d is nil or no image", c.Self.Class().Name, i, len(ids))
			return nil, false
		}
		if err := m.usable(); err != nil {
			adapter.Misuse(c, "%v", err)
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

// ids returns the objects in an argument: one, or those of an array.
func (a *cnnArguments) ids(c *objcsoft.Call, arg int) ([]objcsoft.ID, bool) {
	if !a.batch {
		return []objcsoft.ID{c.ID(arg)}, true
	}
	ids, err := c.RT.ArrayItems(c.ID(arg))
	if err == nil && len(ids) == 0 {
		err = fmt.Errorf("the batch is empty")
	}
	if err != nil {
		adapter.Misuse(c, "%s: argument %d: %v", c.Self.Class().Name, arg, err)
	}
	return ids, err == nil
}

// request reads the arguments.
func (a *cnnArguments) request(c *objcsoft.Call, k *cnnKernel) (*cnnRequest, bool) {
	r := &cnnRequest{consume: a.consume}
	var lists [][]objcsoft.ID
	if a.list {
		items, err := c.RT.ArrayItems(c.ID(a.sources[0]))
		if err != nil {
			c.Fail(err)
			return nil, false
		}
		for _, id := range items {
			list := []objcsoft.ID{id}
			if a.batch {
				if list, err = c.RT.ArrayItems(id); err != nil {
					c.Fail(err)
					return nil, false
				}
			}
			lists = append(lists, list)
		}
	} else {
		for _, arg := range a.sources {
			ids, ok := a.ids(c, arg)
			if !ok {
				return nil, false
			}
			lists = append(lists, ids)
		}
	}
	if len(lists) != k.sources {
		adapter.Misuse(c, "%s: %d sources; the kernel takes %d", c.Self.Class().Name, len(lists), k.sources)
		return nil, false
	}
	for _, ids := range lists {
		if !r.add(c, ids) {
			return nil, false
		}
		if len(ids) != len(lists[0]) || len(ids) == 0 {
			adapter.Misuse(c, "%s: batches of %d and %d images", c.Self.Class().Name, len(lists[0]), len(ids))
			return nil, false
		}
	}
	n := len(lists[0])
	if a.states >= 0 && c.ID(a.states) != 0 {
		ids, ok := a.ids(c, a.states)
		if !ok || !r.addStates(c, ids, n) {
			return nil, false
		}
	}
	if a.dest >= 0 {
		ids, ok := a.ids(c, a.dest)
		if !ok {
			return nil, false
		}
		if r.dest, ok = imagesOf(c, ids); !ok {
			return nil, false
		}
		if len(r.dest) != n {
			adapter.Misuse(c, "%s: %d destination images for %d source images", c.Self.Class().Name, len(r.dest), n)
			return nil, false
		}
	}
	return r, true
}

// addStates adds the states of a batch: one for each image, or a single one.
func (r *cnnRequest) addStates(c *objcsoft.Call, ids []objcsoft.ID, images int) bool {
	for _, id := range ids {
		s, ok := adapter.PayloadOf[cnnState](c.RT, id)
		if !ok {
			adapter.Misuse(c, "%s: the state is nil or no state", c.Self.Class().Name)
			return false
		}
		if err := s.base().usable(); err != nil {
			adapter.Misuse(c, "%v", err)
			return false
		}
		r.states = append(r.states, s)
	}
	if len(ids) != images && len(ids) != 1 {
		adapter.Misuse(c, "%s: %d states for %d images", c.Self.Class().Name, len(ids), images)
		return false
	}
	return true
}

// encodeMethods adds the encode methods of a class: single images and batches, with and without a
// destination, and with result states unless states are given. sources and states are parts of
// selectors.
func encodeMethods(m adapter.Methods, states, sources string, a cnnArguments) {
	plural := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "e:", "es:"), "t:", "ts:") }
	a.consume = states != ""
	next := 1 + strings.Count(sources+states, ":")
	dest := "destinationImage:"
	if a.gradient {
		dest = "destinationGradient:"
	}
	for _, batch := range []bool{false, true} {
		name, to, state := "encodeToCommandBuffer:"+sources+states, dest, "destinationState:"
		a.batch = batch
		if batch {
			name, to, state = "encodeBatchToCommandBuffer:"+plural(sources+states), plural(dest), "destinationStates:"
			if a.list {
				name = "encodeBatchToCommandBuffer:" + sources
			}
		}
		a.dest, a.out = -1, -1
		m[name] = encodeCNN(a)
		a.dest = next
		m[name+to] = encodeCNN(a)
		if !a.gradient {
			a.dest, a.out = -1, next
			m[name+state+"destinationStateIsTemporary:"] = encodeCNN(a)
		}
	}
}

// encodeCNN makes an encode method.
func encodeCNN(a cnnArguments) objcsoft.Imp {
	return adapter.Method(func(p cnnPayload, c *objcsoft.Call) {
		k := p.cnn()
		r, ok := a.request(c, k)
		if !ok {
			return
		}
		k.encodeRequest(c, &a, r)
	})
}

// encodeRequest makes what the method returns, and encodes.
func (k *cnnKernel) encodeRequest(c *objcsoft.Call, a *cnnArguments, r *cnnRequest) {
	var array objcsoft.ID
	var results []objcsoft.ID
	if a.dest < 0 {
		var ok bool
		if array, results, ok = k.newResults(c, r, a.batch); !ok {
			return
		}
	}
	var states []objcsoft.ID // +1 each
	if a.out >= 0 {
		var ok bool
		if states, ok = k.newStates(c, r, c.Bool(a.out+1)); ok {
			for _, id := range states {
				s, _ := adapter.PayloadOf[cnnState](c.RT, id)
				r.states = append(r.states, s)
			}
		}
	}
	if !c.Failed() {
		k.encodeBatch(c, r)
	}
	if c.Failed() {
		adapter.Release(c.RT, states...)
		return
	}
	if a.out >= 0 {
		k.storeStates(c, a, states)
	}
	switch {
	case a.dest >= 0:
	case a.batch:
		c.ReturnID(array)
	default:
		c.ReturnID(results[0])
	}
}

// storeStates stores result states, or an array of them, through an argument, +0.
func (k *cnnKernel) storeStates(c *objcsoft.Call, a *cnnArguments, states []objcsoft.ID) {
	if len(states) == 0 {
		c.Store(a.out, 0)
		return
	}
	id := states[0]
	if a.batch {
		var err error
		if id, err = c.RT.NewArray(states); err != nil {
			c.Fail(err)
			return
		}
		for _, s := range states {
			if err := c.RT.Release(s); err != nil {
				c.Fail(err)
				return
			}
		}
	}
	if err := c.RT.Autorelease(id); err != nil {
		c.Fail(err)
		return
	}
	c.Store(a.out, uintptr(id))
}

// newStates makes result states, +1 each: one for each image, or the same for all. Kernels without
// states return none.
func (k *cnnKernel) newStates(c *objcsoft.Call, r *cnnRequest, temporary bool) ([]objcsoft.ID, bool) {
	if k.state == nil {
		return nil, true
	}
	var ids []objcsoft.ID
	for i := range r.dest {
		if k.shared && i > 0 {
			if err := c.RT.Retain(ids[0]); err != nil {
				c.Fail(err)
				return ids, false
			}
			ids = append(ids, ids[0])
			continue
		}
		var in []*Image
		for _, s := range r.sources {
			in = append(in, s[i])
		}
		s, err := k.state(k, in, r.dest[i])
		if err != nil {
			adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
			return ids, false
		}
		if o, ok := s.(interface{ setOwner(id objcsoft.ID) }); ok {
			if err := c.RT.Retain(c.Self.ID()); err != nil {
				c.Fail(err)
				return ids, false
			}
			o.setOwner(c.Self.ID())
		}
		b := s.base()
		k.Device.Retain()
		b.device, b.temporary, b.reads = k.Device, temporary, 1
		ids = append(ids, c.RT.NewObject(c.RT.Class(k.stateClass), s))
	}
	return ids, true
}

// encodeBatch encodes a request to the command buffer in argument 0. Misuse fails the call.
func (k *cnnKernel) encodeBatch(c *objcsoft.Call, r *cnnRequest) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok {
		return
	}
	parts := r.parts()
	if k.whole && len(parts) > 1 {
		adapter.Misuse(c, "%s: the images of the batch have different sizes", c.Self.Class().Name)
		return
	}
	for _, part := range parts {
		objc.Pool(func() {
			j := &cnnJob{imageJob: imageJob{rt: c.RT, device: k.Device}, c: c, cb: cb, kernel: k}
			defer j.free()
			if err := k.encodePart(j, part); err != nil && !c.Failed() {
				adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
			}
		})
		if c.Failed() {
			return
		}
	}
	r.used()
}

// used counts a read of all temporary images, and of the states that the kernel reads.
func (r *cnnRequest) used() {
	for _, list := range r.sources {
		for _, m := range list {
			m.read()
		}
	}
	for i, s := range r.states {
		if r.consume && (i == 0 || s != r.states[0]) {
			s.base().read()
		}
	}
}

// encodePart encodes a part of a batch whose images have one size.
func (k *cnnKernel) encodePart(j *cnnJob, part *cnnRequest) error {
	err := k.start(j, part)
	if err != nil || j.out.width == 0 || j.out.height == 0 || j.count == 0 {
		return err
	}
	if err = k.build(k, j); err == nil {
		err = j.flush()
	}
	return err
}

// parts splits a request so that all images of each source in a part have one size.
func (r *cnnRequest) parts() []*cnnRequest {
	type key struct{ width, height, channels, images int }
	of := func(m *Image) key {
		return key{int(m.Texture.Width()), int(m.Texture.Height()), m.channels, m.images}
	}
	var parts []*cnnRequest
	first := 0
	for i := 1; i <= len(r.dest); i++ {
		same := i < len(r.dest) && of(r.dest[i]) == of(r.dest[first])
		for _, s := range r.sources {
			same = same && of(s[i]) == of(s[first])
		}
		if same {
			continue
		}
		p := &cnnRequest{dest: r.dest[first:i], states: r.states, consume: r.consume}
		if len(r.states) == len(r.dest) {
			p.states = r.states[first:i]
		}
		for _, s := range r.sources {
			p.sources = append(p.sources, s[first:i])
		}
		parts = append(parts, p)
		first = i
	}
	return parts
}

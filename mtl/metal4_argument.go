package mtl

import "github.com/puremetal/puremetal/objc"

// ArgumentTable4 wraps an object that conforms to the protocol MTL4ArgumentTable. It also has the
// methods of [objc.Object], such as Release. The wrapper of one created by a [Device] knows the
// size of the table; one made by [ArgumentTable4From] is checked against Metal's limits.
type ArgumentTable4 struct {
	objc.Object
	size *tableSize
}

// ArgumentTable4From wraps id without changing its ownership.
func ArgumentTable4From(id objc.ID) ArgumentTable4 {
	return ArgumentTable4{Object: objc.ObjectFrom(id)}
}

// tableSize is the size of an argument table.
type tableSize struct {
	buffers, textures, samplers uint64
	strides                     bool
}

// largestTable is the maximum size of a table.
var largestTable = tableSize{MaxBufferSlots, MaxTextureSlots, MaxSamplerSlots, true}

// NewArgumentTable4WithDescriptor creates an argument table, +1, of at most 31 buffers, 128
// textures and 16 samplers.
//
//	-[MTLDevice newArgumentTableWithDescriptor:error:]
func (o Device) NewArgumentTable4WithDescriptor(descriptor ArgumentTableDescriptor4) (ArgumentTable4, error) {
	const c = check("-[MTLDevice newArgumentTableWithDescriptor:error:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return ArgumentTable4{}, err
	}
	s := &tableSize{uint64(descriptor.MaxBufferBindCount()), uint64(descriptor.MaxTextureBindCount()),
		uint64(descriptor.MaxSamplerStateBindCount()), descriptor.SupportAttributeStrides()}
	if err := s.check(c); err != nil {
		return ArgumentTable4{}, err
	}
	t, err := sendDeviceNewArgumentTable4WithDescriptor(o, descriptor)
	t.size = s
	return t, err
}

func (s *tableSize) check(c check) error {
	if err := c.atMost("number of buffers", s.buffers, largestTable.buffers, ErrIndex); err != nil {
		return err
	}
	if err := c.atMost("number of textures", s.textures, largestTable.textures, ErrIndex); err != nil {
		return err
	}
	return c.atMost("number of samplers", s.samplers, largestTable.samplers, ErrIndex)
}

func (o ArgumentTable4) slots(c check) (*tableSize, error) {
	if err := c.object("argument table", o.ID()); err != nil {
		return nil, err
	}
	if o.size == nil {
		return &largestTable, nil
	}
	return o.size, nil
}

// SetAddress binds a GPU address at a buffer index, which must be less than the table's number of
// buffers; zero clears it.
//
//	-[MTL4ArgumentTable setAddress:atIndex:]
func (o ArgumentTable4) SetAddress(gpuAddress uint64, bindingIndex uint) error {
	const c = check("-[MTL4ArgumentTable setAddress:atIndex:]")
	s, err := o.slots(c)
	if err != nil {
		return err
	}
	if err := c.entry("buffer index", uint64(bindingIndex), s.buffers); err != nil {
		return err
	}
	sendArgumentTable4SetAddress(o, gpuAddress, bindingIndex)
	return nil
}

// SetAddressAttributeStride is SetAddress with an attribute stride, for tables that support
// strides.
//
//	-[MTL4ArgumentTable setAddress:attributeStride:atIndex:]
func (o ArgumentTable4) SetAddressAttributeStride(gpuAddress uint64, stride, bindingIndex uint) error {
	const c = check("-[MTL4ArgumentTable setAddress:attributeStride:atIndex:]")
	s, err := o.slots(c)
	if err != nil {
		return err
	}
	if !s.strides {
		return c.fail(ErrState, "the table does not support strides")
	}
	if err := c.entry("buffer index", uint64(bindingIndex), s.buffers); err != nil {
		return err
	}
	sendArgumentTable4SetAddressAttributeStride(o, gpuAddress, stride, bindingIndex)
	return nil
}

// SetResource binds a tensor, an acceleration structure or a table at a buffer index, which must be
// less than the table's number of buffers.
//
//	-[MTL4ArgumentTable setResource:atBufferIndex:]
func (o ArgumentTable4) SetResource(resourceID ResourceID, bindingIndex uint) error {
	const c = check("-[MTL4ArgumentTable setResource:atBufferIndex:]")
	s, err := o.slots(c)
	if err != nil {
		return err
	}
	if err := c.entry("buffer index", uint64(bindingIndex), s.buffers); err != nil {
		return err
	}
	sendArgumentTable4SetResource(o, resourceID, bindingIndex)
	return nil
}

// SetTexture binds a texture at an index, which must be less than the table's number of textures.
//
//	-[MTL4ArgumentTable setTexture:atIndex:]
func (o ArgumentTable4) SetTexture(resourceID ResourceID, bindingIndex uint) error {
	const c = check("-[MTL4ArgumentTable setTexture:atIndex:]")
	s, err := o.slots(c)
	if err != nil {
		return err
	}
	if err := c.entry("texture index", uint64(bindingIndex), s.textures); err != nil {
		return err
	}
	sendArgumentTable4SetTexture(o, resourceID, bindingIndex)
	return nil
}

// SetSamplerState binds a sampler at an index, which must be less than the table's number of
// samplers.
//
//	-[MTL4ArgumentTable setSamplerState:atIndex:]
func (o ArgumentTable4) SetSamplerState(resourceID ResourceID, bindingIndex uint) error {
	const c = check("-[MTL4ArgumentTable setSamplerState:atIndex:]")
	s, err := o.slots(c)
	if err != nil {
		return err
	}
	if err := c.entry("sampler index", uint64(bindingIndex), s.samplers); err != nil {
		return err
	}
	sendArgumentTable4SetSamplerState(o, resourceID, bindingIndex)
	return nil
}

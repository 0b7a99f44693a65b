package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// argumentTable is the state of an MTL4ArgumentTable. Encoders take what it has at each dispatch; it may change afterwards.
type argumentTable struct {
	label
	dev     *device
	strides bool

	mu                          sync.Mutex
	changes                     uint64 // how many there have been
	buffers, textures, samplers []uint64
}

func argumentTableClasses() []class {
	return []class{
		{name: "MTL4ArgumentTableDescriptor", protocols: []string{"NSCopying"}, record: &recordSpec{props: []prop{
			{name: "maxBufferBindCount"}, {name: "maxTextureBindCount"}, {name: "maxSamplerStateBindCount"},
			// Slots begin empty whatever the descriptor says, which a table that is not initialised may do as well.
			{name: "initializeBindings"}, {name: "supportAttributeStrides"}, {name: "label", copied: true},
		}}},
		{name: "PMSoftDevice", methods: methods{"newArgumentTableWithDescriptor:error:": on((*device).newArgumentTable)}},
		{name: "PMSoftArgumentTable4", protocols: []string{"MTL4ArgumentTable"}, methods: withReadOnlyLabel[*argumentTable](methods{
			"device": on(func(t *argumentTable, c *objcsoft.Call) { c.ReturnID(t.dev.id) }),
			"setAddress:atIndex:": on(func(t *argumentTable, c *objcsoft.Call) {
				t.set(c, "buffer", t.buffers, c.Uint(0), c.Uint(1))
			}),
			// Strides are those of stage-in data, which the device does not have: any are as good.
			"setAddress:attributeStride:atIndex:": on(func(t *argumentTable, c *objcsoft.Call) {
				if !t.strides {
					misuse(c, "the table does not support attribute strides")
					return
				}
				t.set(c, "buffer", t.buffers, c.Uint(0), c.Uint(2))
			}),
			"setResource:atBufferIndex:": on(func(t *argumentTable, c *objcsoft.Call) {
				t.set(c, "buffer", t.buffers, c.Uint(0), c.Uint(1))
			}),
			"setTexture:atIndex:": on(func(t *argumentTable, c *objcsoft.Call) {
				t.set(c, "texture", t.textures, c.Uint(0), c.Uint(1))
			}),
			"setSamplerState:atIndex:": on(func(t *argumentTable, c *objcsoft.Call) {
				t.set(c, "sampler", t.samplers, c.Uint(0), c.Uint(1))
			}),
		})},
	}
}

func (d *device) newArgumentTable(c *objcsoft.Call) {
	r := recordArg(c, 0, "the descriptor")
	if r == nil {
		return
	}
	text, err := c.RT.GoString(r.id("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	var sizes [3]uint64
	for i, p := range [...]struct {
		name  string
		limit uint64
	}{{"maxBufferBindCount", command.MaxBuffers}, {"maxTextureBindCount", command.MaxTextures}, {"maxSamplerStateBindCount", command.MaxSamplers}} {
		if sizes[i] = r.uint(p.name); sizes[i] > p.limit {
			misuse(c, "%s is %d, want at most %d", p.name, sizes[i], p.limit)
			return
		}
	}
	t := &argumentTable{
		dev: d, strides: r.bool("supportAttributeStrides"),
		buffers: make([]uint64, sizes[0]), textures: make([]uint64, sizes[1]), samplers: make([]uint64, sizes[2]),
	}
	t.labelText = text
	c.ReturnID(d.world.new("PMSoftArgumentTable4", t))
}

// set puts a word into one of the table's slots.
func (t *argumentTable) set(c *objcsoft.Call, what string, slots []uint64, word, index uint64) {
	if index >= uint64(len(slots)) {
		misuse(c, "%s index is %d, the table has %d", what, index, len(slots))
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if slots[index] != word {
		slots[index] = word
		t.changes++
	}
}

// boundTable is which state of which table an encoder has bound.
type boundTable struct {
	table   *argumentTable
	changes uint64
}

// bind has an encoder take what the table has, unless it has that already. A nil table has nothing.
func (t *argumentTable) bind(call string, rec *command.Encoder, have *boundTable) {
	if t == nil {
		if have.table != nil {
			*have = boundTable{}
			rec.SetTable(call, nil, nil, nil)
		}
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := (boundTable{t, t.changes}); *have != now {
		*have = now
		rec.SetTable(call, t.buffers, t.textures, t.samplers)
	}
}

package metal4

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// argumentTable is the state of an MTL4ArgumentTable. Encoders read its contents at each dispatch;
// it may change afterward.
type argumentTable struct {
	adapter.Label
	dev     *device.Device
	strides bool

	mu                          sync.Mutex
	changes                     uint64 // how many there have been
	buffers, textures, samplers []uint64
}

func argumentTableClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MTL4ArgumentTableDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "maxBufferBindCount"}, {Name: "maxTextureBindCount"}, {Name: "maxSamplerStateBindCount"},
			// Slots start empty whatever the descriptor says, which a table that is not initialized
			// may do as well.
			{Name: "initializeBindings"}, {Name: "supportAttributeStrides"}, {Name: "label", Copied: true},
		}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newArgumentTableWithDescriptor:error:": adapter.Method(newArgumentTable)}},
		{Name: "PMSoftArgumentTable4", Protocols: []string{"MTL4ArgumentTable"},
			Methods: adapter.WithReadOnlyLabel[*argumentTable](adapter.Methods{
				"device": adapter.Method(func(t *argumentTable, c *objcsoft.Call) { c.ReturnID(t.dev.ID) }),
				"setAddress:atIndex:": adapter.Method(func(t *argumentTable, c *objcsoft.Call) {
					t.set(c, "buffer", t.buffers, c.Uint(0), c.Uint(1))
				}),
				// Strides are those of stage-in data, which the device does not have: any are as good.
				"setAddress:attributeStride:atIndex:": adapter.Method(func(t *argumentTable, c *objcsoft.Call) {
					if !t.strides {
						adapter.Misuse(c, "the table does not support attribute strides")
						return
					}
					t.set(c, "buffer", t.buffers, c.Uint(0), c.Uint(2))
				}),
				"setResource:atBufferIndex:": adapter.Method(func(t *argumentTable, c *objcsoft.Call) {
					t.set(c, "buffer", t.buffers, c.Uint(0), c.Uint(1))
				}),
				"setTexture:atIndex:": adapter.Method(func(t *argumentTable, c *objcsoft.Call) {
					t.set(c, "texture", t.textures, c.Uint(0), c.Uint(1))
				}),
				"setSamplerState:atIndex:": adapter.Method(func(t *argumentTable, c *objcsoft.Call) {
					t.set(c, "sampler", t.samplers, c.Uint(0), c.Uint(1))
				}),
			})},
	}
}

func newArgumentTable(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "the descriptor")
	if r == nil {
		return
	}
	text, err := c.RT.GoString(r.ID("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	var sizes [3]uint64
	for i, p := range [...]struct {
		name  string
		limit uint64
	}{{"maxBufferBindCount", limits.MaxBuffers}, {"maxTextureBindCount", limits.MaxTextures},
		{"maxSamplerStateBindCount", limits.MaxSamplers}} {
		if sizes[i] = r.Uint(p.name); sizes[i] > p.limit {
			adapter.Misuse(c, "%s is %d, want at most %d", p.name, sizes[i], p.limit)
			return
		}
	}
	t := &argumentTable{
		dev: d, strides: r.Bool("supportAttributeStrides"),
		buffers: make([]uint64, sizes[0]), textures: make([]uint64, sizes[1]), samplers: make([]uint64, sizes[2]),
	}
	t.SetText(text)
	c.ReturnID(d.Driver.New("PMSoftArgumentTable4", t))
}

// set stores a word in one of the table's slots.
func (t *argumentTable) set(c *objcsoft.Call, what string, slots []uint64, word, index uint64) {
	if index >= uint64(len(slots)) {
		adapter.Misuse(c, "%s index is %d, the table has %d", what, index, len(slots))
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if slots[index] != word {
		slots[index] = word
		t.changes++
	}
}

// boundTable identifies the table that an encoder has bound, and the version of its state.
type boundTable struct {
	table   *argumentTable
	changes uint64
}

// bind makes an encoder take the table's contents, unless it already has them. A nil table is
// empty.
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

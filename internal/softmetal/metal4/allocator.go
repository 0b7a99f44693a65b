package metal4

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// commandAllocator is the state of an MTL4CommandAllocator.
type commandAllocator struct {
	adapter.Label
	dev       *device.Device
	allocator *command.Allocator
}

func commandAllocatorClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MTL4CommandAllocatorDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "label", Copied: true}}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newCommandAllocator": adapter.Method(func(d *device.Device, c *objcsoft.Call) { newCommandAllocator(d, c, "") }),
			"newCommandAllocatorWithDescriptor:error:": adapter.Method(func(d *device.Device, c *objcsoft.Call) {
				if text, ok := labelArg(c, 0); ok {
					newCommandAllocator(d, c, text)
				}
			}),
		}},
		{Name: "PMSoftCommandAllocator4", Protocols: []string{"MTL4CommandAllocator"},
			Methods: adapter.WithReadOnlyLabel[*commandAllocator](adapter.Methods{
				"device":        adapter.Method(func(a *commandAllocator, c *objcsoft.Call) { c.ReturnID(a.dev.ID) }),
				"allocatedSize": adapter.Method(func(a *commandAllocator, c *objcsoft.Call) { c.ReturnUint(a.allocator.Size()) }),
				"reset": adapter.Method(func(a *commandAllocator, c *objcsoft.Call) {
					if err := a.allocator.Reset(); err != nil {
						adapter.Misuse(c, "%v", err)
					}
				}),
			})},
	}
}

// labelArg reads the label of a descriptor that has little more.
func labelArg(c *objcsoft.Call, arg int) (string, bool) {
	r := adapter.RecordArg(c, arg, "the descriptor")
	if r == nil {
		return "", false
	}
	text, err := c.RT.GoString(r.ID("label"))
	if err != nil {
		c.Fail(err)
		return "", false
	}
	return text, true
}

func newCommandAllocator(d *device.Device, c *objcsoft.Call, text string) {
	a := &commandAllocator{dev: d, allocator: d.GPU().NewAllocator()}
	a.SetText(text)
	c.ReturnID(d.Driver.New("PMSoftCommandAllocator4", a))
}

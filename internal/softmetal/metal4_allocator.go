package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// commandAllocator4 is the state of an MTL4CommandAllocator.
type commandAllocator4 struct {
	adapter.Label
	dev       *device
	allocator *command.Allocator
}

func commandAllocator4Classes() []adapter.Class {
	return []adapter.Class{
		{Name: "MTL4CommandAllocatorDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{{Name: "label", Copied: true}}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newCommandAllocator": adapter.Method(func(d *device, c *objcsoft.Call) { d.newCommandAllocator(c, "") }),
			"newCommandAllocatorWithDescriptor:error:": adapter.Method(func(d *device, c *objcsoft.Call) {
				if text, ok := labelArg(c, 0); ok {
					d.newCommandAllocator(c, text)
				}
			}),
		}},
		{Name: "PMSoftCommandAllocator4", Protocols: []string{"MTL4CommandAllocator"}, Methods: adapter.WithReadOnlyLabel[*commandAllocator4](adapter.Methods{
			"device":        adapter.Method(func(a *commandAllocator4, c *objcsoft.Call) { c.ReturnID(a.dev.id) }),
			"allocatedSize": adapter.Method(func(a *commandAllocator4, c *objcsoft.Call) { c.ReturnUint(a.allocator.Size()) }),
			"reset": adapter.Method(func(a *commandAllocator4, c *objcsoft.Call) {
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

func (d *device) newCommandAllocator(c *objcsoft.Call, text string) {
	a := &commandAllocator4{dev: d, allocator: d.gpu().NewAllocator()}
	a.SetText(text)
	c.ReturnID(d.driver.New("PMSoftCommandAllocator4", a))
}

package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// commandAllocator4 is the state of an MTL4CommandAllocator.
type commandAllocator4 struct {
	label
	dev       *device
	allocator *command.Allocator
}

func commandAllocator4Classes() []class {
	return []class{
		{name: "MTL4CommandAllocatorDescriptor", protocols: []string{"NSCopying"}, record: &recordSpec{props: []prop{{name: "label", copied: true}}}},
		{name: "PMSoftDevice", methods: methods{
			"newCommandAllocator": on(func(d *device, c *objcsoft.Call) { d.newCommandAllocator(c, "") }),
			"newCommandAllocatorWithDescriptor:error:": on(func(d *device, c *objcsoft.Call) {
				if text, ok := labelArg(c, 0); ok {
					d.newCommandAllocator(c, text)
				}
			}),
		}},
		{name: "PMSoftCommandAllocator4", protocols: []string{"MTL4CommandAllocator"}, methods: withReadOnlyLabel[*commandAllocator4](methods{
			"device":        on(func(a *commandAllocator4, c *objcsoft.Call) { c.ReturnID(a.dev.id) }),
			"allocatedSize": on(func(a *commandAllocator4, c *objcsoft.Call) { c.ReturnUint(a.allocator.Size()) }),
			"reset": on(func(a *commandAllocator4, c *objcsoft.Call) {
				if err := a.allocator.Reset(); err != nil {
					misuse(c, "%v", err)
				}
			}),
		})},
	}
}

// labelArg reads the label of a descriptor that has little more.
func labelArg(c *objcsoft.Call, arg int) (string, bool) {
	r := recordArg(c, arg, "the descriptor")
	if r == nil {
		return "", false
	}
	text, err := c.RT.GoString(r.id("label"))
	if err != nil {
		c.Fail(err)
		return "", false
	}
	return text, true
}

func (d *device) newCommandAllocator(c *objcsoft.Call, text string) {
	a := &commandAllocator4{dev: d, allocator: d.gpu().NewAllocator()}
	a.labelText = text
	c.ReturnID(d.world.new("PMSoftCommandAllocator4", a))
}

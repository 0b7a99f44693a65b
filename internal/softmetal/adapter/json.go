package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// JSONArg decodes an argument that is JSON in a string. What is none is misuse, and it returns
// false.
func JSONArg(c *objcsoft.Call, arg int, value any) bool {
	text, err := c.RT.GoString(c.ID(arg))
	if err != nil {
		c.Fail(err)
		return false
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		Misuse(c, "argument %d, %.100q: %v", arg, text, err)
		return false
	}
	return true
}

// ReturnJSON returns a value as JSON in an autoreleased string.
func ReturnJSON(c *objcsoft.Call, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		c.Fail(fmt.Errorf("softmetal: a result: %w", err))
		return
	}
	c.ReturnAutoreleased(c.RT.NewString(string(text)))
}

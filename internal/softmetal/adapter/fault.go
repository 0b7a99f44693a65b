package adapter

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// validation is the name of the exception that misuse raises.
const validation = "MTLValidationException"

// Misuse fails a call that breaks the framework's rules: everything for which Apple's validation
// layer would stop the program. The bindings turn the exception into an error that names the call.
// The text gives the value and the limit, as in "offset 12 is not a multiple of 16". The method
// must return afterward; its result is dropped.
func Misuse(c *objcsoft.Call, format string, args ...any) { c.Raise(validation, format, args...) }

// Refuse makes the call return nil or NO, with an NSError in argument out. It serves failures for
// which the framework fills in an error.
func Refuse(c *objcsoft.Call, out int, domain string, code int64, format string, args ...any) {
	c.StoreError(out, c.RT.NewError(domain, code, fmt.Sprintf(format, args...), 0))
	c.Return(0)
}

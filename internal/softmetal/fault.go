package softmetal

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Two ways to refuse. A call with an NSError parameter that Metal fills for this cause refuses with refuse. Everything that Metal's
// validation layer would stop the program for is misuse: the message becomes an error of the seam, which names the call; the words
// name the value and the limit.

// validation is the name under which misuse is raised.
const validation = "MTLValidationException"

// misuse refuses a call that breaks Metal's rules. The method returns afterwards; its result is dropped. The words name the value
// given and the limit, as in "offset 12 is not a multiple of 16"; the call is named by the runtime.
func misuse(c *objcsoft.Call, format string, args ...any) { c.Raise(validation, format, args...) }

// refuse makes the call return nil or NO with an NSError in its last parameter, which is argument out.
func refuse(c *objcsoft.Call, out int, domain string, code int64, format string, args ...any) {
	c.StoreError(out, c.RT.NewError(domain, code, fmt.Sprintf(format, args...), 0))
	c.Return(0)
}

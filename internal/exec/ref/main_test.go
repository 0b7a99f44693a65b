package ref

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestMain fails if all tests ran and passed, but an operation in the table was not executed by any
// test that knows its result.
func TestMain(m *testing.M) {
	code := m.Run()
	if filter := flag.Lookup("test.run"); code == 0 && filter.Value.String() == "" &&
		flag.Lookup("test.fuzz").Value.String() == "" {
		for op := ir.OpInvalid + 1; int(op) < ir.NumOps; op++ {
			if !coverage[op] {
				fmt.Printf("no test runs %v\n", op)
				code = 1
			}
		}
	}
	os.Exit(code)
}

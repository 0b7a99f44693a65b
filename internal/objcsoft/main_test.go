package objcsoft

import (
	"os"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	os.Exit(settle.Run(m, func() error { return goleak.Find() }))
}

package resilience

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/handletest"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	m := manager(t, Options{Open: newFaulty(t, 0).opener(0)})
	handletest.Check(t, handletest.Package{
		Handles:   []any{m},
		Functions: map[string]any{"New": newAndClose},
		Without:   []string{"Report", "Accelerator"},
		Ends:      []string{"Manager.Close"},
		Err:       compute.ErrNil,
	})
}

// newAndClose makes a manager and closes it.
func newAndClose(ctx context.Context, o Options) error {
	m, err := New(ctx, o)
	if err != nil {
		return err
	}
	return m.Close(context.Background())
}

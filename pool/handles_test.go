package pool

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/handletest"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/require"
)

// TestHandles gives every exported function and method nil and zero handles. Lengths are zero,
// so that nothing is rented.
func TestHandles(t *testing.T) {
	d := device(t)
	p := newPool(t, d, Options{})
	b := rent(t, p, 64)
	r, err := p.RentRelocatable(64, shared())
	require.NoError(t, err)
	objects := NewRecycler(RecyclerOptions[int]{Make: func() (int, error) { return 7, nil }})
	event := d.NewSharedEvent()
	t.Cleanup(event.Release)
	handletest.Check(t, handletest.Package{
		Handles: []any{p, b, r, objects, d, event},
		Foreign: []any{d, event},
		Functions: map[string]any{"After": After, "NewRecycler": NewRecycler[int], "New": func(d mtl.Device) error {
			p, err := New(d, Options{})
			if err == nil {
				err = p.Close()
			}
			return err
		}},
		Without: []string{"Kind", "LeakError", "Pressure", "Stats", "ClassStats"},
		Ends: []string{"Pool.Close", "Block.Return", "Block.ReturnAfter", "Relocatable.Return", "Relocatable.Unpin",
			"Recycler.Close"},
	})
	require.ErrorIs(t, b.ReturnAfter(After(mtl.SharedEvent{}, 1)), ErrForeign)
	require.NoError(t, b.Return()) // the block is still rented
	_, err = r.Pin()
	require.NoError(t, err)
	require.ErrorIs(t, r.Unpin(After(mtl.SharedEvent{}, 1)), ErrForeign)
	require.NoError(t, r.Unpin(nil))
	require.NoError(t, r.Return())
}

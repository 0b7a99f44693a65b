package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResidencySet(t *testing.T) {
	d := testDevice(t)
	desc, err := NewResidencySetDescriptor()
	if have, _ := objc.OSVersion(); have != 0 && have.Major() < 15 {
		require.ErrorIs(t, err, objc.ErrUnavailable)
		return
	}
	require.NoError(t, err)
	defer desc.Release()
	_, err = d.NewResidencySet(ResidencySetDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	s, err := d.NewResidencySet(desc)
	require.NoError(t, err)
	defer s.Release()
	a, b := testBuffer(t, d, 64, 0), testBuffer(t, d, 64, 0)
	require.NoError(t, s.AddAllocation(a.Allocation))
	require.NoError(t, s.AddAllocations([]Allocation{a.Allocation, b.Allocation}))
	require.NoError(t, s.AddAllocations(nil))
	s.Commit()
	assert.Equal(t, uint(2), s.AllocationCount())
	assert.True(t, s.ContainsAllocation(b.Allocation))
	assert.False(t, s.ContainsAllocation(Allocation{}))
	require.ErrorIs(t, s.AddAllocation(Allocation{}), ErrNil)
	require.ErrorIs(t, s.AddAllocations([]Allocation{a.Allocation, {}}), ErrNil)
	require.ErrorIs(t, s.RemoveAllocation(Allocation{}), ErrNil)
	require.ErrorIs(t, s.RemoveAllocations([]Allocation{{}}), ErrNil)
	require.NoError(t, s.RemoveAllocation(a.Allocation))
	require.NoError(t, s.RemoveAllocations([]Allocation{b.Allocation}))
	s.Commit()
	assert.Zero(t, s.AllocationCount())
}

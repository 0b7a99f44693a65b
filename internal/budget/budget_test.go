package budget

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpend(t *testing.T) {
	b := New(context.Background(), "the program", Limits{Steps: 10, Bytes: 100})
	require.NoError(t, b.Spend(10, 100), "all there is")
	assert.Equal(t, Limits{Steps: 10, Bytes: 100}, b.Spent())
	assert.Equal(t, &Exceeded{b, "steps", 11, 10}, b.Spend(1, 0))
	b = New(context.Background(), "the program", Limits{Steps: 10, Bytes: 100})
	err := b.Spend(1, 101)
	assert.Equal(t, &Exceeded{b, "bytes", 101, 100}, err)
	assert.EqualError(t, err, "the budget of the program is 100 bytes, and 101 were reached")
	unlimited := New(context.Background(), "anything", Limits{})
	assert.NoError(t, unlimited.Spend(1<<40, 1<<40))
}

// TestPart: a part has its own limits, and its work counts toward the whole.
func TestPart(t *testing.T) {
	whole := New(context.Background(), "the program", Limits{Steps: 10})
	first := whole.Part("entry point 'a'", Limits{Steps: 8})
	assert.Equal(t, &Exceeded{first, "steps", 9, 8}, first.Spend(9, 0))
	whole = New(context.Background(), "the program", Limits{Steps: 10})
	require.NoError(t, whole.Part("entry point 'a'", Limits{Steps: 8}).Spend(8, 0))
	second := whole.Part("entry point 'b'", Limits{Steps: 8})
	assert.Equal(t, &Exceeded{whole, "steps", 11, 10}, second.Spend(3, 0))
	assert.EqualValues(t, 3, second.Spent().Steps)
}

// TestCanceled: a budget whose context is done ends the work, soon after if not at once.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := New(ctx, "the program", Limits{}).Part("entry point 'a'", Limits{})
	require.NoError(t, b.Spend(1, 1))
	cancel()
	calls := 0
	for b.Spend(1, 1) == nil {
		calls++
		require.Less(t, calls, every)
	}
	assert.ErrorIs(t, func() error {
		for {
			if err := b.Spend(0, 0); err != nil {
				return err
			}
		}
	}(), context.Canceled)
}

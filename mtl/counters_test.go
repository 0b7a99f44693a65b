package mtl

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSampleChecks(t *testing.T) {
	const c = check("-[T t]")
	assert.NoError(t, c.samples(1, StorageModeShared))
	assert.NoError(t, c.samples(4096, StorageModePrivate))
	limitOf(t, c.samples(0, StorageModeShared), ErrLength)
	require.ErrorIs(t, c.samples(1, StorageModeManaged), ErrStorageMode)
	require.ErrorIs(t, c.samples(1, StorageModeMemoryless), ErrStorageMode)

	assert.NoError(t, c.part("samples", Range{3, 1}, 4))
	for _, r := range []Range{{0, 0}, {4, 1}, {5, 0}, {0, 5}, {1, math.MaxUint}, {math.MaxUint, 1}} {
		require.ErrorIs(t, c.part("samples", r, 4), ErrIndex, r)
	}
}

func TestDecodeSamples(t *testing.T) {
	ts, err := decodeSamples[CounterResultTimestamp]([]byte{1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255,
		255}, 2)
	require.NoError(t, err)
	assert.Equal(t, []CounterResultTimestamp{{1}, {CounterErrorValue}}, ts)
	_, err = decodeSamples[CounterResultTimestamp](make([]byte, 15), 2)
	limitOf(t, err, ErrArgument)
	us, err := decodeSamples[CounterResultStageUtilization](make([]byte, 48), 1)
	require.NoError(t, err)
	assert.Len(t, us, 1)
	ss, err := decodeSamples[CounterResultStatistic](make([]byte, 128), 2)
	require.NoError(t, err)
	assert.Len(t, ss, 2)
	_, err = decodeSamples[CounterResultStatistic](nil, math.MaxUint)
	limitOf(t, err, ErrArgument)
}

func TestCounterSampleBuffer(t *testing.T) {
	d := testDevice(t)
	if len(d.CounterSamplingPoints()) == 0 {
		t.Skip("the device samples no counters")
	}
	_, err := d.CounterSetNamed("no such set")
	require.ErrorIs(t, err, ErrDevice)
	name, err := CommonCounterSetTimestamp()
	require.NoError(t, err)
	set, err := d.CounterSetNamed(name)
	require.NoError(t, err)
	defer set.Release()
	desc, err := NewCounterSampleBufferDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	_, err = d.NewCounterSampleBuffer(desc)
	limitOf(t, err, ErrLength)
	desc.SetSampleCount(4)
	_, err = d.NewCounterSampleBuffer(desc)
	require.ErrorIs(t, err, ErrNil, "no counter set")
	desc.SetCounterSet(set)
	desc.SetStorageMode(StorageModeManaged)
	_, err = d.NewCounterSampleBuffer(desc)
	require.ErrorIs(t, err, ErrStorageMode)
	desc.SetStorageMode(StorageModeShared)
	b, err := d.NewCounterSampleBuffer(desc)
	require.NoError(t, err)
	defer b.Release()
	assert.Equal(t, uint(4), b.SampleCount())
	data, err := b.Resolve(Range{1, 3})
	require.NoError(t, err)
	assert.Len(t, data, 24)
	ts, err := b.ResolveTimestamps(Range{0, 4})
	require.NoError(t, err)
	assert.Len(t, ts, 4)
	_, err = b.ResolveStatistics(Range{0, 4})
	limitOf(t, err, ErrArgument)
	for _, r := range []Range{{0, 0}, {0, 5}, {4, 1}, {1, math.MaxUint}} {
		_, err = b.Resolve(r)
		require.ErrorIs(t, err, ErrIndex, r)
	}
	desc.SetStorageMode(StorageModePrivate)
	private, err := d.NewCounterSampleBuffer(desc)
	require.NoError(t, err)
	defer private.Release()
	_, err = private.Resolve(Range{0, 1})
	require.ErrorIs(t, err, ErrStorageMode)
}

func TestSampleTimestamps(t *testing.T) {
	d := testDevice(t)
	cpu, gpu := d.SampleTimestamps()
	assert.NotZero(t, cpu)
	assert.NotZero(t, gpu)
}

package softmetal

import (
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseFaults(t *testing.T) {
	for text, want := range map[string]Faults{
		"":                                    {},
		"command=3:9":                         {CommandEvery: 3, CommandCode: 9},
		"remove=100":                          {RemoveAfter: 100},
		"slow=2ms":                            {Slow: 2 * time.Millisecond},
		"allocation=50,command=1:2,,remove=0": {AllocationEvery: 50, CommandEvery: 1, CommandCode: 2},
		"command=0:0":                         {},
		"object=7":                            {ObjectEvery: 7},
	} {
		got, err := parseFaults(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"command=3":       `PUREMETAL_SOFTWARE_FAULTS: "command=3": want a number and an error code, as in 3:9`,
		"command=x:1":     `"command=x:1": strconv.Atoi: parsing "x"`,
		"command=3:99":    "code is 99, which is not a command buffer error",
		"command=3:0":     "code is 0, which is not a command buffer error",
		"command=-1:1":    "command is -1, want at least 0",
		"remove=-2":       "remove is -2, want at least 0",
		"allocation=-3":   "allocation is -3, want at least 0",
		"object=-3":       "object is -3, want at least 0",
		"slow=-2s":        "slow is -2s, want at least 0s",
		"slow=2":          "missing unit",
		"remove":          `"remove": strconv.Atoi: parsing ""`,
		"fire=1":          `"fire=1": fault "fire", want command, remove, slow, allocation or object`,
		"slow=1ms;fire=1": "unknown unit",
	} {
		_, err := parseFaults(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzParseFaults(f *testing.F) {
	for _, text := range []string{"", "command=3:9,remove=100,slow=2ms,allocation=50", "command=", ",,=", "slow=-1h"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if x, err := parseFaults(text); err == nil {
			require.NoError(t, x.check())
		} else {
			require.Zero(t, x)
		}
	})
}

// newDevices registers the framework in a new runtime and returns its devices.
func newDevices(t *testing.T) (*objcsoft.Runtime, []*device.Device) {
	t.Helper()
	rt := objcsoft.New()
	require.NoError(t, Register(rt))
	require.NoError(t, rt.LoadFramework(metal.FrameworkName))
	var ret [1]uintptr
	require.NoError(t, rt.Function("MTLCopyAllDevices").Call(nil, ret[:]))
	ids, err := adapter.Payloads[*device.Device](rt, objcsoft.ID(ret[0]))
	require.NoError(t, err)
	adapter.Release(rt, objcsoft.ID(ret[0]))
	return rt, ids
}

// TestFaultsOfEnvironment has all devices make the failures that the environment asks for.
func TestFaultsOfEnvironment(t *testing.T) {
	t.Setenv(faultVariable, "command=2:3,allocation=3")
	t.Setenv("PUREMETAL_SOFTWARE_DEVICES", "2")
	_, ds := newDevices(t)
	require.Len(t, ds, 2)
	for _, d := range ds {
		var failed []int
		for i := 1; i <= 7; i++ {
			b, err := d.Memory.Allocate(1, memory.Buffers)
			if err != nil {
				failed = append(failed, i)
				continue
			}
			d.Memory.Free(b)
		}
		assert.Equal(t, []int{3, 6}, failed)
		q := d.GPU().NewQueue(0)
		for i := range 4 {
			b := q.NewBuffer()
			b.Commit("c")
			b.WaitCompleted()
			var e *command.Error
			if i%2 == 0 {
				assert.NoError(t, b.Err())
			} else if assert.ErrorAs(t, b.Err(), &e) {
				assert.Equal(t, command.CodePageFault, e.Code)
			}
		}
	}
}

// TestBadFaultsOfEnvironment: text that is none leaves the devices as they are.
func TestBadFaultsOfEnvironment(t *testing.T) {
	t.Setenv(faultVariable, "command=1:1,fire=1")
	_, ds := newDevices(t)
	b := ds[0].GPU().NewQueue(0).NewBuffer()
	b.Commit("c")
	b.WaitCompleted()
	assert.NoError(t, b.Err())
}

func TestInjectRefuses(t *testing.T) {
	rt, ds := newDevices(t)
	require.NoError(t, Inject(rt, ds[0].ID, Faults{}))
	require.EqualError(t, Inject(rt, ds[0].ID, Faults{CommandEvery: 1, CommandCode: 5}),
		"softmetal: inject faults: code is 5, which is not a command buffer error")
	require.EqualError(t, Inject(rt, ds[0].ID, Faults{Slow: -1}),
		"softmetal: inject faults: slow is -1ns, want at least 0s")
	s := rt.NewString("no device")
	defer adapter.Release(rt, s)
	for _, id := range []objcsoft.ID{0, s} {
		require.ErrorContains(t, Inject(rt, id, Faults{}), "not a device")
		_, err := UsageOf(rt, id)
		require.ErrorContains(t, err, "not a device")
	}
}

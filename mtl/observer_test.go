package mtl

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestObserveDevices(t *testing.T) {
	testDevice(t)
	devices, observer, err := ObserveDevices(func(Device, string) {})
	require.NoError(t, err)
	require.NotEmpty(t, devices)
	require.NotEmpty(t, devices[0].Name())
	ReleaseAll(devices)
	require.NoError(t, observer.Remove())
}

func TestObserveDevicesBadInput(t *testing.T) {
	_, _, err := ObserveDevices(nil)
	require.ErrorIs(t, err, ErrArgument)
	require.NoError(t, DeviceObserver{}.Remove())
	_, _, err = Function{}.NewArgumentEncoderWithReflection(0)
	require.ErrorIs(t, err, ErrNil)
}

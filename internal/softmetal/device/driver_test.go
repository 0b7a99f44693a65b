package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDeviceCount(t *testing.T) {
	for value, want := range map[string]int{"": defaultDevices, "0": 0, "3": 3, "16": 16} {
		n, err := deviceCount(value)
		assert.NoError(t, err)
		assert.Equal(t, want, n)
	}
	for _, value := range []string{"-1", "17", "two", "1.5"} {
		_, err := deviceCount(value)
		assert.ErrorContains(t, err, devicesVariable+`="`+value+`"`)
	}
}

package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPeerGroups(t *testing.T) {
	const base = 0x5057_0001
	for _, c := range []struct {
		value string
		want  []peerGroup
	}{
		{"", []peerGroup{{base, 0, 3}, {base, 1, 3}, {base, 2, 3}}},
		{"4,0,4", []peerGroup{{base + 4, 0, 2}, {}, {base + 4, 1, 2}}},
		{"1,2,3", []peerGroup{{}, {}, {}}},
	} {
		got, err := peerGroups(c.value, 3)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, c.value)
	}
	one, err := peerGroups("", 1)
	require.NoError(t, err)
	assert.Equal(t, []peerGroup{{}}, one, "a device alone has no peers")
	for value, text := range map[string]string{
		"0,0": "2 numbers for 3 devices", "0,x,0": `group "x" of device 1: want a number from 0 to 65535`,
		"0,0,65536": `group "65536" of device 2`, "0,0,-1": `group "-1"`,
	} {
		_, err := peerGroups(value, 3)
		assert.ErrorContains(t, err, text)
	}
}

package peer

import (
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTopology checks the devices of this test against the environment that made them.
func TestTopology(t *testing.T) {
	infos, err := compute.Devices()
	require.NoError(t, err)
	g, err := Topology()
	require.NoError(t, err)
	require.Len(t, g.Devices, len(infos))
	for i, d := range g.Devices {
		assert.Equal(t, infos[i].RegistryID, d.RegistryID)
		assert.Equal(t, infos[i].Name, d.Name)
	}
	if len(infos) != 4 || !infos[0].Software {
		t.Skip("the groups are those of the software device")
	}
	assert.Equal(t, [][]int{{0, 1, 2}}, g.Groups())
	for i := range 4 {
		for j := range 4 {
			assert.Equal(t, i != j && i < 3 && j < 3, g.Peers(i, j), "%d and %d", i, j)
		}
	}
	assert.Equal(t, []int{0, 1, 2, 0}, []int{g.Devices[0].PeerIndex, g.Devices[1].PeerIndex, g.Devices[2].PeerIndex,
		g.Devices[3].PeerIndex})
	assert.Equal(t, []int{3, 3, 3, 0}, []int{g.Devices[0].PeerCount, g.Devices[1].PeerCount, g.Devices[2].PeerCount,
		g.Devices[3].PeerCount})
	assert.False(t, g.Peers(0, 4))
	assert.False(t, g.Peers(-1, 0))
}

// TestGraphText checks the table and the Graphviz form.
func TestGraphText(t *testing.T) {
	g := &Graph{Devices: []Device{
		{Index: 0, Name: "One", RegistryID: 1, Group: 7, PeerCount: 2, Location: mtl.DeviceLocationSlot, LocationNumber: 3,
			TransferRate: 15_750_000_000},
		{Index: 1, Name: `"Two"`, RegistryID: 2, Group: 7, PeerIndex: 1, PeerCount: 2, Location: mtl.DeviceLocationExternal},
		{Index: 2, Name: "Three", RegistryID: 3, UnifiedMemory: true},
	}}
	lines := strings.Split(g.String(), "\n")
	require.Len(t, lines, 6)
	assert.Equal(t, []string{"0", "One", "0x1", "0x7,", "0", "of", "2", "slot", "3", "dedicated", "15.75", "GB/s"},
		strings.Fields(lines[1]))
	assert.Equal(t, []string{"2", "Three", "0x3", "none", "built", "in", "unified", "unknown"}, strings.Fields(lines[3]))
	assert.Equal(t, "peers: 0 1", lines[4])
	dot := g.DOT()
	assert.Equal(t, 1, strings.Count(dot, " -- "))
	assert.Contains(t, dot, "d0 -- d1;")
	assert.Contains(t, dot, `label="1: \"Two\"\nexternal, port 0, dedicated memory"`)
	one := &Graph{Devices: g.Devices[2:]}
	assert.Contains(t, one.String(), "no peers\n")
	assert.NotContains(t, one.DOT(), "--")
	assert.Empty(t, (*Graph)(nil).String())
	assert.Nil(t, (*Graph)(nil).Groups())
	assert.Equal(t, "graph devices {\n}\n", (*Graph)(nil).DOT())
}

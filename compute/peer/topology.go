package peer

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Device is a device as the place of memory.
type Device struct {
	Index      int // in the order of [compute.Devices]
	Name       string
	RegistryID uint64
	Software   bool

	// Group is the peer group, 0 for a device without peers. PeerIndex is the device's place among
	// the PeerCount devices of the group.
	Group                uint64
	PeerIndex, PeerCount int

	Location       mtl.DeviceLocation // built in, in a slot, or external
	LocationNumber int                // of the slot or port; 0 for a device that is built in
	TransferRate   uint64             // highest rate between host and device in bytes per second; 0 if unknown
	UnifiedMemory  bool               // shares the host's memory
}

// Graph is the devices of the machine, and which can read each other's memory.
type Graph struct{ Devices []Device }

// Topology returns the graph of all devices.
func Topology() (*Graph, error) {
	infos, err := compute.Devices()
	if err != nil {
		return nil, err
	}
	g := &Graph{}
	objc.Pool(func() {
		var all []mtl.Device
		if all, err = mtl.Devices(); err != nil {
			return
		}
		defer mtl.ReleaseAll(all)
		for _, i := range infos {
			for _, d := range all {
				if d.RegistryID() == i.RegistryID {
					g.Devices = append(g.Devices, describe(i, d))
				}
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	return g, nil
}

func describe(i compute.Info, d mtl.Device) Device {
	return Device{
		Index: i.Index, Name: i.Name, RegistryID: i.RegistryID, Software: i.Software,
		Group: d.PeerGroupID(), PeerIndex: int(d.PeerIndex()), PeerCount: int(d.PeerCount()),
		Location: d.Location(), LocationNumber: int(d.LocationNumber()), TransferRate: d.MaxTransferRate(),
		UnifiedMemory: i.Limits.UnifiedMemory,
	}
}

// Peers reports whether two devices of the graph, by their indices, can read each other's memory.
func (g *Graph) Peers(a, b int) bool {
	if g == nil || a < 0 || b < 0 || a >= len(g.Devices) || b >= len(g.Devices) {
		return false
	}
	return g.Devices[a].isPeer(g.Devices[b])
}

func (d Device) isPeer(o Device) bool {
	return d.RegistryID != o.RegistryID && d.Group != 0 && d.Group == o.Group
}

// Groups returns the peer groups, each as the indices of its devices, without devices that have no
// peers.
func (g *Graph) Groups() (groups [][]int) {
	if g == nil {
		return nil
	}
	place := map[uint64]int{}
	for i, d := range g.Devices {
		if d.Group == 0 {
			continue
		}
		at, ok := place[d.Group]
		if !ok {
			at = len(groups)
			place[d.Group] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// String returns a table with a line for each device, and one that says which are peers.
func (g *Graph) String() string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "device\tname\tregistry id\tpeer group\tlocation\tmemory\thost transfer rate")
	for _, d := range g.Devices {
		fmt.Fprintf(t, "%d\t%s\t%#x\t%s\t%s\t%s\t%s\n", d.Index, d.Name, d.RegistryID, d.group(), d.place(), d.memory(),
			d.rate())
	}
	_ = t.Flush() // a strings.Builder takes everything
	groups := g.Groups()
	if len(groups) == 0 {
		b.WriteString("no peers\n")
	}
	for _, devices := range groups {
		fmt.Fprintf(&b, "peers: %s\n", strings.Trim(fmt.Sprint(devices), "[]"))
	}
	return b.String()
}

func (d Device) group() string {
	if d.Group == 0 {
		return "none"
	}
	return fmt.Sprintf("%#x, %d of %d", d.Group, d.PeerIndex, d.PeerCount)
}

func (d Device) place() string {
	switch d.Location {
	case mtl.DeviceLocationBuiltIn:
		return "built in"
	case mtl.DeviceLocationSlot:
		return fmt.Sprintf("slot %d", d.LocationNumber)
	case mtl.DeviceLocationExternal:
		return fmt.Sprintf("external, port %d", d.LocationNumber)
	}
	return "unknown"
}

func (d Device) memory() string {
	if d.UnifiedMemory {
		return "unified"
	}
	return "dedicated"
}

func (d Device) rate() string {
	if d.TransferRate == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.4g GB/s", float64(d.TransferRate)/1e9)
}

// DOT returns the graph in the language of Graphviz: a node for each device, and an edge between
// peers.
func (g *Graph) DOT() string {
	var b strings.Builder
	b.WriteString("graph devices {\n")
	if g != nil {
		for i, d := range g.Devices {
			label := fmt.Sprintf("%d: %s\n%s, %s memory", d.Index, d.Name, d.place(), d.memory())
			fmt.Fprintf(&b, "  d%d [label=%q];\n", i, label)
		}
		for i := range g.Devices {
			for j := i + 1; j < len(g.Devices); j++ {
				if g.Peers(i, j) {
					fmt.Fprintf(&b, "  d%d -- d%d;\n", i, j)
				}
			}
		}
	}
	b.WriteString("}\n")
	return b.String()
}

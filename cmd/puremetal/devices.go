//go:build !puremetal_run

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/compute"
)

// devicesCmd is the command line of devices.
type devicesCmd struct {
	JSON  bool `name:"json" help:"Write JSON."`
	Peers bool `help:"Show which devices can read each other's memory."`
	Dot   bool `help:"With --peers: write the graph in the language of Graphviz."`
}

// Help returns the text that devices --help shows after the flags.
func (*devicesCmd) Help() string {
	return `Without a Metal device, the software device is listed: it runs the same kernels on the CPU.

Examples:

  puremetal devices
  puremetal devices --json
  puremetal devices --peers --dot | dot -Tsvg -o devices.svg
  PUREMETAL_DRIVER=software puremetal devices

PUREMETAL_DRIVER chooses the driver: apple or software. Other commands use the first device unless --device names another.
`
}

// deviceInfo is a device in the JSON output. Sizes are in bytes.
type deviceInfo struct {
	Index               int      `json:"index"`
	Name                string   `json:"name"`
	Driver              string   `json:"driver"`
	Engine              string   `json:"engine,omitempty"`
	RegistryID          uint64   `json:"registry_id"`
	Families            []string `json:"families"`
	UnifiedMemory       bool     `json:"unified_memory"`
	LowPower            bool     `json:"low_power"`
	Removable           bool     `json:"removable"`
	WorkingSet          uint64   `json:"recommended_working_set"`
	MaxBuffer           uint     `json:"max_buffer"`
	MaxThreads          [3]uint  `json:"max_threads_per_threadgroup"`
	ThreadgroupMemory   uint     `json:"threadgroup_memory"`
	SIMDWidth           int      `json:"simd_width"`
	BufferSlots         uint     `json:"buffer_slots"`
	TextureSlots        uint     `json:"texture_slots"`
	SamplerSlots        uint     `json:"sampler_slots"`
	BandwidthGBs        float64  `json:"specified_gb_per_s,omitempty"`
	ArgumentBuffersTier int      `json:"argument_buffers_tier"`
}

// Run lists the devices.
func (c *devicesCmd) Run(a *app) error {
	switch {
	case c.Dot && (!c.Peers || c.JSON):
		return usage("--dot needs --peers and excludes --json")
	case c.Peers:
		return c.peers(a)
	}
	all, err := compute.Devices()
	if err != nil {
		return err
	}
	list := make([]deviceInfo, len(all))
	for i, d := range all {
		list[i] = describeDevice(d)
	}
	if c.JSON {
		return writeJSON(a.out, list)
	}
	for i := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := list[i].text(a.out); err != nil {
			return err
		}
	}
	return nil
}

func describeDevice(d compute.Info) deviceInfo {
	l := d.Limits
	out := deviceInfo{
		Index: d.Index, Name: d.Name, Driver: driverName(d.Software), Engine: d.Engine,
		RegistryID: d.RegistryID, Families: []string{},
		UnifiedMemory: l.UnifiedMemory,
		LowPower:      d.LowPower, Removable: d.Removable, WorkingSet: l.RecommendedMaxWorkingSetSize,
		MaxBuffer: l.MaxBufferLength,
		MaxThreads: [3]uint{l.MaxThreadsPerThreadgroup.Width, l.MaxThreadsPerThreadgroup.Height,
			l.MaxThreadsPerThreadgroup.Depth},
		ThreadgroupMemory: l.MaxThreadgroupMemoryLength, SIMDWidth: d.SIMDWidth, BufferSlots: l.BufferSlots,
		TextureSlots: l.TextureSlots,
		SamplerSlots: l.SamplerSlots, BandwidthGBs: d.BandwidthGBs, ArgumentBuffersTier: int(l.ArgumentBuffers) + 1,
	}
	for _, f := range d.Families {
		out.Families = append(out.Families, strings.TrimPrefix(f.String(), "GPUFamily"))
	}
	return out
}

func driverName(software bool) string {
	if software {
		return "software"
	}
	return "apple"
}

func (d *deviceInfo) text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "device %d\t%s\n", d.Index, d.Name)
	driver := "apple: the GPU, through Metal"
	if d.Driver == "software" {
		driver = "software: kernels run on the CPU"
	}
	fmt.Fprintf(t, "driver\t%s\n", driver)
	fmt.Fprintf(t, "families\t%s\n", strings.Join(d.Families, ", "))
	memory := "dedicated"
	if d.UnifiedMemory {
		memory = "unified"
	}
	fmt.Fprintf(t, "memory\t%s; working set %s, largest buffer %s\n", memory, bytesText(int(d.WorkingSet)),
		bytesText(int(d.MaxBuffer)))
	if d.BandwidthGBs > 0 {
		fmt.Fprintf(t, "bandwidth\t%.4g GB/s according to Apple's specifications\n", d.BandwidthGBs)
	}
	fmt.Fprintf(t, "threadgroups\tat most %dx%dx%d threads, %s of memory; simdgroups of %d\n", d.MaxThreads[0],
		d.MaxThreads[1], d.MaxThreads[2],
		bytesText(int(d.ThreadgroupMemory)), d.SIMDWidth)
	fmt.Fprintf(t, "arguments\t%d buffers, %d textures, %d samplers; argument buffers tier %d\n", d.BufferSlots,
		d.TextureSlots, d.SamplerSlots, d.ArgumentBuffersTier)
	if d.LowPower || d.Removable {
		fmt.Fprintf(t, "kind\t%s\n", strings.Join(kinds(d), ", "))
	}
	return t.Flush()
}

func kinds(d *deviceInfo) (out []string) {
	if d.LowPower {
		out = append(out, "low power")
	}
	if d.Removable {
		out = append(out, "removable")
	}
	return out
}

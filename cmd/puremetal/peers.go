//go:build !puremetal_run

package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/peer"
)

// peerDevice is a device of devices --peers in the JSON output.
type peerDevice struct {
	Index          int    `json:"index"`
	Name           string `json:"name"`
	RegistryID     uint64 `json:"registry_id"`
	Group          uint64 `json:"peer_group,omitempty"` // 0 for none
	PeerIndex      int    `json:"peer_index"`
	PeerCount      int    `json:"peer_count"`
	Peers          []int  `json:"peers"` // indices of other devices
	Location       string `json:"location"`
	LocationNumber int    `json:"location_number"`
	TransferRate   uint64 `json:"transfer_rate,omitempty"` // bytes per second; 0 if unknown
	UnifiedMemory  bool   `json:"unified_memory"`
}

// peers shows which devices are peers.
func (c *devicesCmd) peers(a *app) error {
	g, err := peer.Topology()
	if err != nil {
		return err
	}
	switch {
	case c.Dot:
		_, err = io.WriteString(a.out, g.DOT())
	case c.JSON:
		list := make([]peerDevice, len(g.Devices))
		for i, d := range g.Devices {
			list[i] = peerDevice{Index: d.Index, Name: d.Name, RegistryID: d.RegistryID, Group: d.Group,
				PeerIndex: d.PeerIndex, PeerCount: d.PeerCount, Peers: []int{}, Location: d.Location.String(),
				LocationNumber: d.LocationNumber, TransferRate: d.TransferRate, UnifiedMemory: d.UnifiedMemory}
			for j := range g.Devices {
				if g.Peers(i, j) {
					list[i].Peers = append(list[i].Peers, g.Devices[j].Index)
				}
			}
		}
		err = writeJSON(a.out, list)
	default:
		_, err = io.WriteString(a.out, g.String())
	}
	return err
}

// link is a measured link in the JSON output.
type link struct {
	From      string       `json:"from"`
	To        string       `json:"to"`
	Path      string       `json:"path"`
	Software  bool         `json:"software"` // both are: the figures are those of the host's memory
	LatencyUS float64      `json:"latency_us"`
	GBs       float64      `json:"gb_per_s"`
	Copies    []linkSample `json:"copies"`
}

// linkSample is the times of copies of one size.
type linkSample struct {
	Bytes    int     `json:"bytes"`
	LowUS    float64 `json:"low_us"`
	MedianUS float64 `json:"median_us"`
	HighUS   float64 `json:"high_us"`
	GBs      float64 `json:"gb_per_s"`
	Host     bool    `json:"host_clock"`
}

// peersHelp is the paragraph about bench peers.
const peersHelp = "bench peers copies private memory from each device to each other one, 20 times for " +
	"each size, and shows the path (remote: the receiving device reads the other's memory; staged: through the " +
	"host's memory), the latency of the smallest copy, the best bandwidth, and the median times."

// peerRuns is how often bench peers copies each size.
const peerRuns = 20

// steadyBytes is the least size of copies whose times should vary little.
const steadyBytes = 1 << 20

// peers measures copies between all pairs of devices.
func (c *benchCmd) peers(a *app) (err error) {
	if c.Only != "" || c.List || c.HTML != "" || c.Compare != "" || c.With != "" || c.Device != "" {
		return usage("bench peers takes --json and no other flag of bench")
	}
	accs, err := compute.OpenAll(compute.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer func() {
		for _, acc := range accs {
			err = errors.Join(err, closeDevice(a.ctx, acc))
		}
	}()
	if len(accs) == 1 {
		if c.JSON != "-" {
			fmt.Fprintf(a.out, "%s has no peers: it is the only device\n", accs[0].Info().Name)
			if accs[0].Info().Software {
				fmt.Fprintln(a.out, "PUREMETAL_SOFTWARE_DEVICES=2 makes two software devices, which are peers")
			}
		}
		return c.storeLinks(a, nil)
	}
	bar := a.progress(len(accs)*(len(accs)-1), "measuring")
	defer bar.stop()
	all, err := peer.MeasureAll(a.ctx, accs, peerRuns, func() { bar.add() })
	if err != nil {
		return err
	}
	bar.stop()
	if c.JSON != "-" {
		if err := linkTable(a.out, all); err != nil {
			return err
		}
	}
	return c.storeLinks(a, all)
}

// storeLinks writes the JSON form if it is asked for.
func (c *benchCmd) storeLinks(a *app, all []*peer.Measurement) error {
	if c.JSON == "" {
		return nil
	}
	us := func(d time.Duration) float64 { return float64(d) / 1e3 }
	list := []link{}
	for _, m := range all {
		l := link{From: m.From, To: m.To, Path: m.Path.String(), Software: m.Software, LatencyUS: us(m.Latency), GBs: m.GBs}
		for _, s := range m.Samples {
			l.Copies = append(l.Copies, linkSample{s.Bytes, us(s.Low), us(s.Median), us(s.High), s.GBs, s.Host})
		}
		list = append(list, l)
	}
	if c.JSON == "-" {
		return writeJSON(a.out, list)
	}
	return storeFile(c.JSON, func(w io.Writer) error { return writeJSON(w, list) })
}

func linkTable(w io.Writer, all []*peer.Measurement) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "from\tto\tpath\tlatency\tGB/s\t")
	for _, s := range all[0].Samples[1:] {
		fmt.Fprintf(t, "%s\t", bytesText(s.Bytes))
	}
	fmt.Fprintln(t)
	software, unsteady := false, 0
	for _, m := range all {
		for _, s := range m.Samples {
			if s.Bytes >= steadyBytes && s.High > 3*s.Median {
				unsteady++
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%v\t%v\t%.3g\t", m.From, m.To, m.Path, m.Latency.Round(100*time.Nanosecond), m.GBs)
		for _, s := range m.Samples[1:] {
			fmt.Fprintf(t, "%v\t", s.Median.Round(100*time.Nanosecond))
		}
		fmt.Fprintln(t)
		software = software || m.Software
	}
	err := t.Flush()
	if err == nil && unsteady > 0 {
		_, err = fmt.Fprintf(w, "warning: the slowest copy took more than three times the median for %s: the machine was "+
			"busy, and these figures tell little\n", count(unsteady, "size"))
	}
	if err != nil || !software {
		return err
	}
	_, err = fmt.Fprintln(w, "software devices share the host's memory: these are its figures, not those of a link")
	return err
}

package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/analyze/event"
)

// Peaks are what a device can do at best.
type Peaks struct {
	Name   string `json:"name"`
	Cores  int    `json:"cores,omitempty"` // of the GPU
	GFLOPS Figure `json:"gflops"`          // with 32-bit floats
	GBs    Figure `json:"gbs"`             // of memory
	Source string `json:"source"`          // where the figures are from
}

// vendorTable is the source of the figures in the table of chips.
const vendorTable = "table of the vendor's figures by chip name, not measured"

// chips has what Apple has published: TFLOPS up to M2 Ultra, and bandwidths.
var chips = []struct {
	name        string
	cores       int
	gflops, gbs float64
}{
	{"Apple M1", 8, 2600, 68.25},
	{"Apple M1 Pro", 16, 5200, 200},
	{"Apple M1 Max", 32, 10400, 400},
	{"Apple M1 Ultra", 64, 21000, 800},
	{"Apple M2", 10, 3600, 100},
	{"Apple M2 Pro", 19, 6800, 200},
	{"Apple M2 Max", 38, 13600, 400},
	{"Apple M2 Ultra", 76, 27200, 800},
	{"Apple M3", 10, 0, 100},
	{"Apple M3 Pro", 18, 0, 150},
	{"Apple M3 Max", 40, 0, 400},
	{"Apple M4", 10, 0, 120},
	{"Apple M4 Pro", 20, 0, 273},
	{"Apple M4 Max", 40, 0, 546},
}

// Chips returns the names of the chips in the table.
func Chips() (names []string) {
	for _, c := range chips {
		names = append(names, c.name)
	}
	return names
}

// ChipPeaks returns the published peaks of a chip by its name, such as "Apple M2 Pro" or "M2 Pro",
// as a device's name has it. They are those of the variant with the most cores, which is why they
// are bounds from above. ok is false for a chip that is not in the table.
func ChipPeaks(name string) (p Peaks, ok bool) {
	for _, c := range chips {
		if !strings.EqualFold(strings.TrimPrefix(c.name, "Apple "), strings.TrimPrefix(name, "Apple ")) {
			continue
		}
		p = Peaks{Name: c.name, Cores: c.cores, Source: vendorTable, GFLOPS: unknown("the vendor has not published it"),
			GBs: between(0, c.gbs, vendorTable)}
		if c.gflops > 0 {
			p.GFLOPS = between(0, c.gflops, vendorTable)
		}
		return p, true
	}
	return p, false
}

// WithCores returns the peaks of a variant of the chip with so many cores of the GPU, as origin
// tells: its arithmetic is in proportion, its bandwidth the same.
func (p Peaks) WithCores(cores int, origin string) (Peaks, error) {
	if cores < 1 || cores > p.Cores {
		return p, fmt.Errorf("analyze: %d cores of %s, want 1 to %d: %w", cores, p.Name, p.Cores, ErrOptions)
	}
	if p.GFLOPS.Certainty != Unknown {
		p.GFLOPS = between(0, p.GFLOPS.High*float64(cores)/float64(p.Cores), p.GFLOPS.Reason)
	}
	p.Cores = cores
	p.Source += fmt.Sprintf(", for the %d cores that %s tells", cores, origin)
	return p, nil
}

// LocalPeaks returns the published peaks of this machine's chip, for the number of cores that the
// IORegistry tells, or else of the variant with the most. It fails on machines other than Macs, and
// for chips that are not in the table.
func LocalPeaks() (Peaks, error) {
	gpu, err := findGPU()
	p, ok := ChipPeaks(gpu.Chip)
	switch {
	case gpu.Chip == "":
		return p, fmt.Errorf("analyze: %w", err)
	case !ok:
		return p, fmt.Errorf("analyze: no published peaks of %q: %w", gpu.Chip, ErrOptions)
	case gpu.Cores > 0 && gpu.Cores < p.Cores:
		return p.WithCores(gpu.Cores, "the IORegistry")
	}
	return p, nil
}

// MeasuredPeaks returns peaks that were measured, such as those of tensor.Engine.MeasurePeak.
func MeasuredPeaks(name string, gflops, gbs float64) (Peaks, error) {
	if !(gflops > 0) || !(gbs > 0) {
		return Peaks{}, fmt.Errorf("analyze: peaks of %v GFLOPS and %v GB/s; want numbers above 0: %w", gflops, gbs,
			ErrOptions)
	}
	return Peaks{Name: name, GFLOPS: estimate(gflops, "measured"), GBs: estimate(gbs, "measured"), Source: "measured"}, nil
}

// Time returns how many seconds a launch takes at least on a device with these peaks: until all
// lines of that many bytes, one of event.LineSizes, are transferred, or until its instructions have
// been executed, each of which takes a simdgroup as long as a multiplication and addition. Caches,
// latencies and other units are not in the model, so it compares launches rather than predicts.
func (p Peaks) Time(l *event.Launch, line int) Figure {
	size := slices.Index(event.LineSizes[:], line)
	switch {
	case size < 0:
		return unknown(fmt.Sprintf("lines of %d bytes, want one of %v", line, event.LineSizes))
	case p.GFLOPS.Certainty == Unknown:
		return p.GFLOPS
	case p.GBs.Certainty == Unknown:
		return p.GBs
	}
	memory := float64(l.Totals().Transactions[size]*int64(line)) / p.GBs.High
	work := float64(2*event.SimdWidth*l.Instructions) / p.GFLOPS.High
	return estimate(max(memory, work)*1e-9, "the greater of memory and instructions at the peaks of "+p.Name)
}

// Roofline is what a kernel can reach on a device: the lesser of the device's arithmetic and of its
// bandwidth times the kernel's intensity. It assumes that each byte a thread asks for comes from
// memory; with caches a kernel can be faster.
type Roofline struct {
	GFLOPS Figure `json:"gflops"`
	// Limit is memory or arithmetic, "" if it is unknown.
	Limit string `json:"limit"`
	// Ridge is the intensity from which on arithmetic limits.
	Ridge Figure `json:"ridge"`
}

// Roofline returns what the kernel can reach on a device with these peaks.
func (r *Report) Roofline(p Peaks) Roofline {
	switch {
	case p.GFLOPS.Certainty == Unknown:
		return Roofline{GFLOPS: p.GFLOPS, Ridge: p.GFLOPS}
	case p.GBs.Certainty == Unknown:
		return Roofline{GFLOPS: p.GBs, Ridge: p.GBs}
	}
	ridge := p.GFLOPS.High / p.GBs.High
	l := Roofline{Ridge: estimate(ridge, p.Source)}
	if r.Intensity.Certainty == Unknown {
		l.GFLOPS = r.Intensity
		return l
	}
	if r.Intensity.High == 0 {
		l.GFLOPS = unknown("the kernel has no float operations")
		return l
	}
	reach := func(intensity float64) float64 { return min(p.GFLOPS.High, p.GBs.High*intensity) }
	l.GFLOPS = estimate(reach(r.Intensity.High), "roofline from peaks: "+p.Source)
	if l.Limit = "memory"; r.Intensity.High >= ridge {
		l.Limit = "arithmetic"
	}
	return l
}

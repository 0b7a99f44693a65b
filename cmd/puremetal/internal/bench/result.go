package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report holds the results of a benchmark run. --json writes it and --compare reads it.
type Report struct {
	Format   int      `json:"format"` // 2
	Version  string   `json:"version"`
	Device   string   `json:"device"`
	Software bool     `json:"software"`
	Platform string   `json:"platform"`
	CPUs     int      `json:"cpus"`
	Peak     Peak     `json:"peak"`
	Results  []Result `json:"results"`
}

// Format is the version of the Report format.
const Format = 2

// Result is the result of one case. Times are per operation.
type Result struct {
	Name     string  `json:"name"`
	What     string  `json:"what"`
	Runs     int     `json:"runs"`
	MedianUS float64 `json:"median_us"`
	LowUS    float64 `json:"median_low_us"` // the median's 95 % confidence interval
	HighUS   float64 `json:"median_high_us"`
	MinUS    float64 `json:"min_us"`
	P10US    float64 `json:"p10_us"`
	P90US    float64 `json:"p90_us"`
	GFLOPs   float64 `json:"gflops,omitempty"`   // 10^9 additions and multiplications per second
	GBs      float64 `json:"gb_per_s,omitempty"` // 10^9 bytes per second, of those the operation must read and write
	Fraction float64 `json:"fraction,omitempty"` // of the machine's measured peak
	Of       string  `json:"of,omitempty"`       // which peak: memory or arithmetic

	// Machine is the share of the kernels' work that machine code did on the software device, 0 to 1.
	// There is none on a GPU, or where the device runs Go code instead of the kernels.
	Machine *float64 `json:"machine_code,omitempty"`
}

// Spread returns the distance between the 10th and the 90th percentile, as a fraction of the
// median.
func (r *Result) Spread() float64 {
	if r.MedianUS == 0 {
		return 0
	}
	return (r.P90US - r.P10US) / r.MedianUS
}

// SpreadText returns the spread in percent. A spread beyond the median itself is no figure: other
// work had the machine.
func (r *Result) SpreadText() string {
	if r.Spread() > 1 {
		return "> 100 %"
	}
	return fmt.Sprintf("%.0f %%", 100*r.Spread())
}

// Share returns the share of the machine's peak, "" if there is none. Beyond the peak it is not
// known.
func (r *Result) Share() string {
	switch {
	case r.Of == "":
		return ""
	case r.Fraction > 1:
		return "> 100 % " + r.Of
	}
	return fmt.Sprintf("%.3g %% %s", 100*r.Fraction, r.Of)
}

// Warnings says which results tell little, and why.
func (r *Report) Warnings() []string {
	var spread, beyond []string
	for i := range r.Results {
		if x := &r.Results[i]; x.Spread() > 1 {
			spread = append(spread, x.Name)
		}
		if x := &r.Results[i]; x.Fraction > 1 {
			beyond = append(beyond, x.Name)
		}
	}
	var all []string
	if r.Peak.Unsteady {
		all = append(all, "the machine's peak differed by half and more before and after the cases: it was busy, and "+
			"shares of the peak are too large")
	}
	if len(spread) > 0 {
		all = append(all, "times vary by more than their median: "+strings.Join(spread, ", ")+
			"; the machine was busy, so measure again when it is idle, or with more --time")
	}
	if len(beyond) > 0 {
		all = append(all, "faster than the measured peak: "+strings.Join(beyond, ", ")+"; the share is not known: data "+
			"fits the caches, a type is narrower than float32, or the machine was busy while its peak was measured")
	}
	return all
}

// resultOf summarizes times and sorts them.
func resultOf(c *Case, times []time.Duration, p Peak) Result {
	slices.Sort(times)
	us := func(t time.Duration) float64 { return float64(t) / float64(time.Microsecond) }
	at := func(q float64) float64 { return us(times[int(q*float64(len(times)-1)+0.5)]) } // the nearest rank
	low, high := medianInterval(times)
	r := Result{Name: c.Name, What: c.What, Runs: len(times), MedianUS: at(0.5), LowUS: us(low), HighUS: us(high),
		MinUS: at(0), P10US: at(0.1), P90US: at(0.9)}
	if r.MedianUS > 0 {
		r.GFLOPs, r.GBs = c.FLOP/r.MedianUS/1e3, c.Bytes/r.MedianUS/1e3
	}
	switch {
	case c.Arithmetic && p.GFLOPs > 0:
		r.Fraction, r.Of = r.GFLOPs/p.GFLOPs, "arithmetic"
	case c.Bytes > 0 && p.GBs > 0:
		r.Fraction, r.Of = r.GBs/p.GBs, "memory"
	}
	return r
}

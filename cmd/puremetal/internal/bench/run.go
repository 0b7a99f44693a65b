package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/objc"
)

// Settings configures a run.
type Settings struct {
	Version string        // of this module, for the report
	Time    time.Duration // per case
	// Began is called before each step: a case, or the measurement of the peak.
	Began func(what string)
}

const (
	leastRuns = 3
	mostRuns  = 1000
	givenUp   = 200 * time.Millisecond // to wait for work after ctx was canceled
)

// Run measures cases on a device. If ctx is canceled it returns ctx's error.
func Run(ctx context.Context, acc *compute.Accelerator, cases []Case, set Settings) (rep Report, err error) {
	info := acc.Info()
	rep = Report{Format: Format, Version: set.Version, Device: info.Name, Software: info.Software,
		Platform: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU()}
	r, err := newRig(ctx, acc)
	if err != nil {
		return rep, err
	}
	defer func() {
		closing := context.WithoutCancel(ctx)
		if ctx.Err() != nil { // the work was abandoned, and the process is about to end
			var stop func()
			closing, stop = context.WithTimeout(closing, givenUp)
			defer stop()
		}
		if e := r.close(closing); err == nil {
			err = e
		}
	}()
	set.Began("peak of this machine")
	if rep.Peak, err = measurePeak(ctx, r); err != nil {
		return rep, fmt.Errorf("measuring the machine's peak: %w", err)
	}
	all, shares := make([][]time.Duration, len(cases)), make([]*float64, len(cases))
	for i := range cases {
		set.Began(cases[i].Name)
		if all[i], shares[i], err = r.measure(ctx, &cases[i], set.Time); err != nil {
			return rep, fmt.Errorf("%s: %w", cases[i].Name, err)
		}
	}
	again, err := measurePeak(ctx, r)
	if err != nil {
		return rep, fmt.Errorf("measuring the machine's peak: %w", err)
	}
	rep.Peak = rep.Peak.best(again)
	for i := range cases {
		result := resultOf(&cases[i], all[i], rep.Peak)
		result.Machine = shares[i]
		rep.Results = append(rep.Results, result)
	}
	return rep, nil
}

// measure runs a case until its time is up, after a first run whose output is checked. It returns
// the times, and the share of machine code in them as in Result.
func (r *rig) measure(ctx context.Context, c *Case, limit time.Duration) (times []time.Duration, machine *float64,
	err error) {
	defer r.clear()
	m, err := c.prepare(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	c.Bytes = max(c.Bytes, m.bytes)
	once := func() (time.Duration, error) {
		if m.host == nil {
			return r.timed(ctx, m.device)
		}
		start := time.Now()
		err := m.host(ctx, m.batch)
		return time.Since(start) / time.Duration(m.batch), err
	}
	if _, err = once(); err == nil && m.check != nil {
		err = m.check(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	before, _ := objc.SoftwareEngine() // all zero in a program without the software device
	for start := time.Now(); len(times) < leastRuns || len(times) < mostRuns && time.Since(start) < limit; {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		d, err := once()
		if err != nil {
			return nil, nil, err
		}
		times = append(times, d)
	}
	after, _ := objc.SoftwareEngine()
	if work := after.Work - before.Work; work > 0 {
		share := float64(after.MachineWork-before.MachineWork) / float64(work)
		machine = &share
	}
	return times, machine, nil
}

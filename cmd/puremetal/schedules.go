package main

import (
	"context"
	"fmt"
	"io"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/sanitizer"
)

// maxSchedules is the largest --schedules.
const maxSchedules = 10_000

// maxElements is how many elements of a result that differ are reported.
const maxElements = 8

// schedulesReport is what --schedules finds.
type schedulesReport struct {
	*sanitizer.ScheduleReport
	Results []resultReport `json:"results"`
}

// resultReport is an argument that depends on the order.
type resultReport struct {
	sanitizer.ResultDifference
	Count    int             `json:"count"` // of the elements that differ
	Elements []elementReport `json:"elements"`
}

// elementReport is a number of an argument that differs.
type elementReport struct {
	Index   int    `json:"index"` // among the numbers, each lane of a vector being one
	Default string `json:"default"`
	Other   string `json:"other"`
}

// schedules runs the plan in --schedules permuted orders and compares the arguments after it.
func (c *runCmd) schedules(a *app, p *plan) (r *schedulesReport, err error) {
	j := &job{app: a, cmd: c, plan: p.silent()}
	options := []compute.Option{compute.WithKernelLog(compute.KernelLog{Handler: func(compute.KernelMessage) {}})}
	if c.Timeout > 0 {
		options = append(options, compute.WithTimeout(0))
	}
	if j.acc, err = a.open(c.Device, options...); err != nil {
		return nil, err
	}
	var stop context.CancelFunc
	j.ctx, stop = a.limit(c.Timeout)
	defer stop()
	j.around = func(func() error) error {
		j.phase = "comparing schedules"
		r, err = j.compareSchedules()
		return err
	}
	err = timedOut(j.ctx, c.Timeout, j.phase, j.run())
	closing, stopClosing := closeContext(j.ctx)
	defer stopClosing()
	if closeErr := j.close(closing); err == nil {
		err = closeErr
	}
	return r, err
}

func (j *job) compareSchedules() (*schedulesReport, error) {
	s, err := j.acc.NewStream(compute.StreamOptions{Label: "puremetal run --schedules", Context: j.ctx})
	if err != nil {
		return nil, err
	}
	defer s.Close(j.ctx) //nolint:errcheck // each run waits for its work
	values := map[string]*value.Value{}
	o := compute.ScheduleOptions{Schedules: j.cmd.Schedules, Seed: *j.cmd.Seed}
	found, err := j.acc.CompareSchedules(j.ctx, o, func(ctx context.Context, _ int) (map[string][]byte, error) {
		for _, m := range j.placed {
			if err := m.refill(ctx); err != nil {
				return nil, err
			}
		}
		if err := j.record(ctx, s); err != nil {
			return nil, err
		}
		if err := s.Sync(ctx); err != nil {
			return nil, err
		}
		results := map[string][]byte{}
		for _, m := range j.placed {
			x := &output{memory: m}
			if err := x.download(ctx); err != nil {
				return nil, err
			}
			name := m.name
			for n := 2; values[name] != nil && values[name] != m.value; n++ { // of another step
				name = fmt.Sprintf("%s, %d", m.name, n)
			}
			results[name], values[name] = x.data, m.value
		}
		return results, nil
	})
	if err != nil {
		return nil, err
	}
	r := &schedulesReport{ScheduleReport: found, Results: []resultReport{}}
	for _, d := range found.Results {
		x := resultReport{ResultDifference: d, Elements: []elementReport{}}
		values[d.Name].Compare(d.Default, d.Other, func(i int, a, b string) {
			if x.Count++; len(x.Elements) < maxElements {
				x.Elements = append(x.Elements, elementReport{i, a, b})
			}
		})
		r.Results = append(r.Results, x)
	}
	return r, nil
}

// refill gives memory the value that it had before the first run.
func (m *memory) refill(ctx context.Context) error {
	data := make([]byte, m.value.Size())
	m.value.Fill(data, m.seed)
	if m.buffer != nil {
		return m.buffer.Upload(ctx, data)
	}
	for i, t := range m.textures {
		n := len(data) / len(m.textures)
		if err := t.upload(ctx, data[i*n:][:n]); err != nil {
			return err
		}
	}
	return nil
}

// text writes the report as text; nothing if no result depends on the order.
func (r *schedulesReport) text(w io.Writer) {
	for _, x := range r.Results {
		fmt.Fprintf(w, "%s depends on the order of threadgroups or simdgroups: it differs in %d of %d schedules\n",
			x.Name, x.Schedules, r.Schedules)
		fmt.Fprintf(w, "  in schedule %d, %d elements differ from those in the default order\n", x.Seed, x.Count)
		for _, e := range x.Elements {
			fmt.Fprintf(w, "    [%d] is %s, not %s\n", e.Index, e.Other, e.Default)
		}
		if x.Count > len(x.Elements) {
			fmt.Fprintf(w, "    and %d more\n", x.Count-len(x.Elements))
		}
	}
	if len(r.Moves) > 0 {
		fmt.Fprintf(w, "smallest difference from the default order: %s\n", r.Difference)
	}
	if r.Incomplete != "" {
		fmt.Fprintln(w, r.Incomplete)
	}
}

// schedulesError reports that results depend on the order.
type schedulesError struct{ differ, of int }

func (e schedulesError) Error() string {
	return fmt.Sprintf("results depend on the order of threadgroups or simdgroups in %d of %d schedules", e.differ,
		e.of)
}

package compute

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/schedule"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/sanitizer"
)

// Defaults of [ScheduleOptions].
const (
	DefaultSchedules    = 10
	DefaultScheduleRuns = 300
)

// maxSchedules is the largest ScheduleOptions.Schedules.
const maxSchedules = 100_000

// ScheduleOptions configures [Accelerator.CompareSchedules]. The zero value is usable.
type ScheduleOptions struct {
	// Schedules is the number of permuted orders to compare, at most 100,000. 0 is
	// DefaultSchedules.
	Schedules int
	// Seed is the seed of the first order; the next ones have the numbers after it. 0 is 1.
	Seed uint64
	// Runs limits the additional runs in search of the smallest difference. 0 is
	// DefaultScheduleRuns, a negative number makes none.
	Runs int
}

// CompareSchedules finds out whether results depend on the order in which the device executes
// threadgroups, and the simdgroups of each between barriers. Metal leaves that order open, so the
// results of a correct kernel are the same in all orders. Sums of floating-point numbers by atomic
// operations are not.
//
// It calls run once with the default order and once with each of some permuted orders, and compares
// the results byte by byte. If some differ, it calls run repeatedly to find the smallest change of
// the default order with which they still do, for the first order that makes a difference. The
// report has both. To find races that do not show in results, use [WithSanitizer].
//
// run gets the number of the run, from 0. It must put the same data into all buffers each time,
// launch its kernels, wait for them, and return the results by name. It should use one stream: the
// launches of several streams begin in any order, and then the smallest difference may not be
// found. Results that differ for other reasons, such as uninitialized buffers or random numbers,
// are in the report, too; its Incomplete says so if the search shows it.
//
// Only the software device can choose the order: on others, the error is [ErrNoDevice]. All
// launches of the device are in the chosen order meanwhile, also those of other accelerators, and
// each is executed by one core. A second comparison on the device at the same time fails with
// [ErrBusy]. An error of run ends the comparison and is returned, as is that of the context.
func (a *Accelerator) CompareSchedules(ctx context.Context, o ScheduleOptions,
	run func(ctx context.Context, n int) (map[string][]byte, error),
) (*sanitizer.ScheduleReport, error) {
	if err := stream.CheckCall(ctx, "accelerator: CompareSchedules", a.missing()); err != nil {
		return nil, err
	}
	if run == nil || o.Schedules < 0 || o.Schedules > maxSchedules {
		return nil, fmt.Errorf("compute: CompareSchedules: %d schedules, want a function and 0 to %d: %w",
			o.Schedules, maxSchedules, ErrOption)
	}
	if !a.info.Software {
		return nil, fmt.Errorf("compute: CompareSchedules: %s is a GPU, which chooses the order of threadgroups "+
			"itself; set PUREMETAL_DRIVER=software: %w", a.info.Name, ErrNoDevice)
	}
	c := &comparison{acc: a, run: run, report: &sanitizer.ScheduleReport{Differ: []uint64{},
		Results: []sanitizer.ResultDifference{}, Moves: []sanitizer.Move{}}}
	if err := c.compare(ctx, cmp.Or(o.Schedules, DefaultSchedules), cmp.Or(o.Seed, 1)); err != nil {
		return nil, err
	}
	if len(c.report.Differ) == 0 || o.Runs < 0 {
		return c.report, nil
	}
	r := c.report
	moves, why, err := schedule.Smallest(r.Differ[0], c.sizes, cmp.Or(o.Runs, DefaultScheduleRuns),
		func(order *schedule.Order) (bool, error) {
			results, err := c.once(ctx, order)
			return err == nil && !maps.EqualFunc(results, c.results, bytes.Equal), err
		})
	if err != nil {
		return nil, err
	}
	r.Incomplete = why
	var words []string
	for _, m := range moves {
		r.Moves = append(r.Moves, m)
		text := m.String()
		if len(c.sizes) > 1 {
			text += fmt.Sprintf(", in launch %d (%s)", m.Launch, m.Kernel)
		}
		words = append(words, text)
	}
	r.Difference = strings.Join(words, "; ")
	return r, nil
}

// comparison compares the results of runs.
type comparison struct {
	acc     *Accelerator
	run     func(ctx context.Context, n int) (map[string][]byte, error)
	report  *sanitizer.ScheduleReport
	results map[string][]byte // in the default order
	sizes   []schedule.Size   // of the launches
}

// compare runs in the default order and in permuted ones.
func (c *comparison) compare(ctx context.Context, schedules int, seed uint64) (err error) {
	if c.results, err = c.once(ctx, &schedule.Order{}); err != nil {
		return err
	}
	first := map[string]*sanitizer.ResultDifference{}
	for range schedules {
		results, err := c.once(ctx, schedule.Permuted(seed, c.sizes))
		if err != nil {
			return err
		}
		if len(results) != len(c.results) {
			return fmt.Errorf("compute: CompareSchedules: %d results of one run and %d of another: %w",
				len(c.results), len(results), ErrOption)
		}
		differ := false
		for name, was := range c.results {
			is, ok := results[name]
			if !ok || len(is) != len(was) {
				return fmt.Errorf("compute: CompareSchedules: result %q has %d bytes in one run and %d in another: "+
					"%w", name, len(was), len(is), ErrOption)
			}
			if bytes.Equal(was, is) {
				continue
			}
			differ = true
			if first[name] == nil {
				first[name] = difference(name, seed, was, is)
			}
			first[name].Schedules++
		}
		c.report.Schedules++
		if differ {
			c.report.Differ = append(c.report.Differ, seed)
		}
		seed++
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		c.report.Results = append(c.report.Results, *first[name])
	}
	return nil
}

func difference(name string, seed uint64, was, is []byte) *sanitizer.ResultDifference {
	d := &sanitizer.ResultDifference{Name: name, Seed: seed, First: -1, Default: was, Other: is}
	for i := range was {
		if was[i] == is[i] {
			continue
		}
		d.Bytes++
		if d.First < 0 {
			d.First = i
		}
	}
	return d
}

// once runs in an order and returns copies of the results. After the first run it notes the sizes
// of the launches.
func (c *comparison) once(ctx context.Context, order *schedule.Order) (results map[string][]byte, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("compute: CompareSchedules: %w", err)
	}
	if err := c.acc.Sync(ctx); err != nil {
		return nil, fmt.Errorf("compute: CompareSchedules: work before it: %w", err)
	}
	begun, err := client.AskWith(&extension.Arrange, c.acc.device.ID(), order)
	if err != nil {
		return nil, err
	}
	if !begun {
		return nil, fmt.Errorf("compute: CompareSchedules: %w: another comparison on the device has not ended",
			ErrBusy)
	}
	defer func() { // also if run panics
		objc.Pool(func() {
			sizes, failed := client.Read[[]schedule.Size](&extension.StopArranging, c.acc.device.ID())
			if c.report.Runs == 0 && err == nil {
				c.sizes, err = sizes, failed
			}
		})
		c.report.Runs++
	}()
	results, err = c.run(ctx, c.report.Runs)
	if err := errors.Join(err, c.acc.Sync(ctx)); err != nil {
		return nil, err
	}
	kept := make(map[string][]byte, len(results))
	for name, b := range results {
		kept[name] = bytes.Clone(b)
	}
	return kept, nil
}

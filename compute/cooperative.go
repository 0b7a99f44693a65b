package compute

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
)

// GridSync says how a device synchronizes the threads of a whole grid, which kernels ask for with
// grid_group::sync of <puremetal/cooperative>.
type GridSync struct {
	// Phases: kernels are split where they synchronize the grid, and the parts are dispatched one
	// after another.
	Phases bool
	// Resident: all threadgroups of a launch are kept, and wait for each other.
	Resident bool
	Reason   string
}

// GridSync returns how the device synchronizes whole grids.
func (i Info) GridSync() GridSync {
	switch {
	case i.phases:
		return GridSync{Phases: true, Reason: "the program asks for it by WithGridPhases"}
	case i.Software:
		return GridSync{Resident: true,
			Reason: "the software device keeps all threadgroups of a launch and runs them from sync to sync"}
	}
	return GridSync{Phases: true, Reason: "Metal does not promise that all threadgroups of a dispatch make progress, " +
		"so they must not wait for each other"}
}

// CooperativeInfo says what the grid syncs of a kernel cost.
type CooperativeInfo struct {
	Phases       int // one more than the places that synchronize the grid: 1 in a kernel that has none
	SpilledBytes int // of device memory that each thread's state takes between phases; 0 on a resident device
}

// CooperativeRun describes a cooperative launch that has ended.
type CooperativeRun struct {
	Phases int64 // that were executed: the grid syncs in loops count each time, and 1 more
	// Times are those of the first 65536 phases. If the kernel is split, there are none without
	// [Kernel.TimePhases].
	Times []time.Duration
	Bytes int64 // that kept the threadgroups: of the host's memory, or of the device's if the kernel is split
}

// mostTimes is how many times a CooperativeRun has.
const mostTimes = 65536

// Cooperative returns what the kernel's grid syncs cost.
func (k *Kernel) Cooperative() CooperativeInfo {
	if k.missing() {
		return CooperativeInfo{}
	}
	i := CooperativeInfo{Phases: k.core.Phases}
	if k.phased != nil {
		i.SpilledBytes = int(k.phased.ThreadBytes)
	}
	return i
}

// TimePhases makes later cooperative launches of a kernel that is split measure the device's time
// of each phase, for [Kernel.LastCooperative], or no longer do so. Each phase then has a command
// buffer of its own, which makes launches slower. Other kernels are measured anyway.
func (k *Kernel) TimePhases(on bool) {
	if !k.missing() {
		k.timed.Store(on)
	}
}

// LastCooperative returns what the cooperative launch of the kernel that ended last without an
// error has done, false if there is none or the kernel is closed.
func (k *Kernel) LastCooperative() (CooperativeRun, bool) {
	if k.missing() || k.core.Phases < 2 || k.core.Life.Use() != nil {
		return CooperativeRun{}, false
	}
	defer k.core.Life.Done()
	if k.phased != nil {
		r := k.lastPhased.Load()
		if r == nil {
			return CooperativeRun{}, false
		}
		return CooperativeRun{Phases: r.Phases, Times: slices.Clone(r.Times), Bytes: r.Bytes}, true
	}
	r, err := reportOf(k.core.Made().Pipeline)
	if err != nil || r.Launches == 0 {
		return CooperativeRun{}, false
	}
	return CooperativeRun(r.Last), true
}

// LaunchCooperative is [Stream.Launch] for a kernel that synchronizes its whole grid, with
// grid_group::sync of <puremetal/cooperative>. Threads that have returned count as arrived. Any
// number of threadgroups may take part, as far as there is memory for all of them: the launch fails
// with the number of bytes otherwise. Kernels without grid syncs may be launched so too.
func (s *Stream) LaunchCooperative(ctx context.Context, k *Kernel, grid Grid, args ...any) error {
	if err := stream.CheckCall(ctx, "stream: LaunchCooperative", s.missing()); err != nil {
		return err
	}
	if k.missing() {
		return &LaunchError{Kernel: "nil", Err: ErrNil}
	}
	l, err := k.Bind(grid, args...)
	if err != nil {
		return err
	}
	return s.launch(ctx, l, true)
}

// RunCooperative records a prepared launch, as [Stream.LaunchCooperative] does. It allocates memory
// only if the kernel is split.
func (s *Stream) RunCooperative(ctx context.Context, l *Launch) error {
	if err := stream.CheckCall(ctx, "stream: RunCooperative", s.missing()); err != nil {
		return err
	}
	return s.launch(ctx, l, true)
}

// ordinary refuses a kernel that needs a cooperative launch.
func (l *Launch) ordinary() error { return ordinary(&l.kernel.core) }

func ordinary(k *stream.Kernel) error {
	if k.Phases < 2 {
		return nil
	}
	return &LaunchError{Kernel: k.Name,
		Err: fmt.Errorf("%w in an ordinary launch: use Stream.LaunchCooperative", ErrGridSync)}
}

// cooperate returns the number of phases of a pipeline's kernel, and tells the device that the
// program launches it for its grid syncs. It is called inside an autorelease pool.
func (a *Accelerator) cooperate(state mtl.ComputePipelineState) (phases int, err error) {
	if !a.info.Software {
		return 1, nil
	}
	r, err := reportOf(state)
	if err != nil || r.Phases < 2 {
		return 1, err
	}
	if r.Wrong != "" {
		return 1, fmt.Errorf("%w: %s", ErrGridSync, r.Wrong)
	}
	client.Send(&extension.AllowCooperation, state.ID())
	return r.Phases, nil
}

func reportOf(state mtl.ComputePipelineState) (extension.CooperationReport, error) {
	return client.Read[extension.CooperationReport](&extension.Cooperation, state.ID())
}

// ownHeaders begins the names of headers that only this module's compiler has.
const ownHeaders = "puremetal/"

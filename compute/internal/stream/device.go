package stream

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// Device is what memory, commands and their failures know of an accelerator.
type Device struct {
	Accelerator any // the *compute.Accelerator that it is a part of

	// These are set when the accelerator is opened.
	Device    mtl.Device
	Pool      *pool.Pool
	Info      Info
	Log       *slog.Logger
	Now       func() time.Time
	Limit     uint64 // of allocated bytes
	LeakCheck bool   // objects know where they were made
	Exact     bool   // the device must know how much of each buffer is used
	// DispatchesNone: before indirect commands, encoders dispatch their kernels without
	// threadgroups, or the pipelines may not be resident.
	DispatchesNone bool
	Strayed        func(error) // keeps the failure of a function of the program that no stream has called

	// Protect calls a function that uses the device and may be called again.
	Protect func(ctx context.Context, what string, fn func() error) error
	// NewShared makes memory that the host can access.
	NewShared func(length uint, label string) (*Memory, error)

	Observed    atomic.Pointer[[]*Observing] // nil while there are none
	LaunchTimes atomic.Uint32                // an observe.LaunchTiming
	pressure    atomic.Uint32                // the pool.Pressure last reported to observers

	Allocated atomic.Int64 // bytes of live memory
	poisons   atomic.Bool  // a command has failed, so that memory may be poisoned

	Calls Lifetime // the calls in progress that create objects of the device
	Safety

	Mu      sync.Mutex
	Closed  bool
	created uint64 // objects that were ever made
	Live    MemoryList
	Opened  map[any]Open // streams, programs, events and others that must be closed before the device
	Anchors []*Anchor    // for the next buffers
}

// Init prepares a device for use: its observers can be called.
func (a *Device) Init(accelerator any, log *slog.Logger, strayed func(error)) {
	a.Accelerator, a.Log, a.Strayed = accelerator, log, strayed
	a.Calls.Init(callsOf{}, func() {})
	a.Waits.Init(callsOf{}, func() {})
}

// callsOf names an accelerator's calls. They are never closed.
type callsOf struct{}

func (callsOf) String() string { return "calls of the accelerator" }

// Open is an object that is open: its name, where it was made, its place in the order of creation,
// and what closes it.
type Open struct {
	Name, Made string
	Number     uint64
	Drop       func()
}

// AddOpen registers an object that must be closed before the accelerator.
func (a *Device) AddOpen(object any, name string, drop func()) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if err := a.Usable(); err != nil {
		return err
	}
	if a.Opened == nil {
		a.Opened = map[any]Open{}
	}
	a.Opened[object] = Open{name, a.MadeHere(), a.NextCreated(), drop}
	return nil
}

// RemoveOpen unregisters an object that was closed.
func (a *Device) RemoveOpen(object any) {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	delete(a.Opened, object)
}

// Info is what a Device knows of Metal's.
type Info struct {
	Name     string
	Software bool
	Limits   mtl.Limits
}

// Usable returns an error once the accelerator is closed. The lock is held.
func (a *Device) Usable() error {
	if a.Closed {
		return fmt.Errorf("compute: accelerator %s: %w", a.Info.Name, ErrClosed)
	}
	return nil
}

// Begin is beginCall of an accelerator that is not missing.
func (a *Device) Begin() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	a.awaitSwap()
	if err := a.Usable(); err != nil {
		return err
	}
	return a.Calls.Use()
}

// NextCreated numbers an object in the order of creation. The lock is held.
func (a *Device) NextCreated() uint64 {
	a.created++
	return a.created
}

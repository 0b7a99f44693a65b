// Package plainmetal turns programs that only this module's compiler understands into programs that
// any Metal compiler takes: kernels with groups of threads, and kernels that synchronize their
// grid, which are split into phases.
package plainmetal

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir/bindless"
	"github.com/puremetal/puremetal/internal/ir/split"
	"github.com/puremetal/puremetal/internal/ir/window"
)

// Program is a translated program.
type Program struct {
	Text   string             // to be compiled in the safe math mode; it says where less exact functions do
	Phased map[string]*Phased // by name, the kernels that were split
	// Handles are the textures and samplers of the kernel Options.Bindless.
	Handles []Handle
	// Window is the index of the buffer of Options.Window, and Waits the place where that kernel seems
	// to wait for other threadgroups; nil if it does not.
	Window int
	Waits  *Mistake
}

// Handle says where a kernel that takes textures and samplers from memory finds one.
type Handle = bindless.Handle

// TextureKind is the type of a texture as launching kernels describe it.
type TextureKind = bindless.Kind

// Phased says how to launch a kernel that was split: see package split, which defines the two
// buffers.
type Phased = split.Layout

// CompileError is the error of a program with errors.
type CompileError struct {
	Errors []Mistake // at least one
}

// Mistake is an error in a program.
type Mistake struct {
	File         string
	Line, Column int
	Message      string
}

// Error returns the first error.
func (e *CompileError) Error() string { return e.Errors[0].text() }

func (m *Mistake) text() string {
	return fmt.Sprintf("%s:%d:%d: error: %s", m.File, m.Line, m.Column, m.Message)
}

// FlowError is the error of a grid barrier in control flow that may not be the same for the whole
// grid.
type FlowError struct{ Mistake }

// Error returns the error with its place.
func (e *FlowError) Error() string { return e.Mistake.text() }

// The window of Options.Window: see package window.
const (
	FirstThread = window.FirstThread
	FirstGroup  = window.FirstGroup
	GridThreads = window.GridThreads
	GridGroups  = window.GridGroups
	WindowSize  = window.Size
)

// ControlGroups is where the threadgroup counts are in a record of the control buffer.
const ControlGroups = split.ControlGroups

// Options are a program and how it is compiled.
type Options struct {
	Name, Text             string
	Macros                 map[string]string
	Language               int  // such as 320
	Safe, Relaxed, Precise bool // the math mode, fast if neither, and the variants of functions
	// Bindless is the name of a kernel, "" for none. Only this kernel is translated, and takes its
	// textures and samplers from memory.
	Bindless string
	// Window is the name of a kernel, "" for none. Only this kernel is translated; it executes a part
	// of a grid, which a buffer describes. See package window.
	Window string
}

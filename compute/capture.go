package compute

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Capture starts a Metal capture of all that the device is given, until stop is called: a GPU
// trace document for Xcode's debugger, whose name should end in .gputrace. The software device
// writes a folder with a text file instead; docs/software-device.md describes it. The path must
// not exist.
//
// A process has one capture at a time, which has the work committed after its start. On a Mac the
// program needs MTL_CAPTURE_ENABLED=1 in its environment, or MetalCaptureEnabled in its
// Info.plist; without, the error wraps mtl.ErrUnsupported. Synchronize before stop, which returns
// an error if nothing was written.
func (a *Accelerator) Capture(path string) (stop func() error, err error) {
	if a.missing() {
		return nil, stream.NilError("accelerator: Capture")
	}
	if path == "" {
		return nil, fmt.Errorf("compute: Capture: the path is empty: %w", ErrOption)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("compute: Capture: %s: %w", path, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("compute: Capture: %w", err)
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
	var m mtl.CaptureManager
	objc.Pool(func() { m, err = a.startCapture(path) })
	if err != nil {
		return nil, fmt.Errorf("compute: Capture: %w", err)
	}
	return sync.OnceValue(func() error {
		objc.Pool(m.StopCapture)
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("compute: the capture was not written: %w", err)
		}
		return nil
	}), nil
}

func (a *Accelerator) startCapture(path string) (mtl.CaptureManager, error) {
	m, err := mtl.SharedCaptureManager()
	if err != nil {
		return m, err
	}
	if !m.SupportsDestination(mtl.CaptureDestinationGPUTraceDocument) {
		return m, fmt.Errorf("captures are not enabled; set MTL_CAPTURE_ENABLED=1: %w", mtl.ErrUnsupported)
	}
	if m.IsCapturing() {
		return m, fmt.Errorf("the process is capturing already: %w", ErrBusy)
	}
	d, err := mtl.NewCaptureDescriptor()
	if err != nil {
		return m, err
	}
	defer d.Release()
	d.SetCaptureObject(a.device.Object)
	d.SetDestination(mtl.CaptureDestinationGPUTraceDocument)
	d.SetOutputURL(path)
	return m, m.StartCaptureWithDescriptor(d)
}

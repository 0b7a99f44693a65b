package conformance

import (
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// captures returns the capture manager, or skips the case if nothing can be captured: Metal
// requires MTL_CAPTURE_ENABLED=1.
func (r *rig) captures() mtl.CaptureManager {
	r.Helper()
	m := must(mtl.SharedCaptureManager())
	if !m.SupportsDestination(mtl.CaptureDestinationGPUTraceDocument) {
		r.Skip("the device writes no GPU trace documents here")
	}
	return m
}

// document describes a capture of the case's queue.
func (r *rig) document(path string) mtl.CaptureDescriptor {
	r.Helper()
	d := own(r, must(mtl.NewCaptureDescriptor()))
	d.SetCaptureObject(r.queue().Object)
	d.SetDestination(mtl.CaptureDestinationGPUTraceDocument)
	d.SetOutputURL(path)
	return d
}

func captureCases() []aCase {
	return []aCase{
		{"descriptor", "The descriptor of a capture is for developer tools until it is told otherwise, and keeps what it is given.", func(r *rig) {
			d := own(r, must(mtl.NewCaptureDescriptor()))
			assert.Equal(r, mtl.CaptureDestinationDeveloperTools, d.Destination())
			assert.True(r, d.CaptureObject().IsNil())
			d = r.document("/tmp/a.gputrace")
			assert.Equal(r, mtl.CaptureDestinationGPUTraceDocument, d.Destination())
			assert.Equal(r, r.queue().ID(), d.CaptureObject().ID())
			assert.Equal(r, "/tmp/a.gputrace", d.OutputURL())
		}},
		{"document", "A capture writes a document where it was told to.", func(r *rig) {
			m, path := r.captures(), filepath.Join(r.TempDir(), "one.gputrace")
			assert.False(r, m.IsCapturing())
			do(m.StartCaptureWithDescriptor(r.document(path)))
			assert.True(r, m.IsCapturing())
			x, p := r.buffer(16), r.kernel("number")
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				do(e.DispatchThreads(line(4), line(4)))
			})
			m.StopCapture()
			assert.False(r, m.IsCapturing())
			assert.Equal(r, count(4), r.words(x), "what is captured runs all the same")
			_, err := os.Stat(path)
			assert.NoError(r, err)
		}},
		{"twice", "A second capture is refused while one is under way.", func(r *rig) {
			m, dir := r.captures(), r.TempDir()
			do(m.StartCaptureWithDescriptor(r.document(filepath.Join(dir, "a.gputrace"))))
			assert.Error(r, m.StartCaptureWithDescriptor(r.document(filepath.Join(dir, "b.gputrace"))))
			m.StopCapture()
		}},
		{"no output", "A document without a place to write it is refused.", func(r *rig) {
			m := r.captures()
			assert.Error(r, m.StartCaptureWithDescriptor(r.document("")))
			assert.False(r, m.IsCapturing())
		}},
		{"scope", "A scope knows its device, its queue and its label.", func(r *rig) {
			m := must(mtl.SharedCaptureManager())
			s := own(r, m.NewCaptureScopeWithCommandQueue(r.queue()))
			s.SetLabel("frame")
			assert.Equal(r, "frame", s.Label())
			assert.Equal(r, r.device.RegistryID(), s.Device().RegistryID())
			assert.Equal(r, r.queue().ID(), s.CommandQueue().ID())
			own(r, m.NewCaptureScopeWithDevice(r.device))
		}},
	}
}

package softmetal_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// traced is a line of a trace.
type traced struct {
	Event          string
	Version        int
	Device, Queue  string
	Number         int
	CommandBuffers *int
	Label, Status  string
	Error          string
	Committed      uint64
	GPUStart       uint64
	GPUEnd         uint64
	Commands       []struct {
		Kind, Call, Encoder, Label, Kernel string
		Signposts                          []string
		Threads, ThreadsPerThreadgroup     *[3]uint32
		Value                              *uint64
		Arguments                          []struct {
			Kind  string
			Index int
			Value string
		}
	}
}

// traceOf reads the trace in a folder.
func traceOf(t *testing.T, folder string) (lines []traced) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "trace.jsonl"))
	require.NoError(t, err)
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var l traced
		require.NoError(t, json.Unmarshal(line, &l), "%s", line)
		lines = append(lines, l)
	}
	return lines
}

// captureRig is what the tests of captures need.
type captureRig struct {
	*testing.T
	device  mtl.Device
	manager mtl.CaptureManager
	queue   mtl.CommandQueue
	kernel  mtl.ComputePipelineState
	x       mtl.Buffer
}

func newCaptureRig(t *testing.T) *captureRig {
	a, _, _ := rig(t)
	r := &captureRig{T: t, device: a}
	var err error
	r.manager, err = mtl.SharedCaptureManager()
	require.NoError(t, err)
	r.queue, err = a.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(r.queue.Release)
	r.queue.SetLabel("work")
	l, err := a.NewLibrary("kernel void one(device uint* x [[buffer(0)]]) { x[0] += 1; }", mtl.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(l.Release)
	f, err := l.NewFunction("one")
	require.NoError(t, err)
	t.Cleanup(f.Release)
	r.kernel, err = a.NewComputePipelineState(f)
	require.NoError(t, err)
	t.Cleanup(r.kernel.Release)
	r.x, err = a.NewBuffer(64, 0)
	require.NoError(t, err)
	t.Cleanup(r.x.Release)
	return r
}

// run runs a command buffer of one dispatch.
func (r *captureRig) run(q mtl.CommandQueue, label string) {
	r.Helper()
	objc.Pool(func() {
		b, err := q.CommandBuffer()
		require.NoError(r, err)
		b.SetLabel(label)
		e, err := b.ComputeCommandEncoder()
		require.NoError(r, err)
		e.SetLabel("adding")
		require.NoError(r, e.SetComputePipelineState(r.kernel))
		require.NoError(r, e.SetBuffer(r.x, 16, 0))
		require.NoError(r, e.DispatchThreads(mtl.Size{Width: 3, Height: 1, Depth: 1},
			mtl.Size{Width: 2, Height: 1, Depth: 1}))
		require.NoError(r, e.EndEncoding())
		require.NoError(r, b.Commit())
		require.NoError(r, b.Wait(r.Context()))
	})
}

// start starts a capture of an object.
func (r *captureRig) start(object objc.Object, url string, destination mtl.CaptureDestination) error {
	r.Helper()
	d, err := mtl.NewCaptureDescriptor()
	require.NoError(r, err)
	defer d.Release()
	d.SetCaptureObject(object)
	d.SetDestination(destination)
	d.SetOutputURL(url)
	return r.manager.StartCaptureWithDescriptor(d)
}

const document = mtl.CaptureDestinationGPUTraceDocument

// TestCapture captures a device: what the command buffers are that were committed meanwhile.
func TestCapture(t *testing.T) {
	r := newCaptureRig(t)
	folder := filepath.Join(t.TempDir(), "one.gputrace")
	assert.True(t, r.manager.SupportsDestination(document))
	assert.False(t, r.manager.SupportsDestination(mtl.CaptureDestinationDeveloperTools))
	r.run(r.queue, "before")
	require.NoError(t, r.start(r.device.Object, folder, document))
	assert.True(t, r.manager.IsCapturing())
	r.run(r.queue, "during")
	//lint:ignore SA1019 it is what marks boundaries, deprecated or not
	r.queue.InsertDebugCaptureBoundary()
	r.run(r.queue, "")
	r.manager.StopCapture()
	assert.False(t, r.manager.IsCapturing())
	r.run(r.queue, "after")

	lines := traceOf(t, folder)
	require.Len(t, lines, 5)
	assert.Equal(t, traced{Event: "capture", Version: 1, Device: r.device.Name()}, lines[0])
	b := lines[1]
	assert.Equal(t, []any{"commandBuffer", 1, "work", "during", "completed", ""},
		[]any{b.Event, b.Number, b.Queue, b.Label, b.Status, b.Error})
	assert.True(t, 0 < b.Committed && b.Committed <= b.GPUStart && b.GPUStart <= b.GPUEnd, "%+v", b)
	require.Len(t, b.Commands, 3)
	assert.Equal(t, []string{"begin", "compute", "adding"},
		[]string{b.Commands[0].Kind, b.Commands[0].Encoder, b.Commands[0].Label})
	c := b.Commands[1]
	assert.Equal(t, []string{"dispatch", "one"}, []string{c.Kind, c.Kernel})
	assert.Contains(t, c.Call, "dispatchThreads")
	assert.Equal(t, &[3]uint32{3, 1, 1}, c.Threads)
	assert.Equal(t, &[3]uint32{2, 1, 1}, c.ThreadsPerThreadgroup)
	require.Len(t, c.Arguments, 1)
	assert.Equal(t, "buffer", c.Arguments[0].Kind)
	assert.Equal(t, "end", b.Commands[2].Kind)
	assert.Equal(t, []any{"boundary", "work"}, []any{lines[2].Event, lines[2].Queue})
	assert.Equal(t, []any{"commandBuffer", 2, ""}, []any{lines[3].Event, lines[3].Number, lines[3].Label})
	two := 2
	assert.Equal(t, traced{Event: "end", CommandBuffers: &two}, lines[4])
}

// TestCaptureOfQueue captures one of two queues.
func TestCaptureOfQueue(t *testing.T) {
	r := newCaptureRig(t)
	other, err := r.device.NewCommandQueue()
	require.NoError(t, err)
	defer other.Release()
	folder := filepath.Join(t.TempDir(), "queue")
	require.NoError(t, r.start(r.queue.Object, folder, document))
	r.run(other, "other")
	r.run(r.queue, "mine")
	r.manager.StopCapture()
	lines := traceOf(t, folder)
	require.Len(t, lines, 3)
	assert.Equal(t, "work", lines[0].Queue)
	assert.Equal(t, "mine", lines[1].Label)
}

// TestCaptureScope captures what is between the beginning and the end of a scope.
func TestCaptureScope(t *testing.T) {
	r := newCaptureRig(t)
	s := r.manager.NewCaptureScopeWithCommandQueue(r.queue)
	defer s.Release()
	s.SetLabel("frame")
	assert.Equal(t, "frame", s.Label())
	assert.Equal(t, r.device.ID(), s.Device().ID())
	assert.Equal(t, r.queue.ID(), s.CommandQueue().ID())
	assert.True(t, s.Mtl4CommandQueue().IsNil())
	assert.True(t, r.manager.DefaultCaptureScope().IsNil())
	r.manager.SetDefaultCaptureScope(s)
	assert.Equal(t, s.ID(), r.manager.DefaultCaptureScope().ID())
	r.manager.SetDefaultCaptureScope(mtl.CaptureScope{})
	folder := filepath.Join(t.TempDir(), "scope")
	require.NoError(t, r.start(s.Object, folder, document))
	r.run(r.queue, "before")
	s.BeginScope()
	r.run(r.queue, "inside")
	s.EndScope()
	assert.False(t, r.manager.IsCapturing())
	r.run(r.queue, "after")
	lines := traceOf(t, folder)
	require.Len(t, lines, 3)
	assert.Equal(t, "inside", lines[1].Label)
}

// TestRefusedCaptures: what cannot be captured is an error of Metal's that says why.
func TestRefusedCaptures(t *testing.T) {
	r := newCaptureRig(t)
	dir := t.TempDir()
	for _, k := range []struct {
		object      objc.Object
		url         string
		destination mtl.CaptureDestination
		want        string
	}{
		{r.device.Object, filepath.Join(dir, "x"), mtl.CaptureDestinationDeveloperTools, "developer tools"},
		{r.device.Object, filepath.Join(dir, "x"), 7, "the destination is 7"},
		{objc.Object{}, filepath.Join(dir, "x"), document, "the capture object is no device"},
		{r.x.Object, filepath.Join(dir, "x"), document, "the capture object is no device"},
		{r.device.Object, "", document, "needs an output URL"},
		{r.device.Object, dir, document, "exists already"},
		{r.device.Object, filepath.Join(dir, "no", "such", "folder"), document, "cannot be written"},
	} {
		require.ErrorContains(t, r.start(k.object, k.url, k.destination), k.want)
		assert.False(t, r.manager.IsCapturing())
	}
	require.NoError(t, r.start(r.device.Object, filepath.Join(dir, "y"), document))
	require.ErrorContains(t, r.start(r.device.Object, filepath.Join(dir, "z"), document), "under way already")
	r.manager.StopCapture()
	r.manager.StopCapture()
	assert.NoFileExists(t, filepath.Join(dir, "z"))
	assert.Len(t, traceOf(t, filepath.Join(dir, "y")), 2)
}

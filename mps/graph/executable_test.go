package graph

import (
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// history records what happened in which order.
type history struct {
	mu   sync.Mutex
	list []string
	done chan struct{} // closed at the first "completed"
}

func newHistory() *history { return &history{done: make(chan struct{})} }

func (h *history) add(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, what)
	if what == "completed" && !h.has() {
		close(h.done)
	}
}

func (h *history) has() bool {
	select {
	case <-h.done:
		return true
	default:
		return false
	}
}

func (h *history) read() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string{}, h.list...)
}

// await waits until the completion handler has begun.
func (h *history) await(t *testing.T) {
	t.Helper()
	select {
	case <-h.done:
	case <-time.After(settle.Limit(t)):
		require.FailNow(t, "no completion", "%v", h.read())
	}
}

func (r *rig) event() mtl.SharedEvent {
	r.t.Helper()
	e := r.device.NewSharedEvent()
	r.t.Cleanup(e.Release)
	return e
}

func (r *rig) descriptor(h *history) ExecutionDescriptor {
	r.t.Helper()
	d, err := NewExecutionDescriptor()
	require.NoError(r.t, err)
	r.t.Cleanup(d.Release)
	d.SetScheduledHandler(func(results map[Tensor]TensorData, err error) {
		assert.NoError(r.t, err)
		assert.Len(r.t, results, 1)
		h.add("scheduled")
	})
	d.SetCompletionHandler(func(results map[Tensor]TensorData, err error) {
		assert.NoError(r.t, err)
		assert.Len(r.t, results, 1)
		h.add("completed")
	})
	return d
}

// TestRunAsync: a run waits for an event, signals another, and calls its handlers once, in order.
func TestRunAsync(t *testing.T) {
	r := newRig(t)
	x := r.placeholder(3)
	y := r.graph.SquareWithTensor(x, "")
	feeds := map[Tensor]TensorData{x: r.data([]float32{1, 2, 3}, 3)}
	first, last := r.event(), r.event()
	h := newHistory()
	d := r.descriptor(h)
	d.WaitForEvent(first, 7)
	d.SignalEvent(last, ExecutionStageCompleted, 9)
	assert.False(t, d.WaitUntilCompleted())

	results := r.graph.RunAsyncWithMTLCommandQueueTargetTensors(r.queue, feeds, []Tensor{y}, nil, d)
	require.Len(t, results, 1, "returned before the run")
	assert.Equal(t, []int{3}, results[y].Shape())
	assert.NotContains(t, h.read(), "completed")
	assert.Zero(t, last.SignaledValue())
	h.add("signaled")
	require.NoError(t, first.SetSignaledValue(7))
	ok, err := last.WaitUntilSignaledValue(9, 20000)
	require.NoError(t, err)
	require.True(t, ok)
	h.await(t)
	assert.Equal(t, []float32{1, 4, 9}, r.values(results[y]))

	// The settings hold for each run, and here the caller waits. The events have their values.
	d.SetWaitUntilCompleted(true)
	again := r.graph.RunAsyncWithFeeds(map[Tensor]TensorData{x: results[y]}, []Tensor{y}, nil, d)
	require.Len(t, again, 1)
	got := h.read()
	assert.Equal(t, []float32{1, 16, 81}, r.values(again[y]))
	count := map[string]int{}
	for _, what := range got {
		count[what]++
	}
	assert.Equal(t, map[string]int{"scheduled": 2, "signaled": 1, "completed": 2}, count)
	assert.Equal(t, []string{"completed", "scheduled", "completed"}, got[2:], "%v", got)

	// In the order of a queue, a run sees the results of the one before.
	one := r.graph.RunAsyncWithMTLCommandQueueTargetTensors(r.queue, feeds, []Tensor{y}, nil, ExecutionDescriptor{})
	require.Len(t, one, 1)
	out := r.data(make([]float32, 3), 3)
	require.NoError(t, r.graph.RunWithMTLCommandQueue(r.queue, map[Tensor]TensorData{x: one[y]}, nil,
		map[Tensor]TensorData{y: out}))
	assert.Equal(t, []float32{1, 16, 81}, r.values(out))
}

// TestResultsDictionary: results go to memory that the program has, also if that is a feed's.
func TestResultsDictionary(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(2, 2)
	y := g.MatrixMultiplicationWithPrimaryTensor(x, x, "")
	data := r.data([]float32{1, 2, 3, 4}, 2, 2)
	require.NoError(t, g.RunWithMTLCommandQueue(r.queue, map[Tensor]TensorData{x: data}, nil,
		map[Tensor]TensorData{y: data}))
	assert.Equal(t, []float32{7, 10, 15, 22}, r.values(data))

	h := newHistory()
	d := r.descriptor(h)
	out := r.data(make([]float32, 4), 2, 2)
	g.RunAsyncWithMTLCommandQueue(r.queue, map[Tensor]TensorData{x: data}, nil, map[Tensor]TensorData{y: out}, d)
	h.await(t)
	want := []float32{7*7 + 10*15, 7*10 + 10*22, 15*7 + 22*15, 15*10 + 22*22}
	assert.Equal(t, want, r.values(out))

	h = newHistory()
	d = r.descriptor(h)
	d.SetWaitUntilCompleted(true)
	cb, err := mps.CommandBufferFromCommandQueue(r.queue)
	require.NoError(t, err)
	back := r.data(make([]float32, 4), 2, 2)
	g.EncodeToCommandBuffer(cb, map[Tensor]TensorData{x: data}, nil, map[Tensor]TensorData{y: back}, d)
	assert.Equal(t, want, r.values(back), "the command buffer was committed and continued")
	h.await(t)
	require.NoError(t, cb.Commit())

	err = g.RunWithMTLCommandQueue(r.queue, map[Tensor]TensorData{x: data}, nil,
		map[Tensor]TensorData{y: r.data(make([]float32, 3), 3)})
	assert.ErrorContains(t, err, "the result 0 is float32[2 2] and the array given for it is float32[3]")
}

// TestRunMistake: the completion handler gets a mistake too, once.
func TestRunMistake(t *testing.T) {
	r := newRig(t)
	x := r.placeholder(3)
	y := r.graph.SquareWithTensor(x, "")
	d := got(NewExecutionDescriptor())(t)
	defer d.Release()
	var errs []error
	d.SetCompletionHandler(func(results map[Tensor]TensorData, err error) {
		assert.Empty(t, results)
		errs = append(errs, err)
	})
	for n, run := range []func(){
		func() { r.graph.RunAsyncWithFeeds(nil, []Tensor{y}, nil, d) },
		func() {
			cb := got(mps.CommandBufferFromCommandQueue(r.queue))(t)
			r.graph.EncodeToCommandBufferTargetTensors(cb, nil, []Tensor{y}, nil, d)
			require.NoError(t, cb.Commit())
		},
	} {
		_, err := r.try(func() Tensor { run(); return Tensor{} })
		assert.ErrorContains(t, err, `the placeholder "" is not among the feeds`)
		require.Len(t, errs, n+1)
		assert.ErrorContains(t, errs[n], `the placeholder "" is not among the feeds`)
	}
}

func (r *rig) shaped(shape ...int) ShapedType {
	r.t.Helper()
	s, err := NewShapedTypeWithShape(shape, mps.DataTypeFloat32)
	require.NoError(r.t, err)
	r.t.Cleanup(s.Release)
	return s
}

func (r *rig) graphDevice() Device {
	r.t.Helper()
	d, err := DeviceWithMTLDevice(r.device)
	require.NoError(r.t, err)
	return d
}

// TestExecutable: an executable runs for all shapes that it was compiled for.
func TestExecutable(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x, w := r.placeholder(-1, 2), r.placeholder(2, 2)
	y := g.MatrixMultiplicationWithPrimaryTensor(x, w, "")
	e := g.CompileWithDevice(r.graphDevice(), map[Tensor]ShapedType{x: r.shaped(-1, 2), w: r.shaped(2, 2)},
		[]Tensor{y, x}, nil, CompilationDescriptor{})
	require.False(t, e.IsNil())
	require.Equal(t, []Tensor{x, w}, e.FeedTensors())
	require.Equal(t, []Tensor{y, x}, e.TargetTensors())
	e.SetOptions(OptionsSynchronizeResults)
	assert.Equal(t, OptionsSynchronizeResults, e.Options())

	weights := r.data([]float32{1, 2, 3, 4}, 2, 2)
	out := got(e.RunWithMTLCommandQueue(r.queue, []TensorData{r.data([]float32{1, 1}, 1, 2), weights}, nil,
		ExecutableExecutionDescriptor{}))(t)
	require.Len(t, out, 2)
	assert.Equal(t, []float32{4, 6}, r.values(out[0]))
	given := []TensorData{r.data(make([]float32, 4), 2, 2), r.data(make([]float32, 4), 2, 2)}
	out = got(e.RunWithMTLCommandQueue(r.queue, []TensorData{r.data([]float32{1, 0, 0, 2}, 2, 2), weights}, given,
		ExecutableExecutionDescriptor{}))(t)
	require.Equal(t, given, out)
	assert.Equal(t, []float32{1, 2, 6, 8}, r.values(given[0]))

	types, err := e.GetOutputTypesWithDevice(Device{}, []Type{r.shaped(5, 2).Type, r.shaped(2, 2).Type},
		CompilationDescriptor{})
	require.NoError(t, err)
	require.Len(t, types, 2)
	assert.Equal(t, []int{5, 2}, types[0].Shape())
	assert.Equal(t, mps.DataTypeFloat32, types[0].DataType())
	assert.True(t, types[1].IsEqualTo(r.shaped(5, 2)))
	assert.False(t, types[1].IsEqualTo(r.shaped(5, 3)))
	e.SpecializeWithDevice(r.graphDevice(), []Type{r.shaped(7, 2).Type, r.shaped(2, 2).Type}, CompilationDescriptor{})

	for _, c := range []struct {
		want          string
		inputs, given []TensorData
	}{
		{"1 inputs; the executable has 2 feeds", []TensorData{weights}, nil},
		{"input 0 is float32[3]; the executable was compiled for float32[-1 2]",
			[]TensorData{r.data(make([]float32, 3), 3), weights}, nil},
		{"data for 1 results; the executable has 2 targets", []TensorData{weights, weights}, given[:1]},
	} {
		out, err := e.RunWithMTLCommandQueue(r.queue, c.inputs, c.given, ExecutableExecutionDescriptor{})
		assert.ErrorContains(t, err, c.want)
		assert.Nil(t, out)
	}
	for want, run := range map[string]func(){
		"the type of the feed of placeholder \"\" is float32[3 2]; the tensor is float32[2 2]": func() {
			e.SpecializeWithDevice(Device{}, []Type{r.shaped(7, 2).Type, r.shaped(3, 2).Type}, CompilationDescriptor{})
		},
		"is not among the feeds": func() {
			g.CompileWithDevice(Device{}, map[Tensor]ShapedType{x: r.shaped(1, 2)}, []Tensor{y}, nil,
				CompilationDescriptor{})
		},
		"the software device has no packages of MPSGraph": func() {
			require.NoError(t, e.SerializeToMPSGraphPackageAtURL("/nowhere", ExecutableSerializationDescriptor{}))
		},
		"the software device has no packages of Core ML": func() {
			_, err := NewExecutableWithCoreMLPackageAtURL("/nowhere", CompilationDescriptor{})
			require.NoError(t, err)
		},
	} {
		_, err := r.try(func() Tensor { run(); return Tensor{} })
		assert.ErrorContains(t, err, want)
	}
}

// TestExecutableAsync: the handlers of an executable's runs, and events.
func TestExecutableAsync(t *testing.T) {
	r := newRig(t)
	x := r.placeholder(2)
	y := r.graph.SquareWithTensor(x, "")
	e := r.graph.CompileWithDevice(Device{}, map[Tensor]ShapedType{x: r.shaped(2)}, []Tensor{y}, nil,
		CompilationDescriptor{})
	require.False(t, e.IsNil())
	h := newHistory()
	d := got(NewExecutableExecutionDescriptor())(t)
	defer d.Release()
	handler := func(what string) func([]TensorData, error) {
		return func(results []TensorData, err error) {
			assert.NoError(t, err)
			assert.Len(t, results, 1)
			h.add(what)
		}
	}
	d.SetScheduledHandler(handler("scheduled"))
	d.SetCompletionHandler(handler("completed"))
	first, last := r.event(), r.event()
	d.WaitForEvent(first, 1)
	d.SignalEvent(last, ExecutionStageCompleted, 2)
	copied := d.Copy()
	defer copied.Release()
	input := []TensorData{r.data([]float32{3, 4}, 2)}
	out := e.RunAsyncWithMTLCommandQueue(r.queue, input, nil, copied)
	require.Len(t, out, 1)
	assert.NotContains(t, h.read(), "completed")
	require.NoError(t, first.SetSignaledValue(1))
	h.await(t)
	assert.Equal(t, []float32{9, 16}, r.values(out[0]))
	assert.Equal(t, uint64(2), last.SignaledValue())

	cb := got(mps.CommandBufferFromCommandQueue(r.queue))(t)
	out = e.EncodeToCommandBuffer(cb, input, nil, copied)
	require.Len(t, out, 1)
	require.NoError(t, cb.Commit())
	require.NoError(t, cb.WaitUntilCompleted())
	assert.Equal(t, []float32{9, 16}, r.values(out[0]))
	count := map[string]int{}
	for _, what := range h.read() {
		count[what]++
	}
	assert.Equal(t, map[string]int{"scheduled": 2, "completed": 2}, count)
	_, err := r.try(func() Tensor { d.SignalEvent(first, 3, 1); return Tensor{} })
	assert.ErrorContains(t, err, "execution stage 3; there is only 0, completed")
}

// TestCompilation: the compilation's handler is called once, in the call or later, and an operation
// calls the executable that the descriptor has for its symbol.
func TestCompilation(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(2)
	square := g.CompileWithDevice(Device{}, map[Tensor]ShapedType{x: r.shaped(2)}, []Tensor{g.SquareWithTensor(x, "")},
		nil, CompilationDescriptor{})
	require.False(t, square.IsNil())
	out, err := g.CallSymbolName("square", []Tensor{g.NegativeWithTensor(x, "")}, []Type{r.shaped(2).Type}, "")
	require.NoError(t, err)
	require.Len(t, out, 1)
	assert.Equal(t, []int{2}, out[0].Shape())
	y := g.AdditionWithPrimaryTensor(out[0], x, "")

	for _, wait := range []bool{true, false} {
		h := newHistory()
		d := got(NewCompilationDescriptor())(t)
		d.SetOptimizationLevel(OptimizationLevel1)
		d.SetWaitForCompilationCompletion(wait)
		require.NoError(t, d.SetCallables(map[string]Executable{"square": square}))
		var in Executable
		d.SetCompilationCompletionHandler(func(e Executable, err error) {
			assert.NoError(t, err)
			in = e
			h.add("completed")
		})
		e := g.CompileWithDevice(r.graphDevice(), map[Tensor]ShapedType{x: r.shaped(2)}, []Tensor{y}, nil, d)
		require.False(t, e.IsNil())
		if wait {
			assert.Equal(t, []string{"completed"}, h.read())
		}
		h.await(t)
		assert.Equal(t, []string{"completed"}, h.read())
		assert.Equal(t, e.ID(), in.ID())
		d.Release()
		got, err := e.RunWithMTLCommandQueue(r.queue, []TensorData{r.data([]float32{3, 5}, 2)}, nil,
			ExecutableExecutionDescriptor{})
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.Equal(t, []float32{12, 30}, r.values(got[0]))
	}

	d := got(NewCompilationDescriptor())(t)
	defer d.Release()
	d.SetWaitForCompilationCompletion(true)
	var failures []error
	d.SetCompilationCompletionHandler(func(e Executable, err error) {
		assert.True(t, e.IsNil())
		failures = append(failures, err)
	})
	for want, f := range map[string]func(){
		`the placeholder "" is not among the feeds`: func() { g.CompileWithDevice(Device{}, nil, []Tensor{y}, nil, d) },
		"optimizationLevel 2; the limit is 1":       func() { d.SetOptimizationLevel(2) },
	} {
		_, err := r.try(func() Tensor { f(); return Tensor{} })
		assert.ErrorContains(t, err, want)
	}
	_, err = g.RunWithFeeds(map[Tensor]TensorData{x: r.data([]float32{1, 2}, 2)}, []Tensor{y}, nil)
	assert.ErrorContains(t, err, `has no callable "square"`)
	require.Len(t, failures, 1)
	assert.ErrorContains(t, failures[0], "is not among the feeds")
}

// TestExecutableLeaks: runs, executables and command buffers that nobody commits leave no objects.
func TestExecutableLeaks(t *testing.T) {
	r := newRig(t)
	x := r.placeholder(2)
	y := r.graph.SquareWithTensor(x, "")
	data := r.data([]float32{3, 4}, 2)
	feeds := map[Tensor]TensorData{x: data}
	shape := r.shaped(2)
	e := r.event()
	for i := range 4 {
		before := objc.LiveObjects()
		objc.Pool(func() {
			d := got(NewExecutionDescriptor())(t)
			defer d.Release()
			d.WaitForEvent(e, 0)
			d.SignalEvent(e, ExecutionStageCompleted, 1)
			d.SetScheduledHandler(func(map[Tensor]TensorData, error) {})
			d.SetCompletionHandler(func(map[Tensor]TensorData, error) {})
			cb := got(mps.CommandBufferFromCommandQueue(r.queue))(t)
			r.graph.EncodeToCommandBufferTargetTensors(cb, feeds, []Tensor{y}, nil, d)
			_, err := r.try(func() Tensor { r.graph.RunAsyncWithFeeds(nil, []Tensor{y}, nil, d); return Tensor{} })
			require.Error(t, err)
			d.SetWaitUntilCompleted(true)
			r.graph.RunAsyncWithFeeds(feeds, []Tensor{y}, nil, d)
			c := got(NewCompilationDescriptor())(t)
			defer c.Release()
			c.SetCompilationCompletionHandler(func(Executable, error) {})
			c.SetWaitForCompilationCompletion(true)
			exe := r.graph.CompileWithDevice(Device{}, map[Tensor]ShapedType{x: shape}, []Tensor{y}, nil, c)
			_, err = exe.RunWithMTLCommandQueue(r.queue, []TensorData{data}, nil, ExecutableExecutionDescriptor{})
			require.NoError(t, err)
		})
		if i == 0 {
			continue
		}
		// The driver's threads release the handlers' blocks a little after they have called them.
		settle.Equal(t, "live objects", before, objc.LiveObjects)
	}
}

package graph

import (
	"fmt"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// RunWithFeeds runs the graph on a queue of its own, waits, and returns the data of the targets. It
// sends the message -[MPSGraph runWithFeeds:targetTensors:targetOperations:]. If targetOperations
// is empty, nil is passed. After a failure there are no results but an error: the misuse that would
// be a fault of other methods, the error of the GPU if the software device runs the graph, or
// [objc.ErrNil] with the first target that has no data.
//
// Since macOS 11.0. The result is +0. Type encoding @@:@@@.
func (o Graph) RunWithFeeds(feeds map[Tensor]TensorData, targetTensors []Tensor,
	targetOperations []Operation) (map[Tensor]TensorData, error) {
	results, err := sendGraphRunWithFeeds(o, feeds, targetTensors, targetOperations)
	return o.checkResults(mGraphRunWithFeeds, results, targetTensors, err)
}

// RunWithMTLCommandQueueTargetTensors is like [Graph.RunWithFeeds], on a queue. It sends the
// message -[MPSGraph runWithMTLCommandQueue:feeds:targetTensors:targetOperations:].
//
// Since macOS 11.0. The result is +0. Type encoding @@:@@@@.
func (o Graph) RunWithMTLCommandQueueTargetTensors(commandQueue mtl.CommandQueue, feeds map[Tensor]TensorData,
	targetTensors []Tensor, targetOperations []Operation) (map[Tensor]TensorData, error) {
	results, err := sendGraphRunWithMTLCommandQueueTargetTensors(o, commandQueue, feeds, targetTensors, targetOperations)
	return o.checkResults(mGraphRunWithMTLCommandQueueTargetTensors, results, targetTensors, err)
}

// RunWithMTLCommandQueue is like [Graph.RunWithFeeds], on a queue and with data for the results:
// the keys of resultsDictionary are the targets. After an error the data are not those of the run.
// It sends the message -[MPSGraph
// runWithMTLCommandQueue:feeds:targetOperations:resultsDictionary:].
//
// Since macOS 11.0. Type encoding v@:@@@@.
func (o Graph) RunWithMTLCommandQueue(commandQueue mtl.CommandQueue, feeds map[Tensor]TensorData,
	targetOperations []Operation, resultsDictionary map[Tensor]TensorData) error {
	if o.IsNil() {
		return zmethods[mGraphRunWithMTLCommandQueue].NilArgument("the graph")
	}
	return sendGraphRunWithMTLCommandQueue(o, commandQueue, feeds, targetOperations, resultsDictionary)
}

// checkResults returns the results of a run that gave data to all targets, or else an error.
func (o Graph) checkResults(method int, results map[Tensor]TensorData, targets []Tensor, err error) (
	map[Tensor]TensorData, error) {
	m := &zmethods[method]
	if err != nil {
		return nil, err
	}
	if o.IsNil() {
		return nil, m.NilArgument("the graph")
	}
	for i, t := range targets {
		if results[t].IsNil() {
			return nil, fmt.Errorf("%s: graph %#x has no data for target %d, %q (%v%v): %w", m.Name(), o.ID(), i,
				t.Operation().Name(), t.DataType(), t.Shape(), objc.ErrNil)
		}
	}
	return results, nil
}

// RunWithMTLCommandQueue runs the executable, waits, and returns the data of its TargetTensors, in
// their order. It sends the message -[MPSGraphExecutable
// runWithMTLCommandQueue:inputsArray:resultsArray:executionDescriptor:]. The argument
// executionDescriptor may be nil. If resultsArray is empty, nil is passed. Errors are those of
// [Graph.RunWithFeeds].
//
// Since macOS 12.0. The result is +0. Type encoding @@:@@@@.
func (o Executable) RunWithMTLCommandQueue(commandQueue mtl.CommandQueue, inputsArray, resultsArray []TensorData,
	executionDescriptor ExecutableExecutionDescriptor) ([]TensorData, error) {
	m := &zmethods[mExecutableRunWithMTLCommandQueue]
	if o.IsNil() {
		return nil, m.NilArgument("the executable")
	}
	results, err := sendExecutableRunWithMTLCommandQueue(o, commandQueue, inputsArray, resultsArray, executionDescriptor)
	if err != nil {
		return nil, err
	}
	want := len(resultsArray)
	if len(results) == 0 && want == 0 {
		want = len(o.TargetTensors())
	}
	if len(results) < want {
		return nil, fmt.Errorf("%s: executable %#x has data for %d of %d targets: %w", m.Name(), o.ID(), len(results), want,
			objc.ErrNil)
	}
	return results, nil
}

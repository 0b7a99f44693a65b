package mtl

// SetPipelineState sets the network for the dispatches that follow; it must not be nil.
//
//	-[MTL4MachineLearningCommandEncoder setPipelineState:]
func (o MachineLearningCommandEncoder4) SetPipelineState(pipelineState MachineLearningPipelineState4) error {
	const c = check("-[MTL4MachineLearningCommandEncoder setPipelineState:]")
	return encode(o, c, c.object("pipeline state", pipelineState.ID()), func() {
		sendMachineLearningCommandEncoder4SetPipelineState(o, pipelineState)
		if o.state != nil {
			o.state.network = uint64(pipelineState.IntermediatesHeapSize())
			o.state.networkSet = true
		}
	})
}

// SetArgumentTable sets the table with the tensors of the dispatches that follow; it must not be
// nil.
//
//	-[MTL4MachineLearningCommandEncoder setArgumentTable:]
func (o MachineLearningCommandEncoder4) SetArgumentTable(argumentTable ArgumentTable4) error {
	const c = check("-[MTL4MachineLearningCommandEncoder setArgumentTable:]")
	return encode(o, c, c.object("argument table", argumentTable.ID()), func() {
		sendMachineLearningCommandEncoder4SetArgumentTable(o, argumentTable)
		if o.state != nil {
			o.state.tableSet = true
		}
	})
}

// DispatchNetworkWithIntermediatesHeap runs the network. It needs a pipeline state
// ([ErrNoPipeline]), an argument table ([ErrState]), and a placement heap of at least the
// pipeline's intermediatesHeapSize ([ErrLength]).
//
//	-[MTL4MachineLearningCommandEncoder dispatchNetworkWithIntermediatesHeap:]
func (o MachineLearningCommandEncoder4) DispatchNetworkWithIntermediatesHeap(heap Heap) error {
	const c = check("-[MTL4MachineLearningCommandEncoder dispatchNetworkWithIntermediatesHeap:]")
	if err := c.object("heap", heap.ID()); err != nil {
		return err
	}
	size, kind := uint64(heap.Size()), heap.Type()
	return tryEncode(o, c, nil, func() error {
		if err := o.state.runs(c, size, kind); err != nil {
			return err
		}
		sendMachineLearningCommandEncoder4DispatchNetworkWithIntermediatesHeap(o, heap)
		return nil
	})
}

// networkState is the state of a machine learning encoder.
type networkState struct {
	networkSet, tableSet bool
	network              uint64 // bytes that the network needs for intermediate results
}

func (s *encoderState) runs(c check, size uint64, kind HeapType) error {
	if kind != HeapTypePlacement {
		return c.fail(ErrArgument, "heap is %v, want %v", kind, HeapTypePlacement)
	}
	switch {
	case s == nil:
		return nil
	case !s.networkSet:
		return c.fail(ErrNoPipeline, "dispatch")
	case !s.tableSet:
		return c.fail(ErrState, "no argument table is set")
	}
	return c.atLeast("size of the heap in bytes", size, s.network, ErrLength)
}

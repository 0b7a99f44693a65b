// Package graph records commands of package compute once and replays them often.
//
// A [Graph] is a sequence of launches, copies, functions of the host, other graphs, conditions and
// loops; an [Instance] of it is replayed by one call. [Commands] are launches in memory, which a
// kernel can encode too: Metal's indirect command buffers. A [TaskGraph] has Go functions that
// depend on each other instead, which record work anew in each run.
//
//	g := graph.New(acc, "step")
//	_, err := g.Launch(kernel, compute.Threads1D(x.Len()), x)
//	step, err := g.Instantiate(ctx)
//	defer step.Close()
//	err = step.Replay(ctx, stream)
package graph

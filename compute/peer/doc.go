// Package peer moves data between GPUs and uses several GPUs as one.
//
// [Topology] lists the devices and which of them are peers: GPUs that Metal puts in one peer group
// because they read each other's memory over a link of their own. A [Link] copies from the buffers
// of one accelerator to those of another:
//
//	link, err := peer.Connect(first, second, peer.Options{})
//	defer link.Close(ctx)
//	err = peer.Copy(ctx, link, dst, src) // dst is of second, src of first
//
// Between peers, a buffer in private memory is copied directly: the receiving GPU reads it through
// a remote view, which Metal allows only as the source of a blit. Everything else goes through
// staging memory of the host that both devices share, in chunks: while one device fills a chunk,
// the other empties the one before it. Shared events order the two devices; the host takes no part.
//
// Apple silicon has one GPU and therefore no peers, and Topology says so. The software device has
// peers if there are several of it; they share the host's memory, so bandwidths measured there are
// those of the host's memory.
//
// A [Team] is several accelerators that share work: [Scatter] divides a slice in proportion to
// their measured speeds, [Team.Launch] runs a kernel on all parts, [Gather] collects the results.
package peer

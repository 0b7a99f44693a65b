// Package observe measures what a launch does to memory and how well its simdgroups are used:
// through the engine's hook, so a kernel runs unoptimized and every access in the source is seen.
// Package analyze/event has the figures and what they mean.
//
// Threadgroups run concurrently, so each has a collector of its own while it runs; collectors are
// used again for later threadgroups and added up when the launch has ended. All figures are sums,
// sets or maxima, which do not depend on the order of threadgroups, unless a site has so many
// strides or atomic addresses that it is marked as truncated.
package observe

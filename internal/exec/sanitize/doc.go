// Package sanitize finds mistakes of kernels while they run. It observes launches through the
// engine's hook, so a kernel runs unoptimized and every access in the source is seen. Package
// sanitizer has the rules and the findings.
//
// Each cell of shadow memory has the last write and the last read of some bytes, as the number of a
// record: which instruction it was, in which threadgroup, and how many barriers had gone before. A
// later access is ordered after it if the two threads have met at a barrier in between.
package sanitize

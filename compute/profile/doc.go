// Package profile records what an accelerator does and shows where the time goes: a timeline of
// host and device, device times by kernel, by named operation and by line of the program, memory
// in use, and transfers. It writes reports, Chrome traces (which Perfetto reads) and pprof
// profiles.
//
//	rec, err := profile.Start(acc, profile.Options{})
//	...
//	p := rec.Stop()
//	p.WriteText(os.Stdout)
//
// A [Recorder] is an observer of package compute, so it costs the program a lock and a few dozen
// bytes per command, and the device nothing, unless [Options.LaunchTimes] asks for the time of each
// launch. It keeps at most [Options.Limit] events, and counts those it drops.
//
// # Clocks
//
// The host's times are those of Go's monotonic clock, the device's are seconds of another clock.
// The recorder knows only that a command buffer cannot begin before it was committed, and that
// the host cannot be notified before it has ended. Each buffer therefore bounds the offset
// between the clocks from both sides: commit - start <= offset <= notification - end. [Clock] has
// the middle of what all buffers allow, and half of the width as its error. Durations on the
// device do not depend on it.
package profile

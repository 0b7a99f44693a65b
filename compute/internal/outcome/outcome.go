// Package outcome lets streams of different accelerators know of each other's failures: it is what
// package peer needs of package compute and programs do not.
//
// It is tested by way of package peer.
package outcome

// Outcome is whether what a command has made is sound. It is set once.
type Outcome struct {
	done chan struct{}
	err  error
}

// New returns an outcome that is not known yet.
func New() *Outcome { return &Outcome{done: make(chan struct{})} }

// Set sets the outcome: nil, or the failure.
func (o *Outcome) Set(err error) {
	o.err = err
	close(o.done)
}

// Done returns a channel that is closed when the outcome is known.
func (o *Outcome) Done() <-chan struct{} { return o.done }

// Err returns the outcome, which must be known.
func (o *Outcome) Err() error { return o.err }

// Sets is an access for compute.Stream.Encode. The outcome becomes the failure of the commands, or
// of what wrote the memory that they read.
type Sets struct{ *Outcome }

// Needs is an access for compute.Stream.Encode. The commands read what those with the outcome have
// made, for which they wait on the device.
type Needs struct{ *Outcome }

// Overwrites is an access for compute.Stream.Encode. The commands overwrite some bytes of a
// *compute.Buffer.
type Overwrites struct {
	Buffer      any
	From, Bytes uint
}

// Failure returns the failure of the work that wrote a *compute.Buffer. Package compute sets it
// before it opens an accelerator.
var Failure func(buffer any) error

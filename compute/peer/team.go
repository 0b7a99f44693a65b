package peer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
)

// Team is several accelerators that share work: see [Scatter] and [Team.Launch]. It is safe for
// concurrent use; its launches run in order on each device.
type Team struct {
	members []*compute.Accelerator
	streams []*compute.Stream
	now     func() time.Time

	mu    sync.Mutex
	speed []float64 // shares of the work that would make all members end at once; their sum is 1
}

// NewTeam makes a team, at first of equally fast members. Close it when done, before the
// accelerators, which remain the program's; [compute.OpenAll] opens one for each device.
func NewTeam(members ...*compute.Accelerator) (*Team, error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("peer: team without members: %w", compute.ErrOption)
	}
	t := &Team{members: members, now: time.Now}
	for i, a := range members {
		s, err := a.NewStream(compute.StreamOptions{Label: "team"})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("peer: member %d: %w", i, err), t.Close(context.Background()))
		}
		t.streams = append(t.streams, s)
		t.speed = append(t.speed, 1/float64(len(members)))
	}
	return t, nil
}

// Close waits for the team's work and closes its streams. It returns what [Team.Sync] would.
func (t *Team) Close(ctx context.Context) error {
	if t.missing() {
		return nilTeam("Close")
	}
	var err error
	for _, s := range t.streams {
		err = errors.Join(err, s.Close(ctx))
	}
	return err
}

// missing reports whether the team is nil or was not made by [NewTeam].
func (t *Team) missing() bool { return t == nil || t.now == nil }

func nilTeam(what string) error {
	return fmt.Errorf("peer: %s of no team: %w", what, compute.ErrNil)
}

// Sync waits until all work of the team has ended, and returns its failures.
func (t *Team) Sync(ctx context.Context) error {
	if t.missing() {
		return nilTeam("Sync")
	}
	var err error
	for _, s := range t.streams {
		err = errors.Join(err, s.Sync(ctx))
	}
	return err
}

// Speeds returns the members' shares of the work by which all would end at once, according to the
// launches so far. Their sum is 1.
func (t *Team) Speeds() []float64 {
	if t.missing() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]float64(nil), t.speed...)
}

// Shares divides n elements among the members by their speeds. The shares' sum is n; small n leave
// members without any.
func (t *Team) Shares(n int) []int {
	if t.missing() || n < 0 {
		return nil
	}
	speeds := t.Speeds()
	shares := make([]int, len(speeds))
	sum, given := 0.0, 0
	for i, s := range speeds {
		sum += s
		upTo := n
		if i < len(speeds)-1 {
			upTo = min(n, int(sum*float64(n)+0.5))
		}
		shares[i] = upTo - given
		given = upTo
	}
	return shares
}

// The weight of a new measurement of the members' speeds, and the smallest share that a member is
// given: without one it would never be measured again.
const (
	newWeight     = 0.5
	smallestSpeed = 0.01
)

// measured takes the times of one launch into account: elements per second of each member, 0 of
// those that had no part.
func (t *Team) measured(rates []float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, sum, n := 0.0, 0.0, 0 // of the members that had a part
	for i, r := range rates {
		if r > 0 {
			known += t.speed[i]
			sum += r
			n++
		}
	}
	if n < 2 {
		return // nothing to compare
	}
	total := 0.0
	for i, r := range rates {
		if r > 0 {
			t.speed[i] += newWeight * (known*r/sum - t.speed[i])
		}
		t.speed[i] = max(t.speed[i], smallestSpeed)
		total += t.speed[i]
	}
	for i := range t.speed {
		t.speed[i] /= total
	}
}

// Parts is data of which each member of a team has a part. Close it when done.
type Parts[T any] struct {
	team    *Team
	shares  []int
	buffers []*compute.Buffer[T] // nil for an empty part
}

func (p *Parts[T]) missing() bool { return p == nil || p.team == nil }

// NewParts makes buffers for parts of the given lengths, one for each member: those of
// [Team.Shares], or of another [Parts]. Their contents are undefined.
func NewParts[T any](t *Team, shares []int) (*Parts[T], error) {
	if t.missing() {
		return nil, nilTeam("NewParts")
	}
	if len(shares) != len(t.members) {
		return nil, fmt.Errorf("peer: %d parts for a team of %d: %w", len(shares), len(t.members), compute.ErrRange)
	}
	p := &Parts[T]{team: t, shares: append([]int(nil), shares...), buffers: make([]*compute.Buffer[T], len(shares))}
	for i, n := range shares {
		if n == 0 {
			continue
		}
		b, err := compute.NewBuffer[T](t.members[i], n, compute.BufferOptions{Label: "part"})
		if err != nil {
			p.Close()
			return nil, fmt.Errorf("peer: part %d of %d elements: %w", i, n, err)
		}
		p.buffers[i] = b
	}
	return p, nil
}

// Scatter divides data among the members of a team by their speeds, and copies each part to its
// device.
func Scatter[T any](ctx context.Context, t *Team, data []T) (*Parts[T], error) {
	if t.missing() {
		return nil, nilTeam("Scatter")
	}
	p, err := NewParts[T](t, t.Shares(len(data)))
	if err != nil {
		return nil, err
	}
	if err := p.each(data, func(b *compute.Buffer[T], part []T) error { return b.Upload(ctx, part) }); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Gather waits for the team's work and copies all parts to data, which must have their length.
func Gather[T any](ctx context.Context, data []T, p *Parts[T]) error {
	if p.missing() {
		return fmt.Errorf("peer: Gather of no parts: %w", compute.ErrNil)
	}
	if len(data) != p.Len() {
		return fmt.Errorf("peer: Gather of %d elements to a slice of %d: %w", p.Len(), len(data), compute.ErrRange)
	}
	if err := p.team.Sync(ctx); err != nil {
		return err
	}
	return p.each(data, func(b *compute.Buffer[T], part []T) error { return b.Download(ctx, part) })
}

// each calls f for all parts that are not empty, at once, with their elements of data.
func (p *Parts[T]) each(data []T, f func(*compute.Buffer[T], []T) error) error {
	errs := make([]error, len(p.buffers))
	var all sync.WaitGroup
	from := 0
	for i, b := range p.buffers {
		part := data[from : from+p.shares[i]]
		from += p.shares[i]
		if b != nil {
			all.Go(func() { errs[i] = f(b, part) })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// Len returns the number of elements of all parts.
func (p *Parts[T]) Len() (n int) {
	for _, s := range p.Shares() {
		n += s
	}
	return n
}

// Shares returns the lengths of the parts.
func (p *Parts[T]) Shares() []int {
	if p == nil {
		return nil
	}
	return append([]int(nil), p.shares...)
}

// Part returns the buffer of a member, nil if its part is empty. It belongs to p.
func (p *Parts[T]) Part(member int) *compute.Buffer[T] {
	if p == nil || member < 0 || member >= len(p.buffers) {
		return nil
	}
	return p.buffers[member]
}

// Close closes the buffers. Closing closed or nil parts does nothing.
func (p *Parts[T]) Close() {
	if p == nil {
		return
	}
	for _, b := range p.buffers {
		b.Close()
	}
}

// parts is a *Parts of any type.
type parts interface {
	missing() bool
	owner() *Team
	lengths() []int
	argument(member int) any
}

func (p *Parts[T]) owner() *Team            { return p.team }
func (p *Parts[T]) lengths() []int          { return p.shares }
func (p *Parts[T]) argument(member int) any { return p.buffers[member] }

// first is the type of First.
type first struct{}

// First is an argument of [Team.Launch]: each member's kernel gets the index of its part's first
// element as a uint.
var First any = first{}

// Kernel is a kernel of all members of a team.
type Kernel struct {
	team     *Team
	programs []*compute.Program
	kernels  []*compute.Kernel
}

// Compile compiles source for each member and returns the kernel of that name. Close it when done.
func (t *Team) Compile(ctx context.Context, source, name string, o compute.CompileOptions,
	constants ...compute.Constant) (*Kernel, error) {
	if t.missing() {
		return nil, nilTeam("Compile")
	}
	k := &Kernel{team: t}
	for i, a := range t.members {
		p, err := a.Compile(ctx, source, o)
		if err != nil {
			k.Close()
			return nil, fmt.Errorf("peer: member %d: %w", i, err)
		}
		k.programs = append(k.programs, p)
		kernel, err := p.KernelContext(ctx, name, constants...)
		if err != nil {
			k.Close()
			return nil, fmt.Errorf("peer: member %d: %w", i, err)
		}
		k.kernels = append(k.kernels, kernel)
	}
	return k, nil
}

// Close closes the programs.
func (k *Kernel) Close() {
	if k == nil {
		return
	}
	for _, p := range k.programs {
		p.Close()
	}
}

// Launch runs a kernel on all members, each with a thread for each element of its parts. Of args,
// [Parts] become the member's buffers and [First] the index of its first element; everything else
// is passed to all members as it is. At least one argument must be Parts, and all of them must be
// divided alike. Launch returns when everything is recorded; how long each member takes determines
// the shares of later calls of [Team.Shares] and [Scatter].
func (t *Team) Launch(ctx context.Context, k *Kernel, args ...any) error {
	switch {
	case t.missing():
		return nilTeam("Launch")
	case k == nil || k.team == nil:
		return fmt.Errorf("peer: launch of no kernel: %w", compute.ErrNil)
	case ctx == nil:
		return fmt.Errorf("peer: launch: nil context: %w", compute.ErrNil)
	case k.team != t:
		return fmt.Errorf("peer: launch: the kernel belongs to another team: %w", compute.ErrAccelerator)
	}
	shares, err := t.shares(args)
	if err != nil {
		return err
	}
	m := &launchTimes{team: t, rates: make([]float64, len(shares))}
	for _, n := range shares {
		if n > 0 {
			m.left++
		}
	}
	from := 0
	for i, n := range shares {
		if n > 0 {
			if err := t.launch(ctx, m, k, i, from, n, args); err != nil {
				return fmt.Errorf("peer: member %d: %w", i, err)
			}
		}
		from += n
	}
	return nil
}

// shares returns the lengths of the parts among a launch's arguments.
func (t *Team) shares(args []any) (shares []int, err error) {
	for i, a := range args {
		p, ok := a.(parts)
		switch {
		case !ok:
			continue
		case p.missing():
			return nil, fmt.Errorf("peer: launch: argument %d is no parts: %w", i, compute.ErrNil)
		case p.owner() != t:
			return nil, fmt.Errorf("peer: launch: argument %d belongs to another team: %w", i, compute.ErrAccelerator)
		case shares == nil:
			shares = p.lengths()
			continue
		}
		for j, n := range p.lengths() {
			if n != shares[j] {
				return nil, fmt.Errorf("peer: launch: argument %d has parts of %v elements, the one before it %v: %w", i,
					p.lengths(), shares, compute.ErrRange)
			}
		}
	}
	if shares == nil {
		return nil, fmt.Errorf("peer: launch: no argument is divided among the members: %w", compute.ErrOption)
	}
	return shares, nil
}

func (t *Team) launch(ctx context.Context, m *launchTimes, k *Kernel, i, from, n int, args []any) error {
	own := make([]any, len(args))
	for j, a := range args {
		switch a := a.(type) {
		case parts:
			own[j] = a.argument(i)
		case first:
			own[j] = uint32(from)
		default:
			own[j] = a
		}
	}
	s := t.streams[i]
	var began time.Time
	if err := s.Callback(ctx, func(error) { began = t.now() }); err != nil {
		return err
	}
	if err := s.Launch(ctx, k.kernels[i], compute.Threads1D(n), own...); err != nil {
		return err
	}
	return s.Callback(ctx, func(err error) { m.ended(i, n, t.now().Sub(began), err) })
}

// launchTimes collects the members' times of one launch.
type launchTimes struct {
	team  *Team
	mu    sync.Mutex
	rates []float64
	left  int
}

func (m *launchTimes) ended(member, n int, took time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.rates[member] = float64(n) / float64(max(took, 1))
	}
	if m.left--; m.left == 0 {
		m.team.measured(m.rates)
	}
}

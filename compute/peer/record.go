package peer

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/outcome"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// recorder records the commands of a transfer.
type recorder struct {
	*Transfer
	streams Streams
	dst     any          // the buffer
	reads   any          // the source, as an access of Encode
	failure func() error // of the work that wrote the source

	from, to             mtl.Buffer
	fromOffset, toOffset uint
}

// record records all commands. After an error, some may have been recorded.
func (r *recorder) record(ctx context.Context) error {
	l, n := r.link, r.lane
	if err := r.check(); err != nil {
		return err
	}
	if err := order(ctx, l.from, r.streams.From, n.out); err != nil {
		return err
	}
	if err := order(ctx, l.to, r.streams.To, n.in); err != nil {
		return err
	}
	err := r.commands(ctx)
	n.out.Flush()
	n.in.Flush()
	if err != nil {
		return err
	}
	if err := order(ctx, l.from, n.out, r.streams.From); err != nil {
		return err
	}
	return order(ctx, l.to, n.in, r.streams.To)
}

// order makes later commands of a stream begin after the earlier ones of another. Either may be
// nil.
func order(ctx context.Context, a *compute.Accelerator, before, after *compute.Stream) error {
	if before == nil || after == nil {
		return nil
	}
	e, err := a.NewEvent(compute.EventOptions{Label: "peer copy"})
	if err != nil {
		return err
	}
	defer e.Close() // what waits for it still does
	if err := before.Record(ctx, e); err != nil {
		return err
	}
	return after.WaitFor(ctx, e)
}

// check checks what blits require, chooses the path and makes what it needs.
func (r *recorder) check() (err error) {
	l := r.link
	if r.from.IsNil() || r.to.IsNil() {
		return fmt.Errorf("peer: copy: a buffer is closed: %w", compute.ErrClosed)
	}
	var own bool
	objc.Pool(func() {
		own = objc.Equal(r.from.Device().ID(), l.from.Device().ID()) && objc.Equal(r.to.Device().ID(), l.to.Device().ID())
	})
	if !own {
		return fmt.Errorf("peer: copy on %v: a buffer %w", l, compute.ErrAccelerator)
	}
	for _, v := range []uint{r.fromOffset, r.toOffset, uint(r.bytes)} {
		if v%l.unit != 0 {
			return fmt.Errorf("peer: copy of %d bytes from byte %d to byte %d: the devices require multiples of %d: %w",
				r.bytes, r.fromOffset, r.toOffset, l.unit, compute.ErrRange)
		}
	}
	if r.from.StorageMode() == mtl.StorageModePrivate || l.direct == Local {
		r.path = l.direct
	}
	if r.path == Staged {
		return r.lane.stage(l)
	}
	if r.view, err = l.makeView(r.from); err != nil {
		return fmt.Errorf("peer: remote view of %d bytes: %w", r.bytes, err)
	}
	return nil
}

// commands records the chunks of a copy, one of all bytes if the receiving device reads the source
// itself. For each, out fills it and signals; in waits for that, empties it and signals; out waits
// for that before it fills the same staging memory again, or lets go of the source. Out has no part
// in a copy without staging memory whose source no stream orders.
func (r *recorder) commands(ctx context.Context) error {
	n := r.lane
	size := r.bytes
	if r.path == Staged {
		size = n.staging[0].out.Len()
	}
	first := n.chunks
	for at := 0; at < r.bytes; at += size {
		n.chunks++
		c := chunk{recorder: r, at: uint(at), length: uint(min(size, r.bytes-at)), number: n.chunks,
			filled: outcome.New()}
		if behind := uint64(len(n.staging)); r.path == Staged && c.number > first+behind {
			c.reused = c.number - behind
		}
		c.shared = r.path == Staged || r.streams.From != nil
		if c.shared {
			if err := c.fill(ctx); err != nil {
				return err
			}
		} else {
			c.filled.Set(c.failure())
		}
		if err := c.empty(ctx); err != nil {
			return err
		}
		if c.shared && r.path != Staged {
			if err := c.keep(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunk is a part of the data.
type chunk struct {
	*recorder
	at, length uint
	number     uint64 // the value that filled and drained signal for it
	reused     uint64 // the chunk that had the same staging memory before it; 0 for none
	shared     bool   // out has a part in it

	filled *outcome.Outcome // whether what in copies is sound
}

func (c *chunk) staging() staging { return c.lane.staging[c.number%uint64(len(c.lane.staging))] }

// fill records the sending device's part.
func (c *chunk) fill(ctx context.Context) error {
	access := []any{c.reads, outcome.Sets{Outcome: c.filled}}
	if c.path == Staged {
		access = append(access, compute.Overwrites(c.staging().out))
	}
	err := c.lane.out.Encode(ctx, func(b mtl.CommandBuffer) error {
		if c.reused > 0 {
			if err := b.EncodeWaitForEvent(c.lane.drained.out.Event, c.reused); err != nil {
				return err
			}
		}
		if c.path == Staged {
			to, offset := c.staging().out.Metal()
			if err := c.blit(b, c.from, c.fromOffset+c.at, to, offset); err != nil {
				return err
			}
		}
		return b.EncodeSignalEvent(c.lane.filled.out.Event, c.number)
	}, access...)
	if err != nil {
		return err
	}
	return c.watch(ctx, c.lane.out, &c.lane.filled)
}

// empty records the receiving device's part.
func (c *chunk) empty(ctx context.Context) error {
	access := []any{outcome.Overwrites{Buffer: c.dst, From: c.at, Bytes: c.length}, outcome.Needs{Outcome: c.filled}}
	if c.path == Staged {
		access = append(access, compute.Reads(c.staging().in))
	}
	err := c.lane.in.Encode(ctx, func(b mtl.CommandBuffer) error {
		if c.shared {
			if err := b.EncodeWaitForEvent(c.lane.filled.in.Event, c.number); err != nil {
				return err
			}
		}
		from, offset := c.view, c.fromOffset+c.at
		if c.path == Staged {
			from, offset = c.staging().in.Metal()
		}
		if err := c.blit(b, from, offset, c.to, c.toOffset+c.at); err != nil || !c.shared {
			return err
		}
		return b.EncodeSignalEvent(c.lane.drained.in.Event, c.number)
	}, access...)
	if err != nil || !c.shared {
		return err
	}
	return c.watch(ctx, c.lane.in, &c.lane.drained)
}

// keep keeps later commands of the sending device from changing what the receiving device reads.
func (c *chunk) keep(ctx context.Context) error {
	return c.lane.out.Encode(ctx, func(b mtl.CommandBuffer) error {
		return b.EncodeWaitForEvent(c.lane.drained.out.Event, c.number)
	}, c.reads)
}

// watch signals the chunk in place of a device whose commands failed, for which the other device
// would wait for ever.
func (c *chunk) watch(ctx context.Context, s *compute.Stream, of *signal) error {
	number := c.number
	return s.Callback(ctx, func(err error) {
		if err != nil {
			of.reach(number)
		}
	})
}

// blit encodes the copy of the chunk, unless the transfer has been canceled.
func (c *chunk) blit(b mtl.CommandBuffer, from mtl.Buffer, fromOffset uint, to mtl.Buffer, toOffset uint) error {
	if c.canceled.Load() != nil {
		c.skipped.Store(true)
		return nil
	}
	e, err := b.BlitCommandEncoder()
	if err != nil {
		return err
	}
	err = e.CopyFromBuffer(from, fromOffset, to, toOffset, c.length)
	e.EndEncoding()
	return err
}

package stream

import (
	"context"

	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
)

// Hold waits until the commands are unused, and counts a use.
func (c *Indirect) Hold(ctx context.Context) error {
	err := c.Life.Hold(ctx)
	if err == nil && c.Acc.Exact {
		client.Send(&extension.SeenUsesOfCommands, c.Metal.ID())
	}
	return err
}

package dispatch

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
)

// Cooperation is what a pipeline knows of launches whose threadgroups wait for each other. Metal
// has no such launches, so the kernel runs only once its owner has said that it launches it so.
type Cooperation struct {
	allowed atomic.Bool

	mu       sync.Mutex
	launches int64
	last     exec.Cooperative
}

// Allow lets the pipeline run.
func (c *Cooperation) Allow() { c.allowed.Store(true) }

// Begin returns what a launch gets, nil if the owner has not allowed it.
func (c *Cooperation) Begin() *exec.Cooperative {
	if c == nil || !c.allowed.Load() {
		return nil
	}
	return &exec.Cooperative{}
}

// Ended notes what a launch has counted.
func (c *Cooperation) Ended(l *exec.Cooperative) {
	if c == nil || l == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.launches++
	c.last = *l
}

// CooperationReport describes the pipeline's grid barriers and its last launch.
func (p *Pipeline) CooperationReport() extension.CooperationReport {
	r := extension.CooperationReport{Phases: 1 + p.Code.GridBarriers()}
	if err := p.Code.GridFlow(); err != nil {
		r.Wrong = err.Error()
		var at *ir.VerifyError
		if errors.As(err, &at) && at.File != "" {
			r.Wrong = fmt.Sprintf("%s:%d:%d: %s", at.File, at.Loc.Line, at.Loc.Col, at.Msg)
		}
	}
	c := p.Cooperation
	c.mu.Lock()
	defer c.mu.Unlock()
	r.Launches, r.Last = c.launches, extension.LastCooperation(c.last)
	return r
}

//go:build !puremetal_run

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/puremetal/puremetal/internal/document"
)

// reportCmd is the report command.
type reportCmd struct {
	Address string `arg:"" optional:"" help:"Where a program serves its monitor: localhost:8080, or http://host/gpu0."`
	JSON    bool   `name:"json" help:"Write JSON."`
	Device  string `placeholder:"INDEX|NAME" help:"The device to test, as listed by puremetal devices."`
}

// Help returns the details of report --help.
func (*reportCmd) Help() string {
	return `The program must serve the pages of a monitor: see Monitor.Handler of package
telemetry. The exit code is 1 while its health is failing.

Without an address, the command uploads data to a device of this machine, launches a kernel, checks
the result, and reports that. The exit code is 1 if the result is wrong or the work fails.

Examples:

  puremetal report
  puremetal report localhost:8080
  puremetal report --json https://example.org/gpu0
`
}

// reportTimeout is how long the program may take to answer.
const reportTimeout = 10 * time.Second

// Run shows the report of a running program.
func (c *reportCmd) Run(a *app) error {
	if c.Address == "" {
		return c.test(a)
	}
	if c.Device != "" {
		return usage("report: --device %s chooses a device to test; it does not apply to %s", c.Device, c.Address)
	}
	base, err := reportURL(c.Address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(a.ctx, reportTimeout)
	defer cancel()
	accept := "text/plain"
	if c.JSON {
		accept = "application/json"
	}
	text, status, err := get(ctx, base.JoinPath("report"), accept)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s answers with status %d; it must serve the pages of a monitor", base.JoinPath("report"), status)
	}
	if _, err := a.out.Write(text); err != nil {
		return err
	}
	if _, status, err = get(ctx, base.JoinPath("health"), "application/json"); err == nil && status != http.StatusOK {
		return errFindings // the report says why
	}
	return err
}

// reportURL returns the address with a scheme.
func reportURL(address string) (*url.URL, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usage("report: %q is no address, want host:port or a URL", address)
	}
	return u, nil
}

// get reads a page.
func get(ctx context.Context, u *url.URL, accept string) (body []byte, status int, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, 0, err
	}
	q.Header.Set("Accept", accept)
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, 0, unanswered(ctx, u, err)
	}
	defer r.Body.Close()
	if body, err = document.Page.Read(r.Body); err != nil {
		err = fmt.Errorf("%s: %w", u, err)
	}
	return body, r.StatusCode, err
}

// unanswered says why a program does not answer.
func unanswered(ctx context.Context, u *url.URL, err error) error {
	var name *net.DNSError
	switch {
	case ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("report: %s does not answer within %v", u.Host, reportTimeout)
	case errors.As(err, &name):
		return fmt.Errorf("report: no host is called %s: %w", name.Name, name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("report: no program listens at %s; start it, and have it serve telemetry's Monitor.Handler "+
			"there: %w", u.Host, err)
	}
	return fmt.Errorf("report: %s: %w", u.Host, err)
}

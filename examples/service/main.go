// The service example is an HTTP service on a device that may fail: tensors classify, a kernel
// counts, the device is opened again when it was lost, and a monitor shows how it goes.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/puremetal/puremetal/compute"
)

func main() {
	address := flag.String("address", "localhost:8080", "where the service listens")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *address); err != nil {
		log.Fatal(err)
	}
}

// serve runs the service until the context ends.
func serve(ctx context.Context, address string) error {
	s, err := newService(ctx, func() (*compute.Accelerator, error) {
		return compute.Open(compute.WithMemoryLimit(256 << 20)) // more is refused, and the client tries again
	})
	if err != nil {
		return err
	}
	server := &http.Server{Addr: address, Handler: s.handler(), ReadTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = errors.Join(err, server.Shutdown(ending)) // first the requests, then what they used
	return errors.Join(err, s.close(ending))
}

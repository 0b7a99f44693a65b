// Command serve offers a language model over HTTP, as OpenAI's completions endpoint does:
//
//	go run ./examples/serve llama.gguf
//	curl localhost:8080/v1/completions -d '{"prompt": "Once upon a time", "max_tokens": 50}'
//	curl localhost:8080/v1/chat/completions -d '{"messages": [{"role": "user", "content": "Hello"}]}'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/puremetal/puremetal/model"
)

func main() {
	address := flag.String("address", "localhost:8080", "where the server listens")
	active := flag.Int("active", 16, "texts that are generated at once")
	waiting := flag.Int("waiting", 64, "texts that wait; more are refused with status 429")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: serve [flags] MODEL.gguf")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := serve(ctx, *address, flag.Arg(0), model.SchedulerOptions{Active: *active, Waiting: *waiting})
	if err != nil {
		log.Fatal(err)
	}
}

// serve serves a model until the context ends.
func serve(ctx context.Context, address, file string, o model.SchedulerOptions) error {
	s, err := newServer(ctx, file, o)
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

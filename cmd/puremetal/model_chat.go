//go:build !puremetal_run

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/chat"
)

// modelChatCmd is model chat.
type modelChatCmd struct {
	File string `arg:"" help:"A .gguf or .safetensors file, or a .safetensors.index.json."`

	System   string `placeholder:"TEXT" help:"Says how to answer, before the first message."`
	Template string `placeholder:"NAME" help:"Use chatml, gemma, llama3, zephyr or a .jinja file instead of the file's."`
	Tokens   int    `short:"n" placeholder:"N" help:"Tokens of an answer at most; by default all there is room for."`
	samplingFlags
	modelFlags
}

// Help returns the text that model chat --help shows after the flags.
func (*modelChatCmd) Help() string {
	return `Each line of standard input is a message, and answers go to standard output. Ctrl-C stops an
answer, and at the prompt the program; so does the end of the input.

` + chatHelp + `
A message may contain the model's control tokens, such as <|im_end|>, which count as such.

Examples:

  puremetal model chat llama.gguf
  echo "What is Metal?" | puremetal model chat --system "Answer in one sentence." llama.gguf
`
}

const chatHelp = `  /clear  forget the conversation, but not --system
  /exit   end the program
  /help   show this list; a message that begins with / needs a blank before it
`

// Run talks.
func (c *modelChatCmd) Run(a *app) error {
	template, err := c.template()
	if err != nil {
		return err
	}
	return a.onModel(c.modelFlags, c.File, func(_ *tensor.Engine, m *model.Model) error {
		talk, err := chat.New(m, template, chat.Options{System: c.System})
		if err != nil {
			return err
		}
		defer talk.Close()
		return c.talk(a, talk)
	})
}

func (c *modelChatCmd) template() (*chat.Template, error) {
	switch {
	case strings.HasSuffix(c.Template, ".jinja"):
		return chat.Read(c.Template)
	case c.Template != "":
		t, err := chat.Named(c.Template)
		if err != nil {
			return nil, usage("--template: %w", err)
		}
		return t, nil
	}
	t, err := chat.Read(c.File)
	if errors.Is(err, chat.ErrNoTemplate) {
		err = fmt.Errorf("%w; set one with --template %s or FILE.jinja", err, strings.Join(chat.Names(), ", "))
	}
	return t, err
}

// talk answers the lines of standard input.
func (c *modelChatCmd) talk(a *app, talk *chat.Chat) error {
	in, file := a.in.(*os.File)
	person := file && isTerminal(in)
	lines := bufio.NewReader(a.in)
	for {
		if person {
			fmt.Fprint(a.err, "> ")
		}
		line, err := abandonable(a.ctx, func() (string, error) { return readLine(lines) })
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("standard input: %w", err)
		}
		end := err != nil
		switch said := strings.TrimRight(line, "\r\n"); {
		case said == "/exit":
			return nil
		case said == "/clear":
			talk.Clear()
		case said == "/help":
			fmt.Fprint(a.err, chatHelp)
		case strings.HasPrefix(said, "/"):
			err = usage("unknown command %.40q; /help lists them", said)
			if !person {
				return err
			}
			fmt.Fprintln(a.err, err)
		case strings.TrimSpace(said) != "":
			err := c.answer(a, talk, said)
			if err != nil && (!person || a.ctx.Err() != nil) {
				return err
			}
			if err != nil {
				fmt.Fprintln(a.err, message(err))
			}
		}
		if end {
			return nil
		}
	}
}

// readLine reads a line of a limited length.
func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		b.Write(part)
		switch {
		case int64(b.Len()) > document.Text.Size:
			return "", fmt.Errorf("a line may have at most %d bytes: %w", document.Text.Size, document.ErrLimit)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case !utf8.ValidString(b.String()):
			return "", errors.New("a line is not UTF-8")
		}
		return b.String(), err
	}
}

// answer prints the answer to a message. That Ctrl-C stops it is no error.
func (c *modelChatCmd) answer(a *app, talk *chat.Chat, message string) error {
	ctx, stop := context.WithCancel(a.ctx)
	defer stop()
	a.answering.Store(&stop)
	defer a.answering.Store(nil)
	out := a.text()
	for part, err := range talk.Say(ctx, message, c.generation(c.Tokens)) {
		if err != nil && ctx.Err() != nil && a.ctx.Err() == nil {
			break
		}
		if errors.Is(err, model.ErrContext) {
			err = fmt.Errorf("%w; /clear begins a new conversation, --context makes more room", err)
		}
		if err == nil {
			_, err = io.WriteString(out, part)
		}
		if errors.Is(err, chat.ErrTemplate) { // which names the file
			return err
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
	}
	_, err := io.WriteString(out, "\n")
	return err
}

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// helpCmd is the help command.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command; without one, help lists the commands."`
}

// Help returns the details of help --help.
func (*helpCmd) Help() string {
	return `Examples:

  puremetal help
  puremetal help run
`
}

// Run shows the help of a command.
func (c *helpCmd) Run(a *app, k *kong.Kong) error {
	ctx, err := kong.Trace(k, c.Command)
	if err != nil {
		return err
	}
	if depth := len(pathOf(ctx.Selected())); depth > 0 && len(c.Command) > depth {
		return usage("help shows one command; got %d", len(c.Command)-depth+1)
	}
	if ctx.Error != nil {
		return unknownCommand(k, ctx.Error)
	}
	return ctx.PrintUsage(false)
}

// pathOf returns the names of a command and of those that it is a part of, the outermost first.
func pathOf(n *kong.Node) (names []string) {
	for ; n != nil && n.Parent != nil; n = n.Parent {
		if n.Type == kong.CommandNode {
			names = append(names, n.Name)
		}
	}
	slices.Reverse(names)
	return names
}

// commands returns all commands, those that are parts of others behind them.
func commands(list []*kong.Node) (all []*kong.Node) {
	for _, n := range list {
		if n.Type == kong.CommandNode {
			all = append(append(all, n), commands(n.Children)...)
		}
	}
	return all
}

// manCmd is the man command.
type manCmd struct{}

// Help returns the details of man --help.
func (*manCmd) Help() string {
	return `The page is roff source with the man macros, for man and mandoc. It contains all commands.

Examples:

  puremetal man > puremetal.1 && man ./puremetal.1
  puremetal man > ~/.local/share/man/man1/puremetal.1
`
}

// Run writes the manual page.
func (*manCmd) Run(a *app, k *kong.Kong) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH PUREMETAL 1 \"\" \"puremetal %s\"\n", roff(version().Version))
	b.WriteString(".SH NAME\npuremetal \\- check, run and benchmark Metal kernels\n")
	b.WriteString(".SH SYNOPSIS\n.B puremetal\n\\fIcommand\\fR [\\fIarguments\\fR] [\\fIflags\\fR]\n")
	b.WriteString(".SH DESCRIPTION\n" + roff(about) + "\n.SH FLAGS OF ALL COMMANDS\n")
	roffFlags(&b, k.Model.Flags)
	b.WriteString(".SH COMMANDS\n")
	for _, n := range commands(k.Model.Children) {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(n.Summary()), roff(n.Help))
		roffText(&b, n.Detail)
		for _, p := range n.Positional {
			fmt.Fprintf(&b, ".TP\n\\fI%s\\fR\n%s\n", roff(p.Summary()), roff(p.Help))
		}
		roffFlags(&b, n.Flags)
	}
	b.WriteString(`.SH EXIT STATUS
0 on success, 1 for findings and failures, 2 for an invalid command line,
124 after \-\-timeout, 130 after Ctrl\-C, 143 after SIGTERM.
.SH ENVIRONMENT
.TP
.B PUREMETAL_DRIVER
The driver: apple or software.
.TP
.B NO_COLOR
If set, \-\-color=auto means never.
`)
	_, err := io.WriteString(a.out, b.String())
	return err
}

// roff escapes a line of text.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// roffText writes paragraphs; indented lines are verbatim, as in kong's help.
func roffText(b *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if code := strings.HasPrefix(paragraph, "  "); code {
			b.WriteString(".PP\n.RS 2\n.nf\n")
			for line := range strings.SplitSeq(paragraph, "\n") {
				b.WriteString(roff(strings.TrimPrefix(line, "  ")) + "\n")
			}
			b.WriteString(".fi\n.RE\n")
		} else {
			b.WriteString(".PP\n" + roff(paragraph) + "\n")
		}
	}
}

func roffFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", roff(f.String()), roff(f.Help))
	}
}

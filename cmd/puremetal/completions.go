package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionsCmd is the completions command.
type completionsCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

// Help returns the details of completions --help.
func (*completionsCmd) Help() string {
	return `The script completes commands, flags and files. It contains the commands of this version: generate it again after an update.

Examples:

  source <(puremetal completions bash)                       # in ~/.bashrc
  puremetal completions zsh > ~/.zfunc/_puremetal            # a directory in $fpath
  puremetal completions fish > ~/.config/fish/completions/puremetal.fish
  puremetal completions powershell | Out-String | Invoke-Expression    # in $PROFILE
`
}

// Run writes the script.
func (c *completionsCmd) Run(a *app, k *kong.Kong) error {
	commands := completionsOf(k)
	switch c.Shell {
	case "bash":
		return bashCompletion(a.out, commands)
	case "zsh":
		return zshCompletion(a.out, commands)
	case "powershell":
		return powershellCompletion(a.out, commands)
	}
	return fishCompletion(a.out, commands)
}

// completion lists what can follow a command's name.
type completion struct {
	name, help string
	flags      []completionFlag
	words      []string // the values of the argument; empty if it is a file
}

type completionFlag struct {
	name, short, help string
	value             bool
}

// completionsOf returns the commands and flags in kong's model.
func completionsOf(k *kong.Kong) []completion {
	var out []completion
	for _, n := range k.Model.Children {
		c := completion{name: n.Name, help: n.Help}
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				short := ""
				if f.Short != 0 {
					short = string(f.Short)
				}
				c.flags = append(c.flags, completionFlag{f.Name, short, f.Help, !f.IsBool()})
			}
		}
		slices.SortFunc(c.flags, func(x, y completionFlag) int { return strings.Compare(x.name, y.name) })
		for _, p := range n.Positional {
			if p.Enum != "" {
				c.words = strings.Split(p.Enum, ",")
			}
		}
		if n.Name == "help" {
			for _, m := range k.Model.Children {
				c.words = append(c.words, m.Name)
			}
		}
		out = append(out, c)
	}
	return out
}

func names(commands []completion) string {
	var out []string
	for _, c := range commands {
		out = append(out, c.name)
	}
	return strings.Join(out, " ")
}

func bashCompletion(w io.Writer, commands []completion) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Completion of puremetal for bash.
_puremetal() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "%s --help --version" -- "$cur"))
		return
	fi
	local flags= words=
	case ${COMP_WORDS[1]} in
`, names(commands))
	for _, c := range commands {
		var flags []string
		for _, f := range c.flags {
			flags = append(flags, "--"+f.name)
		}
		fmt.Fprintf(&b, "\t%s) flags=%q; words=%q ;;\n", c.name, strings.Join(flags, " "), strings.Join(c.words, " "))
	}
	b.WriteString(`	esac
	case $cur in
	-*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
	*) if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); else COMPREPLY=($(compgen -f -- "$cur")); fi ;;
	esac
}
complete -o filenames -F _puremetal puremetal
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// zshText quotes text for the specifications of zsh's _arguments and _describe.
func zshText(s string) string {
	return strings.NewReplacer(`'`, `'\''`, `:`, `\:`, `[`, `\[`, `]`, `\]`).Replace(s)
}

func zshCompletion(w io.Writer, commands []completion) error {
	var b strings.Builder
	b.WriteString("#compdef puremetal\n\n_puremetal() {\n\tif (( CURRENT == 2 )); then\n\t\tlocal -a commands=(\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\t\t\t'%s:%s'\n", c.name, zshText(c.help))
	}
	b.WriteString("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range c.flags {
			value := ""
			if f.value {
				value = ":value:_files"
			}
			fmt.Fprintf(&b, " \\\n\t\t\t'*--%s[%s]%s'", f.name, zshText(f.help), value)
		}
		if len(c.words) > 0 {
			fmt.Fprintf(&b, " \\\n\t\t\t'*:word:(%s)'\n\t\t;;\n", strings.Join(c.words, " "))
		} else {
			b.WriteString(" \\\n\t\t\t'*:file:_files'\n\t\t;;\n")
		}
	}
	b.WriteString("\tesac\n}\n\nif [ \"$funcstack[1]\" = _puremetal ]; then\n\t_puremetal \"$@\"\nelse\n\tcompdef _puremetal puremetal\nfi\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// fishText quotes text for fish.
func fishText(s string) string { return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) }

func fishCompletion(w io.Writer, commands []completion) error {
	var b strings.Builder
	b.WriteString("# Completion of puremetal for fish.\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c puremetal -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name, fishText(c.help))
	}
	for _, c := range commands {
		when := fmt.Sprintf("-n '__fish_seen_subcommand_from %s'", c.name)
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "complete -c puremetal %s -f -a '%s'\n", when, strings.Join(c.words, " "))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c puremetal %s -l %s", when, f.name)
			if f.short != "" {
				fmt.Fprintf(&b, " -s %s", f.short)
			}
			if f.value {
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d '%s'\n", fishText(f.help))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// powershellText quotes text for PowerShell.
func powershellText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func powershellCompletion(w io.Writer, commands []completion) error {
	var b strings.Builder
	b.WriteString(`# Completion of puremetal for PowerShell.
Register-ArgumentCompleter -Native -CommandName puremetal -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	$commands = [ordered]@{
`)
	for _, c := range commands {
		fmt.Fprintf(&b, "\t\t%s = @{ Help = %s; Words = [ordered]@{\n", powershellText(c.name), powershellText(c.help))
		for _, word := range c.words {
			fmt.Fprintf(&b, "\t\t\t%s = %[1]s\n", powershellText(word))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, "\t\t\t%s = %s\n", powershellText("--"+f.name), powershellText(f.help))
		}
		b.WriteString("\t\t} }\n")
	}
	b.WriteString(`	}
	$before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
		ForEach-Object { $_.ToString() })
	$words = [ordered]@{}
	if ($before.Count -le 1) {
		foreach ($name in $commands.Keys) { $words[$name] = $commands[$name].Help }
	} elseif ($commands.Contains($before[1])) {
		$words = $commands[$before[1]].Words
	}
	foreach ($word in $words.Keys) {
		if ($word.StartsWith('-') -and -not $wordToComplete) { continue } # files instead
		if ($word.StartsWith($wordToComplete, [System.StringComparison]::OrdinalIgnoreCase)) {
			[System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $words[$word])
		}
	}
}
`)
	_, err := io.WriteString(w, b.String())
	return err
}

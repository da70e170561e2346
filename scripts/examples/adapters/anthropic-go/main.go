// Command anthropic-go is an agent loop around hookrun's Go packages, for models with Anthropic's messages API.
//
// Use: WORKSPACE=. anthropic-go 'tidy up'. ANTHROPIC_API_KEY must be set; ANTHROPIC_BASE_URL and MODEL may be.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	text, err := loop(ctx, cmp.Or(strings.Join(os.Args[1:], " "), "Say hello."))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "anthropic-go:", err)
		os.Exit(1)
	}
	fmt.Println(text)
}

func loop(ctx context.Context, prompt string) (string, error) {
	workspace, err := filepath.Abs(os.Getenv("WORKSPACE"))
	if err != nil {
		return "", err
	}
	cfg, err := projecthooks.Load(workspace, projecthooks.LoadOptions{})
	if err != nil {
		return "", err
	}
	hooks, err := runner.New(cfg, runner.Options{})
	if err != nil {
		return "", err
	}
	defer hooks.Close()
	begin, err := hooks.Prompt(ctx, protocol.Call{Workspace: workspace, Prompt: prompt})
	say(begin)
	if err == nil && (begin.Stop || begin.Decision != protocol.Continue) {
		err = errors.New("a hook blocks this: " + cmp.Or(begin.StopReason, begin.Reason))
	}
	if err != nil {
		return "", err
	}
	first := prompt
	for _, text := range begin.Texts {
		first += "\n\n" + text.Content
	}
	chat := anthropic.MessageNewParams{
		Model: cmp.Or(os.Getenv("MODEL"), anthropic.ModelClaudeSonnet5), MaxTokens: 4096, Tools: tools,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(first))},
	}
	for client := anthropic.NewClient(); ; {
		message, err := client.Messages.New(ctx, chat)
		if err != nil {
			return "", err
		}
		text, results := "", []anthropic.ContentBlockParamUnion(nil)
		for _, block := range message.Content {
			text += block.Text
			if block.Type == "tool_use" {
				call := protocol.Call{Tool: block.Name, Args: string(block.Input), ID: block.ID,
					Workspace: workspace, Prompt: prompt}
				done, err := hooks.Tool(ctx, call, tool(block.Name, workspace))
				say(done.Before)
				say(done.After)
				if err == nil && done.Stop { // a stop before the tool: the tool did not run
					err = errors.New("a hook ends this: " + done.StopReason)
				}
				if err != nil { // no tool may run without a verdict
					return "", err
				}
				results = append(results, anthropic.NewToolResultBlock(block.ID, done.Text, done.Output.Err != nil))
			}
		}
		if len(results) == 0 {
			return text, nil
		}
		chat.Messages = append(chat.Messages, message.ToParam(), anthropic.NewUserMessage(results...))
	}
}

// say shows the user the warnings and messages of hooks. A gate that failed open is a warning.
func say(o *protocol.Outcome) {
	if o == nil { // no hooks ran
		return
	}
	line := func(kind, text string) {
		fmt.Fprintf(os.Stderr, "hookrun: %s: %s\n", kind, strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return ' ' // no line break, and no character that steers a terminal
		}, text))
	}
	for _, w := range o.Warnings {
		line("warning", w)
	}
	for _, m := range o.SystemMessages {
		line("message", m)
	}
}

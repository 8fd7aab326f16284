package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/patchls/patchls/agent"
	"github.com/patchls/patchls/agent/hook"
	"github.com/patchls/patchls/agent/mcp"
	"github.com/patchls/patchls/internal/lists"
)

func mcpCommand(std streams) *cobra.Command {
	var to reach
	opts := mcp.Options{Version: version()}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an agent on stdin and stdout by the Model Context Protocol",
		Long: "Serves an agent by the Model Context Protocol (MCP). The agent edits in the live editor\n" +
			"that has the file or the folder open. Each call looks for that editor anew, so the\n" +
			"editor may start, or restart, after the agent. If there is no live editor, the call is\n" +
			"an error. With --editor auto or headless, the embedded editor edits the files instead,\n" +
			"saves after each command, as each answer says first.",
		Example: `  patchls mcp --root ~/menu
  patchls mcp --editor auto --root ~/menu`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			to.save = true
			if err := to.open(cmd.Context(), std); err != nil {
				return err
			}
			defer to.close()
			to.find.Client.Actor = rand.Text() // what was shown stays shown when it has to connect again
			to.find.Client.Shared = true       // sub-agents may use the process
			opts.Log = to.find.Log
			var first sync.Once // before the first connection to a live editor
			opts.Connect = func(ctx context.Context, client agent.ClientInfo, about agent.About) (mcp.Session, error) {
				first.Do(func() { to.isFor(client) })
				return to.session(ctx, about)
			}
			server, err := mcp.New(opts)
			if err != nil {
				return err
			}
			if err := server.Serve(cmd.Context(), std.in, std.out); err != nil {
				return failed{err}
			}
			return nil
		},
	}
	to.addEditorFlags(cmd, liveEditor)
	cmd.Flags().StringVar(&opts.Dialect, "dialect", mcp.Dialects()[0],
		"set of tools: "+strings.Join(mcp.Dialects(), ", "))
	cmd.Flags().BoolVar(&opts.Structured, "structured", false, "also answer with structured data, for clients that are programs (dialect native)")
	cmd.Flags().BoolVar(&opts.ReviewTools, "review-tools", false, "also offer keep and revert, for programs that review edits instead of the user (dialect native)")
	_ = cmd.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions(mcp.Dialects(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// isFor has the editors know the client by the name that it gives itself, if it does.
func (r *reach) isFor(client agent.ClientInfo) {
	if client.Name == "" {
		return
	}
	r.find.Client.Name, r.find.Client.Version = client.Name, client.Version
	if client.Name == "claude-code" { // other programs may inherit the variable
		r.find.Client.Actor = cmp.Or(os.Getenv("CLAUDE_CODE_SESSION_ID"), r.find.Client.Actor) // as the hooks of the session
	}
}

// The notes that go with each answer of the embedded editor to an agent.
const (
	noLiveEditor     = "No live editor was found: this is about the files on disk."
	editedByEmbedded = "No live editor was found, so the embedded one did this, and saves what it edits to disk."
)

// session returns the editor in which the MCP server runs a call. Where several editors might have been meant, each
// answer says which one was.
func (r *reach) session(ctx context.Context, about agent.About) (mcp.Session, error) {
	e, rivals, err := r.connect(ctx, about)
	if err != nil {
		return mcp.Session{}, err
	}
	if live, ok := e.(*agent.Conn); ok {
		s := mcp.Session{Editor: live, Name: live.Live().Title()}
		if rivals > 0 {
			s.Notes = []string{fmt.Sprintf("This is about %s, one of %d editors that have the folder or the file open.", s.Name, rivals+1)}
		}
		return s, nil
	}
	return mcp.Session{
		Editor: e, Name: "the embedded editor", Notes: []string{noLiveEditor}, Edited: []string{editedByEmbedded},
	}, nil
}

func hookCommand(std streams) *cobra.Command {
	names := lists.Map(hook.Agents, func(a hook.Agent) string { return a.Name })
	either := strings.Join(names, " or ")
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer an agent that asks before it uses its own tools",
		Long: "Answers the hooks of an agent, " + either + ". patchls setup writes them into its\n" +
			"configuration. The agent sends to stdin what it is about to do with a tool of its own.\n" +
			"If a live editor has that file open with unsaved text, the agent gets that text, and its\n" +
			"edit is made there as any agent's is. Otherwise, and if no editor is open, nothing is\n" +
			"printed, and the agent uses its tool.",
		Example:   `  patchls setup claude`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			i := slices.IndexFunc(hook.Agents, func(a hook.Agent) bool { return slices.Equal(args, []string{a.Name}) })
			if i < 0 { // exit code 2, that of a wrong command line, would make the agent not use its tool
				return show(std, false, failed{errors.New("name one agent: " + either)})
			}
			defer func() { // a panic would also exit with 2
				if p := recover(); p != nil {
					err = show(std, false, failed{fmt.Errorf("patchls hook: %v", p)})
				}
			}()
			question, err := readAll(cmd.Context(), func() ([]byte, error) { return io.ReadAll(std.in) })
			if err != nil {
				return show(std, false, failed{err})
			}
			find := &agent.Finder{Client: agent.ClientInfo{Name: hook.Agents[i].Client}}
			defer find.Close()
			if answer := hook.Agents[i].Answer(cmd.Context(), question, find); answer != nil {
				fmt.Fprintf(std.out, "%s\n", answer)
			}
			return nil
		},
	}
}

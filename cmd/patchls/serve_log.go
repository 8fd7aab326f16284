package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
)

// logForm is what is logged, and how it is written.
type logForm struct{ level, format string }

func (l *logForm) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.level, "log-level", "info", "log what is at least as grave as this: debug, info, warn or error; debug has each step of a command")
	cmd.Flags().StringVar(&l.format, "log-format", "text", "text or json")
}

// handler returns a log in that form.
func (l *logForm) handler(w io.Writer) (slog.Handler, error) {
	var opts slog.HandlerOptions
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is none of debug, info, warn and error", l.level)
	}
	opts.Level = level
	switch l.format {
	case "text":
		return slog.NewTextHandler(w, &opts), nil
	case "json":
		return slog.NewJSONHandler(w, &opts), nil
	}
	return nil, fmt.Errorf("--log-format %q is neither text nor json", l.format)
}

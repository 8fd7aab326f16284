package main

import (
	"context"
	"io"
)

func (o *options) follow(ctx context.Context, k *kit, out, log io.Writer) ([]string, error) {
	return nil, nil
}

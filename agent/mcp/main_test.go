package mcp_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/patchls/patchls/internal/testkit/leaks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, leaks.IgnoreLibraries) }

package headless

import (
	"errors"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" { // it does not live to remove a folder
		os.Exit(m.Run())
	}
	state, err := os.MkdirTemp("", "patchls-state-")
	if err == nil {
		err = errors.Join(os.Setenv("HOME", state), os.Setenv("LocalAppData", state))
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(state)
		os.Exit(code)
	}))
}
